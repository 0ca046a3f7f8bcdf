/* Addresses and numbers of people; see sanitize_impl.h. */
#include <string.h>

#include "sanitize_impl.h"

/* ---- e-mail */

#define LOCAL_MAX 64
#define DOMAIN_MAX 253

static bool email_is_local(char c)
{
    return sanitize_is_word(c) || (c && strchr("._%+-!#&'*/=?^{|}~", c));
}

static bool email_is_domain(char c)
{
    return sanitize_is_alnum(c) || c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

/* Behind a domain with a dot and a name of two letters or more at its end; 0: it is none. */
static size_t domain_end(const struct sanitize_view *v, size_t at)
{
    size_t i = at, dot = 0;

    while (i < v->n && i < at + DOMAIN_MAX && email_is_domain(v->p[i]))
        i++;
    while (i > at && (v->p[i - 1] == '.' || v->p[i - 1] == '-'))
        i--;
    for (size_t k = at; k < i; k++)
        if (v->p[k] == '.')
            dot = k;
    if (dot <= at || i - dot < 3)
        return 0;
    for (size_t k = dot + 1; k < i; k++)
        if (sanitize_is_digit(v->p[k]))
            return 0;
    return i;
}

static void email_at(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    size_t from = at, end = domain_end(v, at + 1);

    if (!end)
        return;
    while (from && at - from < LOCAL_MAX && email_is_local(v->p[from - 1]))
        from--;
    while (from < at && strchr(".'/=?&", v->p[from]))
        from++;
    if (from == at || (at - from == 3 && memcmp(v->p + from, "git", 3) == 0 && end < v->n && v->p[end] == ':'))
        return;
    sanitize_hit_add(h, "email", SANITIZE_EMAIL, from, end);
}

/* " at " or " dot " in brackets, with spaces around them: their length. */
static size_t bracketed(const struct sanitize_view *v, size_t at, const char *word)
{
    size_t i = at, n = strlen(word);

    while (i < v->n && i < at + 2 && v->p[i] == ' ')
        i++;
    if (i >= v->n || !strchr("([{", v->p[i]))
        return 0;
    i++;
    while (i < v->n && v->p[i] == ' ')
        i++;
    if (!sanitize_starts(v->p + i, v->n - i, word))
        return 0;
    i += n;
    while (i < v->n && v->p[i] == ' ')
        i++;
    if (i >= v->n || !strchr(")]}", v->p[i]))
        return 0;
    i++;
    while (i < v->n && v->p[i] == ' ')
        i++;
    return i - at;
}

/* at: the bracket of "(at)". */
static void email_spelled(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    size_t n = bracketed(v, at, "at"), end = at, from, i = at + n, k;
    int dots = 0;

    if (!n)
        return;
    while (end && v->p[end - 1] == ' ' && at - end < 2)
        end--;
    for (from = end; from && end - from < LOCAL_MAX && email_is_local(v->p[from - 1]);)
        from--;
    for (;;) {
        size_t label = i;

        while (i < v->n && i < at + DOMAIN_MAX && (sanitize_is_alnum(v->p[i]) || v->p[i] == '-'))
            i++;
        if (i == label)
            return;
        if (i + 1 < v->n && v->p[i] == '.' && sanitize_is_alnum(v->p[i + 1]))
            k = 1;
        else
            k = bracketed(v, i, "dot");
        if (!k || i > at + DOMAIN_MAX)
            break;
        dots++;
        i += k;
    }
    if (dots && from < end)
        sanitize_hit_add(h, "email_spelled", SANITIZE_EMAIL, from, i);
}

/* ---- runs of digits */

/* A row of digits, with single separators between them. */
struct digits {
    char d[24];
    size_t n, end;
    int groups;
    size_t group[8]; /* digits of the first groups */
    bool dotted, spaced, dashed;
};

static void digits_read(const struct sanitize_view *v, size_t at, struct digits *out)
{
    size_t i = at;

    *out = (struct digits){.groups = 1};
    for (; i < v->n; i++) {
        char c = v->p[i];

        if (sanitize_is_digit(c)) {
            if (out->n == sizeof out->d)
                break;
            out->d[out->n++] = c;
            out->group[out->groups <= 8 ? out->groups - 1 : 7]++;
            out->end = i + 1;
            continue;
        }
        if (!strchr(" -./)(", c) || i + 1 >= v->n || !(sanitize_is_digit(v->p[i + 1]) || (v->p[i + 1] == ' ' && c == ')')))
            break;
        out->dotted |= c == '.';
        out->spaced |= c == ' ';
        out->dashed |= c == '-';
        out->groups += sanitize_is_digit(v->p[i + 1]);
    }
}

static bool is_luhn(const struct digits *d)
{
    int sum = 0;

    for (size_t i = 0; i < d->n; i++) {
        int x = d->d[d->n - 1 - i] - '0';

        if (i % 2)
            x = x * 2 > 9 ? x * 2 - 9 : x * 2;
        sum += x;
    }
    return sum % 10 == 0;
}

static bool is_issuer(const struct digits *d)
{
    int two = (d->d[0] - '0') * 10 + d->d[1] - '0', four = two * 100 + (d->d[2] - '0') * 10 + d->d[3] - '0';

    return (four >= 2221 && four <= 2720) || two == 30 || (two >= 34 && two <= 39) || d->d[0] == '4' || (two >= 51 && two <= 55) ||
        four == 6011 ||
           two == 62 || two == 64 || two == 65;
}

static bool is_card(const struct digits *d)
{
    return d->n >= 13 && d->n <= 19 && !d->dotted && is_issuer(d) && is_luhn(d);
}

static bool is_ssn(const struct digits *d)
{
    return d->n == 9 && d->groups == 3 && d->dashed && !d->spaced && !d->dotted && d->group[0] == 3 && d->group[1] == 2 &&
           memcmp(d->d, "000", 3) != 0 && memcmp(d->d, "666", 3) != 0 && d->d[0] != '9' && memcmp(d->d + 3, "00", 2) != 0 &&
           memcmp(d->d + 5, "0000", 4) != 0;
}

#define PHONE_NEAR 24

static bool phone_word_before(const struct sanitize_view *v, size_t at)
{
    static const char *const WORDS[] = {"phone", "tel", "call", "mobile", "fax"};
    size_t from = at > PHONE_NEAR ? at - PHONE_NEAR : 0;

    for (size_t i = from; i < at; i++)
        for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
            if ((!i || !sanitize_is_word(v->p[i - 1])) && sanitize_starts(v->p + i, at - i, WORDS[k]))
                return true;
    return false;
}

static bool is_phone(const struct sanitize_view *v, size_t at, const struct digits *d, bool plus)
{
    if (plus)
        return d->n >= 8 && d->n <= 15;
    if (d->n >= 7 && d->n <= 15 && phone_word_before(v, at) && !(d->groups == 1 && d->n == 13))
        return true;
    if (d->groups == 3 && d->n == 10 && d->group[0] == 3 && d->group[1] == 3)
        return true;
    return d->d[0] == '0' && d->n >= 9 && d->n <= 12 && d->groups >= 2 && d->groups <= 5 && d->group[0] >= 3 && !d->dotted && !d->dashed;
}

/* at: a digit that no digit stands before. */
static size_t number_at(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    bool plus = at && v->p[at - 1] == '+';
    bool paren = at && v->p[at - 1] == '(';
    size_t from = at - (size_t)(plus || paren);
    bool in_word = from && (sanitize_is_word(v->p[from - 1]) || strchr("_-./", v->p[from - 1]));
    struct digits d;

    digits_read(v, at, &d);
    in_word |= d.end < v->n && (sanitize_is_word(v->p[d.end]) || v->p[d.end] == '_' || (v->p[d.end] == '-' && d.groups == 1));
    if (in_word)
        return 1;
    if (is_card(&d))
        sanitize_hit_add(h, "card", SANITIZE_CARD, at, d.end);
    else if (is_ssn(&d))
        sanitize_hit_add(h, "ssn", SANITIZE_SSN, at, d.end);
    else if (is_phone(v, at, &d, plus))
        sanitize_hit_add(h, "phone", SANITIZE_PHONE, from, d.end);
    else
        return 1;
    return d.end - at;
}

/* ---- IBAN */

/* The remainder by 97, the first four characters behind the others. */
static bool is_iban(const char *s, size_t n)
{
    int rest = 0;

    for (size_t i = 0; i < n; i++) {
        char c = s[(i + 4) % n];

        rest = sanitize_is_digit(c) ? (rest * 10 + c - '0') % 97 : (rest * 100 + c - 'A' + 10) % 97;
    }
    return rest == 1;
}

static void iban_at(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    char s[36];
    size_t n = 0, end = 0;

    for (size_t i = at; i < v->n && n < 34; i++) {
        char c = v->p[i];

        if (c == ' ' && n >= 4 && i + 1 < v->n && sanitize_is_alnum(v->p[i + 1]))
            continue;
        if (!sanitize_is_digit(c) && !(c >= 'A' && c <= 'Z'))
            break;
        s[n++] = c;
        if (n >= 15 && (i + 1 >= v->n || !sanitize_is_alnum(v->p[i + 1])) && is_iban(s, n))
            end = i + 1;
    }
    if (end)
        sanitize_hit_add(h, "iban", SANITIZE_IBAN, at, end);
}

static bool begins_iban(const struct sanitize_view *v, size_t i)
{
    const char *p = v->p + i;

    return v->n - i >= 15 && p[0] >= 'A' && p[0] <= 'Z' && p[1] >= 'A' && p[1] <= 'Z' && sanitize_is_digit(p[2]) &&
        sanitize_is_digit(p[3]) &&
           (!i || !sanitize_is_word(p[-1]));
}

void sanitize_find_private(struct sanitize_hits *h, const struct sanitize_view *v)
{
    for (size_t i = 0; i < v->n;) {
        char c = v->p[i];

        if (c == '@')
            email_at(h, v, i);
        else if (c == '(' || c == '[' || c == '{')
            email_spelled(h, v, i);
        else if (begins_iban(v, i))
            iban_at(h, v, i);
        else if (sanitize_is_digit(c) && (!i || !sanitize_is_digit(v->p[i - 1]))) {
            i += number_at(h, v, i);
            continue;
        }
        i++;
    }
}
