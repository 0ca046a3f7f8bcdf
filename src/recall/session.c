/* Conversation structure as a stage: turns of the sessions that were hit are judged together; see conversation.h. */
#include <math.h>

#include "conversation.h"
#include "recall_impl.h"
#include "speaker.h"

#define QUOTED 0.9        /* of a turn's words: the query has it before the question, from somewhere in the chat */
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

static struct turn turn_of(const struct recall *r, const struct candidate *k)
{
    struct turn t = conversation_turn(r->index, k->row);

    t.found = k->relevance;
    return t;
}

/* A turn that a message quotes has nearly all of its words there, so it is among the best by words. */
static void find_quoted(struct recall *r, struct turn *turns, size_t n)
{
    struct scored *list = ARENA_ARRAY(r->c->arena, struct scored, n + 1);
    struct turn **of = ARENA_ARRAY(r->c->arena, struct turn *, n + 1);
    size_t k = 0;

    if (!r->is_query || !r->sparse || keyword_sentences(r->sparse) == 1)
        return;
    for (size_t i = 0; i < n; i++)
        if (recall_find(r, turns[i].row)->marks[SIG_SPARSE].rank) {
            of[k] = &turns[i];
            list[k++].row = turns[i].row;
        }
    keyword_said(r->sparse, list, k);
    for (size_t i = 0; i < k; i++)
        of[i]->is_quoted = list[i].score >= QUOTED;
}

err stage_session(struct recall *r)
{
    static const struct conversation_options CONTEXT = CONVERSATION_DEFAULTS;
    struct turn *turns;
    double best, now = 0;
    size_t n = 0;

    TRY(admit_turns(r));
    best = best_turn(r);
    turns = ARENA_ARRAY(r->c->arena, struct turn, r->n + 1);
    for (size_t i = 0; i < r->n; i++)
        if (has_session(r, &r->at[i]))
            turns[n++] = turn_of(r, &r->at[i]);
    find_quoted(r, turns, n);
    conversation_judge(turns, n, &CONTEXT);
    speaker_favour(r->c->arena, r->index, r->text, turns, n, SPEAKER_FAVOUR);
    for (size_t i = 0; i < n; i++)
        now = fmax(now, turns[i].score);
    /* What turns gain, they gain among themselves: their best is worth what it was beside all that has no session. */
    for (size_t i = 0; i < n && now > 0; i++) {
        struct candidate *k = recall_find(r, turns[i].row);

        k->marks[SIG_SESSION].known = true;
        k->marks[SIG_SESSION].raw = turns[i].score;
        recall_add_share(k, SIG_SESSION, turns[i].score * best / now - k->relevance);
    }
    return ERR_OK;
}
