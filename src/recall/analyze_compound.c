/* Words and identifiers: what signs join, as a whole and in its parts; see analyze_impl.h. */
#include <string.h>

#include "analyze_impl.h"

#define PARTS_MAX 32 /* of one identifier; what follows begins another */

/* From and up to a character; joiner is the one before it, 0 at the beginning. */
struct part {
    size_t from, to;
    int32_t joiner;
};

static bool is_digit_at(const struct scan *s, size_t i)
{
    return analyze_class(s, i) == CHAR_DIGIT;
}

/* A comma that groups the digits of a number. */
static bool groups_digits(const struct scan *s, size_t i)
{
    return s->c.at[i] == ',' && i > 0 && is_digit_at(s, i - 1) && is_digit_at(s, i + 1) &&
           is_digit_at(s, i + 2) && is_digit_at(s, i + 3) && !char_in_word(analyze_class(s, i + 4));
}

static size_t part_end(const struct scan *s, size_t i)
{
    while (i < s->c.n && (char_in_word(analyze_class(s, i)) || groups_digits(s, i)))
        i++;
    return i;
}

/* How many characters at i join the word before them to one after them; 0: the identifier ends. */
static size_t joiner_length(const struct scan *s, size_t i)
{
    const int32_t *c = s->c.at;
    size_t n = 1, left = s->c.n - i;

    if (i >= s->c.n || c[i] >= 0x80 || c[i] == 0 || !strchr("_-./@:'+#&\\", (char)c[i]))
        return 0;
    if (c[i] == '_')
        while (n < left && c[i + n] == '_')
            n++;
    else if (c[i] == ':' && left > 1 && c[i + 1] == ':')
        n = 2;
    else if (c[i] == ':' && left > 2 && c[i + 1] == '/' && c[i + 2] == '/')
        n = 3;
    return char_in_word(analyze_class(s, i + n)) ? n : 0;
}

static size_t find_parts(const struct scan *s, size_t from, struct part *parts)
{
    size_t n = 0, joined;
    int32_t joiner = 0;

    for (;; from += joined) {
        parts[n++] = (struct part){from, part_end(s, from), joiner};
        from = parts[n - 1].to;
        joined = n < PARTS_MAX ? joiner_length(s, from) : 0;
        if (joined == 0)
            return n;
        joiner = s->c.at[from];
    }
}

static bool part_is(const struct scan *s, const struct part *p, const char *ascii)
{
    size_t n = strlen(ascii);

    if (p->to - p->from != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((s->c.at[p->from + i] | 0x20) != ascii[i])
            return false;
    return true;
}

/* The ends that English hangs on words with an apostrophe: 's, 'll and the like say nothing, n't says not.
   Takes them off parts; true if it says not. */
static bool take_contraction(const struct scan *s, struct part *parts, size_t *n)
{
    static const char *const EMPTY[] = {"s", "m", "d", "re", "ve", "ll"};
    struct part *last = &parts[*n - 1];

    if (*n < 2 || last->joiner != '\'')
        return false;
    if (part_is(s, last, "t") && last[-1].to - last[-1].from > 1 &&
        (s->c.at[last[-1].to - 1] | 0x20) == 'n') {
        bool can = part_is(s, &last[-1], "can");

        last[-1].to -= !can;
        *n -= 1;
        return true;
    }
    for (size_t i = 0; i < sizeof EMPTY / sizeof *EMPTY; i++) {
        if (part_is(s, last, EMPTY[i])) {
            *n -= 1;
            return false;
        }
    }
    return false;
}

/* won't and shan't have lost more than an o. */
static void add_negated(struct scan *s, const struct part *p)
{
    if (part_is(s, p, "wo"))
        analyze_add_ascii(s, "will", analyze_step(s), 0);
    else if (part_is(s, p, "sha"))
        analyze_add_ascii(s, "shall", analyze_step(s), 0);
    else
        analyze_add_part(s, p->from, p->to);
    analyze_add_ascii(s, "not", analyze_step(s), 0);
}

/* C++, C#, F#: a single letter with a sign after it, or any name with ++. */
static size_t sign_suffix(const struct scan *s, const struct part *last)
{
    const int32_t *c = s->c.at + last->to;
    size_t left = s->c.n - last->to, n = 0;
    bool letter = last->to - last->from == 1;

    if (left > 1 && c[0] == '+' && c[1] == '+')
        n = 2;
    else if (letter && left > 0 && (c[0] == '#' || c[0] == '+'))
        n = 1;
    return n && !char_in_word(analyze_class(s, last->to + n)) ? n : 0;
}

static bool all_digits(const struct scan *s, const struct part *p)
{
    for (size_t i = p->from; i < p->to; i++)
        if (!is_digit_at(s, i))
            return false;
    return true;
}

/* wi-fi and gpt-4 are also written in one word, 1990-1995 is not. */
static bool is_hyphenated(const struct scan *s, const struct part *parts, size_t n)
{
    bool letters = false;

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && parts[i].joiner != '-')
            return false;
        letters |= !all_digits(s, &parts[i]);
    }
    return letters;
}

/* The forms of several parts in one: an identifier as it is, a hyphenated word without its hyphens. */
static void add_joined(struct scan *s, const struct part *parts, size_t n, uint32_t position)
{
    struct word w = {.n = 0};

    if (is_hyphenated(s, parts, n)) {
        for (size_t i = 0; i < n; i++)
            analyze_spell(s, parts[i].from, parts[i].to, &w);
        analyze_add_word(s, &w, position, TERM_EXTRA);
        return;
    }
    analyze_spell(s, parts[0].from, parts[n - 1].to, &w);
    analyze_add_whole(s, &w, position);
}

static bool parts_further(int32_t joiner)
{
    return joiner == '@' || joiner == '/' || joiner == ':' || joiner == '\\';
}

/* How many of the parts stand together where a path, an address or a URL is taken apart. */
static size_t group_size(const struct part *parts, size_t n)
{
    size_t k = 1;

    while (k < n && !parts_further(parts[k].joiner))
        k++;
    return k;
}

static int analyze_compound_number_of(const struct scan *s, const struct part *p)
{
    int value = 0;

    for (size_t i = p->from; i < p->to; i++)
        value = value * 10 + (int)(s->c.at[i] - '0');
    return value;
}

static bool ascii_digits(const struct scan *s, const struct part *p, size_t n)
{
    for (size_t i = p->from; i < p->to; i++)
        if (s->c.at[i] < '0' || s->c.at[i] > '9')
            return false;
    return p->to - p->from == n;
}

/* 2023-05-08 is also found as "8 May 2023". */
static void add_date_words(struct scan *s, const struct part *p, size_t n, uint32_t position)
{
    static const char *const MONTHS[] = { "january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december" };
    int month, day;
    char text[] = {'0', '\0'};

    if (n != 3 || p[1].joiner != '-' || p[2].joiner != '-' || !ascii_digits(s, &p[0], 4) ||
        !ascii_digits(s, &p[1], 2) || !ascii_digits(s, &p[2], 2))
        return;
    month = analyze_compound_number_of(s, &p[1]);
    day = analyze_compound_number_of(s, &p[2]);
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return;
    analyze_add_ascii(s, MONTHS[month - 1], position + 1, TERM_EXTRA);
    text[0] = (char)('0' + day % 10);
    if (day < 10)
        analyze_add_ascii(s, text, position + 2, TERM_EXTRA);
}

/* Parts of what is taken apart once more, each group whole and in parts. */
static void add_groups(struct scan *s, const struct part *parts, size_t n)
{
    for (size_t all = n; n > 0;) {
        size_t k = group_size(parts, n);

        if (k > 1 && k < all)
            add_joined(s, parts, k, s->out->next[s->field]);
        for (size_t i = 0; i < k; i++)
            analyze_add_part(s, parts[i].from, parts[i].to);
        parts += k;
        n -= k;
    }
}

size_t analyze_compound(struct scan *s, size_t i)
{
    struct part parts[PARTS_MAX];
    size_t n = find_parts(s, i, parts), end = parts[n - 1].to, suffix = sign_suffix(s, &parts[n - 1]);
    uint32_t position = s->out->next[s->field];
    bool negated = !suffix && take_contraction(s, parts, &n);

    if (suffix) {
        struct word w = {.n = 0};

        analyze_spell(s, parts[0].from, end + suffix, &w);
        analyze_add_whole(s, &w, position);
    } else if (n > 1) {
        add_joined(s, parts, n, position);
        add_date_words(s, parts, n, position);
    }
    if (negated && n == 1)
        add_negated(s, &parts[0]);
    else
        add_groups(s, parts, n);
    return end + suffix;
}
