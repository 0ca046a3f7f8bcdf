/* Entries as callers read them; see entry.h. */
#include "entry.h"

#include <string.h>

#include "access.h"
#include "entry_impl.h"
#include "merge.h"
#include "relevance.h"
#include "tags.h"

ENUMX_DEFINE(entry_type, ENTRY_TYPE);
ENUMX_DEFINE(memory_type, MEMORY_TYPE);
ENUMX_DEFINE(entry_source, ENTRY_SOURCE);
ENUMX_DEFINE(outcome, OUTCOME);
ENUMX_DEFINE(entry_order, ENTRY_ORDER);
ENUMX_DEFINE(entry_merging, ENTRY_MERGING);

err entry_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such entry");
}

bool entry_is_there(const struct ctx *c, const struct entry_row *e)
{
    const struct node *n = &e->node;

    return !n->forgotten_at.us && strcmp(n->status, NODE_FORGOTTEN) != 0 && (!n->expires_at.us || n->expires_at.us > c->now.us);
}

void entry_present(const struct ctx *c, struct entry_row *e)
{
    struct lifecycle l = node_lifecycle(&e->node);

    e->entry.importance_score = lifecycle_round(lifecycle_now(&l, c->now));
    e->entry.effective_relevance_score = relevance_score(c, &e->node);
}

err entry_find(struct ctx *c, const struct context *x, const char *ref, struct entry_row *out)
{
    struct uuid id;
    bool found = false;

    *out = (struct entry_row){0};
    if (uuid_parse(ref, &id))
        TRY(entry_store_by_id(c, x->id, id, &found, out));
    if (found && !uuid_is_nil(out->head_id)) {
        id = out->head_id;
        *out = (struct entry_row){0};
        TRY(entry_store_by_id(c, x->id, id, &found, out));
    }
    if (!found) {
        *out = (struct entry_row){0};
        TRY(entry_store_by_key(c, x->id, ref, &found, out));
    }
    return found ? ERR_OK : entry_missing(c);
}

err entry_find_to_change(struct ctx *c, const struct context *x, const char *ref, struct entry_row *out)
{
    err e = entry_find(c, x, ref, out);
    struct entry_row keeper = {0};
    struct uuid loser, id = {{0}};
    bool found;

    if (e == ERR_NOT_FOUND)
        TRY(merge_keeper_of_key(c, x->id, ref, &loser, &id));
    else if (e == ERR_OK && out->node.archived_at.us)
        TRY(merge_keeper_of(c, out->entry.id, &id));
    if (uuid_is_nil(id))
        return e;
    TRY(entry_store_by_id(c, x->id, id, &found, &keeper));
    if (!found)
        return e;
    ctx_forgive(c);
    return fail_reason(c, ERR_CONFLICT, "merged", "the entry was merged into '%s': change that one or undo the merge",
                       keeper.entry.entry_key);
}

/* Where the one of this id or key was merged into another: *e is that one, and *from says which it was. */
static err follow_merges(struct ctx *c, const struct context *x, const char *ref, bool was_found, struct entry_row *e, struct uuid *from)
{
    struct uuid keeper;
    bool found;

    *from = e->entry.id;
    if (was_found && !e->node.archived_at.us)
        keeper = (struct uuid){{0}};
    else if (was_found)
        TRY(merge_keeper_of(c, e->entry.id, &keeper));
    else
        TRY(merge_keeper_of_key(c, x->id, ref, from, &keeper));
    if (uuid_is_nil(keeper)) {
        *from = keeper;
        return was_found ? ERR_OK : entry_missing(c);
    }
    *e = (struct entry_row){0};
    TRY(entry_store_by_id(c, x->id, keeper, &found, e));
    return found ? ERR_OK : entry_missing(c);
}

static err find_or_keeper(struct ctx *c, const struct context *x, const char *ref, struct entry_row *e, struct uuid *from)
{
    err r = entry_find(c, x, ref, e);

    if (r != ERR_OK && r != ERR_NOT_FOUND)
        return r;
    ctx_forgive(c);
    return follow_merges(c, x, ref, r == ERR_OK, e, from);
}

err entry_get(struct ctx *c, const char *context, const char *ref, struct entry *out)
{
    struct context x;
    struct entry_row e;
    struct uuid from;

    TRY(context_find(c, context, &x));
    TRY(find_or_keeper(c, &x, ref, &e, &from));
    if (!entry_is_there(c, &e))
        return entry_missing(c);
    entry_present(c, &e);
    *out = e.entry;
    out->merged_from = from;
    return ERR_OK;
}

struct access_change entry_log_of(enum access_action action, const struct entry_row *before, const struct entry_row *after)
{
    const struct entry_row *e = after ? after : before;

    return (struct access_change){
        .action = action, .context_id = e->entry.context_id, .entry_id = e->entry.id,
        .version_before = before ? before->entry.version : 0, .version_after = after ? after->entry.version : 0,
        .size_change = (after ? after->size_bytes : 0) - (before ? before->size_bytes : 0),
        .by_workflow = !before && str_eq(e->entry.source_type, enumx_name(&entry_source_enumx, ENTRY_BY_WORKFLOW))};
}

err entry_log(struct ctx *c, enum access_action action, const struct entry_row *before, const struct entry_row *after)
{
    struct access_change a = entry_log_of(action, before, after);

    return access_log_change(c, &a);
}

static void make_page(struct ctx *c, struct entry_row *rows, size_t n, int64_t limit, struct page *out)
{
    struct entry *list = ARENA_ARRAY(c->arena, struct entry, n + 1);

    for (size_t i = 0; i < n; i++) {
        entry_present(c, &rows[i]);
        list[i] = rows[i].entry;
    }
    PAGE_END(c, out, list, n, limit, struct entry, id);
}

err entry_list(struct ctx *c, const char *context, const struct entry_filter *f, struct page *out)
{
    struct entry_filter folded = *f;
    struct entry_row *rows;
    struct context x;
    struct strs tags;
    struct uuid from;
    size_t n;

    TRY(context_find(c, context, &x));
    TRY(page_begin(c, f->cursor, &from));
    if (!str_empty(f->tag)) {
        TRY(tags_clean(c, "/tag", (struct strs){&folded.tag, 1}, &tags));
        folded.tag = tags.v[0];
    }
    TRY(entry_store_list(c, x.id, &folded, from, &rows, &n));
    access_log_read(c, &(struct access_read){.action = LOGGED_READ, .context_id = x.id});
    make_page(c, rows, n, f->limit, out);
    return ERR_OK;
}

err entry_history(struct ctx *c, const char *context, const char *ref, int64_t limit, const char *cursor, struct page *out)
{
    struct entry_row e, *rows;
    struct context x;
    struct uuid before;
    size_t n;

    TRY(context_find(c, context, &x));
    TRY(entry_find(c, &x, ref, &e));
    if (!entry_is_there(c, &e))
        return entry_missing(c);
    TRY(page_begin(c, cursor, &before));
    TRY(entry_store_states(c, e.entry.id, limit, before, &rows, &n));
    access_log_read(c, &(struct access_read){.action = LOGGED_READ, .context_id = x.id, .entry_id = e.entry.id});
    make_page(c, rows, n, limit, out);
    return ERR_OK;
}
