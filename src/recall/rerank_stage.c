/* The stage that looks at the best a second time; whatever goes wrong, the fused order stays. */
#include <string.h>

#include "judge.h"
#include "recall_impl.h"
#include "rerank.h"
#include "serve_text.h"

/* By features of the words. */
double rerank_features(const struct query_words *q, const struct word_match *m)
{
    double sum = 0.60 * (double)m->coverage + 0.15 * (double)m->proximity + 0.15 * (double)m->phrase + 0.10 * (double)m->title;

    if (query_has(q, WORD_IS_NUMBER))
        sum *= 0.85 + 0.15 * (double)m->numbers;
    return sum;
}

#define FEATURES_US 20000   /* what the second look at words may take */
#define FEATURES_SHARE 0.05 /* of the relevance that it decides: more costs recall, see docs/decisions/0010 … */
#define MODEL_SHARE 0.80    /* … and that a model does, which reads the texts */

/* auto is none: words alone earn too little, and servers cost time. */
bool wants_rerank(const struct recall *r)
{
    return r->in->rerank != RERANK_NONE && r->in->rerank != RERANK_AUTO;
}

static const struct json *note_of(struct recall *r, const struct word_match *m)
{
    const struct { const char *name; float value; } PARTS[] = {
        { "coverage", m->coverage }, { "proximity", m->proximity }, { "phrase", m->phrase }, { "title", m->title },
        { "numbers", m->numbers },
    };
    struct json *o = json_obj(r->c->arena);

    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        json_set(r->c->arena, o, PARTS[i].name, json_num(r->c->arena, (double)PARTS[i].value));
    return o;
}

/* false: out of time. */
static bool by_features(struct recall *r, size_t n, double *scores)
{
    int64_t until = clock_monotonic_us() + FEATURES_US;
    const struct query_words *q = recall_words(r);

    for (size_t i = 0; i < n; i++) {
        const struct recall_text *t = r->at[i].text;
        struct word_match m = word_match(q, r->c->arena, recall_analyzer(r), t->title ? t->title : "", t->body ? t->body : "");

        scores[i] = rerank_features(q, &m);
        if (r->in->explain)
            r->at[i].note[SIG_RERANK] = note_of(r, &m);
        if (clock_monotonic_us() > until)
            return false;
    }
    return true;
}

static struct rerank_text *texts_of(struct recall *r, size_t n)
{
    struct rerank_text *texts = ARENA_ARRAY(r->c->arena, struct rerank_text, n + 1);

    for (size_t i = 0; i < n; i++)
        texts[i] = (struct rerank_text){r->at[i].text->title, r->at[i].text->body};
    return texts;
}

static bool by_server(struct recall *r, size_t n, double *scores)
{
    if (rerank_http(r->c, r->text, texts_of(r, n), n, scores) == ERR_OK)
        return true;
    ctx_forgive(r->c);
    return false;
}

static bool by_model(struct recall *r, size_t n, double *scores)
{
    if (judge(r->c, "rerank", r->text, texts_of(r, n), n, scores) != LLM_USED_LLM)
        return false;
    for (size_t i = 0; i < n; i++)
        scores[i] = (scores[i] + 1) / 2;
    return true;
}

/* share of the relevance is the new score's, the rest stays the old one's; what was not looked at loses as much. */
static void blend(struct recall *r, size_t n, const double *scores, double share)
{
    for (size_t i = 0; i < r->n; i++) {
        recall_scale(&r->at[i], 1 - share);
        if (i < n) {
            r->at[i].marks[SIG_RERANK].known = true;
            r->at[i].marks[SIG_RERANK].raw = scores[i];
            recall_add_share(&r->at[i], SIG_RERANK, share * scores[i]);
        }
    }
}

err stage_rerank(struct recall *r)
{
    enum recall_rerank how = r->in->rerank;
    double scores[RERANK_DEPTH];
    size_t n;
    bool done;

    TRY(recall_texts(r, RERANK_DEPTH));
    n = r->kept < RERANK_DEPTH ? r->kept : RERANK_DEPTH;
    if (n == 0)
        return ERR_OK;
    done = how == RERANK_FEATURES ? by_features(r, n, scores)
           : how == RERANK_LLM    ? by_model(r, n, scores)
                                  : by_server(r, n, scores);
    if (!done)
        recall_degraded(r, "rerank");
    else
        blend(r, n, scores, how == RERANK_FEATURES ? FEATURES_SHARE : MODEL_SHARE);
    return ERR_OK;
}
