/* Marks of a text, line by line: headings, blank lines, sentences, words; see chunk_marks.h. */
#include "chunk_marks.h"

#include <string.h>

#include "str.h"

static bool is_white_space(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' || ch == '\f' || ch == '\v';
}

static bool is_inside_character(char ch)
{
    return ((unsigned char)ch & 0xc0) == 0x80;
}

/* The byte before p that is no white space and closes no quotation; 0: there is none in the line. */
static char last_sign(const char *line, const char *p)
{
    while (p > line && (is_white_space(p[-1]) || strchr("\"')]*_", p[-1])))
        p--;
    return p > line ? p[-1] : 0;
}

/* 。！？ end a sentence without a space. */
static bool is_after_wide_stop(const char *line, const char *p)
{
    return p - line >= 3 && (!memcmp(p - 3, "\xe3\x80\x82", 3) || !memcmp(p - 3, "\xef\xbc\x81", 3) || !memcmp(p - 3, "\xef\xbc\x9f", 3));
}

static bool is_after_ellipsis(const char *line, const char *p)
{
    while (p > line && is_white_space(p[-1]))
        p--;
    return p - line >= 3 && !memcmp(p - 3, "\xe2\x80\xa6", 3);
}

static enum cut_rank rank_in_line(const char *line, const char *p)
{
    char sign;

    if (is_inside_character(*p) || is_white_space(*p))
        return CUT_NONE;
    if (is_after_wide_stop(line, p))
        return CUT_SENTENCE;
    if (!is_white_space(p[-1]))
        return CUT_CHARACTER;
    sign = last_sign(line, p);
    if (sign && strchr(".!?", sign))
        return *p >= 'a' && *p <= 'z' ? CUT_WORD : CUT_SENTENCE;
    if (is_after_ellipsis(line, p))
        return CUT_SENTENCE;
    return sign && strchr(",;:", sign) ? CUT_CLAUSE : CUT_WORD;
}

/* ---- lines */

struct line_state {
    bool is_markdown, in_fence, after_blank, after_heading;
    char fence;
    size_t at[7]; /* place of the open heading of each level plus 1; 0: none */
};

static int heading_level(const char *line, size_t n)
{
    size_t level = 0;

    while (level < n && line[level] == '#')
        level++;
    return level >= 1 && level <= 6 && level < n && is_white_space(line[level]) ? (int)level : 0;
}

static bool opens_fence(const char *s, size_t n, char *sign)
{
    if (n < 3 || (*s != '`' && *s != '~') || s[1] != *s || s[2] != *s)
        return false;
    *sign = *s;
    return true;
}

static const char *heading_text(struct ctx *c, const char *line, size_t n, int level)
{
    const char *from = line + level, *to = line + n;

    while (from < to && is_white_space(*from))
        from++;
    while (to > from && (is_white_space(to[-1]) || to[-1] == '#'))
        to--;
    return arena_strndup(c->arena, from, str_first_bytes(arena_strndup(c->arena, from, (size_t)(to - from)), 200));
}

static void add_heading(struct ctx *c, struct chunk_marks *m, struct line_state *s, size_t at, size_t n, int level)
{
    struct chunk_heading *h = &m->headings[m->n_headings++];
    const char *text = heading_text(c, m->text + at, n, level), *above = NULL;

    for (int l = level - 1; l >= 1 && !above; l--)
        above = s->at[l] ? m->headings[s->at[l] - 1].path : NULL;
    for (int l = level; l <= 6; l++)
        s->at[l] = 0;
    s->at[level] = m->n_headings;
    *h = (struct chunk_heading){at, level, above ? arena_printf(c->arena, "%s › %s", above, text) : text};
}

static void mark_inside(struct chunk_marks *m, size_t from, size_t to, bool plain)
{
    for (size_t p = from + 1; p < to; p++)
        m->rank[p] = (uint8_t)(plain ? rank_in_line(m->text + from,
            m->text + p) : is_inside_character(m->text[p]) ? CUT_NONE : CUT_CHARACTER);
}

/* What follows a heading stays with it. */
static enum cut_rank rank_of_line(const struct line_state *s, bool is_heading, size_t at)
{
    if (!at)
        return CUT_NONE;
    if (s->after_heading)
        return is_heading ? CUT_LINE : CUT_WORD;
    if (is_heading)
        return CUT_HEADING;
    return s->after_blank && !s->in_fence ? CUT_BLANK : CUT_LINE;
}

static void mark_line(struct ctx *c, struct chunk_marks *m, struct line_state *s, size_t at, size_t end)
{
    size_t first = at;
    bool was_in_fence = s->in_fence, is_code;
    int level;
    char sign;

    while (first < end && is_white_space(m->text[first]))
        first++;
    if (first == end) {
        s->after_blank = true;
        return;
    }
    level = s->is_markdown && !s->in_fence && m->n_headings < CHUNK_HEADINGS ? heading_level(m->text + at, end - at) : 0;
    m->rank[at] = (uint8_t)rank_of_line(s, level > 0, at);
    if (level)
        add_heading(c, m, s, at, end - at, level);
    if (s->is_markdown && opens_fence(m->text + first, end - first, &sign) && (!s->in_fence || sign == s->fence)) {
        s->in_fence = !s->in_fence;
        s->fence = sign;
    }
    is_code = was_in_fence || s->in_fence || (s->is_markdown && m->text[first] == '|');
    mark_inside(m, at, end, !is_code);
    s->after_blank = false;
    s->after_heading = level > 0;
}

void chunk_marks_make(struct ctx *c, const char *text, size_t n, bool is_markdown, struct chunk_marks *out)
{
    struct line_state s = {.is_markdown = is_markdown};
    size_t lines = 1;

    for (const char *p = text; (p = memchr(p, '#', (size_t)(text + n - p))) && lines < CHUNK_HEADINGS; p++)
        lines++;
    *out = (struct chunk_marks){.text = text, .n = n, .rank = arena_alloc(c->arena, n + 1), .headings = ARENA_ARRAY(c->arena,
        struct chunk_heading, CHUNK_HEADINGS < lines ? CHUNK_HEADINGS : lines)};
    memset(out->rank, CUT_NONE, n + 1);
    for (size_t at = 0; at < n;) {
        const char *stop = memchr(text + at, '\n', n - at);
        size_t end = stop ? (size_t)(stop - text) + 1 : n;

        mark_line(c, out, &s, at, end);
        at = end;
    }
}

/* ---- measuring */

size_t chunk_forward(const struct chunk_marks *m, size_t from, size_t to, int64_t characters)
{
    for (; from < to && characters > 0; characters--) {
        from++;
        while (from < to && is_inside_character(m->text[from]))
            from++;
    }
    return from;
}

size_t chunk_back(const struct chunk_marks *m, size_t from, size_t down_to, int64_t characters)
{
    for (; from > down_to && characters > 0; characters--) {
        from--;
        while (from > down_to && is_inside_character(m->text[from]))
            from--;
    }
    return from;
}

void chunk_trim(const struct chunk_marks *m, size_t *start, size_t *end)
{
    while (*start < *end && is_white_space(m->text[*start]))
        ++*start;
    while (*end > *start && is_white_space(m->text[*end - 1]))
        --*end;
}
