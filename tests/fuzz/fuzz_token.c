/* Fuzzes what callers hand back to us: tokens, cursors of lists, scopes and sealed cookies. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "app.h"
#include "page.h"
#include "permission.h"
#include "seal.h"
#include "str.h"
#include "token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tokens(struct arena *a, const char *text)
{
    char prefix[TOKEN_PREFIX + 1];
    const char *secret;

    if (!token_parse(text, prefix, &secret))
        return;
    assert(strlen(prefix) == TOKEN_PREFIX && strlen(secret) == TOKEN_SECRET);
    assert(strcmp(text, arena_printf(a, "loci_%s_%s", prefix, secret)) == 0);
}

/* A cursor that is taken is the cursor that the same place would get again. */
static void cursors(struct ctx *c, const char *text)
{
    struct uuid before, rows[2] = {0};
    struct page p;

    if (page_begin(c, text, &before) != ERR_OK || !*text)
        return;
    rows[0] = before;
    page_end(c, &p, rows, 2, 1, sizeof *rows, 0);
    assert(p.has_more && p.n == 1 && strcmp(p.next_cursor, text) == 0);
}

static void scopes(struct ctx *c, const char *text)
{
    const char *v[2] = {text, "memory.read"};
    permissions set, again;
    struct strs names;
    size_t bad = 9;

    if (!permissions_parse((struct strs){v, 2}, &set, &bad)) {
        assert(bad == 0);
        return;
    }
    assert(set && !(set & ~permissions_all()) && permissions_have(set, PERM_MEMORY_READ));
    names = permissions_strs(c->arena, set);
    assert(permissions_parse(names, &again, &bad) && again == set);
}

/* Nobody without the key makes a cookie that opens; one of ours opens for its own session only. */
static void seals(struct ctx *c, const char *text, const uint8_t *data, size_t size)
{
    struct json *what = json_obj(c->arena);
    const struct json *back;
    char *sealed;

    assert(!seal_open(c, "session", text, 60 * SECOND_US));
    json_set_str(c->arena, what, "text", "hello");
    sealed = arena_strdup(c->arena, seal(c, "session", what));
    back = seal_open(c, "session", sealed, 60 * SECOND_US);
    assert(back && json_equal(back, what));
    assert(!seal_open(c, "other", sealed, 60 * SECOND_US));
    if (size >= 2 && sealed[data[0] % strlen(sealed)] != (char)data[1] && data[1]) {
        sealed[data[0] % strlen(sealed)] = (char)data[1];
        assert(!seal_open(c, "session", sealed, 60 * SECOND_US));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct app APP = {.secret = {1, 2, 3}};
    struct ctx c = {.arena = arena_new(64 << 20), .app = &APP, .now = {1763465219000000}};
    const char *text = arena_strndup(c.arena, (const char *)data, size);

    tokens(c.arena, text);
    cursors(&c, text);
    scopes(&c, text);
    seals(&c, text, data, size);
    arena_free(c.arena);
    return 0;
}
