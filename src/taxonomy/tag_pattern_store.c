/* SQL of patterns of tags. */
#include "tag_pattern_store.h"

#include "plastic.h"
#include "principal.h"
#include "row.h"

#define PATTERNS_MAX 20000
#define PUT_AT_ONCE 200

static err tag_pattern_store_read_held(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct tag_held *h = row;

    return db_row(q, c, found, OUT(&h->owner), OUT(&h->subject), OUT(&h->name));
}

/* An agent owns what its namespace holds; what no agent owns belongs to its space. */
err tag_pattern_store_held(struct ctx *c, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT x.owner, x.subject, x.name FROM (SELECT IF(n.kind = 'agent', n.id, COALESCE(sp.owner_agent_id, sp.id)) owner, "
        "n.id subject, CONCAT(t.tag_type, ':', t.slug) name, sp.id space FROM edge_plastic p JOIN edge e ON e.account_id = p.account_id "
        "AND e.id = p.edge_id AND e.live = 1 JOIN tag t ON t.account_id = e.account_id AND t.id = e.target_id JOIN node n ON "
        "n.account_id = e.account_id AND n.id = e.source_id AND n.forgotten_at IS NULL JOIN space sp ON sp.account_id = n.account_id AND "
        "sp.id = n.space_id AND sp.deleted_at IS NULL WHERE p.account_id = ? AND p.relation = 'activates' AND p.state = 'active' AND "
        "p.decays_at > ?) x WHERE NOT EXISTS (SELECT 1 FROM mining_opt_out o WHERE o.account_id = ? AND o.owner_id IN (x.owner, x.space)) "
        "ORDER BY x.owner, x.subject, x.name LIMIT ?", IN(c->account_id), IN(c->now), IN(c->account_id), IN((int64_t)MINING_ROWS));
    return sql_rows(c, &s, MINING_ROWS, sizeof(struct tag_held), tag_pattern_store_read_held, &out->v, &out->n);
}

err tag_pattern_store_opt(struct ctx *c, struct uuid owner, bool out)
{
    if (out)
        return db_exec(c, NULL, "INSERT IGNORE INTO mining_opt_out (account_id, owner_id, set_by, set_at) VALUES (?, ?, ?, ?)",
            IN(c->account_id), IN(owner), IN(c->who->id), IN(c->now));
    return db_exec(c, NULL, "DELETE FROM mining_opt_out WHERE account_id = ? AND owner_id = ?", IN(c->account_id), IN(owner));
}

err tag_pattern_store_list(struct ctx *c, const struct tag_pattern_filter *f, bool reviewer, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG_PATTERN, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ? AND size > 1 AND tier <> 'user'",
        IN(c->account_id), IN(before));
    if (!reviewer)
        sql_add(&s, " AND tier = 'universe'");
    if (f->tier >= 0)
        sql_add(&s, " AND tier = ?", IN(enumx_name(&tag_tier_enumx, f->tier)));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &TAG_PATTERN, &s, f->limit, out);
}

err tag_pattern_store_all(struct ctx *c, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &TAG_PATTERN, "SELECT {*} FROM {from} WHERE account_id = ? ORDER BY id LIMIT ?", IN(c->account_id),
        IN((int64_t)PATTERNS_MAX));
    return row_all(c, &TAG_PATTERN, &s, PATTERNS_MAX, out);
}

err tag_pattern_store_begin(struct ctx *c)
{
    return db_exec(c, NULL, "UPDATE tag_pattern SET nights = IF(DATEDIFF(?, last_run_on) < 7, (nights << DATEDIFF(?, last_run_on)) & 127, "
        "0), missed_runs = missed_runs + 1, last_run_on = DATE(?) WHERE account_id = ?", IN(c->now), IN(c->now), IN(c->now),
        IN(c->account_id));
}

static err tag_pattern_store_put_some(struct ctx *c, const struct tag_pattern *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO tag_pattern (account_id, id, items, items_hash, size, support_owners, owners_total, support, lift, "
        "last_seen_on, last_run_on) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct tag_pattern *p = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?, ?, ?, ?, ?, DATE(?), DATE(?))", IN(c->account_id), IN(p->id), IN(json_text(c->arena, p->items)),
            IN(p->items_hash), IN(p->size), IN(p->support_owners), IN(p->owners_total), IN(p->support), IN(p->lift), IN(c->now),
            IN(c->now));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE seen_runs = seen_runs + (nights & 1 = 0), nights = nights | 1, missed_runs = 0, "
        "support_owners = VALUES(support_owners), owners_total = VALUES(owners_total), support = VALUES(support), lift = VALUES(lift), "
        "last_seen_on = VALUES(last_seen_on)");
    return sql_exec(c, NULL, &s);
}

err tag_pattern_store_put(struct ctx *c, const struct tag_pattern *rows, size_t n)
{
    for (size_t i = 0; i < n; i += PUT_AT_ONCE)
        TRY(tag_pattern_store_put_some(c, rows + i, n - i < PUT_AT_ONCE ? n - i : PUT_AT_ONCE));
    return ERR_OK;
}

err tag_pattern_store_tier(struct ctx *c, struct uuid id, enum tag_tier tier)
{
    return db_exec(c, NULL, "UPDATE tag_pattern SET tier = ? WHERE account_id = ? AND id = ?", IN(enumx_name(&tag_tier_enumx, (int)tier)),
        IN(c->account_id), IN(id));
}

err tag_pattern_store_sweep(struct ctx *c)
{
    return db_exec(c, NULL, "DELETE FROM tag_pattern WHERE account_id = ? AND tier = 'user' AND missed_runs > 0", IN(c->account_id));
}
