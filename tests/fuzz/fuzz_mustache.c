/* Any bytes as a template, up to three partials and a model, separated by NULs: parsing and rendering end, in bounds. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "json.h"
#include "mustache.h"

#define PIECES 5

static const char *const NAMES[PIECES] = {"model", "t", "a", "b", "c"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input cut at NULs; the last piece takes the rest. */
static int cut(const char *p, size_t n, const char *pieces[PIECES], size_t lengths[PIECES])
{
    int count = 0;

    while (count < PIECES) {
        const char *nul = count < PIECES - 1 ? memchr(p, 0, n) : NULL;
        size_t len = nul ? (size_t)(nul - p) : n;

        pieces[count] = p;
        lengths[count++] = len;
        if (!nul)
            break;
        p += len + 1;
        n -= len + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(256u << 20);
    struct mustache_set *set = mustache_set_new(a);
    const char *pieces[PIECES], *why;
    size_t lengths[PIECES];
    struct json *model = json_obj(a);
    const struct mustache *t;
    struct buf out;
    int n = cut((const char *)data, size, pieces, lengths);

    (void)json_parse(a, pieces[0], lengths[0], &model, &why);
    mustache_set_limits(set, 20000, 1u << 20);
    for (int i = 1; i < n; i++)
        (void)mustache_add(set, NAMES[i], NAMES[i], pieces[i], lengths[i], &why);
    (void)mustache_link(set, false, &why);
    t = mustache_find(set, "t");
    buf_init(&out, a, 64);
    if (t)
        (void)mustache_render(t, &mustache_json, model, &out);
    arena_free(a);
    return 0;
}
