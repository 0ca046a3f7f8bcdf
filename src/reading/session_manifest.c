/* The turns of a session; see session_manifest.h. */
#include "session_manifest.h"

#include <string.h>

#include "access.h"
#include "inert.h"
#include "page.h"
#include "session_manifest_store.h"

static void show_turn(struct ctx *c, const struct manifest_in *in, struct manifest_turn *t)
{
    const char *text = text_cut(c->arena, t->content, in->verbose ? MANIFEST_VERBOSE : MANIFEST_CHARS, false);

    t->content_cut = strcmp(text, t->content) != 0;
    t->content = inert_text(c->arena, text);
    t->untrusted = true;
}

err session_manifest(struct ctx *c, const struct manifest_in *in, struct manifest *out)
{
    struct uuids spaces = access_spaces(c);
    struct manifest_turn *turns;
    const char *after;
    struct list rows;
    struct page p;

    *out = (struct manifest){.id = in->id};
    TRY(page_begin_name(c, in->cursor, &after));
    TRY(manifest_store_count(c, in->id, spaces, out));
    if (!out->total_visible)
        return fail(c, ERR_NOT_FOUND, "no session '%s' with something that you can read", in->id);
    TRY(manifest_store_turns(c, in->id, spaces, after, in->limit, &rows));
    PAGE_END_NAME(c, &p, rows.v, rows.n, in->limit, struct manifest_turn, key);
    turns = p.items;
    for (size_t i = 0; i < p.n; i++)
        show_turn(c, in, &turns[i]);
    out->turns = (struct list){p.items, p.n};
    out->next_cursor = p.next_cursor;
    return ERR_OK;
}
