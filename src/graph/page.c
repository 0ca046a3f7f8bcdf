/* Cursors; see page.h. */
#include "page.h"

#include <string.h>

#include "limit.h"
#include "str.h"

err page_begin(struct ctx *c, const char *cursor, struct uuid *before)
{
    struct bytes raw;

    memset(before, 0xff, sizeof *before);
    if (str_empty(cursor))
        return ERR_OK;
    if (strlen(cursor) > LIMIT_CURSOR || !b64url_decode(c->arena, cursor, &raw) || raw.n != sizeof *before)
        return fail_field(c, "/cursor", "cursor is not one that a list of ours gave out");
    memcpy(before, raw.p, sizeof *before);
    return ERR_OK;
}

void page_end(struct ctx *c, struct page *p, void *rows, size_t n, int64_t limit, size_t row_size, size_t id_offset)
{
    *p = (struct page){.items = rows, .n = n};
    if ((int64_t)n <= limit)
        return;
    p->n = (size_t)limit;
    p->has_more = true;
    p->next_cursor = b64url_encode(c->arena, (char *)rows + (p->n - 1) * row_size + id_offset, sizeof(struct uuid));
}
