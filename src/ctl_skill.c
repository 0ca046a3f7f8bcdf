/* locictl skill and sync-docs: folders of skills in and out, the registry as Markdown. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"
#include "docs_folder.h"
#include "docs_snapshot.h"
#include "skill_ingest.h"

#define WALK_DEPTH 8

struct skill_walk {
    struct ctx *c;
    struct ingest_file *files;
    size_t n;
    bool is_full;
};

/* ---- in */

static bool walk_read(struct skill_walk *w, int fd, const char *path)
{
    struct stat st;
    char *text;
    size_t n = 0;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > RESOURCE_BYTES)
        return false;
    text = arena_alloc(w->c->arena, (size_t)st.st_size + 1);
    while (n < (size_t)st.st_size) {
        ssize_t took = read(fd, text + n, (size_t)st.st_size - n);

        if (took <= 0)
            return false;
        n += (size_t)took;
    }
    text[n] = 0;
    w->files[w->n++] = (struct ingest_file){.path = path, .bytes = {text, n}};
    return true;
}

/* Links are not followed; what begins with a dot is left out. */
static void walk_folder(struct skill_walk *w, int at, const char *above, int depth)
{
    DIR *d = fdopendir(at);

    if (!d) {
        close(at);
        return;
    }
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        const char *path = arena_printf(w->c->arena, "%s%s%s", above, *above ? "/" : "", e->d_name);
        struct stat st;
        int fd;

        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < WALK_DEPTH) {
            fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (fd >= 0)
                walk_folder(w, fd, path, depth + 1);
        } else if (S_ISREG(st.st_mode)) {
            w->is_full = w->is_full || w->n == INGEST_FILES * 20;
            fd = w->is_full ? -1 : openat(dirfd(d), e->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
            if (fd >= 0) {
                if (!walk_read(w, fd, path))
                    fprintf(stderr, "locictl: %s: cannot be read\n", path);
                close(fd);
            }
        }
    }
    closedir(d);
}

static int skill_ingest_say(const struct skill_ingested *r)
{
    const struct ingest_fault *f = r->failed.v;

    printf("%lld created, %lld updated, %lld unchanged, %lld deprecated, %zu failed; %lld files beside them changed; %lld edges\n",
           (long long)r->created, (long long)r->updated, (long long)r->unchanged, (long long)r->deprecated, r->failed.n,
           (long long)r->resources, (long long)r->edges);
    for (size_t i = 0; i < r->failed.n; i++)
        fprintf(stderr, "locictl: %s:%lld: %s\n", f[i].path, (long long)f[i].line, f[i].message);
    return r->failed.n ? CTL_FAILED : 0;
}

static int skill_ingest_command(struct ctl *t)
{
    const char *dir = ctl_need(t, "--from"), *source = ctl_option(t, "--source"), *space = ctl_option(t, "--space");
    struct skill_ingest in = {.source = source ? source : dir, .create_categories = true, .dry_run = ctl_flag(t, "--dry-run"),
                              .prune = ctl_flag(t, "--prune")};
    struct skill_walk w = {.c = &t->c};
    struct skill_ingested r;
    int code, at;

    ctl_act_in_account(t);
    if (space) {
        code = ctl_result(t, ctl_find_space(t, space, &in.space_id));
        if (code)
            return code;
    }
    ctl_no_more(t);
    at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) {
        fprintf(stderr, "locictl: %s: no such folder\n", dir);
        return CTL_FAILED;
    }
    w.files = ARENA_ARRAY(t->c.arena, struct ingest_file, INGEST_FILES * 20 + 1);
    walk_folder(&w, at, "", 0);
    if (w.is_full) {
        fprintf(stderr, "locictl: the folder has more than %d files\n", INGEST_FILES * 20);
        return CTL_FAILED;
    }
    in.files = (struct list){w.files, w.n};
    code = ctl_result(t, skill_ingest(&t->c, &in, &r));
    return code ? code : skill_ingest_say(&r);
}

/* ---- out */

static int ctl_new_folder(const char *dir)
{
    int at = mkdir(dir, 0755) == 0 ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (at < 0)
        fprintf(stderr, "locictl: %s: the folder must be new, and the one above it there\n", dir);
    return at;
}

static err skill_put_folder(struct ctx *c, int dir, const char *ref, bool *written)
{
    const struct skill_resource *v;
    struct skill_exported x;

    TRY(skill_export(c, ref, &x));
    v = x.files.v;
    *written = folder_put(dir, arena_printf(c->arena, "%s/SKILL.md", ref), (struct bytes){x.content, strlen(x.content)});
    for (size_t i = 0; i < x.files.n; i++) {
        struct skill_resource r;

        TRY(skill_resource_get(c, ref, v[i].path, &r));
        *written = folder_put(dir, arena_printf(c->arena, "%s/%s", ref, r.path), r.content) && *written;
    }
    return ERR_OK;
}

static int skill_export_command(struct ctl *t)
{
    const char *dir = ctl_need(t, "--to"), *slug = ctl_need(t, "--skill");
    bool written = false;
    int at, code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    at = ctl_new_folder(dir);
    if (at < 0)
        return CTL_FAILED;
    code = ctl_result(t, skill_put_folder(&t->c, at, slug, &written));
    close(at);
    if (!code && !written)
        fprintf(stderr, "locictl: not every file could be written\n");
    return code ? code : written ? 0 : CTL_FAILED;
}

static int sync_docs_command(struct ctl *t)
{
    const char *dir = ctl_need(t, "--to");
    const struct docs_file *v;
    struct list all;
    int at, code;

    ctl_act_in_account(t);
    ctl_no_more(t);
    code = ctl_result(t, docs_snapshot(&t->c, &all));
    if (code)
        return code;
    at = ctl_new_folder(dir);
    if (at < 0)
        return CTL_FAILED;
    v = all.v;
    for (size_t i = 0; i < all.n && !code; i++)
        if (!folder_put(at, v[i].path, v[i].content)) {
            fprintf(stderr, "locictl: %s: cannot be written\n", v[i].path);
            code = CTL_FAILED;
        }
    close(at);
    printf("%zu files\n", all.n);
    return code;
}

const struct ctl_command ctl_skill_commands[] = {
    {"skill ingest", "--account S --from FOLDER [--source NAME] [--space S] [--dry-run] [--prune]",
     "makes skills of files .md and folders with SKILL.md", skill_ingest_command},
    {"skill export", "--account S --skill SLUG --to FOLDER", "writes a skill as a folder, byte for byte what came in",
     skill_export_command},
    {"sync-docs", "--account S --to FOLDER", "writes the registry as Markdown into a new folder", sync_docs_command},
    {0},
};
