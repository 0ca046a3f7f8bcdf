/* Reranking by features of the words; see rerank.h. */
#include "rerank.h"

double rerank_features(const struct query_words *q, const struct word_match *m)
{
    double sum = 0.60 * (double)m->coverage + 0.15 * (double)m->proximity + 0.15 * (double)m->phrase + 0.10 * (double)m->title;

    if (query_has(q, WORD_IS_NUMBER))
        sum *= 0.85 + 0.15 * (double)m->numbers;
    return sum;
}
