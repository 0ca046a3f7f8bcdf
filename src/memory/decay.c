/* Writing down what has faded; see decay.h. */
#include "decay.h"

#include "archive_many.h"
#include "decay_store.h"
#include "learning.h"
#include "node_kind.h"
#include "node_many.h"
#include "str.h"

ENUMX_DEFINE(decay_from, DECAY_FROM);

static struct instant decay_days_ago(const struct ctx *c, int64_t days)
{
    return (struct instant){c->now.us - days * DAY_US};
}

err decay_due_learnings(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return decay_store_learners(c, above, ids, max, n);
}

err decay_due_entries(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return decay_store_keepers(c, above, ids, max, n);
}

err decay_scan(struct ctx *c, enum decay_from from, struct uuid after, size_t max, struct decay_row *rows, size_t *n)
{
    struct decay_facts *facts = ARENA_ARRAY(c->arena, struct decay_facts, max + 1);

    TRY(decay_store_scan(c, from, after, decay_days_ago(c, DECAY_DAYS), max, rows, facts, n));
    for (size_t i = 0; i < *n; i++) {
        struct decay_facts *f = &facts[i];

        f->life.floor = node_kind_floor(rows[i].kind);
        rows[i].is_spent = lifecycle_now(&f->life, c->now) < DECAY_SPENT && f->created_at.us < decay_days_ago(c, DECAY_SPENT_DAYS).us &&
                           f->used_at.us < decay_days_ago(c, DECAY_IDLE_DAYS).us;
    }
    return ERR_OK;
}

/* The keys of a pool stay: its own limits say what goes. */
static err decay_let_go(struct ctx *c, const char *kind, const struct uuid *ids, size_t n, struct decay_done *out)
{
    size_t done;

    if (!n || str_eq(kind, "pool_entry"))
        return ERR_OK;
    if (str_eq(kind, "learning"))
        TRY(node_status_many(c, ids, n, enumx_name(&learning_status_enumx, LEARNING_DEPRECATED), "decayed", out->gone + out->n_gone,
                             &done));
    else
        TRY(memory_archive_many(c, ids, n, "decayed", out->gone + out->n_gone, &done));
    out->n_gone += done;
    return ERR_OK;
}

static err of_kind(struct ctx *c, const char *kind, const struct decay_row *rows, size_t n, struct decay_done *out)
{
    struct uuid *faded = ARENA_ARRAY(c->arena, struct uuid, n + 1), *spent = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t n_faded = 0, n_spent = 0;

    for (size_t i = 0; i < n; i++)
        if (str_eq(rows[i].kind, kind)) {
            faded[n_faded++] = rows[i].id;
            if (rows[i].is_spent)
                spent[n_spent++] = rows[i].id;
        }
    TRY(node_settle_many(c, kind, faded, n_faded));
    out->decayed += n_faded;
    return decay_let_go(c, kind, spent, n_spent, out);
}

err decay_apply(struct ctx *c, const struct decay_row *rows, size_t n, struct decay_done *out)
{
    static const char *const KINDS[] = {"learning", "entry", "fact", "pool_entry"};

    *out = (struct decay_done){.gone = ARENA_ARRAY(c->arena, struct uuid, n + 1)};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        TRY(of_kind(c, KINDS[i], rows, n, out));
    return ERR_OK;
}
