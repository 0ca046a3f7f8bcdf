/* Finding names in texts and queries; see mentions.h. */
#include "mentions.h"

#include <string.h>

#include "mention_words.h"
#include "str.h"

#define FEW 16 /* what most texts have room enough with */
#define SLOTS(cap) (4 * (cap))
#define KEY_SEED 0x6e616d65

uint64_t mention_key(const char *folded, size_t n)
{
    return hash_bytes(folded, n, KEY_SEED);
}

/* ---- the list ------------------------------------------------------------------------------------------- */

/* Where the key is, plus one, or may be put. */
static uint16_t *mentions_slot_of(const struct found_names *out, uint64_t key)
{
    size_t at = key % SLOTS(out->cap);

    while (out->slots[at] && out->at[out->slots[at] - 1].key != key)
        at = (at + 1) % SLOTS(out->cap);
    return &out->slots[at];
}

static void mentions_make_room(struct found_names *out)
{
    struct found_name *old = out->at;

    out->cap = !out->cap ? FEW : 4 * out->cap < MENTIONS_MAX ? 4 * out->cap : MENTIONS_MAX;
    out->at = ARENA_ARRAY(out->arena, struct found_name, out->cap);
    out->slots = ARENA_ARRAY(out->arena, uint16_t, SLOTS(out->cap));
    for (size_t i = 0; i < out->n; i++) {
        out->at[i] = old[i];
        *mentions_slot_of(out, old[i].key) = (uint16_t)(i + 1);
    }
}

static void add_name(struct found_names *out, const char *name, size_t n, unsigned flags)
{
    uint64_t key = mention_key(name, n);
    uint16_t *slot = out->cap ? mentions_slot_of(out, key) : NULL;

    if (slot && *slot) {
        struct found_name *f = &out->at[*slot - 1];

        f->flags = ((f->flags | flags) & ~(unsigned)MENTION_WEAK) | (f->flags & flags & MENTION_WEAK);
        f->times++;
        return;
    }
    if (out->n == MENTIONS_MAX)
        return;
    if (out->n == out->cap) {
        mentions_make_room(out);
        slot = mentions_slot_of(out, key);
    }
    out->at[out->n++] = (struct found_name){arena_strndup(out->arena, name, n), key, flags, 1};
    *slot = (uint16_t)out->n;
}

/* words[0..n) as one name; what is too long for a name is none. */
static void mentions_add_words(struct found_names *out, const struct name_word *words, size_t n, unsigned flags)
{
    char name[MENTION_BYTES];
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        if (len + words[i].n + 1 > sizeof name)
            return;
        if (i)
            name[len++] = ' ';
        memcpy(name + len, words[i].text, words[i].n);
        len += words[i].n;
    }
    if (len >= 2)
        add_name(out, name, len, flags | (n > 1 ? MENTION_PHRASE : 0));
}

/* ---- texts ---------------------------------------------------------------------------------------------- */

/* A run of words that may be a name. */
struct run {
    struct name_word words[MENTION_WORDS];
    size_t n, sure; /* sure: up to the last word with a capital */
};

/* No name of its own. */
static bool mentions_is_plain(const struct name_word *w)
{
    return w->flags & WORD_NUMBER || word_is_stop(w);
}

static bool is_link(const struct name_word *w)
{
    static const char *const LINKS[] = {"of", "the", "de", "la", "van", "von", "du", "di", "del", "da", "der", "le", "for"};

    for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; i++)
        if (strlen(LINKS[i]) == w->n && memcmp(LINKS[i], w->text, w->n) == 0)
            return !(w->flags & WORD_CAPITAL);
    return false;
}

/* Where the name is "A of B", both its parts. */
static void add_parts(struct found_names *out, const struct name_word *words, size_t n, unsigned flags)
{
    size_t part = 0;

    for (size_t i = 0; i <= n; i++) {
        if (i < n && !is_link(&words[i]))
            continue;
        if (i > part && i - part < n)
            mentions_add_words(out, words + part, i - part, flags);
        part = i + 1;
    }
}

/* A sentence's first word is written with a capital whatever it is: alone it is a weak name, and before others ("Yesterday
 * Caroline") perhaps no part of theirs. */
static void end_run(struct found_names *out, struct run *r, unsigned flags)
{
    const struct name_word *words = r->words;
    size_t n = r->sure;
    bool opens;

    for (; n && mentions_is_plain(words); n--)
        words++;
    if (n) {
        opens = (words->flags & WORD_OPENS) && !(words->flags & WORD_IDENTIFIER);
        flags |= MENTION_CAPITAL;
        mentions_add_words(out, words, n, flags | (opens && n == 1 ? MENTION_WEAK : 0));
        add_parts(out, words, n, flags);
        if (opens && n > 1 && !is_link(&words[1]) && !mentions_is_plain(&words[1]))
            mentions_add_words(out, words + 1, n - 1, flags);
    }
    r->n = r->sure = 0;
}

static void feed_run(struct found_names *out, struct run *r, const struct name_word *w, unsigned flags)
{
    bool capital = w->flags & WORD_CAPITAL;
    bool follows = r->sure && (w->flags & WORD_NUMBER);

    if (r->n == MENTION_WORDS || (r->n && (w->flags & (WORD_APART | WORD_QUOTE_OPENS))))
        end_run(out, r, flags);
    if (capital || (follows && r->n == r->sure && r->n)) {
        r->words[r->n++] = *w;
        r->sure = r->n;
    } else if (r->n && is_link(w)) {
        r->words[r->n++] = *w;
    } else {
        end_run(out, r, flags);
    }
}

struct quote {
    struct name_word words[MENTION_WORDS];
    size_t n;
    bool open, too_long;
};

static void end_quote(struct found_names *out, struct quote *q, unsigned flags)
{
    if (q->open && q->n && !q->too_long)
        mentions_add_words(out, q->words, q->n, flags | MENTION_QUOTED);
    *q = (struct quote){.n = 0};
}

static void feed_quote(struct found_names *out, struct quote *q, const struct name_word *w, unsigned flags)
{
    if (!(w->flags & WORD_QUOTED) || (w->flags & WORD_QUOTE_OPENS))
        end_quote(out, q, flags);
    if (!(w->flags & WORD_QUOTED))
        return;
    q->open = true;
    if (q->n == MENTION_WORDS)
        q->too_long = true;
    else
        q->words[q->n++] = *w;
}

void mentions_find(struct found_names *out, const char *text, bool is_title)
{
    struct word_reader reader = {.p = text, .opens = true};
    unsigned flags = is_title ? MENTION_IN_TITLE : 0;
    struct run run = {.n = 0};
    struct quote quote = {.n = 0};
    struct name_word w;

    while (out->n < MENTIONS_MAX && next_word(&reader, &w)) {
        feed_quote(out, &quote, &w, flags);
        if (w.flags & WORD_IDENTIFIER)
            mentions_add_words(out, &w, 1, flags | MENTION_IDENTIFIER);
        feed_run(out, &run, &w, flags);
    }
    end_run(out, &run, flags);
    end_quote(out, &quote, flags);
}

void mentions_title(struct found_names *out, const char *title)
{
    struct word_reader reader = {.p = title, .opens = true};
    struct name_word words[MENTION_WORDS + 1];
    size_t n = 0, from = 0, plain = 0;

    for (; n <= MENTION_WORDS && next_word(&reader, &words[n]); n++)
        ;
    if (n > MENTION_WORDS)
        return;
    while (from + 1 < n && word_is_stop(&words[from]))
        from++;
    if (n == from || (n == from + 1 && mentions_is_plain(&words[from])))
        return;
    mentions_add_words(out, words + from, n - from, MENTION_IN_TITLE);
    for (plain = from + 1; plain < n && !(words[plain].flags & WORD_APART); plain++)
        ;
    if (plain < n && strchr(title, '(')) /* "Mercury (planet)" */
        mentions_add_words(out, words + from, plain - from, MENTION_IN_TITLE);
}

/* ---- queries -------------------------------------------------------------------------------------------- */

#define QUERY_WORDS 256

static unsigned written(const struct name_word *words, size_t n)
{
    unsigned flags = MENTION_CAPITAL | MENTION_QUOTED;

    for (size_t i = 0; i < n; i++) {
        if (!(words[i].flags & WORD_CAPITAL) && !mentions_is_plain(&words[i]))
            flags &= ~(unsigned)MENTION_CAPITAL;
        if (!(words[i].flags & WORD_QUOTED))
            flags &= ~(unsigned)MENTION_QUOTED;
    }
    if (n == 1 && (words[0].flags & WORD_IDENTIFIER))
        flags |= MENTION_IDENTIFIER;
    return flags | (n == 1 && (words[0].flags & WORD_OPENS) && (flags & MENTION_CAPITAL) ? MENTION_WEAK : 0);
}

static void runs_from(struct found_names *out, const struct name_word *words, size_t n)
{
    if (word_is_stop(&words[0]))
        return;
    for (size_t k = 1; k <= n && k <= MENTION_WORDS; k++) {
        if (k > 1 && (words[k - 1].flags & WORD_APART) && !(words[k - 1].flags & WORD_QUOTED))
            return;
        if (word_is_stop(&words[k - 1]) || (k == 1 && (words[0].flags & WORD_NUMBER)))
            continue;
        mentions_add_words(out, words, k, written(words, k));
    }
}

void mentions_of_query(struct found_names *out, const char *query)
{
    struct word_reader reader = {.p = query, .opens = true};
    struct name_word *words = ARENA_ARRAY(out->arena, struct name_word, QUERY_WORDS);
    size_t n = 0;

    while (n < QUERY_WORDS && next_word(&reader, &words[n]))
        n++;
    for (size_t i = 0; i < n; i++)
        runs_from(out, words + i, n - i);
}
