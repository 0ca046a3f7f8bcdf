/* Choosing what a task needs, and fitting it into a budget; see skill_activate.h. */
#include "skill_activate.h"

#include <stdlib.h>
#include <string.h>

#include "agent_skill.h"
#include "content.h"
#include "evidence.h"
#include "inert.h"
#include "skill_activate_store.h"
#include "skill_discover.h"
#include "skill_impl.h"
#include "skill_usage.h"
#include "unicode.h"

ENUMX_DEFINE(skill_activate_mode, SKILL_ACTIVATE_MODE);
ENUMX_DEFINE(skill_detail, SKILL_DETAIL);

#define ASSIGNED 1.1 /* a skill of the agent's own is preferred so much */
#define NEEDS_DEPTH 3
#define SUMMARY_LEAST 8 /* tokens, below which not even a name is offered */
#define CHOSEN_MAX (SKILL_ACTIVATED * 4)

struct chosen_skill {
    struct skill *skill;
    double score;
    const char *included_as;
};

struct skill_choosing {
    const struct skill_activation *in;
    struct uuid agent_id;
    struct chosen_skill v[CHOSEN_MAX];
    size_t n;
    struct skill_evicted *evicted;
    size_t n_evicted;
    struct skill_activations *out;
};

static void skill_evict(struct skill_choosing *w, const struct skill *s, const char *reason)
{
    w->evicted[w->n_evicted++] = (struct skill_evicted){s->id, s->name, reason};
}

static bool skill_is_chosen(const struct skill_choosing *w, struct uuid id)
{
    for (size_t i = 0; i < w->n; i++)
        if (uuid_eq(w->v[i].skill->id, id))
            return true;
    return false;
}

/* One that is there already and is required by another comes first as well. */
static void skill_choose(struct ctx *c, struct skill_choosing *w, const struct skill *s, double score, const char *as)
{
    for (size_t i = 0; i < w->n; i++)
        if (uuid_eq(w->v[i].skill->id, s->id) && str_eq(as, "dependency"))
            w->v[i].included_as = as;
    if (w->n < CHOSEN_MAX && !skill_is_chosen(w, s->id))
        w->v[w->n++] = (struct chosen_skill){arena_memdup(c->arena, s, sizeof *s), score, as};
}

/* ---- what fits the task */

static err skill_missed(struct ctx *c, const struct skill_choosing *w)
{
    const char *task = text_cut(c->arena, w->in->task, 500, true);

    return skill_activate_store_miss(c, content_hash(c->arena, "", unicode_fold(c->arena, task), NULL), task, w->agent_id);
}

static bool skill_is_assigned(const struct list *assigned, struct uuid id)
{
    const struct agent_skill *v = assigned->v;

    for (size_t i = 0; i < assigned->n; i++)
        if (v[i].is_active && uuid_eq(v[i].skill_id, id))
            return true;
    return false;
}

static err skill_choose_by_task(struct ctx *c, struct skill_choosing *w, const struct list *assigned)
{
    struct skill_wish wish = {.description = w->in->task, .top_n = SKILL_TOP, .spreads = true, .min_evidence = EVIDENCE_LOWER};
    const struct skill_found *v;
    struct skill_finds finds;

    TRY(skill_discover(c, &wish, &finds));
    v = finds.skills.v;
    for (size_t i = 0; i < finds.skills.n; i++) {
        bool own = skill_is_assigned(assigned, v[i].id);

        if ((int64_t)w->n < w->in->top_n && (own || !w->in->assigned_only))
            skill_choose(c, w, v[i].skill, v[i].score * (own ? ASSIGNED : 1), own ? "assigned" : "match");
    }
    w->out->seed_count = (int64_t)w->n;
    w->out->degraded = finds.degraded;
    return w->n ? ERR_OK : skill_missed(c, w);
}

/* ---- what these require */

static err skill_choose_needs(struct ctx *c, struct skill_choosing *w)
{
    struct uuid ids[CHOSEN_MAX];
    size_t from = 0;

    for (int depth = 0; depth < NEEDS_DEPTH && from < w->n; depth++) {
        const struct skill_need *needs;
        size_t n = w->n - from, to = w->n;
        struct list list, rows;
        const struct skill *v;

        for (size_t i = 0; i < n; i++)
            ids[i] = w->v[from + i].skill->id;
        TRY(skill_activate_store_needs(c, ids, n, &list));
        needs = list.v;
        for (n = 0; n < list.n && n < CHOSEN_MAX; n++)
            ids[n] = needs[n].needs;
        TRY(skill_get_many(c, ids, n, &rows));
        v = rows.v;
        for (size_t i = 0; i < rows.n; i++)
            if (skill_is_served(&v[i]))
                skill_choose(c, w, &v[i], 1, "dependency");
        from = to;
    }
    return ERR_OK;
}

/* ---- the session */

static err skill_leave_known(struct ctx *c, struct skill_choosing *w)
{
    struct uuid ids[CHOSEN_MAX];
    struct uuids known;
    size_t kept = 0;

    if (!w->in->session_id || w->in->repeat || !w->n)
        return ERR_OK;
    for (size_t i = 0; i < w->n; i++)
        ids[i] = w->v[i].skill->id;
    TRY(skill_activate_store_in_session(c, w->in->session_id, ids, w->n, &known));
    for (size_t i = 0; i < w->n; i++) {
        bool was_served = false;

        for (size_t k = 0; k < known.n; k++)
            was_served |= uuid_eq(known.v[k], w->v[i].skill->id);
        if (was_served)
            skill_evict(w, w->v[i].skill, "already_in_session");
        else
            w->v[kept++] = w->v[i];
    }
    w->n = kept;
    return ERR_OK;
}

/* Dependencies first, then by score. */
static int skill_by_need(const void *a, const void *b)
{
    const struct chosen_skill *x = a, *y = b;
    bool need_x = str_eq(x->included_as, "dependency"), need_y = str_eq(y->included_as, "dependency");

    if (need_x != need_y)
        return need_x ? 1 : -1;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return uuid_cmp(x->skill->id, y->skill->id);
}

/* ---- the budget */

/* How many words of the task, in lower case, a section's title and text have. */
static int64_t section_worth(const char *task, const char *text)
{
    int64_t worth = 0;

    for (const char *p = task; *p;) {
        size_t n = strcspn(p, " \t\n,.;:!?");
        char word[64];

        if (n > 3 && n < sizeof word) {
            memcpy(word, p, n);
            word[n] = 0;
            worth += strcasestr(text, word) != NULL;
        }
        p += n;
        p += strspn(p, " \t\n,.;:!?");
    }
    return worth;
}

struct section_choice {
    const char *title, *text;
    int64_t tokens, worth;
    size_t nth;
};

static int section_by_worth(const void *a, const void *b)
{
    const struct section_choice *x = a, *y = b;

    if (x->worth != y->worth)
        return x->worth < y->worth ? 1 : -1;
    return x->nth < y->nth ? -1 : 1;
}

/* Whole sections only, the best-matching ones; in the order of their worth. */
static void skill_take_sections(struct ctx *c, const struct skill_choosing *w, const char *body, int64_t left, struct skill_activated *out)
{
    const struct json *all = skill_sections(c->arena, body);
    struct section_choice *v = ARENA_ARRAY(c->arena, struct section_choice, all->len + 1);
    struct skill_section *taken = ARENA_ARRAY(c->arena, struct skill_section, all->len + 1);
    size_t n = 0, kept = 0;

    for (const struct json *h = all->first; h; h = h->next, n++) {
        size_t from = (size_t)json_get_int(h, "start", 0), to = (size_t)json_get_int(h, "end", 0);

        v[n] = (struct section_choice){json_get_str(h, "title"), arena_strndup(c->arena, body + from, to - from),
                                       json_get_int(h, "tokens", 0), 0, n};
        v[n].worth = section_worth(w->in->task ? w->in->task : "", v[n].text);
    }
    qsort(v, n, sizeof *v, section_by_worth);
    for (size_t i = 0; i < n; i++)
        if (out->tokens + v[i].tokens <= left) {
            taken[kept++] = (struct skill_section){v[i].title, v[i].text};
            out->tokens += v[i].tokens;
        }
    out->sections = (struct list){taken, kept};
    if (kept)
        out->level = SKILL_BY_SECTIONS;
}

/* false: not even its name fits. */
static bool skill_fit(struct ctx *c, const struct skill_choosing *w, const struct skill_served *s, int64_t left,
        struct skill_activated *out)
{
    const char *body = s->skill->body ? s->skill->body : "";
    int64_t summary = content_tokens(s->skill->name) + content_tokens(s->skill->description), whole = summary + content_tokens(body);

    if (left < SUMMARY_LEAST || summary > left)
        return false;
    out->level = SKILL_SUMMARY;
    out->tokens = summary;
    if (w->in->detail == SKILL_FULL && whole <= left) {
        out->level = SKILL_FULL;
        out->tokens = whole;
        out->body = body;
    } else if (w->in->detail != SKILL_SUMMARY)
        skill_take_sections(c, w, body, left, out);
    return true;
}

static struct skill_activated skill_activated_of(const struct chosen_skill *v, const struct skill_served *s)
{
    return (struct skill_activated){.skill_id = s->skill->id, .name = s->skill->name, .slug = s->skill->slug,
        .category = s->skill->category, .description = s->skill->description, .score = v->score, .included_as = v->included_as,
        .flags = s->skill->flags};
}

/* Texts are read for all, since only they tell what fits; uses are written for what is given. */
static err skill_hydrate(struct ctx *c, struct skill_choosing *w)
{
    struct skill_served *served = ARENA_ARRAY(c->arena, struct skill_served, w->n + 1), *given_ = ARENA_ARRAY(c->arena,
        struct skill_served, w->n + 1);
    struct skill_activated *rows = ARENA_ARRAY(c->arena, struct skill_activated, w->n + 1);
    struct skill_serving to = {.agent_id = w->agent_id, .session_id = w->in->session_id,
                               .summary = w->in->task ? text_cut(c->arena, w->in->task, SKILL_NOTE, true) : NULL};
    int64_t left = w->in->token_budget;
    size_t n = 0;

    for (size_t i = 0; i < w->n; i++)
        served[i].skill = w->v[i].skill;
    TRY(skill_serve_choose(c, &to, served, w->n));
    for (size_t i = 0; i < w->n; i++) {
        rows[n] = skill_activated_of(&w->v[i], &served[i]);
        if (!skill_fit(c, w, &served[i], left, &rows[n])) {
            skill_evict(w, served[i].skill, "over_budget");
            continue;
        }
        left -= rows[n].tokens;
        given_[n++] = served[i];
    }
    TRY(skill_serve_note(c, &to, given_, n));
    for (size_t i = 0; i < n; i++) {
        rows[i].version_id = given_[i].version_id;
        rows[i].usage_id = given_[i].usage_id;
        rows[i].semver = given_[i].semver;
    }
    w->out->skills = (struct list){rows, n};
    w->out->tokens_used = w->in->token_budget - left;
    return ERR_OK;
}

/* ---- the agent's skills, without texts */

static err skill_manifest(struct ctx *c, struct skill_choosing *w, const struct list *assigned)
{
    struct skill_activated *rows = ARENA_ARRAY(c->arena, struct skill_activated, assigned->n + 1);
    const char **notes = ARENA_ARRAY(c->arena, const char *, 2 * assigned->n + 1);
    const struct agent_skill *v = assigned->v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, assigned->n + 1);
    const struct skill_need *needs;
    size_t n = 0, n_notes = 0;
    struct list list;

    for (size_t i = 0; i < assigned->n; i++)
        ids[i] = v[i].skill_id;
    TRY(skill_activate_store_needs(c, ids, assigned->n, &list));
    needs = list.v;
    for (size_t i = 0; i < assigned->n; i++) {
        size_t joined = 0;

        for (size_t k = 0; k < list.n; k++)
            joined += uuid_eq(needs[k].skill, v[i].skill_id) || uuid_eq(needs[k].needs, v[i].skill_id);
        if (!joined)
            notes[n_notes++] = arena_printf(c->arena, "%s is isolated: it has no dependency and none depends on it", v[i].skill_slug);
        if (joined >= 5)
            notes[n_notes++] = arena_printf(c->arena, "%s is a hub: %zu dependencies meet in it", v[i].skill_slug, joined);
        rows[n++] = (struct skill_activated){.skill_id = v[i].skill_id, .name = v[i].skill_name, .slug = v[i].skill_slug,
            .category = v[i].category, .description = "", .semver = v[i].version_req ? v[i].version_req : "", .score = 1,
            .level = SKILL_SUMMARY, .included_as = "assigned"};
    }
    w->out->skills = (struct list){rows, n};
    w->out->notes = (struct strs){notes, n_notes};
    return ERR_OK;
}

/* ---- the whole */

static err skill_activate_choose(struct ctx *c, struct skill_choosing *w, const struct list *assigned)
{
    struct skill s;

    if (uuid_is_nil(w->in->skill_id))
        TRY(skill_choose_by_task(c, w, assigned));
    else {
        TRY(skill_get(c, w->in->skill_id, &s));
        if (!skill_is_served(&s))
            return fail_reason(c, ERR_CONFLICT, "skill_state", "the skill is %s and not served",
                s.is_enabled ? enumx_name(&skill_status_enumx, (int)s.status) : "disabled");
        skill_choose(c, w, &s, 1, "match");
        w->out->seed_count = 1;
    }
    TRY(skill_choose_needs(c, w));
    TRY(skill_leave_known(c, w));
    qsort(w->v, w->n, sizeof *w->v, skill_by_need);
    return skill_hydrate(c, w);
}

err skill_activate(struct ctx *c, const struct skill_activation *in, struct skill_activations *out)
{
    struct skill_choosing *w = ARENA_NEW(c->arena, struct skill_choosing);
    struct list assigned = {0};

    *out = (struct skill_activations){.budget = in->token_budget};
    *w = (struct skill_choosing){.in = in, .agent_id = in->agent_id, .out = out,
                                 .evicted = ARENA_ARRAY(c->arena, struct skill_evicted, 2 * CHOSEN_MAX)};
    if (uuid_is_nil(w->agent_id) && c->who->kind == PRINCIPAL_AGENT)
        w->agent_id = c->who->id;
    if (!uuid_is_nil(w->agent_id))
        TRY(agent_skill_list(c, w->agent_id, (struct uuid){{0}}, &assigned));
    if (in->mode == SKILL_MODE_MANIFEST)
        return uuid_is_nil(w->agent_id) ? fail_field(c, "/agent_id", "agent_id is required with mode manifest") : skill_manifest(c, w,
            &assigned);
    if (str_empty(in->task) == uuid_is_nil(in->skill_id))
        return fail_field(c, "/task", "give either a task or a skill");
    TRY(skill_activate_choose(c, w, &assigned));
    out->eviction_report = (struct list){w->evicted, w->n_evicted};
    return ERR_OK;
}

/* ---- as a text */

/* As it is, but for what would close the fence. */
static void skill_context_text(struct buf *b, const char *text)
{
    for (const char *at; (at = strcasestr(text, "</skill")); text = at + 1) {
        buf_add(b, text, (size_t)(at - text));
        buf_puts(b, "&lt;");
    }
    buf_puts(b, text);
}

static void skill_context_add(struct buf *b, const struct skill_activated *v)
{
    buf_puts(b, "<skill name=\"");
    inert_add(b, v->name, true);
    buf_printf(b, "\" version=\"%s\" level=\"%s\" reviewed=\"%s\">\n", v->semver ? v->semver : "",
        enumx_name(&skill_detail_enumx, (int)v->level), v->flags.n ? "no" : "yes");
    skill_context_text(b, v->description);
    buf_putc(b, '\n');
    if (v->body) {
        buf_putc(b, '\n');
        skill_context_text(b, v->body);
        buf_putc(b, '\n');
    }
    for (size_t i = 0; i < v->sections.n; i++) {
        buf_putc(b, '\n');
        skill_context_text(b, ((const struct skill_section *)v->sections.v)[i].text);
    }
    buf_puts(b, "</skill>\n");
}

err skill_context(struct ctx *c, const struct skill_activation *in, struct skill_context *out)
{
    struct skill_activations *all = ARENA_NEW(c->arena, struct skill_activations);
    struct buf b;

    TRY(skill_activate(c, in, all));
    buf_init(&b, c->arena, 4096);
    for (size_t i = 0; i < all->skills.n; i++)
        skill_context_add(&b, (const struct skill_activated *)all->skills.v + i);
    out->context_block = buf_str(&b);
    out->metadata = all;
    return ERR_OK;
}
