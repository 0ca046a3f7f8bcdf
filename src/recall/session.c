/* Conversation structure as a stage: turns of the sessions that were hit are judged together; see conversation.h. */
#include <math.h>

#include "conversation.h"
#include "recall_impl.h"
#include "speaker.h"

#define SESSION_ROWS 1500 /* turns that are judged beside the candidates, those of the best sessions first */

static bool has_session(const struct recall *r, const struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);

    return at.in->session[at.r] != 0;
}

bool wants_session(const struct recall *r)
{
    if (r->in->mode != MODE_HYBRID && r->in->mode != MODE_SURGICAL)
        return false;
    for (size_t i = 0; i < r->n; i++)
        if (has_session(r, &r->at[i]))
            return true;
    return false;
}

/* A turn that neither list has may be the answer to the one before it. */
static err admit_turns(struct recall *r)
{
    uint32_t *rows = ARENA_ARRAY(r->c->arena, uint32_t, SESSION_ROWS);
    struct row_map seen = {.arena = r->c->arena};
    size_t n = 0;

    for (size_t i = 0; i < r->n && n < SESSION_ROWS; i++) {
        struct row_at at = snapshot_at(r->index, r->at[i].row);
        uint64_t session = at.in->session[at.r];
        uint32_t *place;

        if (!session)
            continue;
        place = row_map_at(&seen, session);
        if (*place == NO_PLACE)
            conversation_rows(r->index, &r->filter, r->at[i].row, rows, SESSION_ROWS, &n);
        *place = 0;
    }
    return recall_admit(r, rows, n);
}

static double best_turn(const struct recall *r)
{
    double best = 0;

    for (size_t i = 0; i < r->n; i++)
        if (has_session(r, &r->at[i]) && r->at[i].relevance > best)
            best = r->at[i].relevance;
    return best;
}

/* What turns gain, they gain among themselves: their best is worth what it was beside all that has no session. */
static void keep_best(struct recall *r, double best)
{
    double now = best_turn(r);

    for (size_t i = 0; i < r->n && now > 0; i++)
        if (has_session(r, &r->at[i]))
            recall_scale(&r->at[i], best / now);
}

/* What the arms say of a turn; where they were not fused by their scores, its relevance stands for both. */
static struct turn turn_of(const struct recall *r, const struct candidate *k)
{
    struct turn t = conversation_turn(r->index, k->row);

    if (r->fused.fusion == FUSION_WEIGHTED) {
        t.dense = fmax(k->marks[SIG_DENSE].raw, 0);
        t.sparse = fmax(k->marks[SIG_SPARSE].raw, 0);
    } else {
        t.sparse = k->relevance;
    }
    return t;
}

static struct conversation_options options_of(const struct recall *r)
{
    struct conversation_options o = CONVERSATION_DEFAULTS;

    if (r->in->weights && r->in->weights->alpha >= 0)
        o.meaning = r->in->weights->alpha;
    else
        o.meaning = recall_share_of_meaning(&r->fused.balance, o.meaning);
    return o;
}

err stage_session(struct recall *r)
{
    struct conversation_options o = options_of(r);
    struct turn *turns;
    double best;
    size_t n = 0;

    TRY(admit_turns(r));
    best = best_turn(r);
    turns = ARENA_ARRAY(r->c->arena, struct turn, r->n + 1);
    for (size_t i = 0; i < r->n; i++)
        if (has_session(r, &r->at[i]))
            turns[n++] = turn_of(r, &r->at[i]);
    conversation_judge(turns, n, &o);
    speaker_favour(r->c->arena, r->index, r->text, turns, n, SPEAKER_FAVOUR);
    for (size_t i = 0; i < n; i++) {
        struct candidate *k = recall_find(r, turns[i].row);

        recall_add_share(k, SIG_SESSION, turns[i].score - k->relevance);
    }
    keep_best(r, best);
    return ERR_OK;
}
