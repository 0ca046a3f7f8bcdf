/* What becomes of stale entries; see rot.h. */
#include "rot.h"

#include <stdlib.h>
#include <string.h>

#include "archive_many.h"
#include "finding.h"
#include "rot_store.h"

err rot_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return rot_store_accounts(c, above, ids, max, n);
}

/* Nearly all contexts have the same policy, and are asked about once for each of their entries. */
static struct retention policy_of(struct ctx *c, const char *text)
{
    struct retention r;

    retention_read(json_opened(c->arena, json_raw(c->arena, text)), &r);
    return r;
}

err rot_scan(struct ctx *c, struct uuid after, size_t max, struct rot_row *rows, size_t *n)
{
    const char **policies = ARENA_ARRAY(c->arena, const char *, max + 1), *text = "{}";
    struct retention policy = policy_of(c, text);

    TRY(rot_store_scan(c, after, max, rows, policies, n));
    for (size_t i = 0; i < *n; i++) {
        if (!str_eq(policies[i], text))
            policy = policy_of(c, policies[i]);
        text = policies[i];
        rows[i].policy = policy.rot;
        rows[i].staleness = staleness(&rows[i].facts, c->now);
        rows[i].is_too_old = policy.max_age_days && rows[i].facts.content_at.us < c->now.us - policy.max_age_days * DAY_US;
        rows[i].is_deleted_then = !policy.archive_before_delete;
    }
    return ERR_OK;
}

static int rot_by_id(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* Which of the rows are stale enough for their context, spared ones aside. */
static err stale_ones(struct ctx *c, const struct rot_row *rows, size_t n, const struct rot_row **stale, size_t *n_stale)
{
    struct instant since = {c->now.us - ROT_SNAPSHOT_DAYS * DAY_US};
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1), *spared = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t n_ids = 0, n_spared = 0;

    for (size_t i = 0; i < n; i++)
        if (rows[i].policy.enabled && !rows[i].is_too_old && (rows[i].staleness >= rows[i].policy.review_at || rows[i].staleness >= rows[i].policy.archive_at)) {
            stale[n_ids] = &rows[i];
            ids[n_ids++] = rows[i].id;
        }
    if (n_ids)
        TRY(rot_store_spared(c, since, ids, n_ids, spared, &n_spared));
    qsort(spared, n_spared, sizeof *spared, rot_by_id);
    *n_stale = 0;
    for (size_t i = 0; i < n_ids; i++)
        if (!bsearch(&stale[i]->id, spared, n_spared, sizeof *spared, rot_by_id))
            stale[(*n_stale)++] = stale[i];
    return ERR_OK;
}

/* What their context keeps no longer, whether they rot or not. */
static err end_too_old(struct ctx *c, const struct rot_row *rows, size_t n, struct rot_done *out)
{
    struct uuid *archived = ARENA_ARRAY(c->arena, struct uuid, n + 1), *deleted = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t n_archived = 0, n_deleted = 0, done;

    out->too_old = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++)
        if (rows[i].is_too_old && rows[i].is_deleted_then)
            deleted[n_deleted++] = rows[i].id;
        else if (rows[i].is_too_old)
            archived[n_archived++] = rows[i].id;
    TRY(memory_archive_many(c, archived, n_archived, "max_age_days", out->too_old, &out->n_too_old));
    TRY(memory_forget_many(c, deleted, n_deleted, out->too_old + out->n_too_old, &done));
    out->n_too_old += done;
    return ERR_OK;
}

err rot_apply(struct ctx *c, const struct rot_row *rows, size_t n, struct rot_done *out)
{
    const struct rot_row **stale = ARENA_ARRAY(c->arena, const struct rot_row *, n + 1);
    struct uuid *looked_at = ARENA_ARRAY(c->arena, struct uuid, n + 1), *rotten = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct finding *review = ARENA_ARRAY(c->arena, struct finding, n + 1);
    size_t n_stale, n_rotten = 0;

    *out = (struct rot_done){.archived = ARENA_ARRAY(c->arena, struct uuid, n + 1)};
    TRY(end_too_old(c, rows, n, out));
    TRY(stale_ones(c, rows, n, stale, &n_stale));
    for (size_t i = 0; i < n_stale; i++)
        if (stale[i]->staleness >= stale[i]->policy.archive_at)
            rotten[n_rotten++] = stale[i]->id;
        else
            review[out->n_review++] = (struct finding){.node_id = stale[i]->id, .space_id = stale[i]->space_id,
                                                       .value = stale[i]->staleness};
    for (size_t i = 0; i < n; i++)
        looked_at[i] = rows[i].id;
    TRY(memory_archive_many(c, rotten, n_rotten, "rot", out->archived, &out->n_archived));
    return finding_replace(c, FINDING_STALE, looked_at, n, review, out->n_review);
}
