/* Why a hit was found, in words for a person who has never heard of the signals: what earned its relevance, most first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts_html.h"
#include "playground_html.h"

#define LEAST 0.005 /* of the relevance; less is no reason */
#define WORDS_SHOWN 6
#define NAMES_SHOWN 3

enum about { ABOUT_WORDS, ABOUT_MEANING, ABOUT_NAMES, ABOUT_ITSELF };

static const struct signal_words {
    const char *signal, *name;
    enum about about;
    const char *says;
} SIGNALS[] = {
    { "sparse", "words", ABOUT_WORDS, NULL },
    { "dense", "meaning", ABOUT_MEANING, NULL },
    { "graph", "names", ABOUT_NAMES, NULL },
    { "session", "conversation", ABOUT_ITSELF, "neighbouring turns match as well" },
    { "spread", "links", ABOUT_ITSELF, "linked from a better hit" },
    { "window", "time", ABOUT_ITSELF, "matches the time in the query" },
    { "recent", "newness", ABOUT_ITSELF, "the query asks for recent items" },
    { "rerank", "rerank", ABOUT_ITSELF, "its text was compared with the query again" },
};
#define N_SIGNALS (sizeof SIGNALS / sizeof *SIGNALS)

struct reason {
    const struct signal_words *words;
    const struct json *signal;
    double share;
};

static double playground_why_number_of(const struct json *o, const char *key)
{
    const struct json *j = json_get(o, key);

    return json_number(j);
}

static int larger_first(const void *a, const void *b)
{
    double x = ((const struct reason *)a)->share, y = ((const struct reason *)b)->share;

    return (x < y) - (x > y);
}

/* At most so many members of a list, with commas between, and how many more there are. */
static const char *listed(struct ctx *c, const struct json *list, const char *member, size_t most)
{
    const char *out = "";
    size_t n = 0;

    for (const struct json *j = json_is(list, JSON_ARR) ? list->first : NULL; j && n < most; j = j->next, n++)
        out = arena_printf(c->arena, "%s%s%s", out, n ? ", " : "", json_get_str(j, member));
    if (n && list->len > n)
        out = arena_printf(c->arena, "%s and %zu more", out, list->len - n);
    return out;
}

static const char *nearness(struct ctx *c, const struct json *signal)
{
    int64_t rank = json_get_int(signal, "rank", 0);

    if (rank == 1)
        return "nearest";
    return rank ? arena_printf(c->arena, "number %lld by similarity", (long long)rank) : "compared because another signal found it";
}

static const char *said(struct ctx *c, const struct reason *r, const struct json *names)
{
    switch (r->words->about) {
    case ABOUT_WORDS: return listed(c, json_get(r->signal, "terms"), "term", WORDS_SHOWN);
    case ABOUT_MEANING: return nearness(c, r->signal);
    case ABOUT_NAMES:
        names = json_is(names, JSON_ARR) && names->first ? names : NULL;
        return names ? arena_printf(c->arena, "connected with %s", listed(c, names, "name", NAMES_SHOWN)) : "connected with the best hits";
    default: return r->words->says;
    }
}

static size_t reasons_of(const struct json *signals, struct reason *out, double *all)
{
    size_t n = 0;

    *all = 0;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        const struct json *signal = json_get(signals, SIGNALS[i].signal);
        double share = fmax(playground_why_number_of(signal, "share"), 0);

        if (share > 0)
            out[n++] = (struct reason){&SIGNALS[i], signal, share};
        *all += share;
    }
    qsort(out, n, sizeof *out, larger_first);
    return n;
}

void playground_why(struct ctx *c, struct json *hit, const struct json *explain, const struct json *understood)
{
    struct json *rows = put_list(c, hit, "reasons");
    struct reason reasons[N_SIGNALS];
    double all;
    size_t n = reasons_of(json_get(explain, "signals"), reasons, &all);

    for (size_t i = 0; i < n && reasons[i].share >= LEAST * all; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "name", reasons[i].words->name);
        json_set_str(c->arena, row, "percent", arena_printf(c->arena, "%.0f", 100 * reasons[i].share / all));
        json_set_str(c->arena, row, "what", said(c, &reasons[i], json_get(understood, "names")));
    }
}
