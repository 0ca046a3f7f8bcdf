/* Whether a call ends the process by assert or abort: for what only a fault of ours can do. */
#ifndef LOCI_TESTS_ABORTS_H
#define LOCI_TESTS_ABORTS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs body(arg) in a child, quietly; true if SIGABRT ended it. */
static inline bool aborts(void (*body)(void *), void *arg)
{
    static const struct rlimit no_core = {0, 0};
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* neither cmocka's handler nor a sanitizer's */
        setrlimit(RLIMIT_CORE, &no_core);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        body(arg);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}

#endif
