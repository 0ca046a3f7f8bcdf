/* Listening sockets: one process takes a path over from another, and what waits in a queue is answered by whom it belongs to. */
#include "entrance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/loci-entrance-XXXXXX", path[64];

static int in_dir(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/web.sock", dir);
    return 0;
}

static int out_of_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

static int caller(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static void assert_takes(struct entrance *e)
{
    int fd = entrance_take(e);

    assert_true(fd >= 0);
    close(fd);
}

static void a_new_process_takes_the_path(void **state)
{
    struct entrance old, new;
    int first, second;

    (void)state;
    assert_true(entrance_open(&old, -1, path));
    first = caller();
    assert_true(first >= 0);
    assert_true(entrance_open(&new, -1, path));
    second = caller();
    assert_true(second >= 0);
    entrance_stop(&old);
    assert_takes(&old); /* the one who came before */
    assert_int_equal(entrance_take(&old), -1);
    entrance_close(&old);
    assert_int_equal(access(path, F_OK), 0); /* it is the new one's */
    assert_takes(&new);
    entrance_stop(&new);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(entrance_take(&new), -1);
    entrance_close(&new);
    close(first);
    close(second);
}

static void an_inherited_queue_is_left(void **state)
{
    struct entrance owner, one, next;
    int kept, waits, later;

    (void)state;
    assert_true(entrance_open(&owner, -1, path));
    kept = dup(owner.fd);
    assert_true(entrance_open(&one, dup(kept), ""));
    waits = caller();
    entrance_stop(&one);
    assert_int_equal(entrance_take(&one), -1);
    entrance_close(&one);
    later = caller();
    assert_true(later >= 0); /* it still listens */
    assert_true(entrance_open(&next, dup(kept), ""));
    assert_takes(&next);
    assert_takes(&next);
    entrance_stop(&next);
    entrance_close(&next);
    entrance_stop(&owner);
    entrance_close(&owner);
    close(kept);
    close(waits);
    close(later);
}

static void a_path_that_is_too_long(void **state)
{
    struct entrance e;
    char far[200];

    (void)state;
    memset(far, 'x', sizeof far);
    far[sizeof far - 1] = 0;
    assert_false(entrance_open(&e, -1, far));
    entrance_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_process_takes_the_path),
        cmocka_unit_test(an_inherited_queue_is_left),
        cmocka_unit_test(a_path_that_is_too_long),
    };

    return cmocka_run_group_tests(tests, in_dir, out_of_dir);
}
