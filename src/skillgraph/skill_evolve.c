/* Evolution of skills; see skill_research.h. */
#include "skill_research.h"

#include <string.h>

#include "audience.h"
#include "db.h"
#include "inert.h"
#include "recall.h"
#include "recommendation.h"
#include "skill.h"
#include "skill_upkeep.h"

/* ---- what was learned */

static err skill_evolve_lessons(struct ctx *c, const struct skill *s, struct uuids spaces, struct recall_out *out)
{
    const char *kind = "learning";
    struct recall_in r;

    recall_in_defaults(&r);
    r.query = arena_printf(c->arena, "%s\n%s", s->name, s->description);
    r.kinds = (struct strs){&kind, 1};
    r.spaces = spaces;
    r.limit = EVOLVE_LEARNINGS;
    r.touch = false;
    r.body_chars = EVOLVE_CHARS;
    return recall_run(c, &r, out);
}

static const char *skill_evolve_body(struct ctx *c, const struct skill *s, const struct recall_out *lessons)
{
    const struct recall_hit *hits = lessons->hits.v;
    const char *old = strstr(s->body, "\n## Lessons\n");
    struct buf b;
    int n = 0;

    buf_init(&b, c->arena, strlen(s->body) + 2048);
    buf_add(&b, s->body, old ? (size_t)(old - s->body) : strlen(s->body)); /* lessons of before are made anew */
    buf_puts(&b, "\n## Lessons\n");
    for (size_t i = 0; i < lessons->hits.n; i++)
        if (hits[i].similarity >= EVOLVE_NEAR) {
            buf_printf(&b, "\n- %s", text_cut(c->arena, hits[i].body ? hits[i].body : hits[i].title, EVOLVE_CHARS, true));
            n++;
        }
    buf_putc(&b, '\n');
    return n ? buf_str(&b) : NULL;
}

static struct json *skill_evolve_ids(struct ctx *c, const struct recall_out *lessons)
{
    const struct recall_hit *hits = lessons->hits.v;
    struct json *ids = json_arr(c->arena);

    for (size_t i = 0; i < lessons->hits.n; i++)
        if (hits[i].similarity >= EVOLVE_NEAR)
            json_push(ids, json_str(c->arena, arena_strdup(c->arena, UUID_STR(hits[i].id))));
    return ids;
}

/* ---- the version */

struct evolving {
    const struct thing_key *key;
    const char *body;
    struct skill_version *out;
};

static err skill_evolve_untested(struct ctx *c, struct uuid skill_id)
{
    const struct skill_version *v;
    struct page page;

    TRY(skill_version_list(c, &(struct skill_version_filter){.id = skill_id, .limit = SKILL_VERSIONS}, &page));
    v = page.items;
    for (size_t i = 0; i < page.n && !v[i].is_active; i++)
        if (v[i].change_type == CHANGE_EXPERIMENTAL && v[i].origin == SKILL_OF_EVOLUTION &&
            v[i].success_count + v[i].failure_count + v[i].partial_count == 0)
            return fail_reason(c, ERR_CONFLICT, "untested", "the experiment %s has had no outcome yet", v[i].semver);
    return ERR_OK;
}

static err skill_evolve_tx(struct ctx *c, void *arg)
{
    struct evolving *e = arg;
    struct skill s;

    TRY(skill_take(c, e->key->id, e->key->if_version, &s));
    TRY(skill_evolve_untested(c, s.id));
    return skill_version_add(c, &(struct skill_version_new){.skill_id = s.id, .body = e->body, .change_type = CHANGE_EXPERIMENTAL,
        .origin = SKILL_OF_EVOLUTION, .change_reason = "lessons of learnings"}, e->out);
}

/* Recall is asked before the transaction: it may talk to a model. */
err skill_evolve(struct ctx *c, const struct thing_key *key, struct skill_version *out)
{
    struct evolving e = {.key = key, .out = out};
    struct recall_out lessons;
    struct skill s;

    TRY(skill_get_whole(c, arena_strdup(c->arena, UUID_STR(key->id)), &s));
    if (!s.body)
        return fail_reason(c, ERR_CONFLICT, "no_text", "the skill has no text");
    TRY(skill_evolve_untested(c, s.id));
    TRY(skill_evolve_lessons(c, &s, (struct uuids){0}, &lessons));
    e.body = skill_evolve_body(c, &s, &lessons);
    if (!e.body || str_eq(e.body, s.body))
        return fail_reason(c, ERR_CONFLICT, "nothing_new", "no learning says more about this skill");
    return db_tx(c, skill_evolve_tx, &e);
}

/* ---- the same as a recommendation, by a job */

struct refining {
    const struct skill *skill;
    const char *body;
    const struct json *lessons; /* ids */
    bool made;
};

static err skill_refine_tx(struct ctx *c, void *arg)
{
    struct refining *r = arg;
    struct json *config = json_obj(c->arena), *evidence = json_obj(c->arena);

    json_set_str(c->arena, config, "body", r->body);
    json_set(c->arena, evidence, "learning_ids", json_raw(c->arena, json_text(c->arena, r->lessons)));
    return recommendation_add(c, &(struct recommendation){
        .recommendation_type = ADVISE_REFINE, .target_kind = "skill", .target_id = r->skill->id, .space_id = r->skill->space_id,
        .title = arena_printf(c->arena, "Take up what was learned: %.120s", r->skill->name), .confidence = EVOLVE_NEAR,
        .description = "Learnings say more about this skill than its text.", .evidence = evidence, .recommended_config = config}, &r->made);
}

/* Whoever reads the skill may read these learnings: they lie in its space, or are everybody's. */
static err skill_refine(struct ctx *c, struct uuid id, struct uuid global, bool *made)
{
    struct recall_out lessons;
    struct refining r = {0};
    struct uuid spaces[2];
    struct skill s;

    *made = false;
    TRY(skill_get_whole(c, arena_strdup(c->arena, UUID_STR(id)), &s));
    if (!s.body)
        return ERR_OK;
    spaces[0] = s.space_id;
    spaces[1] = global;
    TRY(skill_evolve_lessons(c, &s, (struct uuids){spaces, 2}, &lessons));
    r = (struct refining){.skill = &s, .body = skill_evolve_body(c, &s, &lessons), .lessons = skill_evolve_ids(c, &lessons)};
    if (!r.body || str_eq(r.body, s.body))
        return ERR_OK;
    TRY(db_tx(c, skill_refine_tx, &r));
    *made = r.made;
    return ERR_OK;
}

err skill_refine_some(struct ctx *c, struct uuid behind, int64_t limit, struct skill_refined *out)
{
    const struct skill_due *due;
    struct uuid global;
    struct list list;
    bool made;

    *out = (struct skill_refined){0};
    TRY(skill_upkeep_due(c, behind, limit, &list));
    TRY(audience_space(c, AUDIENCE_GLOBAL, (struct uuid){{0}}, &global));
    due = list.v;
    for (size_t i = 0; i < list.n; i++) {
        TRY(skill_refine(c, due[i].id, global, &made));
        out->recommended += made;
        out->last = due[i].id;
    }
    out->looked = (int64_t)list.n;
    return ERR_OK;
}
