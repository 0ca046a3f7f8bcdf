/* Scores of listed hits by their codes: by bytes, and closely, by bytes and what they leave over. */
#include "dense_search.h"

enum { LIST = 256 };             /* rows that are scored at once */

/* A run of hits of one source, as long as one kernel call can take; returns how many. */
static size_t score_run(const struct search *s, struct dense_hit *hits, size_t n)
{
    const struct code_query *q = s->query;
    const struct dense_part *p = s->sources[hits[0].source].part;
    uint32_t slots[LIST];
    int32_t dots[LIST];
    size_t run = 0;

    for (; run < LIST && run < n && hits[run].source == hits[0].source; run++)
        slots[run] = dense_slot(p, hits[run].row);
    codec_simd(p->codec)->scan_i8(&(struct scan_i8){q->bytes, p->bytes, codec_width(p->codec), slots, run, dots});
    for (size_t i = 0; i < run; i++)
        hits[i].score = (float)dots[i] * (q->scale * p->scales[slots[i]]);
    return run;
}

void dense_score_by_bytes(const struct search *s, struct dense_hit *hits, size_t n)
{
    for (size_t done = 0; done < n;)
        done += score_run(s, hits + done, n - done);
}

static void dense_codes_fetch(const struct search *s, const struct dense_hit *hit)
{
    const struct dense_part *p = s->sources[hit->source].part;
    size_t width = codec_width(p->codec), slot = dense_slot(p, hit->row);

    for (size_t i = 0; i < width; i += 64)
        __builtin_prefetch(p->bytes + slot * width + i);
    for (size_t i = 0; i < width / 4; i += 64)
        __builtin_prefetch(p->rest + slot * width / 4 + i);
}

/* Rows without a vector have codes of 0, which say nothing. */
void dense_score_closely(const struct search *s, struct dense_hit *hits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct dense_part *p = s->sources[hits[i].source].part;
        size_t width = codec_width(p->codec), slot = dense_slot(p, hits[i].row);

        if (i + 1 < n)
            dense_codes_fetch(s, &hits[i + 1]);
        hits[i].score = p->scales[slot] > 0 ? codes_closely(s->query, p->bytes + slot * width, p->rest + slot * width / 4) : 0;
    }
}
