/* The scan: what it reads, in a few statements, and what becomes of what it finds; see skill_conflict.h. */
#include "skill_scan.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "audit.h"
#include "content.h"
#include "db.h"
#include "recommendation.h"
#include "skill.h"

#define PORTION 2000
#define INSERT_AT_ONCE 200
#define SCAN_ADVICE 50 /* recommendations that one scan makes */

/* ---- what the rules use */

static int skill_scanned_order(const void *key, const void *row)
{
    return uuid_cmp(*(const struct uuid *)key, ((const struct skill_scanned *)row)->id);
}

const struct skill_scanned *skill_scan_find(const struct skill_scan_work *w, struct uuid id)
{
    return w->n_skills ? bsearch(&id, w->skills, w->n_skills, sizeof *w->skills, skill_scanned_order) : NULL;
}

void skill_scan_add(struct skill_scan_work *w, const struct skill_scanned *a, const struct skill_scanned *b,
                    const struct skill_conflict *what)
{
    struct arena *arena = w->c->arena;
    struct skill_conflict *x;

    if (w->n == w->cap)
        return;
    x = &w->found[w->n++];
    *x = *what;
    if (b && uuid_cmp(b->id, a->id) < 0) {
        const struct skill_scanned *swap = a;

        a = b;
        b = swap;
    }
    x->id = uuid_new(w->c->now.us);
    x->skill_a = a->id;
    x->space_id = a->space_id;
    if (b) {
        x->skill_b = b->id;
        x->other_space_id = b->space_id;
    }
    x->pair_key = content_hash(arena, enumx_name(&skill_conflict_type_enumx, (int)x->conflict_type),
        arena_printf(arena, "%s %s %s", UUID_STR(a->id), UUID_STR(x->skill_b), b ? "" : UUID_STR(x->edge_id)), NULL);
    x->priority_score = skill_conflict_priority(x->severity, 0, x->similarity);
}

/* ---- what is new of what was found */

/* A conflict that was decided is raised again when one of its skills changed since then. */
static bool skill_scan_is_known(const struct skill_scan_work *w, const struct skill_conflict *x, const struct list *known)
{
    const struct skill_conflict_known *v = known->v;

    for (size_t i = 0; i < known->n; i++) {
        const struct skill_scanned *a, *b;

        if (v[i].pair_key.n != x->pair_key.n || memcmp(v[i].pair_key.p, x->pair_key.p, x->pair_key.n))
            continue;
        a = skill_scan_find(w, x->skill_a);
        b = skill_scan_find(w, x->skill_b);
        if (!v[i].decided_at.us || !((a && a->updated_at.us > v[i].decided_at.us) || (b && b->updated_at.us > v[i].decided_at.us)))
            return true;
    }
    return false;
}

/* Two skills of a space that do nearly the same could be one: the older stays. */
static err skill_scan_advise(struct ctx *c, const struct skill_scan_work *w, const struct skill_conflict *x, int *made)
{
    const struct skill_scanned *a = skill_scan_find(w, x->skill_a), *b = skill_scan_find(w, x->skill_b);
    struct json *config = json_obj(c->arena), *evidence = json_obj(c->arena);
    bool is_new;

    if (x->conflict_type != CONFLICT_OVERLAP || !a || !b || !uuid_eq(a->space_id, b->space_id) || *made >= SCAN_ADVICE)
        return ERR_OK;
    json_set_str(c->arena, config, "keep", arena_strdup(c->arena, UUID_STR(a->id)));
    json_set_str(c->arena, config, "merge", arena_strdup(c->arena, UUID_STR(b->id)));
    json_set(c->arena, evidence, "similarity", json_num(c->arena, x->similarity));
    json_set_str(c->arena, evidence, "detail", x->detail);
    TRY(recommendation_add(c, &(struct recommendation){
        .recommendation_type = ADVISE_MERGE, .target_kind = "skill", .target_id = b->id, .space_id = b->space_id,
        .title = arena_printf(c->arena, "Merge %.110s into %.110s", b->name, a->name), .confidence = x->similarity, .evidence = evidence,
        .recommended_config = config, .priority = x->similarity >= .92 ? URGENCY_HIGH : URGENCY_LOW}, &is_new));
    *made += is_new;
    return ERR_OK;
}

struct scan_raising {
    const struct skill_scan_work *work;
    const struct skill_conflict *rows;
    size_t n;
    int64_t raised;
};

static err skill_scan_raise_tx(struct ctx *c, void *arg)
{
    struct scan_raising *r = arg;
    struct json *payload = json_obj(c->arena);
    int64_t written;
    int advised = 0;

    r->raised = 0;
    for (size_t i = 0; i < r->n; i++)
        TRY(skill_scan_advise(c, r->work, &r->rows[i], &advised));
    for (size_t i = 0; i < r->n; i += INSERT_AT_ONCE) {
        TRY(skill_conflict_store_insert(c, r->rows + i, r->n - i < INSERT_AT_ONCE ? r->n - i : INSERT_AT_ONCE, &written));
        r->raised += written;
    }
    TRY(skill_conflict_store_weigh(c));
    if (!r->raised)
        return ERR_OK;
    json_set_int(c->arena, payload, "raised", r->raised);
    return audit_add(c, &(struct audit){.kind = "skill_conflict.detect", .subject_kind = "account", .subject_id = c->account_id,
                                        .payload = payload});
}

static err skill_scan_raise(struct ctx *c, struct skill_scan_work *w, struct skill_scan *out)
{
    struct instant since = {c->now.us - CONFLICT_QUIET_DAYS * (int64_t)DAY_US};
    struct scan_raising r = {.work = w, .rows = w->found};
    struct list known;
    int64_t open;

    out->skills = (int64_t)w->n_skills;
    out->found = (int64_t)w->n;
    TRY(skill_conflict_store_known(c, since, &known));
    TRY(skill_conflict_store_open(c, &open));
    for (size_t i = 0; i < w->n; i++)
        if (skill_scan_is_known(w, &w->found[i], &known))
            out->known++;
        else if (open + (int64_t)r.n < CONFLICTS_OPEN)
            w->found[r.n++] = w->found[i];
        else
            out->is_full = true;
    TRY(db_tx(c, skill_scan_raise_tx, &r));
    out->raised = r.raised;
    return ERR_OK;
}

/* ---- reading and running */

static err skill_scan_begin(struct ctx *c, struct uuids spaces, bool all, struct skill_scan_work *w)
{
    struct list skills, edges;

    TRY(skill_scan_store_skills(c, spaces, all, &skills));
    TRY(skill_scan_store_edges(c, &edges));
    *w = (struct skill_scan_work){.c = c, .skills = skills.v, .n_skills = skills.n, .edges = edges.v, .n_edges = edges.n,
                                  .cap = SCAN_FOUND, .found = ARENA_ARRAY(c->arena, struct skill_conflict, SCAN_FOUND)};
    return ERR_OK;
}

static void skill_scan_rules(struct skill_scan_work *w)
{
    skill_scan_overlaps(w);
    skill_scan_contradictions(w);
    skill_scan_cycles(w);
    skill_scan_dependencies(w);
    skill_scan_versions(w);
    skill_scan_names(w);
}

/* Every vector of a skill against the others of its space, in portions. */
static err skill_scan_near(struct ctx *c, struct skill_scan_work *w)
{
    const char *kind = "skill";
    struct near_sweep s = {.kinds = {&kind, 1}, .least = SCAN_NEAR, .limit = PORTION};
    struct near_pair *all = ARENA_ARRAY(c->arena, struct near_pair, SCAN_FOUND);
    size_t n = 0;

    do {
        TRY(near_pairs_find(c, &s));
        for (size_t i = 0; i < s.n && n < SCAN_FOUND; i++)
            all[n++] = s.pairs[i];
    } while (s.more && n < SCAN_FOUND);
    w->pairs = all;
    w->n_pairs = n;
    return ERR_OK;
}

err skill_scan_all(struct ctx *c, struct skill_scan *out)
{
    struct skill_scan_work w;

    *out = (struct skill_scan){0};
    TRY(skill_scan_begin(c, (struct uuids){0}, true, &w));
    TRY(skill_scan_near(c, &w));
    skill_scan_rules(&w);
    return skill_scan_raise(c, &w, out);
}

err skill_scan_one(struct ctx *c, struct uuid skill_id, struct skill_scan *out)
{
    struct near_place place = {.id = skill_id, .kind = "skill"};
    struct skill_scan_work w;
    struct near_pair *pairs;
    struct skill s;
    size_t kept = 0;

    *out = (struct skill_scan){0};
    TRY(skill_get(c, skill_id, &s));
    TRY(access_require(c, s.space_id, ACCESS_WRITE));
    place.space_id = s.space_id;
    TRY(skill_scan_begin(c, skill_spaces(c), false, &w));
    TRY(near_pairs_others(c, &place, 1, SCAN_NEAR, &pairs, &w.n_pairs));
    w.pairs = pairs;
    skill_scan_rules(&w);
    for (size_t i = 0; i < w.n; i++) /* only its own */
        if (uuid_eq(w.found[i].skill_a, skill_id) || uuid_eq(w.found[i].skill_b, skill_id))
            w.found[kept++] = w.found[i];
    w.n = kept;
    return skill_scan_raise(c, &w, out);
}
