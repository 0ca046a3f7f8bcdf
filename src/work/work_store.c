/* SQL of work items. */
#include "work_store.h"

#include "like.h"
#include "row.h"

#define LIVE " AND n.forgotten_at IS NULL"

err work_store_get(struct ctx *c, struct uuid id, bool *found, struct work_item *out)
{
    return row_one(c, &WORK_ITEM, found, out, "SELECT {*} FROM {from} WHERE w.account_id = ? AND w.id = ?" LIVE, IN(c->account_id), IN(id));
}

err work_store_lock(struct ctx *c, struct uuid id, bool *found, struct work_item *out)
{
    return row_one(c, &WORK_ITEM, found, out, "SELECT {*} FROM {from} WHERE w.account_id = ? AND w.id = ?" LIVE " FOR UPDATE",
                   IN(c->account_id), IN(id));
}

err work_store_query(struct ctx *c, const struct work_filter *f, struct uuid parent, struct uuids spaces, struct uuid before,
                     struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &WORK_ITEM, "SELECT {*} FROM {from} WHERE w.account_id = ? AND w.id < ?" LIVE, IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "w.space_id", spaces.v, spaces.n);
    if (f->work_status >= 0)
        sql_add(&s, " AND w.work_status = ?", IN(enumx_name(&work_status_enumx, f->work_status)));
    if (f->open)
        sql_add(&s, " AND w.work_status NOT IN ('done', 'dropped')");
    if (f->level)
        sql_add(&s, " AND w.level = ?", IN(f->level));
    if (!uuid_is_nil(parent))
        sql_add(&s, " AND w.parent_id = ?", IN(parent));
    else if (f->parent)
        sql_add(&s, " AND w.parent_id IS NULL");
    if (!uuid_is_nil(f->assignee))
        sql_add(&s, " AND w.assignee = ?", IN(f->assignee));
    if (f->due_before.us)
        sql_add(&s, " AND w.due_at < ?", IN(f->due_before));
    if (f->tag)
        sql_add(&s, " AND EXISTS (SELECT 1 FROM edge e JOIN space_tag t ON t.account_id = e.account_id AND t.id = e.target_id WHERE "
                    "e.account_id = w.account_id AND e.source_id = w.id AND e.relation = 'HAS_TAG' AND e.retired_at IS NULL AND "
                    "t.slug = ?)",
                IN(f->tag));
    if (f->q)
        sql_add(&s, " AND n.title COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY w.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &WORK_ITEM, &s, f->limit, out);
}

static err work_node_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct work_node *w = row;
    const char *status;
    int value = 0;

    TRY(db_row(q, c, found, OUT(&w->id), OUT_OPT(&w->parent_id), OUT_OPT(&w->assignee), OUT(&w->title), OUT(&w->level), OUT(&status),
               OUT(&w->ordinal), OUT_OPT(&w->due_at)));
    if (*found && enumx_parse(&work_status_enumx, status, &value))
        w->work_status = (enum work_status)value;
    return ERR_OK;
}

err work_store_children(struct ctx *c, const struct uuid *parents, size_t n_parents, size_t max, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT w.id, w.parent_id, w.assignee, n.title, w.level, w.work_status, w.ordinal, w.due_at FROM work_item w JOIN node n "
                "ON n.account_id = w.account_id AND n.id = w.id WHERE w.account_id = ?" LIVE, IN(c->account_id));
    sql_add_in_uuids(&s, "w.parent_id", parents, n_parents);
    sql_add(&s, " ORDER BY w.ordinal, w.id LIMIT ?", IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct work_node), work_node_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err work_store_mine(struct ctx *c, struct uuid assignee, struct uuids spaces, size_t max, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT w.id, w.parent_id, w.assignee, n.title, w.level, w.work_status, w.ordinal, w.due_at FROM work_item w JOIN node n "
                "ON n.account_id = w.account_id AND n.id = w.id WHERE w.account_id = ? AND w.assignee = ? AND w.work_status IN "
                "('in_progress', 'blocked')" LIVE, IN(c->account_id), IN(assignee));
    sql_add_in_uuids(&s, "w.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY w.status_at DESC, w.id LIMIT ?", IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct work_node), work_node_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err work_store_tag(struct ctx *c, struct uuid space_id, const char *slug, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM space_tag WHERE account_id = ? AND space_id = ? AND slug = ?", IN(c->account_id),
                 IN(space_id), IN(slug)));
    return db_row(&q, c, found, OUT(id));
}

err work_store_make_tag(struct ctx *c, struct uuid space_id, const char *slug, struct uuid id)
{
    return db_exec(c, NULL, "INSERT INTO space_tag (account_id, space_id, slug, id) VALUES (?, ?, ?, ?)", IN(c->account_id), IN(space_id),
                   IN(slug), IN(id));
}
