/* Choosing a stretch of sentences; see snippet.h. */
#include "snippet.h"

#include <string.h>

#include "inert.h"
#include "sentences.h"
#include "str.h"

#define SENTENCES_MAX 256

struct stretch {
    const char *at;
    size_t bytes, chars;
    uint64_t found;
};

static size_t split(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text,
                    struct stretch out[SENTENCES_MAX])
{
    size_t n = 0, bytes;

    for (const char *p = text; n < SENTENCES_MAX && p - text < SNIPPET_LOOK && (p = sentence_next(p, &bytes)); p += bytes)
        out[n++] = (struct stretch){p, bytes, str_code_points(p, bytes), words_found(q, a, z, p, bytes)};
    return n;
}

static double snippet_weight_of(const struct query_words *q, uint64_t found)
{
    double sum = 0;

    for (size_t i = 0; i < q->n; i++)
        sum += found >> i & 1 ? (double)q->at[i].weight : 0;
    return sum;
}

/* What stands in max characters from sentence i on. */
static uint64_t found_from(const struct stretch *s, size_t n, size_t i, size_t max)
{
    uint64_t found = s[i].found;
    size_t chars = s[i].chars + 1;

    for (size_t k = i + 1; k < n && chars + s[k].chars <= max; k++) {
        found |= s[k].found;
        chars += s[k].chars + 1;
    }
    return found;
}

/* Where the best stretch begins: the beginning of the text, unless another says more. */
static const char *best_start(const struct query_words *q, const struct stretch *s, size_t n, size_t max, const char *text)
{
    const char *start = text;
    double best = -1;

    for (size_t i = 0; i < n; i++) {
        double w = snippet_weight_of(q, found_from(s, n, i, max));

        if (w > best) {
            best = w;
            start = i ? s[i].at : text;
        }
    }
    return start;
}

const char *snippet(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t max,
                    bool one_line, bool *cut)
{
    struct stretch *s;
    const char *start = text;

    *cut = str_code_points(text, strlen(text)) > max;
    if (!*cut)
        return text_cut(a, text, max, one_line);
    s = ARENA_ARRAY(a, struct stretch, SENTENCES_MAX);
    if (q->n > 0 && max > 2)
        start = best_start(q, s, split(q, a, z, text, s), max - 2, text);
    if (start == text)
        return text_cut(a, text, max, one_line);
    return arena_printf(a, "\xe2\x80\xa6 %s", text_cut(a, start, max - 2, one_line));
}
