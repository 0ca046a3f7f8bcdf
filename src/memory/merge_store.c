/* SQL of merges. */
#include "merge_store.h"

#include "db.h"
#include "governed_store.h"
#include "strs_json.h"

#define COLUMNS \
    "m.id, m.space_id, m.kind, m.keeper_id, m.loser_id, m.similarity, m.rule, m.actor_kind, m.actor_id, m.merged_at, m.undone_at"
#define TITLES ", COALESCE(k.title, ''), m.loser_key"
#define KEEPER " LEFT JOIN node k ON k.account_id = m.account_id AND k.id = m.keeper_id AND k.forgotten_at IS NULL"

static err merge_store_rule_of(struct ctx *c, const char *word, struct merge *m)
{
    int rule;

    if (!enumx_parse(&merge_rule_enumx, word, &rule))
        return fail(c, ERR_INTERNAL, "merge %s has the rule '%s'", UUID_STR(m->id), word);
    m->rule = (enum merge_rule)rule;
    return ERR_OK;
}

static err merge_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct merge *m)
{
    const char *rule = NULL;

    TRY(db_row(q, c, found, OUT(&m->id), OUT(&m->space_id), OUT(&m->kind), OUT(&m->keeper_id), OUT(&m->loser_id), OUT(&m->similarity),
               OUT(&rule), OUT(&m->actor_kind), OUT_OPT(&m->actor_id), OUT(&m->merged_at), OUT_OPT(&m->undone_at),
               OUT(&m->keeper_title), OUT(&m->loser_title)));
    return *found ? merge_store_rule_of(c, rule, m) : ERR_OK;
}

err merge_store_lock_nodes(struct ctx *c, struct uuid a, struct uuid b)
{
    scoped_cursor q = {0};

    return db_query(c, &q, "SELECT id FROM node WHERE account_id = ? AND id IN (?, ?) ORDER BY id FOR UPDATE", IN(c->account_id), IN(a),
                    IN(b));
}

static err next_place(struct ctx *c, const struct merge *m, int64_t *nth)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COALESCE(MAX(nth), 0) + 1 FROM node_merge WHERE account_id = ? AND (keeper_id IN (?, ?) OR "
                        "loser_id IN (?, ?))",
                 IN(c->account_id), IN(m->keeper_id), IN(m->loser_id), IN(m->keeper_id), IN(m->loser_id)));
    return db_row(&q, c, &found, OUT(nth));
}

/* NULL where it was not raised. */
static struct db_in raised(bool is_set, double value)
{
    return is_set ? IN(value) : (struct db_in){.type = DB_NULL};
}

err merge_store_insert(struct ctx *c, const struct merge_row *r)
{
    const struct merge *m = &r->merge;
    struct sql s;
    int64_t nth;

    TRY(next_place(c, m, &nth));
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO node_merge (account_id, id, space_id, kind, keeper_id, loser_id, loser_key, nth, similarity, rule, "
                "keeper_importance, keeper_decayed_at, keeper_confidence, loser_status, given_uses, given_named, given_tags, actor_kind, "
                "actor_id, merged_at, set_importance, set_confidence) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?",
            IN(c->account_id), IN(m->id), IN(m->space_id), IN(m->kind), IN(m->keeper_id), IN(m->loser_id), IN(m->loser_title), IN(nth),
            IN(m->similarity), IN(enumx_name(&merge_rule_enumx, (int)m->rule)), IN(r->keeper_importance), IN(r->keeper_decayed_at),
            IN(r->keeper_confidence), IN(r->loser_status), IN(r->given_uses), IN(r->given_named),
            IN(json_text(c->arena, strs_to_json(c->arena, r->given_tags))), IN(m->actor_kind), IN_OPT(m->actor_id), IN(m->merged_at));
    sql_add_(&s, ",?,?)", (const struct db_in[]){raised(r->importance_set, r->set_importance),
                                                 raised(r->confidence_set, r->set_confidence)}, 2);
    return sql_exec(c, NULL, &s);
}

err merge_store_get(struct ctx *c, struct uuid id, bool *found, struct merge *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS TITLES " FROM node_merge m" KEEPER " WHERE m.account_id = ? AND m.id = ?", IN(c->account_id),
                 IN(id)));
    return merge_store_read_row(c, &q, found, out);
}

static err read_shares(struct ctx *c, struct merge_row *r)
{
    const char *tags = NULL;
    scoped_cursor q = {0};
    bool found, importance_same, confidence_same;

    TRY(db_query(c, &q,
                 "SELECT nth, keeper_importance, keeper_decayed_at, keeper_confidence, set_importance, set_confidence, loser_status, "
                 "given_uses, given_named, given_tags, undone_at FROM node_merge WHERE account_id = ? AND id = ? FOR UPDATE",
                 IN(c->account_id), IN(r->merge.id)));
    TRY(db_row(&q, c, &found, OUT(&r->nth), OUT(&r->keeper_importance), OUT(&r->keeper_decayed_at), OUT(&r->keeper_confidence),
               OUT_NULLABLE(&r->set_importance, &importance_same), OUT_NULLABLE(&r->set_confidence, &confidence_same),
               OUT(&r->loser_status), OUT(&r->given_uses), OUT(&r->given_named), OUT(&tags),
               OUT_OPT(&r->merge.undone_at)));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such merge");
    r->importance_set = !importance_same;
    r->confidence_set = !confidence_same;
    r->given_tags = strs_from_json(c->arena, tags);
    return ERR_OK;
}

err merge_store_lock(struct ctx *c, struct uuid id, bool *found, struct merge_row *out)
{
    *out = (struct merge_row){.merge.id = id};
    TRY(merge_store_get(c, id, found, &out->merge));
    if (!*found)
        return ERR_OK;
    TRY(merge_store_lock_nodes(c, out->merge.keeper_id, out->merge.loser_id));
    return read_shares(c, out);
}

err merge_store_is_covered(struct ctx *c, const struct merge_row *m, bool *covered)
{
    scoped_cursor q = {0};
    struct uuid id;

    TRY(db_query(c, &q, "SELECT id FROM node_merge WHERE account_id = ? AND (keeper_id = ? OR loser_id = ?) AND nth > ? AND "
                        "undone_at IS NULL LIMIT 1",
                 IN(c->account_id), IN(m->merge.keeper_id), IN(m->merge.keeper_id), IN(m->nth)));
    return db_row(&q, c, covered, OUT(&id));
}

err merge_store_follow(struct ctx *c, const struct uuid *old_ids, const struct uuid *new_ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node_merge m JOIN (");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS old_id, CAST(? AS UUID) AS new_id", IN(old_ids[i]), IN(new_ids[i]));
    }
    sql_add(&s, ") AS moved ON m.account_id = ? AND m.keeper_id = moved.old_id SET m.keeper_id = moved.new_id", IN(c->account_id));
    return sql_exec(c, NULL, &s);
}

err merge_store_undone(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE node_merge SET undone_at = ? WHERE account_id = ? AND id = ?", IN(c->now), IN(c->account_id), IN(id));
}

err merge_store_list(struct ctx *c, bool include_undone, struct uuid before, int64_t limit, struct merge **rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    *rows = ARENA_ARRAY(c->arena, struct merge, (size_t)limit + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS TITLES " FROM node_merge m" GOVERNED_SPACE("m") KEEPER " WHERE m.account_id = ? AND m.id < ?",
            IN(c->account_id), IN(before));
    if (!include_undone)
        sql_add(&s, " AND m.undone_at IS NULL");
    governed_store_add(c, &s);
    sql_add(&s, " ORDER BY m.id DESC LIMIT ?", IN(limit + 1));
    TRY(sql_query(c, &q, &s));
    for (bool found;; k++) {
        TRY(merge_store_read_row(c, &q, &found, &(*rows)[k]));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err merge_store_keeper(struct ctx *c, struct uuid loser_id, struct uuid *keeper)
{
    scoped_cursor q = {0};
    bool found;

    *keeper = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT keeper_id FROM node_merge WHERE account_id = ? AND loser_id = ? AND undone_at IS NULL "
                        "ORDER BY nth DESC LIMIT 1",
                 IN(c->account_id), IN(loser_id)));
    return db_row(&q, c, &found, OUT(keeper));
}

err merge_store_keeper_of_key(struct ctx *c, struct uuid space_id, const char *key, struct uuid *loser, struct uuid *keeper)
{
    scoped_cursor q = {0};
    bool found;

    *loser = *keeper = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT loser_id, keeper_id FROM node_merge WHERE account_id = ? AND space_id = ? AND loser_key = ? AND "
                        "undone_at IS NULL ORDER BY merged_at DESC, nth DESC LIMIT 1",
                 IN(c->account_id), IN(space_id), IN(key)));
    return db_row(&q, c, &found, OUT(loser), OUT(keeper));
}
