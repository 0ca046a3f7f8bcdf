/* The files of rules.d; see rule_dir.h. A process keeps what it has checked until a file changes. */
#include "rule_dir.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "arena.h"
#include "config.h"
#include "list.h"
#include "log.h"
#include "rule_set.h"

#define FILES_MAX 64

static struct {
    pthread_mutex_t lock;
    uint32_t mark; /* of the files that it was made of; 0: nothing yet */
    struct arena *arena;
    const char *text;
} checked = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Of names, sizes and times of change; never 0. */
static uint32_t mark_of_files(const glob_t *files)
{
    uint64_t h = 14695981039346656037ULL;
    struct stat s;

    for (size_t i = 0; i < files->gl_pathc && i < FILES_MAX; i++) {
        for (const char *p = files->gl_pathv[i]; *p; p++)
            h = (h ^ (uint8_t)*p) * 1099511628211ULL;
        if (stat(files->gl_pathv[i], &s) == 0)
            h = (h ^ (uint64_t)s.st_size ^ (uint64_t)s.st_mtim.tv_sec << 20 ^ (uint64_t)s.st_mtim.tv_nsec) * 1099511628211ULL;
    }
    return (uint32_t)(h ^ h >> 32) | 1;
}

static const char *read_rules(struct ctx *c, const char *path)
{
    char *text = arena_alloc(c->arena, RULE_SET_SIZE + 1);
    FILE *f = fopen(path, "re");
    size_t n;

    if (!f) {
        log_say(c->app->log, LOG_WARN, "rules: cannot read %s", path);
        return "";
    }
    n = fread(text, 1, RULE_SET_SIZE, f);
    (void)fclose(f);
    text[n] = 0;
    return text;
}

static const char *check_file(struct ctx *c, const char *path, const char *shipped)
{
    const char *active, *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const struct rule_fault *f;
    struct rule_set set = {0};

    active = rule_set_check(c, read_rules(c, path), shipped, &set);
    f = set.faults.v;
    for (size_t i = 0; i < set.faults.n; i++)
        log_say(c->app->log, LOG_WARN, "rules.d/%s:%lld: %s: the rule is left out", name, (long long)f[i].line, f[i].why);
    return active;
}

static const char *check_files(struct ctx *c, const glob_t *files, const char *shipped)
{
    const char *text = "";

    for (size_t i = 0; i < files->gl_pathc && i < FILES_MAX; i++)
        text = arena_printf(c->arena, "%s%s\n", text, check_file(c, files->gl_pathv[i], shipped));
    return text;
}

err rule_dir_load(struct ctx *c, const char *shipped, const char **text, uint32_t *mark)
{
    glob_t files = {0};

    (void)glob(arena_printf(c->arena, "%s/rules.d/*.rules", c->app->conf->data_dir), 0, NULL, &files);
    *mark = files.gl_pathc ? mark_of_files(&files) : 0;
    pthread_mutex_lock(&checked.lock);
    if (*mark && checked.mark != *mark) {
        const char *text_now = check_files(c, &files, shipped);

        arena_free(checked.arena);
        checked.arena = arena_new(strlen(text_now) + 4096);
        checked.text = arena_strdup(checked.arena, text_now);
        checked.mark = *mark;
    }
    *text = *mark && checked.text ? arena_strdup(c->arena, checked.text) : "";
    pthread_mutex_unlock(&checked.lock);
    globfree(&files);
    return ERR_OK;
}
