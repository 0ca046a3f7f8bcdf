/* The job of shared knowledge by night: the best learnings become knowledge, and all of it is judged. */
#include "knowledge_job.h"

#include <string.h>

#include "knowledge_upkeep.h"
#include "learning_import.h"
#include "str.h"
#include "uuid.h"

/* Where a slice stands: first the import, by id, then what is judged anew. */
struct position {
    int64_t is_judging; /* 0 or 1; so wide that nothing is left between the members */
    int64_t n_imports;  /* of this run */
    struct uuid imported;
    struct knowledge_position judged;
};

struct row {
    struct position at;
    const struct import_row *import; /* NULL: it is to be judged */
    const struct knowledge_row *old;
};

static void knowledge_job_add(struct slice_row *rows, size_t i, struct row *row, const char *id)
{
    rows[i] = (struct slice_row){{&row->at, sizeof row->at}, id, row};
}

/* So many of the best in a run, in one portion unless some fail: behind the last one comes the other step. */
static err select_imports(struct ctx *c, struct slice *s, const struct position *from, struct slice_row *rows, size_t *n)
{
    int64_t left = IMPORT_BEST - from->n_imports, max = left < s->limit ? left : s->limit;
    struct import_row *found = ARENA_ARRAY(c->arena, struct import_row, (size_t)s->limit + 1);
    struct row *own = ARENA_ARRAY(c->arena, struct row, (size_t)s->limit + 1);

    *n = 0;
    if (from->is_judging)
        return ERR_OK;
    TRY(learning_import_scan(c, from->imported, (size_t)max, found, n));
    for (size_t i = 0; i < *n; i++) {
        bool is_last = i + 1 == *n && ((int64_t)*n < max || max == left);

        own[i] = (struct row){.at = {.is_judging = is_last, .n_imports = from->n_imports + (int64_t)i + 1,
                                     .imported = found[i].learning.id}, .import = &found[i]};
        knowledge_job_add(rows, i, &own[i], arena_strdup(c->arena, UUID_STR(found[i].learning.id)));
    }
    return ERR_OK;
}

static err select_rows(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct position from = {0};
    struct knowledge_row *found = ARENA_ARRAY(c->arena, struct knowledge_row, (size_t)s->limit + 1);
    struct row *own = ARENA_ARRAY(c->arena, struct row, (size_t)s->limit + 1);
    size_t n_old;

    if (s->cursor.n == sizeof from)
        memcpy(&from, s->cursor.p, sizeof from);
    TRY(select_imports(c, s, &from, rows, n));
    TRY(knowledge_upkeep_scan(c, &from.judged, (size_t)s->limit - *n, found, &n_old));
    for (size_t i = 0; i < n_old; i++) {
        own[i] = (struct row){.at = {.is_judging = 1, .judged = {found[i].judged_at, found[i].id}}, .old = &found[i]};
        knowledge_job_add(rows, *n + i, &own[i], arena_strdup(c->arena, UUID_STR(found[i].id)));
    }
    *n += n_old;
    return ERR_OK;
}

static err import(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *row = rows[i].data;
        bool made;

        TRY(learning_import_one(c, row->import, &made));
        s->changed += made;
        s->skipped += !made;
        slice_count(s, made ? "imported" : "duplicates", 1);
        if (made && s->dry)
            slice_would(s, rows[i].id, "become knowledge");
    }
    return ERR_OK;
}

static err knowledge_job_judge(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    const struct knowledge_row *first = ((const struct row *)rows[0].data)->old; /* what select found lies in one piece */
    size_t became_stale;

    TRY(knowledge_upkeep_apply(c, first, n, &became_stale));
    s->changed += (int64_t)n;
    slice_count(s, "rescored", (int64_t)n);
    if (became_stale)
        slice_count(s, "stale", (int64_t)became_stale);
    return ERR_OK;
}

static err knowledge_job_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    size_t imports = 0;

    while (imports < n && ((const struct row *)rows[imports].data)->import)
        imports++;
    TRY(import(c, s, rows, imports));
    return imports < n ? knowledge_job_judge(c, s, rows + imports, n - imports) : ERR_OK;
}

/* Accounts that have one or the other to be done, each once, ascending. */
static err knowledge_job_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    struct uuid *a = ARENA_ARRAY(c->arena, struct uuid, max + 1), *b = ARENA_ARRAY(c->arena, struct uuid, max + 1);
    size_t na, nb, i = 0, k = 0;

    TRY(learning_import_due(c, above, a, max, &na));
    TRY(knowledge_upkeep_due(c, above, b, max, &nb));
    for (*n = 0; *n < max && (i < na || k < nb); ++*n) {
        int order = i == na ? 1 : k == nb ? -1 : uuid_cmp(a[i], b[k]);

        ids[*n] = order <= 0 ? a[i] : b[k];
        i += order <= 0;
        k += order >= 0;
    }
    return ERR_OK;
}

const struct job shared_knowledge_maintenance_job = {
    .name = "shared_knowledge_maintenance",
    .description = "promotes the best learnings to knowledge, recomputes quality, marks stale items",
    .schedule = "30 4 * * *", .after = "memory_dedup", .bound = 5000, .batch = 500, .flags = JOB_DRY_RUN, .due = knowledge_job_due, .select = select_rows,
    .apply = knowledge_job_apply,
};
