/* SQL of pairs for review. */
#include "duplicate_store.h"

#include <string.h>

#include "access.h"
#include "db.h"
#include "governed_store.h"

#define COLUMNS \
    "d.id, d.space_id, d.kind, d.a_id, d.b_id, d.similarity, d.reason, d.state, d.found_at, d.decided_at, d.decided_by, " \
    "a.title, LEFT(a.body, 300), b.title, LEFT(b.body, 300)"
_Static_assert(DUPLICATE_TEXT == 300, "COLUMNS says the same");
#define FROM \
    " FROM duplicate_candidate d JOIN node a ON a.account_id = d.account_id AND a.id = d.a_id JOIN node b ON " \
    "b.account_id = d.account_id AND b.id = d.b_id "
#define LIVE(n) " AND " n ".status IN ('active', 'verified') AND " n ".archived_at IS NULL AND " n ".forgotten_at IS NULL AND (" n ".expires_at IS NULL OR " n ".expires_at > ?)"

static err duplicate_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct duplicate *d)
{
    const char *reason = NULL, *state = NULL;
    int r, s;

    TRY(db_row(q, c, found, OUT(&d->id), OUT(&d->space_id), OUT(&d->kind), OUT(&d->a_id), OUT(&d->b_id), OUT(&d->similarity),
               OUT(&reason), OUT(&state), OUT(&d->found_at), OUT_OPT(&d->decided_at), OUT_OPT(&d->decided_by), OUT(&d->a_title),
               OUT(&d->a_text), OUT(&d->b_title), OUT(&d->b_text)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&duplicate_reason_enumx, reason, &r) || !enumx_parse(&duplicate_state_enumx, state, &s))
        return fail(c, ERR_INTERNAL, "duplicate %s is '%s' and '%s'", UUID_STR(d->id), reason, state);
    d->reason = (enum duplicate_reason)r;
    d->state = (enum duplicate_state)s;
    return ERR_OK;
}

err duplicate_store_decided(struct ctx *c, const struct duplicate *d)
{
    const char *reason = enumx_name(&duplicate_reason_enumx, (int)d->reason), *state = enumx_name(&duplicate_state_enumx, (int)d->state);

    return db_exec(c, NULL,
                   "INSERT INTO duplicate_candidate (account_id, id, space_id, kind, a_id, b_id, similarity, reason, state, found_at, "
                   "decided_at, decided_by) VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON DUPLICATE KEY UPDATE reason = VALUES(reason), "
                   "state = VALUES(state), decided_at = VALUES(decided_at), decided_by = VALUES(decided_by)",
                   IN(c->account_id), IN(uuid_new(c->now.us)), IN(d->space_id), IN(d->kind), IN(d->a_id), IN(d->b_id), IN(d->similarity),
                   IN(reason), IN(state), IN(c->now), IN_OPT(d->decided_at), IN_OPT(d->decided_by));
}

err duplicate_store_add(struct ctx *c, const struct duplicate *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO duplicate_candidate (account_id, id, space_id, kind, a_id, b_id, similarity, reason, state, found_at) "
                "VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(uuid_new(c->now.us)), IN(rows[i].space_id), IN(rows[i].kind),
                IN(rows[i].a_id), IN(rows[i].b_id), IN(rows[i].similarity),
                IN(enumx_name(&duplicate_reason_enumx, (int)rows[i].reason)), IN(enumx_name(&duplicate_state_enumx, DUPLICATE_OPEN)),
                IN(c->now));
    }
    return sql_exec(c, NULL, &s);
}

err duplicate_store_known(struct ctx *c, const struct uuid *a, const struct uuid *b, size_t n, bool *known)
{
    scoped_cursor q = {0};
    struct uuid x, y;
    struct sql s;

    memset(known, 0, n * sizeof *known);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT a_id, b_id FROM duplicate_candidate WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "a_id", a, n);
    TRY(sql_query(c, &q, &s));
    for (bool found;;) {
        TRY(db_row(&q, c, &found, OUT(&x), OUT(&y)));
        if (!found)
            return ERR_OK;
        for (size_t i = 0; i < n; i++)
            known[i] |= uuid_eq(a[i], x) && uuid_eq(b[i], y);
    }
}

err duplicate_store_list(struct ctx *c, struct uuid before, int64_t limit, struct duplicate **rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    *rows = ARENA_ARRAY(c->arena, struct duplicate, (size_t)limit + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS FROM GOVERNED_SPACE("d") "WHERE d.account_id = ? AND d.state = 'open' AND d.id < ?" LIVE("a") LIVE("b"), IN(c->account_id),
            IN(before), IN(c->now), IN(c->now));
    governed_store_add(c, &s);
    sql_add(&s, " ORDER BY d.id DESC LIMIT ?", IN(limit + 1));
    TRY(sql_query(c, &q, &s));
    for (bool found;; k++) {
        TRY(duplicate_store_read_row(c, &q, &found, &(*rows)[k]));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err duplicate_store_get(struct ctx *c, struct uuid id, bool *found, struct duplicate *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS FROM "WHERE d.account_id = ? AND d.id = ?", IN(c->account_id), IN(id)));
    return duplicate_store_read_row(c, &q, found, out);
}

err duplicate_store_decide(struct ctx *c, struct uuid id, enum duplicate_state state, bool *done)
{
    int64_t n;

    TRY(db_exec(c, &n, "UPDATE duplicate_candidate SET state = ?, decided_at = ?, decided_by = ? WHERE account_id = ? AND id = ? AND "
                       "state = 'open'",
                IN(enumx_name(&duplicate_state_enumx, (int)state)), IN(c->now), IN_OPT(c->who->id), IN(c->account_id), IN(id)));
    *done = n > 0;
    return ERR_OK;
}
