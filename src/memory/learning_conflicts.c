/* Successes and failures that mean much the same; see learning.h. */
#include "access.h"
#include "learning_impl.h"
#include "recall.h"

#define FAILURES 50   /* looked at, the newest */
#define NEIGHBOURS 10 /* of each */
#define CONFLICT 0.7  /* calibrated similarity from which on two may contradict each other */

static bool is_success(const struct learning *l)
{
    return (l->status == LEARNING_ACTIVE || l->status == LEARNING_VERIFIED) && !l->is_archived &&
           (l->category == LEARNING_PATTERN || l->category == LEARNING_BEST_PRACTICE);
}

static err neighbours(struct ctx *c, struct uuid id, struct recall_out *out)
{
    const char *kind = "learning";
    struct recall_in in;

    recall_in_defaults(&in);
    in.id = id;
    in.kinds = (struct strs){&kind, 1};
    in.limit = NEIGHBOURS;
    in.mode = MODE_VECTOR;
    in.touch = false;
    in.body_chars = 0;
    return recall_similar(c, &in, out);
}

static err add_of(struct ctx *c, const struct learning *failure, struct list *out)
{
    struct learning_conflict *all = out->v;
    struct recall_out found;
    struct uuid ids[NEIGHBOURS];
    struct learning *rows;
    size_t n_rows;

    TRY(neighbours(c, failure->id, &found));
    for (size_t i = 0; i < found.hits.n; i++)
        ids[i] = ((const struct recall_hit *)found.hits.v)[i].id;
    TRY(learning_store_many(c, ids, found.hits.n, &rows, &n_rows));
    for (size_t i = 0; i < found.hits.n; i++) {
        const struct recall_hit *hit = &((const struct recall_hit *)found.hits.v)[i];

        for (size_t r = 0; hit->similarity >= CONFLICT && r < n_rows; r++)
            if (uuid_eq(rows[r].id, hit->id) && is_success(&rows[r]) && access_may_read(c, rows[r].space_id))
                all[out->n++] = (struct learning_conflict){ rows[r].id, failure->id, rows[r].title,
                                                            failure->title, hit->similarity };
    }
    return ERR_OK;
}

err learning_conflicts(struct ctx *c, struct list *out)
{
    struct learning *failures;
    size_t n;

    *out = (struct list){ARENA_ARRAY(c->arena, struct learning_conflict, FAILURES * NEIGHBOURS), 0};
    TRY(learning_store_failures(c, c->access->readable, c->access->n, FAILURES, &failures, &n));
    for (size_t i = 0; i < n; i++)
        TRY(add_of(c, &failures[i], out));
    return ERR_OK;
}
