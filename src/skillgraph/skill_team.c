/* Coverage of teams; see skill_team.h. */
#include "skill_team.h"

#include <stdlib.h>

#include "lifecycle.h"
#include "skill_discover.h"
#include "skill_net.h"
#include "skill_net_store.h"
#include "team.h"

/* ---- coverage */

static err skill_team_check(struct ctx *c, struct uuid team_id)
{
    struct team team;

    return uuid_is_nil(team_id) ? ERR_OK : team_get(c, team_id, &team);
}

static void skill_cover_count(const struct list *holders, struct skill_cover *out)
{
    const struct skill_holder *v = holders->v;
    struct uuid last = {{0}};

    for (size_t i = 0; i < holders->n; i++) {
        if (uuid_is_nil(v[i].skill_id) || !str_eq(v[i].category, out->category))
            continue;
        out->skills++;
        out->agents += !uuid_eq(v[i].agent_id, last); /* they come in the order of agents */
        last = v[i].agent_id;
    }
}

err skill_team_coverage(struct ctx *c, struct uuid team_id, struct skill_coverage *out)
{
    struct skill_cover *covers;
    const struct skill_category_row *v;
    const struct skill_holder *h;
    const char **missing;
    struct list all, holders;
    size_t n = 0, n_missing = 0;

    *out = (struct skill_coverage){.team_id = team_id};
    TRY(skill_team_check(c, team_id));
    TRY(skill_categories(c, &all));
    TRY(skill_net_store_holders(c, team_id, skill_spaces(c), &holders));
    v = all.v;
    h = holders.v;
    covers = ARENA_ARRAY(c->arena, struct skill_cover, all.n + 1);
    missing = ARENA_ARRAY(c->arena, const char *, all.n + 1);
    for (size_t i = 0; i < holders.n; i++) {
        out->agents += !i || !uuid_eq(h[i].agent_id, h[i - 1].agent_id);
        out->skills += !uuid_is_nil(h[i].skill_id);
    }
    for (size_t i = 0; i < all.n; i++) {
        if (!v[i].skills)
            continue;
        covers[n] = (struct skill_cover){.category = v[i].name};
        skill_cover_count(&holders, &covers[n]);
        if (covers[n].skills)
            n++;
        else
            missing[n_missing++] = v[i].name;
    }
    out->categories = (struct list){covers, n};
    out->missing = (struct strs){missing, n_missing};
    out->share = n + n_missing ? lifecycle_round((double)n / (double)(n + n_missing)) : 0;
    return ERR_OK;
}

/* ---- a task */

static err skill_team_needs(struct ctx *c, const char *task, struct list *out)
{
    struct skill_wish wish = {.description = task, .top_n = TEAM_TASK_SKILLS};
    const struct skill_found *v;
    struct skill_finds finds;
    struct skill_team_need *rows;
    size_t n = 0;

    TRY(skill_discover(c, &wish, &finds));
    v = finds.skills.v;
    rows = ARENA_ARRAY(c->arena, struct skill_team_need, finds.skills.n + 1);
    for (size_t i = 0; i < finds.skills.n; i++)
        if (v[i].similarity < 0 || v[i].similarity >= SKILL_RELEVANT)
            rows[n++] = (struct skill_team_need){v[i].id, v[i].name, v[i].category, 0};
    *out = (struct list){rows, n};
    return ERR_OK;
}

static void skill_team_count(const struct list *holders, struct skill_team_answer *out, struct arena *a)
{
    const struct skill_holder *h = holders->v;
    struct skill_team_need *needed = out->needed.v, *gaps = arena_array(a, out->needed.n + 1, sizeof *gaps);
    size_t n = 0;

    for (size_t i = 0; i < out->needed.n; i++) {
        for (size_t k = 0; k < holders->n; k++)
            needed[i].holders += uuid_eq(h[k].skill_id, needed[i].skill_id);
        if (!needed[i].holders)
            gaps[n++] = needed[i];
    }
    out->gaps = (struct list){gaps, n};
    out->covered = out->needed.n ? lifecycle_round(1 - (double)n / (double)out->needed.n) : 1;
}

err skill_team_gaps(struct ctx *c, const struct skill_team_task *in, struct skill_team_answer *out)
{
    struct list holders;

    *out = (struct skill_team_answer){0};
    TRY(skill_team_check(c, in->tid));
    TRY(skill_team_needs(c, in->task_context, &out->needed));
    TRY(skill_net_store_holders(c, in->tid, skill_spaces(c), &holders));
    skill_team_count(&holders, out, c->arena);
    return ERR_OK;
}

/* What each agent has of the wanted skills that are not covered yet. */
static size_t skill_team_picks(struct arena *a, const struct list *holders, const struct skill_team_need *wanted, size_t n_wanted,
                               const bool *covered, struct skill_team_pick *out)
{
    const struct skill_holder *h = holders->v;
    size_t n = 0;

    for (size_t i = 0; i < holders->n; i++) {
        if (!n || !uuid_eq(out[n - 1].agent_id, h[i].agent_id))
            out[n++] = (struct skill_team_pick){.agent_id = h[i].agent_id, .name = h[i].agent_name, .trust = h[i].trust,
                .skill_ids.v = arena_array(a, n_wanted + 1, sizeof(struct uuid))};
        for (size_t k = 0; k < n_wanted; k++)
            if (!covered[k] && uuid_eq(wanted[k].skill_id, h[i].skill_id)) {
                out[n - 1].skill_ids.v[out[n - 1].skill_ids.n++] = h[i].skill_id;
                out[n - 1].skills++;
            }
    }
    return n;
}

static int skill_pick_order(const void *a, const void *b)
{
    const struct skill_team_pick *x = a, *y = b;

    if (x->skills != y->skills)
        return x->skills < y->skills ? 1 : -1;
    if (x->trust != y->trust)
        return x->trust < y->trust ? 1 : -1;
    return uuid_cmp(x->agent_id, y->agent_id);
}

static bool skill_team_has_agent(const struct list *members, struct uuid agent_id)
{
    const struct skill_holder *h = members->v;

    for (size_t i = 0; i < members->n; i++)
        if (uuid_eq(h[i].agent_id, agent_id))
            return true;
    return false;
}

err skill_team_suggest(struct ctx *c, const struct skill_team_task *in, struct skill_team_answer *out)
{
    struct list members, all;
    struct skill_team_pick *picks;
    bool *covered;
    size_t n, kept = 0;

    TRY(skill_team_gaps(c, in, out));
    TRY(skill_net_store_holders(c, in->tid, skill_spaces(c), &members));
    TRY(skill_net_store_holders(c, (struct uuid){{0}}, skill_spaces(c), &all));
    picks = arena_array(c->arena, all.n + 1, sizeof *picks);
    covered = arena_array(c->arena, out->gaps.n + 1, sizeof *covered);
    n = skill_team_picks(c->arena, &all, out->gaps.v, out->gaps.n, covered, picks);
    for (size_t i = 0; i < n; i++)
        if (picks[i].skills && !skill_team_has_agent(&members, picks[i].agent_id))
            picks[kept++] = picks[i];
    qsort(picks, kept, sizeof *picks, skill_pick_order);
    out->agents = (struct list){picks, kept < (size_t)in->max_members ? kept : (size_t)in->max_members};
    return ERR_OK;
}

err skill_team_compose(struct ctx *c, const struct skill_team_task *in, struct skill_team_answer *out)
{
    struct skill_team_pick *team = ARENA_ARRAY(c->arena, struct skill_team_pick, (size_t)in->max_members + 1), *picks;
    const struct skill_team_need *needed;
    struct list all;
    size_t n = 0, done = 0;
    bool *covered;

    *out = (struct skill_team_answer){0};
    TRY(skill_team_check(c, in->tid));
    TRY(skill_team_needs(c, in->task_context, &out->needed));
    TRY(skill_net_store_holders(c, in->tid, skill_spaces(c), &all));
    needed = out->needed.v;
    picks = arena_array(c->arena, all.n + 1, sizeof *picks);
    covered = arena_array(c->arena, out->needed.n + 1, sizeof *covered);
    while (n < (size_t)in->max_members && done < out->needed.n) {
        size_t found = skill_team_picks(c->arena, &all, needed, out->needed.n, covered, picks);

        qsort(picks, found, sizeof *picks, skill_pick_order);
        if (!found || !picks[0].skills)
            break;
        for (size_t k = 0; k < out->needed.n; k++)
            for (size_t i = 0; i < picks[0].skill_ids.n; i++)
                if (!covered[k] && uuid_eq(picks[0].skill_ids.v[i], needed[k].skill_id)) {
                    covered[k] = true;
                    done++;
                }
        team[n++] = picks[0];
    }
    skill_team_count(&all, out, c->arena);
    out->covered = out->needed.n ? lifecycle_round((double)done / (double)out->needed.n) : 1;
    out->agents = (struct list){team, n};
    return ERR_OK;
}
