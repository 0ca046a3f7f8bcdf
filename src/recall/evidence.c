/* See evidence.h, and the stage that leaves out what nothing speaks for. Figures in docs/decisions/0027. */
#include "evidence.h"

#include <math.h>

#include "grade.h"
#include "recall_impl.h"

#define NOTHING (-5.1) /* logit without any evidence, */
#define BY_WORDS 4.6   /* for all of the query's words, */
#define BY_MEANING 6.0 /* for a text as near as an answer */
#define NEAREST 3      /* shown apart, where no hit is left */

ENUMX_DEFINE(evidence_level, EVIDENCE_LEVEL);

/* Where one of the two says nothing, it is taken for what it mostly is beside the other. Words alone are less
 * sure of a no: who asks in other words than the text is answered all the same (docs/decisions/0059). */
double evidence_probability(const struct evidence *e)
{
    double words = fmin(fmax(e->coverage, 0), 1), meaning = fmin(fmax(e->likeness, -1), 1.5);

    if (e->coverage < 0)
        words = 0.8 * fmin(fmax(meaning, 0), 1);
    else if (e->likeness <= LIKENESS_UNKNOWN)
        meaning = 0.4 + 0.3 * words;
    else
        meaning = e->known * meaning + (1 - e->known) * (0.2 + 0.6 * words);
    return 1 / (1 + exp(-(NOTHING + BY_WORDS * words + BY_MEANING * meaning)));
}

enum evidence_level evidence_level_of(double p)
{
    return p >= EVIDENCE_UPPER ? EVIDENCE_STRONG : p >= EVIDENCE_LOWER ? EVIDENCE_WEAK
                                                                       : EVIDENCE_NONE;
}

static double likeness_of(const struct recall *r, const struct candidate *k)
{
    const struct mark *m = &k->marks[SIG_DENSE];

    const struct embed_scale *s = &r->model.scale;

    return r->dense && m->known ? (m->raw - s->unrelated) / (s->answering - s->unrelated) : LIKENESS_UNKNOWN;
}

static struct evidence evidence_of(const struct recall *r, const struct candidate *k)
{
    return (struct evidence){r->sparse ? keyword_coverage(r->sparse, k->row) : -1, likeness_of(r, k), r->fused.known};
}

const char *recall_band(const struct recall *r, const struct candidate *k)
{
    static const char *const BANDS[] = {"low", "medium", "high"};
    struct evidence e;

    if (r->out->grade)
        return grade_band(k->grade);
    e = evidence_of(r, k);
    return BANDS[evidence_level_of(evidence_probability(&e))];
}

static void evidence_explain(struct recall *r, const struct evidence *e)
{
    if (!r->in->explain)
        return;
    r->stage_note = json_obj(r->c->arena);
    json_set(r->c->arena, r->stage_note, "coverage", json_num(r->c->arena, e->coverage));
    json_set(r->c->arena, r->stage_note, "likeness", json_num(r->c->arena, e->likeness));
}

/* Not what is like a node, or where a grade rejects in its own way, or of a whole message, of which what it
 * asks is only a part, or where nobody looked for words. */
static bool may_be_empty(const struct recall *r)
{
    return r->is_query && !wants_grade(r) && r->sparse && keyword_sentences(r->sparse) == 1;
}

/* The words of the best hit, and the nearest of all hits: each may have what the other lacks. */
err stage_evidence(struct recall *r)
{
    struct evidence e = {-1, LIKENESS_UNKNOWN, r->fused.known};
    struct recall_out *out = r->out;

    if (r->kept)
        e = evidence_of(r, &r->at[0]);
    for (size_t i = 0; i < r->kept; i++)
        e.likeness = fmax(e.likeness, likeness_of(r, &r->at[i]));
    evidence_explain(r, &e);
    out->probability = r->kept ? evidence_probability(&e) : 0;
    out->evidence = enumx_name(&evidence_level_enumx, (int)evidence_level_of(out->probability));
    if (out->probability >= r->in->min_evidence || !may_be_empty(r))
        return ERR_OK;
    out->nearest = recall_hits(r, r->kept < NEAREST ? r->kept : NEAREST);
    for (size_t i = 0; i < r->kept; i++)
        recall_cut(&r->at[i], "no_evidence");
    return ERR_OK;
}
