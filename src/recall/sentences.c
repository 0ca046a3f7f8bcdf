/* Finding where sentences end; see sentences.h. */
#include "sentences.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "utf8.h"

#define LINE_WORDS 3
#define LINE_BYTES 30 /* of scripts without spaces */

static bool is_gap(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool sentences_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static const char *const ABBREVIATIONS[] = {
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "cf", "al", "no", "fig", "inc", "ltd",
    "co", "approx", "dept", "est", "vol", "pp", "ca", "z.b", "bzw", "usw", "u.a", "nr", "jan", "feb", "mar", "apr", "jun",
    "jul", "aug", "sep", "sept", "oct", "nov", "dec",
};

/* Whether the full stop at p ends a word that is written with one. */
static bool is_abbreviation(const char *start, const char *p)
{
    const char *w = p;

    while (w > start && (sentences_is_letter(w[-1]) || w[-1] == '.'))
        w--;
    if (p - w == 1 && *w >= 'A' && *w <= 'Z' && *w != 'I')
        return true;
    for (size_t i = 0; i < sizeof ABBREVIATIONS / sizeof *ABBREVIATIONS; i++)
        if (strlen(ABBREVIATIONS[i]) == (size_t)(p - w) && strncasecmp(ABBREVIATIONS[i], w, (size_t)(p - w)) == 0)
            return true;
    return false;
}

/* The full stops of scripts that put no space behind them. */
static bool is_wide_stop(uint32_t c)
{
    return c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0xff61 || c == 0x0964 || c == 0x06d4;
}

/* Behind the quotes and brackets that close after a stop. */
static const char *behind_closing(const char *p)
{
    for (;;) {
        const char *at = p;
        uint32_t c = utf8_next(&p);

        if (c != '"' && c != '\'' && c != ')' && c != ']' && c != 0x201d && c != 0x2019 && c != 0xbb)
            return at;
    }
}

/* Whether the sentence that began at start ends with the character at at; *end is behind it then. */
static bool ends_here(const char *start, const char *at, uint32_t c, const char **end)
{
    const char *after;

    if (c == '\n' || (size_t)(*end - start) >= SENTENCE_BYTES)
        return true;
    if (is_wide_stop(c)) {
        *end = behind_closing(*end);
        return true;
    }
    if (c != '.' && c != '!' && c != '?' && c != 0x2026)
        return false;
    after = behind_closing(*end);
    if (*after && !is_gap(*after))
        return false;
    *end = after;
    while (*after == ' ' || *after == '\t')
        after++;
    return !(*after >= 'a' && *after <= 'z') && !(c == '.' && is_abbreviation(start, at));
}

const char *sentence_next(const char *p, size_t *n)
{
    const char *end, *at;
    uint32_t c;

    while (is_gap(*p))
        p++;
    if (!*p)
        return NULL;
    end = p;
    while (at = end, (c = utf8_next(&end)) && !ends_here(p, at, c, &end))
        ;
    while (end > p && is_gap(end[-1]))
        end--;
    *n = (size_t)(end - p);
    return p;
}

/* Not "Thanks!", or a name below a letter. */
static bool line_says_something(const char *line)
{
    size_t bytes = strcspn(line, "\n"), words = 0;

    for (size_t i = 0; i < bytes && words < LINE_WORDS; i++)
        words += !is_gap(line[i]) && (i == 0 || is_gap(line[i - 1]));
    return words == LINE_WORDS || bytes >= LINE_BYTES;
}

const char *sentence_last_line(const char *text)
{
    const char *line = text;

    for (const char *p = text; (p = strchr(p, '\n')); p++)
        if (line_says_something(p + 1))
            line = p + 1;
    return line;
}
