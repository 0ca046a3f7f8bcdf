/* Finding skills by recall; see skill_discover.h. */
#include "skill_discover.h"

#include <stdlib.h>

#include "recall.h"
#include "skill_impl.h"

ENUMX_DEFINE(skill_find_mode, SKILL_FIND_MODE);

static err skill_discover_recall(struct ctx *c, const struct skill_wish *in, const char *task, struct recall_out *out)
{
    static const enum recall_mode MODES[] = {MODE_HYBRID, MODE_VECTOR, MODE_KEYWORD};
    const char *kind = "skill", *superseded = "superseded";
    int64_t more = in->top_n * 2 + 10; /* some of what is found is not served */
    struct json *attrs = json_obj(c->arena);
    struct recall_filters filters = {.attrs = attrs};
    struct recall_in r;

    recall_in_defaults(&r);
    r.query = task;
    r.mode = MODES[in->mode];
    r.kinds = (struct strs){&kind, 1};
    r.include = (struct strs){&superseded, 1}; /* what is deprecated points to what is used instead */
    r.limit = more < RECALL_LIMIT ? more : RECALL_LIMIT;
    r.touch = false;
    r.lifecycle = SWITCH_OFF;
    r.body_chars = 0;
    r.spread = in->spreads ? SWITCH_ON : SWITCH_OFF;
    r.min_evidence = in->min_evidence;
    if (in->category) {
        json_set_str(c->arena, attrs, "category", in->category);
        r.filters = &filters;
    }
    return recall_run(c, &r, out);
}

static const struct skill *skill_row_of(const struct list *rows, struct uuid id)
{
    const struct skill *v = rows->v;

    for (size_t i = 0; i < rows->n; i++)
        if (uuid_eq(v[i].id, id))
            return &v[i];
    return NULL;
}

/* Rows of the hits, and of what replaces them. */
static err skill_discover_rows(struct ctx *c, const struct recall_out *r, struct list *rows, struct list *others)
{
    const struct recall_hit *hits = r->hits.v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, r->hits.n + 1);
    const struct skill *v;
    size_t n = 0;

    for (size_t i = 0; i < r->hits.n; i++)
        ids[i] = hits[i].id;
    TRY(skill_get_many(c, ids, r->hits.n, rows));
    v = rows->v;
    for (size_t i = 0; i < rows->n; i++)
        if (v[i].status == SKILL_DEPRECATED && !uuid_is_nil(v[i].replaced_by))
            ids[n++] = v[i].replaced_by;
    return skill_get_many(c, ids, n, others);
}

static bool skill_is_among(const struct skill_found *v, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(v[i].id, id))
            return true;
    return false;
}

static int skill_found_by_score(const void *a, const void *b)
{
    const struct skill_found *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return uuid_cmp(x->id, y->id);
}

static struct skill_found skill_found_of(const struct skill *s, const struct recall_hit *h)
{
    return (struct skill_found){.id = s->id, .name = s->name, .slug = s->slug, .description = s->description, .category = s->category,
        .score = h->relevance * (.5 + .5 * s->effectiveness_now), .similarity = h->similarity,
        .effectiveness_now = s->effectiveness_now, .skill = s};
}

err skill_discover(struct ctx *c, const struct skill_wish *in, struct skill_finds *out)
{
    const char *task = in->description ? in->description : in->task_context;
    const struct recall_hit *hits;
    struct recall_out r;
    struct list rows, others;
    struct skill_found *found;
    size_t n = 0;

    *out = (struct skill_finds){0};
    if (str_empty(task))
        return fail_field(c, "/description", "description is required");
    TRY(skill_discover_recall(c, in, task, &r));
    TRY(skill_discover_rows(c, &r, &rows, &others));
    hits = r.hits.v;
    found = ARENA_ARRAY(c->arena, struct skill_found, r.hits.n + 1);
    for (size_t i = 0; i < r.hits.n; i++) {
        const struct skill *s = skill_row_of(&rows, hits[i].id), *hit = s;

        if (s && s->status == SKILL_DEPRECATED)
            s = skill_row_of(&others, s->replaced_by);
        if (!s || !skill_is_served(s) || s->is_hidden || skill_is_among(found, n, s->id))
            continue;
        found[n] = skill_found_of(s, &hits[i]);
        found[n++].instead_of = s == hit ? (struct uuid){{0}} : hit->id;
    }
    qsort(found, n, sizeof *found, skill_found_by_score);
    out->skills = (struct list){found, n < (size_t)in->top_n ? n : (size_t)in->top_n};
    out->considered = r.considered;
    out->degraded = r.degraded;
    return ERR_OK;
}
