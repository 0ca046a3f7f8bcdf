/* How much meaning weighs beside words in one recall: less where the model does not read the query's language, and where one
 * text has all of the words anyway; more where no text has them and some stand out by what they mean. Figures in
 * docs/decisions/0011. */
#include <math.h>
#include <string.h>

#include "embed.h"
#include "recall_impl.h"

#define FOREIGN 0.05        /* share that is left to the meaning of what the model cannot read */
#define LETTERS_FOREIGN 2.6 /* for each piece of the query: German has 2.1, French and Italian 2.5 … */
#define LETTERS_KNOWN 3.1   /* … and English 3.5 to 4.5, claims full of terms 3.4 */
#define COVERED 0.95        /* of the query's words */
#define UNCOVERED 0.6
#define STANDS_OUT 0.8 /* what the fifth by meaning has of the first's cosine */
#define CROWDED 0.92
#define LIFT 1.35 /* of a short text's share, where words are missing and meaning stands out */
#define FIFTH 5

static double ramp(double from, double to, double x)
{
    return fmin(fmax((x - from) / (to - from), 0), 1);
}

static double known(const struct recall *r)
{
    const struct embed_model m = {.provider = EMBED_BUILTIN, .name = r->profile.model.name};
    double letters = 0;

    if (r->dense && strcmp(r->profile.model.provider, enumx_name(&embed_provider_enumx, (int)EMBED_BUILTIN)) == 0)
        letters = embed_letters(r->c->app->embed, &m, r->text);
    return letters > 0 ? ramp(LETTERS_FOREIGN, LETTERS_KNOWN, letters) : 1;
}

/* The candidate that has this rank in the list of a signal; NULL: the list is shorter. */
static const struct candidate *of_rank(const struct recall *r, enum signal s, uint32_t rank)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->at[i].marks[s].rank == rank)
            return &r->at[i];
    return NULL;
}

static double coverage(const struct recall *r)
{
    const struct candidate *first = r->sparse ? of_rank(r, SIG_SPARSE, 1) : NULL;

    return first ? keyword_coverage(r->sparse, first->row, false) : 0;
}

/* Fewer than five texts do not stand out from anything. */
static double contrast(const struct recall *r)
{
    const struct candidate *first = of_rank(r, SIG_DENSE, 1), *fifth = of_rank(r, SIG_DENSE, FIFTH);

    if (!first || !fifth || first->marks[SIG_DENSE].raw <= 0)
        return 0;
    return 1 - ramp(STANDS_OUT, CROWDED, fifth->marks[SIG_DENSE].raw / first->marks[SIG_DENSE].raw);
}

double recall_share_of_meaning(const struct balance *b, double share)
{
    double least = fmin(FOREIGN, share);

    return least + (share - least) * b->known;
}

void recall_balance(struct recall *r, struct balance *b)
{
    const struct fitted *p = &r->profile.use;
    double missing, lift;

    *b = (struct balance){.known = known(r), .coverage = coverage(r), .contrast = contrast(r), .use = *p};
    missing = 1 - ramp(UNCOVERED, COVERED, b->coverage);
    lift = 1 + (LIFT - 1) * fmin(missing, b->contrast);
    b->use.alpha_short = fmin((p->alpha + (p->alpha_short - p->alpha) * missing) * lift, 1);
    b->use.alpha = recall_share_of_meaning(b, p->alpha);
    b->use.alpha_short = recall_share_of_meaning(b, b->use.alpha_short);
    b->use.alpha_skill = recall_share_of_meaning(b, p->alpha_skill);
}
