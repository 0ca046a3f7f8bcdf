/* Cursors; see page.h. */
#include "page.h"

#include <string.h>

#include "limit.h"
#include "str.h"

#define NAME_CURSOR 1024 /* characters: names have at most 512 bytes */

err page_begin(struct ctx *c, const char *cursor, struct uuid *before)
{
    struct bytes raw;

    memset(before, 0xff, sizeof *before);
    if (str_empty(cursor))
        return ERR_OK;
    if (strlen(cursor) > LIMIT_CURSOR || !b64url_decode(c->arena, cursor, &raw) || raw.n != sizeof *before)
        return fail_field(c, "/cursor", "invalid cursor: send the next_cursor of the page before, unchanged");
    memcpy(before, raw.p, sizeof *before);
    return ERR_OK;
}

/* What the cursor is made of, in the last row that is shown; NULL: that was all. */
static const void *page_cut(struct page *p, void *rows, size_t n, int64_t limit, size_t row_size, size_t offset)
{
    *p = (struct page){.items = rows, .n = n};
    if ((int64_t)n <= limit)
        return NULL;
    p->n = (size_t)limit;
    p->has_more = true;
    return (char *)rows + (p->n - 1) * row_size + offset;
}

void page_end(struct ctx *c, struct page *p, void *rows, size_t n, int64_t limit, size_t row_size, size_t id_offset)
{
    const void *last = page_cut(p, rows, n, limit, row_size, id_offset);

    p->next_cursor = last ? b64url_encode(c->arena, last, sizeof(struct uuid)) : NULL;
}

err page_begin_name(struct ctx *c, const char *cursor, const char **after)
{
    struct bytes raw = {0};

    if (!str_empty(cursor) && (strlen(cursor) > NAME_CURSOR || !b64url_decode(c->arena, cursor, &raw) || memchr(raw.p, 0, raw.n)
                               || !str_is_utf8((const char *)raw.p, raw.n)))
        return fail_field(c, "/cursor", "invalid cursor: send the next_cursor of the page before, unchanged");
    *after = raw.n ? arena_strndup(c->arena, (const char *)raw.p, raw.n) : "";
    return ERR_OK;
}

void page_end_name(struct ctx *c, struct page *p, void *rows, size_t n, int64_t limit, size_t row_size, size_t name_offset)
{
    const char *const *last = page_cut(p, rows, n, limit, row_size, name_offset);

    p->next_cursor = last ? b64url_encode(c->arena, *last, strlen(*last)) : NULL;
}
