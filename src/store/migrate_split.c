/* Cuts SQL text at its semicolons; see migrate_split.h. */
#include "migrate_split.h"

#include <ctype.h>
#include <string.h>

void sql_split_begin(struct sql_splitter *s, const char *text, size_t n)
{
    *s = (struct sql_splitter){.at = text, .end = text + n, .line = 1};
}

static void migrate_split_step(struct sql_splitter *s, size_t n)
{
    for (; n && s->at < s->end; n--)
        s->line += *s->at++ == '\n';
}

static bool looks_at(const struct sql_splitter *s, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

/* MariaDB wants white space after "--"; a comment without it would be two minus signs. */
static bool at_line_comment(const struct sql_splitter *s)
{
    if (*s->at == '#')
        return true;
    return looks_at(s, "--") && (s->at + 2 == s->end || isspace((unsigned char)s->at[2]));
}

/* "!" and "M!" after the star make a comment that the server runs: part of a statement. */
static bool at_block_comment(const struct sql_splitter *s)
{
    return looks_at(s, "/*") && !looks_at(s, "/*!") && !looks_at(s, "/*M!");
}

static void skip_line(struct sql_splitter *s)
{
    while (s->at < s->end && *s->at != '\n')
        migrate_split_step(s, 1);
}

static void skip_block(struct sql_splitter *s)
{
    migrate_split_step(s, 2);
    while (s->at < s->end && !looks_at(s, "*/"))
        migrate_split_step(s, 1);
    migrate_split_step(s, 2);
}

/* A doubled quote is seen as two strings side by side, which ends at the same place. */
static void skip_quoted(struct sql_splitter *s, char quote)
{
    migrate_split_step(s, 1);
    while (s->at < s->end && *s->at != quote)
        migrate_split_step(s, *s->at == '\\' && quote != '`' ? 2 : 1);
    migrate_split_step(s, 1);
}

static void migrate_split_skip_blank(struct sql_splitter *s)
{
    while (s->at < s->end) {
        if (isspace((unsigned char)*s->at) || *s->at == ';')
            migrate_split_step(s, 1);
        else if (at_line_comment(s))
            skip_line(s);
        else if (at_block_comment(s))
            skip_block(s);
        else
            return;
    }
}

static void skip_statement(struct sql_splitter *s)
{
    while (s->at < s->end && *s->at != ';') {
        if (*s->at == '\'' || *s->at == '"' || *s->at == '`')
            skip_quoted(s, *s->at);
        else if (at_line_comment(s))
            skip_line(s);
        else if (looks_at(s, "/*"))
            skip_block(s);
        else
            migrate_split_step(s, 1);
    }
}

bool sql_split_next(struct sql_splitter *s, struct sql_piece *out)
{
    migrate_split_skip_blank(s);
    if (s->at == s->end)
        return false;
    *out = (struct sql_piece){.p = s->at, .number = ++s->number, .line = s->line};
    skip_statement(s);
    out->n = (size_t)(s->at - out->p);
    return true;
}
