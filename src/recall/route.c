/* The router: cue words, counted; see route.h. */
#include "route.h"

#include <assert.h>
#include <string.h>

#include "mention_words.h"

/* Words and what they tell of a route; " word" only as the first, "a_b" two in a row. */
struct cue {
    const char *words;
    enum route route;
    double weight;
};

static const struct cue CUES[] = {
    {"when", ROUTE_TEMPORAL, 0.7}, {"how_long", ROUTE_TEMPORAL, 0.6}, {"what_date", ROUTE_TEMPORAL, 0.8},
    {"which_year", ROUTE_TEMPORAL, 0.8}, {"what_year", ROUTE_TEMPORAL, 0.8}, {"before", ROUTE_TEMPORAL, 0.3},
    {"after", ROUTE_TEMPORAL, 0.3}, {"since", ROUTE_TEMPORAL, 0.4}, {"latest", ROUTE_TEMPORAL, 0.6},
    {"recently", ROUTE_TEMPORAL, 0.5}, {"recent", ROUTE_TEMPORAL, 0.5},
    {"whose", ROUTE_MULTIHOP, 0.6}, {"of_the", ROUTE_MULTIHOP, 0.4}, {"where_the", ROUTE_MULTIHOP, 0.3},
    {"in_which", ROUTE_MULTIHOP, 0.4}, {"that", ROUTE_MULTIHOP, 0.3}, {"both", ROUTE_MULTIHOP, 0.4},
    {"same", ROUTE_MULTIHOP, 0.4},
    {" who", ROUTE_FACTUAL, 0.9}, {" what", ROUTE_FACTUAL, 0.8}, {" which", ROUTE_FACTUAL, 0.8}, {" where", ROUTE_FACTUAL, 0.9},
    {" when", ROUTE_FACTUAL, 0.9}, {"how_many", ROUTE_FACTUAL, 0.9}, {"how_much", ROUTE_FACTUAL, 0.8},
    {" is", ROUTE_FACTUAL, 0.5}, {" are", ROUTE_FACTUAL, 0.5}, {" was", ROUTE_FACTUAL, 0.5}, {" were", ROUTE_FACTUAL, 0.5},
    {" did", ROUTE_FACTUAL, 0.6}, {" does", ROUTE_FACTUAL, 0.6}, {" do", ROUTE_FACTUAL, 0.5}, {" has", ROUTE_FACTUAL, 0.5},
    {" why", ROUTE_FACTUAL, 0.5},
    {"prefer", ROUTE_PREFERENCE, 0.9}, {"prefers", ROUTE_PREFERENCE, 0.9}, {"favourite", ROUTE_PREFERENCE, 0.9},
    {"favorite", ROUTE_PREFERENCE, 0.9}, {"like", ROUTE_PREFERENCE, 0.4}, {"likes", ROUTE_PREFERENCE, 0.5},
    {"love", ROUTE_PREFERENCE, 0.4}, {"enjoy", ROUTE_PREFERENCE, 0.6}, {"recommend", ROUTE_PREFERENCE, 0.5},
    {"hobby", ROUTE_PREFERENCE, 0.6}, {"hobbies", ROUTE_PREFERENCE, 0.6}, {"suggest", ROUTE_PREFERENCE, 0.4},
    {"how_to", ROUTE_PROCEDURAL, 0.9}, {"how_do", ROUTE_PROCEDURAL, 0.7}, {"how_can", ROUTE_PROCEDURAL, 0.7},
    {"steps", ROUTE_PROCEDURAL, 0.6}, {"install", ROUTE_PROCEDURAL, 0.5}, {"configure", ROUTE_PROCEDURAL, 0.5},
    {"set_up", ROUTE_PROCEDURAL, 0.6}, {"fix", ROUTE_PROCEDURAL, 0.4}, {"procedure", ROUTE_PROCEDURAL, 0.7},
};

const char *route_name(enum route r)
{
    static const char *const NAMES[] = {"temporal", "entity", "quote", "multi_hop", "factual", "preference", "procedural"};

    static_assert(sizeof NAMES / sizeof *NAMES == ROUTES);
    return NAMES[r];
}

static bool equals(const struct name_word *w, const char *text, size_t n)
{
    return w->n == n && memcmp(w->text, text, n) == 0;
}

static bool route_fits(const struct cue *c, const struct name_word *before, const struct name_word *w, bool first)
{
    const char *words = c->words, *two = strchr(words, '_');

    if (*words == ' ')
        return first && equals(w, words + 1, strlen(words + 1));
    if (!two)
        return equals(w, words, strlen(words));
    return !first && equals(before, words, (size_t)(two - words)) && equals(w, two + 1, strlen(two + 1));
}

/* Independent hints: each leaves less doubt. */
static void hint(double *weight, double by)
{
    *weight = 1 - (1 - *weight) * (1 - by);
}

void route_query(const char *query, bool has_date, unsigned names, double out[ROUTES])
{
    struct word_reader reader = {.p = query, .opens = true};
    struct name_word w, before = {.n = 0};
    bool first = true;

    memset(out, 0, ROUTES * sizeof *out);
    for (; next_word(&reader, &w); before = w, first = false) {
        for (size_t i = 0; i < sizeof CUES / sizeof *CUES; i++)
            if (route_fits(&CUES[i], &before, &w, first))
                hint(&out[CUES[i].route], CUES[i].weight);
        if (w.flags & WORD_QUOTED)
            out[ROUTE_QUOTE] = 1;
    }
    if (strchr(query, '?'))
        hint(&out[ROUTE_FACTUAL], 0.5);
    if (has_date)
        hint(&out[ROUTE_TEMPORAL], 0.9);
    for (unsigned i = 0; i < names && i < 8; i++)
        hint(&out[ROUTE_ENTITY], 0.6);
    if (names > 1)
        hint(&out[ROUTE_MULTIHOP], 0.3);
}

double route_recency(const char *query)
{
    static const struct cue NEWEST[] = {{"latest", ROUTE_TEMPORAL, 0.15}, {"newest", ROUTE_TEMPORAL, 0.15},
                                        {"most_recent", ROUTE_TEMPORAL, 0.15}};
    struct word_reader reader = {.p = query, .opens = true};
    struct name_word w, before = {.n = 0};

    for (; next_word(&reader, &w); before = w)
        for (size_t i = 0; i < sizeof NEWEST / sizeof *NEWEST; i++)
            if (route_fits(&NEWEST[i], &before, &w, before.n == 0))
                return NEWEST[i].weight;
    return 0;
}
