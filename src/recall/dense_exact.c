/* Scores by float32, where there are such vectors. */
#include <math.h>

#include "dense_search.h"

/* Asks for those that no part holds. */
static err fetch_missing(const struct search *s, const struct dense_hit *hits, size_t n, const float **vectors)
{
    struct dense_hit *missing = ARENA_ARRAY(s->arena, struct dense_hit, n);
    const float **fetched = ARENA_ARRAY(s->arena, const float *, n);
    size_t n_missing = 0, next = 0;

    for (size_t i = 0; i < n; i++)
        if (!vectors[i] && dense_has(s->sources[hits[i].source].part, hits[i].row))
            missing[n_missing++] = hits[i];
    if (n_missing == 0 || !s->options->fetch)
        return ERR_OK;
    TRY(s->options->fetch(s->options->fetch_arg, missing, n_missing, fetched));
    for (size_t i = 0; i < n; i++)
        if (!vectors[i] && dense_has(s->sources[hits[i].source].part, hits[i].row))
            vectors[i] = fetched[next++];
    return ERR_OK;
}

err dense_score_by_floats(struct search *s, struct dense_hit *hits, size_t n)
{
    const float **vectors = ARENA_ARRAY(s->arena, const float *, n);

    for (size_t i = 0; i < n; i++) {
        const struct dense_part *p = s->sources[hits[i].source].part;

        vectors[i] = dense_has(p, hits[i].row) ? dense_floats(p, hits[i].row) : NULL;
    }
    TRY(fetch_missing(s, hits, n, vectors));
    for (size_t i = 0; i < n; i++)
        if (vectors[i]) {
            hits[i].score = codes_cosine(s->query, vectors[i]);
            hits[i].is_exact = true;
            s->trace.exact++;
        }
    return ERR_OK;
}

err dense_score(struct arena *a, const struct code_query *q, const struct dense_source *sources,
                const struct dense_options *options, struct dense_hit *hits, size_t n)
{
    struct search s = {.arena = a, .query = q, .sources = sources, .options = options};

    dense_score_closely(&s, hits, n); /* rows without a vector have codes of 0 */
    for (size_t i = 0; i < n; i++) {
        hits[i].score = fminf(fmaxf(hits[i].score, -1), 1);
        hits[i].is_exact = false;
    }
    return dense_score_by_floats(&s, hits, n);
}

void dense_score_roughly(struct arena *a, const struct code_query *q, const struct dense_source *sources, struct dense_hit *hits, size_t n)
{
    struct search s = {.arena = a, .query = q, .sources = sources};

    dense_score_by_bytes(&s, hits, n);
}

float dense_between(const struct dense_part *a, uint32_t row_a, const struct dense_part *b, uint32_t row_b)
{
    size_t width = codec_width(a->codec), x = dense_slot(a, row_a), y = dense_slot(b, row_b);
    int32_t dot = codec_simd(a->codec)->dot_i8(a->bytes + x * width, b->bytes + y * width, width);

    return fminf(fmaxf((float)dot * (a->scales[x] * b->scales[y]), -1), 1);
}
