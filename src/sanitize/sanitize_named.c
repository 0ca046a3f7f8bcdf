/* Secrets that are known by the word in front of them; see sanitize_impl.h. */
#include <math.h>
#include <string.h>

#include "sanitize_impl.h"

#define NAME_MAX 64    /* characters of a name before : or = */
#define VALUE_MIN 6    /* characters of a value */
#define VALUE_MAX 4096 /* what is longer is cut here, and the rest is looked at again */
#define NEAR 32        /* characters between a word and a value that stands by itself */
#define LOOSE_MIN 24

static const char *const NAMES[] = {"password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "apikey", "api-key",
    "client_secret",
                                    "access_key", "secret_key", "private_key", "auth_key"};

static bool named_ends(const char *p, size_t n, const char *word)
{
    size_t k = strlen(word);

    return n >= k && sanitize_starts(p + n - k, k, word);
}

/* The name that ends at `end`: does it end in one of the words? */
static bool named_is_secret(const char *p, size_t end)
{
    size_t from = end;

    while (from && end - from < NAME_MAX && sanitize_is_token(p[from - 1]))
        from--;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (named_ends(p + from, end - from, NAMES[i]))
            return true;
    return false;
}

/* Stands for a value, and is none. */
static bool named_is_stand_in(const char *p, size_t n)
{
    static const char *const WORDS[] = {"null", "true", "false", "none", "undefined", "example", "changeme", "string", "required",
        "optional", "process.env", "os.environ"};
    size_t stars = 0;

    if (strchr("<$({%", *p))
        return true;
    for (size_t i = 0; i < n; i++)
        stars += p[i] == '*' || p[i] == 'x' || p[i] == 'X' || p[i] == '.';
    if (stars == n)
        return true;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (sanitize_starts(p, n, WORDS[i]))
            return true;
    return false;
}

static bool named_value_has(char c, char quote)
{
    if (quote)
        return c != quote && c != '\n';
    return c > ' ' && !strchr("\"'`,;&)}]>", c);
}

/* at: a colon or equals sign. Behind the value, 0: there is none. */
static size_t named_assigned(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    size_t end = at, from = at + 1, n = 0;
    char quote = 0;

    while (end && at - end < 3 && (v->p[end - 1] == ' ' || v->p[end - 1] == '"' || v->p[end - 1] == '\''))
        end--;
    if (!named_is_secret(v->p, end))
        return 0;
    while (from < v->n && from < at + 4 && (v->p[from] == ' ' || v->p[from] == '=' || v->p[from] == '>'))
        from++;
    if (from < v->n && (v->p[from] == '"' || v->p[from] == '\'' || v->p[from] == '`'))
        quote = v->p[from++];
    while (from + n < v->n && n < VALUE_MAX && named_value_has(v->p[from + n], quote))
        n++;
    if (n < VALUE_MIN || named_is_stand_in(v->p + from, n))
        return 0;
    sanitize_hit_add(h, "named_secret", SANITIZE_SECRET, from, from + n);
    return from + n;
}

/* Authorization: and Cookie: to the end of the line. at: the colon. */
static void named_header(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    static const char *const HEADERS[] = {"authorization", "cookie"};
    size_t end = at, from = at + 1, n = 0;
    bool found = false;

    while (end && v->p[end - 1] == '"')
        end--;
    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++)
        found |= named_ends(v->p, end, HEADERS[i]);
    if (!found)
        return;
    while (from < v->n && (v->p[from] == ' ' || v->p[from] == '"'))
        from++;
    while (from + n < v->n && n < VALUE_MAX && v->p[from + n] != '\n' && v->p[from + n] != '"')
        n++;
    while (n && v->p[from + n - 1] == ' ')
        n--;
    if (n >= VALUE_MIN && !named_is_stand_in(v->p + from, n))
        sanitize_hit_add(h, "header", SANITIZE_SECRET, from, from + n);
}

/* ---- values that stand near such a word */

static double named_entropy(const char *p, size_t n)
{
    size_t count[256] = {0};
    double bits = 0;

    for (size_t i = 0; i < n; i++)
        count[(unsigned char)p[i]]++;
    for (size_t i = 0; i < 256; i++)
        if (count[i])
            bits -= (double)count[i] / (double)n * log2((double)count[i] / (double)n);
    return bits;
}

static bool is_uuid_text(const char *p, size_t n)
{
    if (n != 36)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((i == 8 || i == 13 || i == 18 || i == 23) != (p[i] == '-'))
            return false;
    return true;
}

static bool is_all_hex(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!sanitize_is_digit(p[i]) && !(sanitize_lower(p[i]) >= 'a' && sanitize_lower(p[i]) <= 'f'))
            return false;
    return true;
}

/* Does one of the words stand within NEAR characters before `at`? */
static bool named_near(const struct sanitize_view *v, size_t at, bool *aws)
{
    size_t from = at > NEAR + 12 ? at - NEAR - 12 : 0;
    bool named = false;

    *aws = false;
    for (size_t i = from; i < at; i++) {
        for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
            named |= sanitize_lower(v->p[i]) == *NAMES[k] && sanitize_starts(v->p + i, at - i, NAMES[k]);
        *aws |= sanitize_starts(v->p + i, at - i, "aws");
    }
    return named;
}

static bool loose_has(char c)
{
    return sanitize_is_token(c) || c == '+' || c == '/' || c == '=';
}

static size_t named_loose(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    const char *p = v->p + at;
    bool aws, named;
    size_t n = 0;

    while (at + n < v->n && n < VALUE_MAX && loose_has(p[n]))
        n++;
    if (n < LOOSE_MIN || is_uuid_text(p, n))
        return n;
    named = named_near(v, at, &aws);
    if (named && named_entropy(p, n) >= (is_all_hex(p, n) ? 3.0 : 4.0))
        sanitize_hit_add(h, "loose_secret", SANITIZE_SECRET, at, at + n);
    else if (aws && n == 40 && !is_all_hex(p, n) && named_entropy(p, n) >= 4.0)
        sanitize_hit_add(h, "aws_secret", SANITIZE_SECRET, at, at + n);
    return n;
}

void sanitize_find_named(struct sanitize_hits *h, const struct sanitize_view *v)
{
    for (size_t i = 0, end; i < v->n; i++) {
        if (v->p[i] != ':' && v->p[i] != '=')
            continue;
        if (v->p[i] == ':')
            named_header(h, v, i);
        end = named_assigned(h, v, i);
        i = end ? end - 1 : i;
    }
    for (size_t i = 0; i < v->n;) {
        size_t n = loose_has(v->p[i]) && v->p[i] != '=' ? named_loose(h, v, i) : 0;

        i += n ? n : 1;
    }
}
