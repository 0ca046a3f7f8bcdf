/* Matching the words of a query with those of a text; see word_match.h. */
#include "word_match.h"

#include <math.h>
#include <string.h>

#define FORM_SLOTS 256 /* a power of two, above the forms that QUERY_WORDS words can have */
#define FORMS_MAX 192

struct word_form {
    const char *text;
    uint32_t hash;
    uint16_t length;
    uint8_t word; /* its place in at, plus one; 0: free */
};

/* A word of the query, met in the text. */
struct meeting {
    uint32_t position;
    uint8_t word;
};

struct meetings {
    struct meeting *at;
    size_t n;
};

static struct word_form *word_match_slot_of(struct word_form *forms, const struct text_term *t)
{
    size_t i = t->hash % FORM_SLOTS;

    while (forms[i].word &&
           !(forms[i].hash == t->hash && forms[i].length == t->length && memcmp(forms[i].text, t->text, t->length) == 0))
        i = (i + 1) % FORM_SLOTS;
    return &forms[i];
}

static void word_match_add_form(struct query_words *q, const struct text_term *t, size_t word)
{
    struct word_form *f = word_match_slot_of(q->forms, t);

    if (f->word || q->n_slots >= FORMS_MAX)
        return;
    *f = (struct word_form){t->text, t->hash, t->length, (uint8_t)word};
    q->n_slots++;
}

static struct query_word *word_match_word_at(struct query_words *q, uint32_t position)
{
    for (size_t i = q->n; i > 0; i--)
        if (q->at[i - 1].position == position)
            return &q->at[i - 1];
    return NULL;
}

/* A term that stands at a new place is a new word, unless the query had it before. */
static void word_match_add_term(struct query_words *q, const struct text_term *t)
{
    struct query_word *w = word_match_word_at(q, t->position);

    if (!w && (q->n == QUERY_WORDS || word_match_slot_of(q->forms, t)->word))
        return;
    if (!w) {
        w = &q->at[q->n++];
        *w = (struct query_word){.position = t->position, .weight = 1, .hash = t->hash};
    }
    if (t->flags & TERM_CAPITAL && !(t->flags & TERM_OPENS))
        w->is |= WORD_IS_NAME;
    if (t->text[0] >= '0' && t->text[0] <= '9')
        w->is |= WORD_IS_NUMBER;
    word_match_add_form(q, t, (size_t)(w - q->at) + 1);
}

struct query_words *query_words(struct arena *a, struct analyzer *z, const char *query, size_t n)
{
    struct query_words *q = ARENA_NEW(a, struct query_words);
    struct text_terms t = {.arena = a};
    bool all_stop = true;

    q->forms = ARENA_ARRAY(a, struct word_form, FORM_SLOTS);
    analyze(z, TEXT_BODY, query, n, ANALYZE_QUERY, &t);
    for (size_t i = 0; i < t.n; i++)
        all_stop = all_stop && t.at[i].flags & TERM_STOP;
    for (size_t i = 0; i < t.n; i++)
        if (all_stop || !(t.at[i].flags & TERM_STOP))
            word_match_add_term(q, &t.at[i]);
    return q;
}

void query_words_weigh(struct query_words *q, double (*rarity)(const void *arg, uint32_t hash), const void *arg)
{
    double known[QUERY_WORDS], sum = 0;
    size_t n = 0;

    for (size_t i = 0; i < q->n; i++) {
        known[i] = rarity(arg, q->at[i].hash);
        sum += known[i] > 0 ? known[i] : 0;
        n += known[i] >= 0;
    }
    for (size_t i = 0; i < q->n && sum > 0; i++)
        q->at[i].weight = (float)(known[i] >= 0 ? known[i] : sum / (double)n);
}

static struct meetings meet(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t n)
{
    struct text_terms t = {.arena = a};
    struct meetings m;

    analyze(z, TEXT_BODY, text, n, 0, &t);
    m = (struct meetings){ARENA_ARRAY(a, struct meeting, t.n + 1), 0};
    for (size_t i = 0; i < t.n; i++) {
        const struct word_form *f = word_match_slot_of(q->forms, &t.at[i]);

        if (f->word)
            m.at[m.n++] = (struct meeting){t.at[i].position, (uint8_t)(f->word - 1)};
    }
    return m;
}

static uint64_t found_in(struct meetings m)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < m.n; i++)
        bits |= 1ull << m.at[i].word;
    return bits;
}

uint64_t words_found(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t n)
{
    return found_in(meet(q, a, z, text, n));
}

/* Share of the words that are of that sort (0: all), by weight. */
static float share(const struct query_words *q, uint64_t found, unsigned is)
{
    double have = 0, all = 0;

    for (size_t i = 0; i < q->n; i++) {
        if (is && !(q->at[i].is & is))
            continue;
        all += q->at[i].weight;
        have += found >> i & 1 ? q->at[i].weight : 0;
    }
    return all > 0 ? (float)(have / all) : 0;
}

/* The shortest stretch that holds all words that were found, against the shortest there could be. */
static float proximity(const struct query_words *q, struct meetings m, uint64_t found)
{
    uint32_t count[QUERY_WORDS] = {0}, best = UINT32_MAX;
    size_t words = (size_t)__builtin_popcountll(found), have = 0, from = 0;

    if (words < 2)
        return words == q->n ? 1 : 0;
    for (size_t i = 0; i < m.n; i++) {
        have += count[m.at[i].word]++ == 0;
        for (; have == words; from++) {
            uint32_t span = m.at[i].position - m.at[from].position;

            best = span < best ? span : best;
            have -= --count[m.at[from].word] == 0;
        }
    }
    return (float)(words - 1) / (float)(best < words - 1 ? words - 1 : best);
}

/* Whether word w + 1 stands as far behind word w as in the query. */
static bool are_neighbours(const struct query_words *q, struct meetings m, size_t w)
{
    uint32_t step = q->at[w + 1].position - q->at[w].position;

    for (size_t i = 0; i < m.n; i++)
        for (size_t k = i + 1; m.at[i].word == w && k < m.n && m.at[k].position <= m.at[i].position + step; k++)
            if (m.at[k].word == w + 1 && m.at[k].position == m.at[i].position + step)
                return true;
    return false;
}

static float phrase(const struct query_words *q, struct meetings m)
{
    size_t pairs = 0, found = 0;

    for (size_t w = 0; w + 1 < q->n; w++) {
        pairs++;
        found += are_neighbours(q, m, w);
    }
    return pairs ? (float)found / (float)pairs : 0;
}

struct word_match word_match(const struct query_words *q, struct arena *a, struct analyzer *z, const char *title,
                             const char *body)
{
    struct meetings in_title = meet(q, a, z, title, strlen(title)), in_body = meet(q, a, z, body, strlen(body));
    uint64_t found = found_in(in_body), titled = found_in(in_title);
    float there = proximity(q, in_body, found), above = proximity(q, in_title, titled);
    float phrase_there = phrase(q, in_body), phrase_above = phrase(q, in_title);

    return (struct word_match){
        .coverage = share(q, found | titled, 0),
        .proximity = q->n ? (there > above ? there : above) : 0,
        .phrase = phrase_there > phrase_above ? phrase_there : phrase_above,
        .title = share(q, titled, 0),
        .names = share(q, found | titled, WORD_IS_NAME),
        .numbers = share(q, found | titled, WORD_IS_NUMBER),
        .found = found | titled,
    };
}
