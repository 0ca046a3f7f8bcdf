/* SQL of episodes. */
#include "episode_store.h"

#include "db.h"
#include "principal.h"
#include "row.h"

#define LIVE " AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define NEAR_AMONG 5000 /* newest episodes of a space that are compared */

err episode_store_is_used(struct ctx *c, struct uuid id, bool *used)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM node WHERE account_id = ? AND id = ? UNION SELECT 1 FROM erase_item WHERE account_id = ? AND "
                 "node_id = ? LIMIT 1", IN(c->account_id), IN(id), IN(c->account_id), IN(id)));
    return db_row(&q, c, used, OUT(&one));
}

err episode_store_get(struct ctx *c, struct uuid id, bool *found, struct episode *out)
{
    return row_one(c, &EPISODE, found, out, "SELECT {*} FROM {from} WHERE e.account_id = ? AND e.id = ?" LIVE, IN(c->account_id), IN(id),
                   IN(c->now));
}

err episode_store_list(struct ctx *c, const struct episode_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &EPISODE, "SELECT {*} FROM {from} WHERE e.account_id = ? AND e.id < ?" LIVE, IN(c->account_id), IN(before),
               IN(c->now));
    sql_add_in_uuids(&s, "e.space_id", spaces.v, spaces.n);
    if (f->role >= 0)
        sql_add(&s, " AND e.role = ?", IN(enumx_name(&episode_role_enumx, f->role)));
    if (f->state >= 0)
        sql_add(&s, " AND e.consolidation_state = ?", IN(enumx_name(&episode_state_enumx, f->state)));
    if (f->session_id)
        sql_add(&s, " AND e.session_id = ?", IN(f->session_id));
    if (f->since.us)
        sql_add(&s, " AND e.captured_at >= ?", IN(f->since));
    if (f->until.us)
        sql_add(&s, " AND e.captured_at < ?", IN(f->until));
    sql_add(&s, " ORDER BY e.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &EPISODE, &s, f->limit, out);
}

err episode_store_state(struct ctx *c, struct uuid id, enum episode_state state)
{
    return db_exec(c, NULL, "UPDATE episode SET consolidation_state = ?, attempts = 0, next_attempt_at = NULL, claimed_until = NULL WHERE "
                   "account_id = ? AND id = ?", IN(enumx_name(&episode_state_enumx, (int)state)), IN(c->account_id), IN(id));
}

/* ---- one text, one episode */

err episode_store_claim_text(struct ctx *c, struct uuid space_id, struct bytes text_hash, struct uuid mine, struct uuid *whose)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_exec(c, NULL, "INSERT INTO episode_dedup (account_id, space_id, text_hash, node_id) VALUES (?,?,?,?) "
                "ON DUPLICATE KEY UPDATE node_id = node_id", IN(c->account_id), IN(space_id), IN(text_hash), IN(mine)));
    TRY(db_query(c, &q, "SELECT node_id FROM episode_dedup WHERE account_id = ? AND space_id = ? AND text_hash = ? FOR UPDATE",
                 IN(c->account_id), IN(space_id), IN(text_hash)));
    TRY(db_row(&q, c, &found, OUT(whose)));
    return found ? ERR_OK : fail(c, ERR_CONFLICT, "the same text is being erased; try again");
}

err episode_store_give_text(struct ctx *c, struct uuid space_id, struct bytes text_hash, struct uuid to)
{
    return db_exec(c, NULL, "UPDATE episode_dedup SET node_id = ? WHERE account_id = ? AND space_id = ? AND text_hash = ?", IN(to),
                   IN(c->account_id), IN(space_id), IN(text_hash));
}

err episode_store_near(struct ctx *c, struct uuid space_id, int64_t simhash, int64_t bits, struct uuid *id, int64_t *distance)
{
    scoped_cursor q = {0};
    bool found;

    *id = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT id, BIT_COUNT(simhash ^ ?) AS bits FROM (SELECT e.id, e.simhash FROM episode e JOIN node n "
                 "ON n.account_id = e.account_id AND n.id = e.id WHERE e.account_id = ? AND e.space_id = ? AND e.simhash <> 0" LIVE
                 " ORDER BY e.id DESC LIMIT ?) AS newest WHERE BIT_COUNT(simhash ^ ?) <= ? ORDER BY bits, id LIMIT 1",
                 IN(simhash), IN(c->account_id), IN(space_id), IN(c->now), IN((int64_t)NEAR_AMONG), IN(simhash), IN(bits)));
    return db_row(&q, c, &found, OUT(id), OUT(distance));
}

/* ---- what belongs to one */

err episode_store_cuts(struct ctx *c, struct uuid id, const struct episode_cut *cuts, size_t n)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO episode_cut (account_id, node_id, seq, pattern_id, kind, start_byte, end_byte, cut_text) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?)", IN(c->account_id), IN(id), IN((int64_t)i + 1), IN(cuts[i].pattern_id), IN(cuts[i].kind),
                IN(cuts[i].start), IN(cuts[i].end), IN_OPT(cuts[i].cut_text));
    }
    return sql_exec(c, NULL, &s);
}

err episode_store_again(struct ctx *c, struct uuid id, const struct episode_occurrence *o, int64_t *occurrences)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_exec(c, NULL, "UPDATE episode SET occurrences = occurrences + 1 WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    TRY(db_query(c, &q, "SELECT occurrences FROM episode WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    TRY(db_row(&q, c, &found, OUT(occurrences)));
    if (!found)
        return fail(c, ERR_CONFLICT, "the episode is being erased; try again");
    return db_exec(c, NULL, "INSERT INTO episode_occurrence (account_id, node_id, seq, role, captured_at, session_id, author_kind, "
                   "author_id, trust, at) VALUES (?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(id), IN(*occurrences),
                   IN(enumx_name(&episode_role_enumx, (int)o->role)), IN(o->captured_at), IN_OPT(o->session_id), IN(o->author_kind),
                   IN(o->author_id), IN(o->trust), IN(c->now));
}

err episode_store_provenance(struct ctx *c, const struct provenance *p)
{
    return db_exec(c, NULL, "INSERT INTO provenance (account_id, id, node_id, author_kind, author_id, model_family, model_version, "
                   "request_id, trust_at_write, at, key_id, signature) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id),
                   IN(uuid_new(c->now.us)),
                   IN(p->node_id), IN(enumx_name(&principal_kind_enumx, (int)c->who->kind)), IN(c->who->id), IN_OPT(p->model_family),
                   IN_OPT(p->model_version), IN(c->request_id ? c->request_id : ""), IN(p->trust), IN(c->now),
                   IN_OPT(p->key_id), IN_OPT(p->signature));
}
