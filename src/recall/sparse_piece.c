/* Pieces of a query: words and phrases, with the operators before them; see sparse_piece.h. */
#include "sparse_piece.h"

#include <string.h>
#include <strings.h>

static bool ahead(const struct pieces *t, size_t at, const char *what)
{
    size_t n = strlen(what);

    return t->n - at >= n && memcmp(t->p + at, what, n) == 0;
}

/* The bytes of one of the strings at at; 0: none of them. */
static size_t any_ahead(const struct pieces *t, size_t at, const char *const *what, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ahead(t, at, what[i]))
            return strlen(what[i]);
    return 0;
}

static size_t space_at(const struct pieces *t, size_t at)
{
    static const char *const SPACES[] = {"\u00a0", "\u3000", "\u2028"};
    const unsigned char c = (unsigned char)t->p[at];

    if (c < 0x80)
        return c == ' ' || (c >= '\t' && c <= '\r');
    return any_ahead(t, at, SPACES, sizeof SPACES / sizeof *SPACES);
}

static size_t quote_at(const struct pieces *t, size_t at)
{
    static const char *const QUOTES[] = {"“", "”", "„", "«", "»"};

    if ((unsigned char)t->p[at] < 0x80)
        return t->p[at] == '"';
    return any_ahead(t, at, QUOTES, sizeof QUOTES / sizeof *QUOTES);
}

/* A number below zero, or an option of a command that has one letter. */
static bool is_minus_sign(const struct pieces *t, size_t next)
{
    bool letter = (t->p[next] | 0x20) >= 'a' && (t->p[next] | 0x20) <= 'z';

    return (t->p[next] >= '0' && t->p[next] <= '9') ||
           (letter && (next + 1 == t->n || space_at(t, next + 1)));
}

/* + or - in front of something; a second one makes it an option of a command. */
static enum clause_role take_role(struct pieces *t)
{
    static const char *const MINUS[] = {"-", "−"};
    size_t plus = ahead(t, t->at, "+"), minus = any_ahead(t, t->at, MINUS, 2), next = t->at + plus + minus;

    if (!(plus | minus) || next >= t->n || space_at(t, next))
        return CLAUSE_OPTIONAL;
    if (ahead(t, next, "+") || any_ahead(t, next, MINUS, 2))
        return CLAUSE_OPTIONAL;
    if (minus && is_minus_sign(t, next))
        return CLAUSE_OPTIONAL;
    t->at = next;
    return plus ? CLAUSE_REQUIRED : CLAUSE_EXCLUDED;
}

static bool take_title(struct pieces *t)
{
    static const char TITLE[] = "title:";
    const size_t n = sizeof TITLE - 1;

    if (t->n - t->at <= n || strncasecmp(t->p + t->at, TITLE, n) != 0 || space_at(t, t->at + n))
        return false;
    t->at += n;
    return true;
}

/* From one quotation mark to the next; false if there is none, and then only the first is passed over. */
static bool take_quoted(struct pieces *t, struct piece *p)
{
    size_t from = t->at + quote_at(t, t->at), to = from;

    t->at = from;
    while (to < t->n && !quote_at(t, to))
        to++;
    if (to == t->n)
        return false;
    p->text = t->p + from;
    p->n = to - from;
    p->quoted = true;
    t->at = to + quote_at(t, to);
    return true;
}

static void take_word(struct pieces *t, struct piece *p)
{
    size_t from = t->at, stars = 0;

    while (t->at < t->n && !space_at(t, t->at) && !quote_at(t, t->at))
        stars += t->p[t->at++] == '*';
    p->text = t->p + from;
    p->n = t->at - from;
    p->prefix = stars == 1 && p->n > 1 && p->text[p->n - 1] == '*';
}

bool pieces_next(struct pieces *t, struct piece *p)
{
    while (t->at < t->n && space_at(t, t->at))
        t->at += space_at(t, t->at);
    if (t->at == t->n)
        return false;
    *p = (struct piece){.role = take_role(t)};
    p->title = take_title(t);
    if (!quote_at(t, t->at) || !take_quoted(t, p))
        take_word(t, p);
    return true;
}
