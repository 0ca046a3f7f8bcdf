/* Research by recall; see skill_research.h. */
#include "skill_research.h"

#include <math.h>
#include <string.h>

#include "access.h"
#include "evidence.h"
#include "recall.h"
#include "skill_discover.h"

ENUMX_DEFINE(skill_source, SKILL_SOURCE);

#define FINDINGS 10
#define EXCERPT 300

/* ---- sources */

/* What only the caller sees would reach reviewers: its own namespace is left out. */
static bool is_finding(const struct ctx *c, const struct recall_hit *h)
{
    return uuid_is_nil(c->access->own) || !uuid_eq(h->space_id, c->access->own);
}

static err skill_research_source(struct ctx *c, const char *topic, enum skill_source source, struct skill_source_report *out)
{
    static const char *const KINDS[] = {"skill", "chunk", "learning", "knowledge"};
    const char *kind = KINDS[source];
    struct skill_finding *v = ARENA_ARRAY(c->arena, struct skill_finding, FINDINGS);
    const struct recall_hit *hits;
    struct recall_out found;
    struct recall_in r;
    size_t n = 0;

    recall_in_defaults(&r);
    r.query = topic;
    r.kinds = (struct strs){&kind, 1};
    r.limit = FINDINGS;
    r.touch = false;
    r.body_chars = EXCERPT;
    r.min_evidence = EVIDENCE_LOWER;
    *out = (struct skill_source_report){.source = enumx_name(&skill_source_enumx, (int)source)};
    if (recall_run(c, &r, &found) != ERR_OK) {
        out->error = arena_strdup(c->arena, c->fault.message);
        ctx_forgive(c);
        return ERR_OK;
    }
    hits = found.hits.v;
    for (size_t i = 0; i < found.hits.n; i++)
        if (is_finding(c, &hits[i]) && (source != SOURCE_SKILLS || hits[i].similarity >= SKILL_RELEVANT))
            v[n++] = (struct skill_finding){hits[i].id, hits[i].title, hits[i].body, hits[i].similarity};
    out->findings = (struct list){v, n};
    return ERR_OK;
}

static err skill_research_sources(struct ctx *c, const struct skill_research_in *in, struct skill_research *out)
{
    struct skill_source_report *v = ARENA_ARRAY(c->arena, struct skill_source_report, skill_source_enumx.n);
    size_t n = 0;

    for (size_t i = 0; i < in->sources.n; i++) {
        int source;

        if (!enumx_parse(&skill_source_enumx, in->sources.v[i], &source))
            return fail_field(c, arena_printf(c->arena, "/sources/%zu", i),
                "no such source; there are: knowledge_graph, knowledge_bases, learnings, shared_knowledge");
    }
    for (size_t s = 0; s < skill_source_enumx.n; s++) {
        bool wanted = !in->sources.n;

        for (size_t i = 0; i < in->sources.n; i++)
            wanted |= str_eq(in->sources.v[i], skill_source_enumx.names[s]);
        if (wanted)
            TRY(skill_research_source(c, in->topic, (enum skill_source)s, &v[n++]));
    }
    out->sources = (struct list){v, n};
    return ERR_OK;
}

/* ---- skills that are near */

err skill_overlaps(struct ctx *c, const char *name, const char *description, struct list *out)
{
    struct skill_wish wish = {.description = description ? arena_printf(c->arena, "%s\n%s", name, description) : name, .top_n = FINDINGS};
    const struct skill_found *v;
    struct skill_finds finds;
    struct skill_near *rows;
    size_t n = 0;

    TRY(skill_discover(c, &wish, &finds));
    v = finds.skills.v;
    rows = ARENA_ARRAY(c->arena, struct skill_near, finds.skills.n + 1);
    for (size_t i = 0; i < finds.skills.n; i++)
        if (v[i].similarity >= SKILL_RELEVANT)
            rows[n++] = (struct skill_near){v[i].id, v[i].name, v[i].slug, v[i].category, v[i].similarity};
    for (size_t i = 1; i < n; i++) /* nearest first; there are ten at most */
        for (size_t k = i; k > 0 && rows[k].similarity > rows[k - 1].similarity; k--) {
            struct skill_near swap = rows[k];

            rows[k] = rows[k - 1];
            rows[k - 1] = swap;
        }
    *out = (struct list){rows, n};
    return ERR_OK;
}

/* The category of what is near, by votes of their similarity; else the one whose words the topic has. */
static const char *skill_research_category(const struct skill_research *r)
{
    const struct skill_near *v = r->overlaps.v;
    const char *best = NULL;
    double most = 0;

    for (size_t i = 0; i < r->overlaps.n; i++) {
        double sum = 0;

        for (size_t k = 0; k < r->overlaps.n; k++)
            sum += str_eq(v[k].category, v[i].category) ? v[k].similarity : 0;
        if (sum > most)
            best = v[i].category, most = sum;
    }
    for (size_t i = 0; i < skill_category_enumx.n && !best; i++) {
        const char *name = skill_category_enumx.names[i];

        if (strcasestr(r->topic, name))
            best = name;
    }
    return best;
}

static double skill_research_confidence(const struct skill_research *r)
{
    const struct skill_source_report *s = r->sources.v;
    const struct skill_near *near_ = r->overlaps.v;
    double sources = 0, findings = 0, overlap = r->overlaps.n ? near_[0].similarity : 0;

    for (size_t i = 0; i < r->sources.n; i++) {
        sources += s[i].findings.n > 0;
        findings += (double)s[i].findings.n;
    }
    return fmax(0, fmin(1, fmin(.15 * sources, .6) + fmin(.02 * findings, .3) - 2 * fmax(overlap - .7, 0)));
}

static void skill_research_needs(struct ctx *c, struct skill_research *r)
{
    const struct skill_near *v = r->overlaps.v;
    struct skill_near *rows = ARENA_ARRAY(c->arena, struct skill_near, r->overlaps.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < r->overlaps.n; i++)
        if (v[i].similarity >= SKILL_NEEDED && v[i].similarity < SKILL_SAME)
            rows[n++] = v[i];
    r->dependencies = (struct list){rows, n};
}

/* ---- the proposal */

static const char *skill_research_body(struct ctx *c, const struct skill_research *r)
{
    const struct skill_source_report *s = r->sources.v;
    struct buf b;

    buf_init(&b, c->arena, 1024);
    buf_printf(&b, "## When to use\n\n%s\n\n## Steps\n\n1. \n\n## Sources\n", r->topic);
    for (size_t i = 0; i < r->sources.n; i++) {
        const struct skill_finding *f = s[i].findings.v;

        for (size_t k = 0; k < s[i].findings.n; k++)
            buf_printf(&b, "\n- %s: %s", s[i].source, f[k].title);
    }
    return buf_str(&b);
}

static struct json *skill_near_json(struct ctx *c, const struct list *list, bool as_needs)
{
    const struct skill_near *v = list->v;
    struct json *all = json_arr(c->arena);

    for (size_t i = 0; i < list->n; i++) {
        struct json *o = json_obj(c->arena);

        json_set_str(c->arena, o, "skill_id", arena_strdup(c->arena, UUID_STR(v[i].skill_id)));
        json_set_str(c->arena, o, "name", v[i].name);
        if (as_needs)
            json_set_str(c->arena, o, "relation", "enhances");
        json_set(c->arena, o, as_needs ? "confidence" : "similarity", json_num(c->arena, v[i].similarity));
        json_push(all, o);
    }
    return all;
}

static struct json *skill_research_json(struct ctx *c, const struct skill_research *r)
{
    struct json *o = json_obj(c->arena), *sources = json_set(c->arena, o, "sources", json_arr(c->arena));
    const struct skill_source_report *s = r->sources.v;

    json_set_str(c->arena, o, "topic", r->topic);
    for (size_t i = 0; i < r->sources.n; i++) {
        const struct skill_finding *f = s[i].findings.v;
        struct json *row = json_obj(c->arena), *ids = json_arr(c->arena);

        json_set_str(c->arena, row, "source", s[i].source);
        json_set_str(c->arena, row, "error", s[i].error);
        for (size_t k = 0; k < s[i].findings.n; k++)
            json_push(ids, json_str(c->arena, arena_strdup(c->arena, UUID_STR(f[k].id))));
        json_set(c->arena, row, "found", ids);
        json_push(sources, row);
    }
    return o;
}

static err skill_research_propose(struct ctx *c, struct skill_research *r)
{
    struct skill_proposal made, p = {.name = arena_printf(c->arena, "%.*s", (int)str_first_bytes(r->topic, 120), r->topic),
                               .description = r->topic, .category = r->category, .body = skill_research_body(c, r), .needs_editing = true,
                               .confidence = r->confidence, .research_report = skill_research_json(c, r),
                               .overlap_analysis = skill_near_json(c, &r->overlaps, false),
                               .suggested_dependencies = skill_near_json(c, &r->dependencies, true)};

    TRY(skill_proposal_make(c, &p, &made));
    r->proposal_id = made.id;
    return ERR_OK;
}

err skill_research(struct ctx *c, const struct skill_research_in *in, struct skill_research *out)
{
    const struct skill_near *v;

    *out = (struct skill_research){.topic = in->topic};
    TRY(skill_research_sources(c, in, out));
    TRY(skill_overlaps(c, in->topic, NULL, &out->overlaps));
    v = out->overlaps.v;
    if (in->propose && !in->force && out->overlaps.n && v[0].similarity >= SKILL_SAME) {
        struct json *value = json_obj(c->arena);

        json_set_str(c->arena, value, "skill_id", arena_strdup(c->arena, UUID_STR(v[0].skill_id)));
        c->fault.current_value = value;
        return fail_reason(c, ERR_CONFLICT, "duplicate", "the skill '%s' does this already", v[0].name);
    }
    out->category = skill_research_category(out);
    out->confidence = skill_research_confidence(out);
    skill_research_needs(c, out);
    return in->propose ? skill_research_propose(c, out) : ERR_OK;
}
