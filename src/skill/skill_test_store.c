/* SQL of A/B tests. */
#include "skill_test_store.h"

#include <math.h>

#include "row.h"

err skill_test_store_insert(struct ctx *c, const struct skill_test *t)
{
    return row_insert(c, &SKILL_TEST, t);
}

err skill_test_store_get(struct ctx *c, struct uuid id, bool *found, struct skill_test *out)
{
    return row_one(c, &SKILL_TEST, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id),
        IN(id));
}

err skill_test_store_last(struct ctx *c, struct uuid skill_id, bool *found, struct skill_test *out)
{
    return row_one(c, &SKILL_TEST, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND skill_id = ? ORDER BY id DESC LIMIT 1",
        IN(c->account_id), IN(skill_id));
}

err skill_test_store_running(struct ctx *c, const struct uuid *skills, size_t n, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL_TEST, "SELECT {*} FROM {from} WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "running", skills, n);
    return row_all(c, &SKILL_TEST, &s, n, out);
}

static struct db_in skill_test_bound(double v)
{
    return isnan(v) ? (struct db_in){0} : db_in_double(v);
}

err skill_test_store_save(struct ctx *c, const struct skill_test *t)
{
    return db_exec(c, NULL,
        "UPDATE skill_test SET running = ?, looks = ?, status = ?, base_success = ?, base_partial = ?, base_total = ?, variant_success = "
        "?, "
        "variant_partial = ?, variant_total = ?, low = ?, high = ?, ended_at = ? WHERE account_id = ? AND id = ?",
        IN_OPT(t->running), IN(t->looks), IN(enumx_name(&skill_test_status_enumx, (int)t->status)), IN(t->base_success),
        IN(t->base_partial), IN(t->base_total), IN(t->variant_success), IN(t->variant_partial), IN(t->variant_total),
        skill_test_bound(t->low), skill_test_bound(t->high), IN_OPT(t->ended_at), IN(c->account_id), IN(t->id));
}
