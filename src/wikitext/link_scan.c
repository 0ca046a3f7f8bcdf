/* The second pass of the scanner: code spans, comments, tags, links; see link_scan.h. Nothing is looked at more than a bounded number
 * of times: what a mark needs to end is either near (a limit) or known to be there (the last place of each mark). */
#include "link_scan.h"

#include <string.h>
#include <strings.h>

#include "str.h"
#include "utf8.h"

#define TAG_MAX 1024         /* bytes of a tag of HTML */
#define DESTINATION_MAX 2048 /* of a link's destination */
#define PARENS_MAX 32
#define OPEN_MAX 64 /* brackets of links that are open at a time */

struct scanner {
    struct link_scan *s;
    struct arena *arena;
    const char *text;
    size_t n;
    uint32_t *code_end;              /* at a run of backticks: where the code span ends, or 0 */
    size_t last_percent, last_arrow; /* the last %% and --> of the text, as bytes behind them; 0: none */
    size_t open[OPEN_MAX], n_open;   /* brackets that may begin a link */
    size_t cap;
};

/* ---- code spans: each run of backticks is joined to the next one of its length in its paragraph */

static void code_paragraph(struct scanner *sc, size_t from, size_t to, uint32_t *last)
{
    for (size_t at = to; at > from;) {
        size_t end = at;

        if (sc->text[at - 1] != '`') {
            at--;
            continue;
        }
        while (at > from && sc->text[at - 1] == '`')
            at--;
        sc->code_end[at] = last[end - at];
        last[end - at] = (uint32_t)end;
    }
    for (size_t at = from; at < to; at++) {
        size_t begin = at;

        while (at < to && sc->text[at] == '`')
            at++;
        if (at > begin)
            last[at - begin] = 0;
    }
}

static void find_code(struct scanner *sc)
{
    uint32_t *last;
    size_t from = 0;

    if (!memchr(sc->text, '`', sc->n))
        return;
    last = ARENA_ARRAY(sc->arena, uint32_t, sc->n + 1);
    sc->code_end = ARENA_ARRAY(sc->arena, uint32_t, sc->n + 1);
    for (size_t i = 0; i <= sc->n; i++) {
        bool ends = i == sc->n || sc->s->area[i] != AREA_TEXT || (sc->text[i] == '\n' && i + 1 < sc->n && sc->text[i + 1] == '\n');

        if (!ends)
            continue;
        if (i > from)
            code_paragraph(sc, from, i, last);
        from = i + 1;
    }
}

static size_t last_of(const char *text, size_t n, const char *mark, size_t length)
{
    for (size_t i = n; i >= length; i--)
        if (memcmp(text + i - length, mark, length) == 0)
            return i;
    return 0;
}

/* ---- what is made of a part */

static size_t scan_mark(struct scanner *sc, size_t from, size_t to, enum link_area area)
{
    for (size_t i = from; i < to; i++)
        if (sc->s->area[i] == AREA_TEXT || sc->s->area[i] == AREA_LINK || sc->s->area[i] == AREA_ESCAPE)
            sc->s->area[i] = (uint8_t)area;
    return to;
}

static void scan_add(struct scanner *sc, const struct wiki_link *l)
{
    if (sc->s->n_links == sc->cap) {
        size_t cap = sc->cap ? 2 * sc->cap : 32;
        struct wiki_link *more = ARENA_ARRAY(sc->arena, struct wiki_link, cap);

        if (sc->cap)
            memcpy(more, sc->s->links, sc->cap * sizeof *more);
        sc->s->links = more;
        sc->cap = cap;
    }
    sc->s->links[sc->s->n_links++] = *l;
}

static bool scan_is_space(char ch)
{
    return ch == ' ' || ch == '\t';
}

static const char *trimmed(struct arena *a, const char *from, const char *to)
{
    while (from < to && scan_is_space(*from))
        from++;
    while (to > from && scan_is_space(to[-1]))
        to--;
    return arena_strndup(a, from, (size_t)(to - from));
}

/* Without .md in front of a heading or at the end. */
static const char *target_without_suffix(struct arena *a, const char *target)
{
    const char *hash = strchr(target, '#');
    size_t n = hash ? (size_t)(hash - target) : strlen(target);

    if (n < 4 || strncasecmp(target + n - 3, ".md", 3) != 0)
        return target;
    return arena_printf(a, "%.*s%s", (int)(n - 3), target, target + n);
}

/* ---- [[Target|Display]] */

/* Where a part of a wikilink ends: at most max characters, none of stop, no line feed; 0: it does not end. */
static size_t wikilink_part_end(const struct scanner *sc, size_t from, size_t max, bool is_display)
{
    const char *p = sc->text + from;

    for (size_t k = 0; k <= max + 1; k++) {
        const char *at = p;
        uint32_t ch = utf8_next(&p);
        size_t i = (size_t)(at - sc->text);

        if (!ch || ch == '\n' || sc->s->area[i] != AREA_TEXT)
            return 0;
        if (ch == '`' && sc->code_end[i]) { /* words in code may be what is shown, as a whole */
            if (!is_display || sc->code_end[i] - i > max || memchr(at, '\n', sc->code_end[i] - i))
                return 0;
            k += sc->code_end[i] - i;
            p = sc->text + sc->code_end[i];
            continue;
        }
        if (ch == ']' && p[0] == ']')
            return i;
        if (!is_display && (ch == '|' || (ch == '\\' && *p == '|')))
            return i;
        if (!is_display && (ch == '[' || ch == ']'))
            return 0;
    }
    return 0;
}

/* What is shown: without the marks of code. */
static const char *display_of(struct arena *a, const char *from, const char *to)
{
    char *text = arena_strdup(a, trimmed(a, from, to)), *out = text;

    for (const char *p = text; *p; p++)
        if (*p != '`')
            *out++ = *p;
    *out = 0;
    return text;
}

/* Bytes behind the wikilink whose brackets begin at `at`; 0: it is none. */
static size_t scan_wikilink(struct scanner *sc, size_t at, bool is_embed)
{
    size_t from = at + 2, end = wikilink_part_end(sc, from, LINK_TARGET + 64, false), to = end;
    struct wiki_link l = {.at = at - is_embed, .is_embed = is_embed};

    if (!end)
        return 0;
    l.target = trimmed(sc->arena, sc->text + from, sc->text + end);
    if (!*l.target || str_code_points(l.target, strlen(l.target)) > LINK_TARGET)
        return 0;
    l.target = target_without_suffix(sc->arena, l.target);
    if (sc->text[end] != ']') {
        from = end + (sc->text[end] == '\\' ? 2 : 1);
        to = wikilink_part_end(sc, from, LINK_DISPLAY + 64, true);
        if (!to)
            return 0;
        l.display = display_of(sc->arena, sc->text + from, sc->text + to);
        if (str_code_points(l.display, strlen(l.display)) > LINK_DISPLAY)
            return 0;
        if (!*l.display)
            l.display = NULL;
    }
    l.end = to + 2;
    if (sc->s->n_links >= LINKS_SCANNED || !*l.target)
        return 0;
    scan_add(sc, &l);
    return scan_mark(sc, l.at, l.end, AREA_LINK);
}

/* ---- [text](destination) */

/* Where the destination ends that begins at *from, which moves behind a <; 0: it is none. */
static size_t destination_end(const struct scanner *sc, size_t *from)
{
    bool in_angle = *from < sc->n && sc->text[*from] == '<';
    size_t i = *from += in_angle;
    int parens = 0;

    for (; i < sc->n && i - *from < DESTINATION_MAX; i++) {
        char ch = sc->text[i];

        if (ch == '\n' || sc->s->area[i] == AREA_CODE)
            return 0;
        if (in_angle ? ch == '>' : scan_is_space(ch) || (ch == ')' && parens == 0))
            return i;
        if (!in_angle && ch == '(' && ++parens > PARENS_MAX)
            return 0;
        parens -= ch == ')';
    }
    return 0;
}

/* Behind white space and a title, at the closing parenthesis; 0: it does not close. */
static size_t link_close(const struct scanner *sc, size_t i)
{
    size_t from;

    i += i < sc->n && sc->text[i] == '>';
    while (i < sc->n && scan_is_space(sc->text[i]))
        i++;
    if (i < sc->n && (sc->text[i] == '"' || sc->text[i] == '\'')) {
        char quote = sc->text[i++];

        for (from = i; i < sc->n && i - from < DESTINATION_MAX && sc->text[i] != quote && sc->text[i] != '\n';)
            i++;
        i += i < sc->n && sc->text[i] == quote;
        while (i < sc->n && scan_is_space(sc->text[i]))
            i++;
    }
    return i < sc->n && sc->text[i] == ')' ? i + 1 : 0;
}

static int hex_of(char ch)
{
    return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

static const char *percent_plain(struct arena *a, const char *from, const char *to)
{
    char *out = arena_strndup(a, from, (size_t)(to - from)), *p = out;

    for (; from < to; from++) {
        int high = *from == '%' && to - from > 2 ? hex_of(from[1]) : -1, low = high >= 0 ? hex_of(from[2]) : -1;

        if (low >= 0 && (high || low)) {
            *p++ = (char)(high << 4 | low);
            from += 2;
        } else {
            *p++ = *from;
        }
    }
    *p = 0;
    return str_is_utf8(out, (size_t)(p - out)) && !strpbrk(out, "\n\t[]|") ? out : NULL;
}

static bool has_scheme(const char *url)
{
    size_t n = strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

    return n > 1 && url[n] == ':';
}

/* The page that a destination names: a path to a file .md, or a heading of this page; NULL: none. */
static const char *page_of_destination(struct arena *a, const char *from, const char *to)
{
    const char *target = percent_plain(a, from, to), *short_one;

    if (!target || !*target || *target == '/' || has_scheme(target))
        return NULL;
    while (str_starts(target, "./") || str_starts(target, "../"))
        target += target[1] == '/' ? 2 : 3;
    short_one = target_without_suffix(a, target);
    if ((short_one == target && *target != '#') || !*short_one || str_code_points(short_one, strlen(short_one)) > LINK_TARGET)
        return NULL;
    return strcmp(short_one, "#") == 0 ? NULL : short_one;
}

/* A bracket closes: is it the text of a link? Bytes behind the link; 0: it is none. */
static size_t scan_link(struct scanner *sc, size_t at)
{
    size_t begin, from = at + 2, end, close;
    struct wiki_link l = {.is_markdown = true};

    if (!sc->n_open)
        return 0;
    begin = sc->open[--sc->n_open];
    if (at + 1 >= sc->n || sc->text[at + 1] != '(')
        return 0;
    while (from < sc->n && scan_is_space(sc->text[from]) && from - at < 64)
        from++;
    end = destination_end(sc, &from);
    close = end ? link_close(sc, end) : 0;
    if (!close)
        return 0;
    l.target = page_of_destination(sc->arena, sc->text + from, sc->text + end);
    l.at = begin;
    l.end = close;
    l.is_embed = begin > 0 && sc->text[begin - 1] == '!';
    if (l.target && !l.is_embed && sc->s->n_links < LINKS_SCANNED && at - begin - 1 <= 4 * LINK_DISPLAY) {
        l.display = trimmed(sc->arena, sc->text + begin + 1, sc->text + at);
        while (sc->s->n_links && sc->s->links[sc->s->n_links - 1].at > begin)
            sc->s->n_links--; /* no link holds another */
        scan_add(sc, &l);
    }
    return scan_mark(sc, begin - l.is_embed, close, AREA_LINK);
}

/* ---- < … */

/* Behind the tag of HTML; 0: it is none. */
static size_t tag_end(const struct scanner *sc, size_t at)
{
    size_t i = at + 1, max = sc->n - at > TAG_MAX ? at + TAG_MAX : sc->n;
    char quote = 0;

    i += i < max && sc->text[i] == '/';
    if (i >= max || !((sc->text[i] | 32) >= 'a' && (sc->text[i] | 32) <= 'z'))
        return 0;
    for (; i < max; i++) {
        char ch = sc->text[i];

        if (quote ? ch == quote : ch == '"' || ch == '\'')
            quote = quote ? 0 : ch;
        else if (!quote && ch == '>')
            return i + 1;
        else if (!quote && ch == '<')
            return 0;
        if (ch == '\n' && i + 1 < max && sc->text[i + 1] == '\n')
            return 0;
    }
    return 0;
}

/* <https://…> and <a@b.c> */
static size_t autolink_end(const struct scanner *sc, size_t at)
{
    size_t i = at + 1, sign = 0;

    for (; i < sc->n && i - at < DESTINATION_MAX; i++) {
        char ch = sc->text[i];

        if (ch == '>')
            return sign ? i + 1 : 0;
        if ((unsigned char)ch <= ' ' || ch == '<')
            return 0;
        sign += ch == ':' || ch == '@';
    }
    return 0;
}

static size_t scan_angle(struct scanner *sc, size_t at)
{
    const char *p = sc->text + at;
    size_t end = autolink_end(sc, at);

    if (end)
        return scan_mark(sc, at, end, AREA_LINK);
    if (sc->n - at >= 4 && memcmp(p, "<!--", 4) == 0 && sc->last_arrow >= at + 7)
        return scan_mark(sc, at, (size_t)(strstr(p + 4, "-->") - sc->text) + 3, AREA_HTML);
    end = tag_end(sc, at);
    return end ? scan_mark(sc, at, end, AREA_HTML) : at + 1;
}

/* ---- addresses and comments */

static size_t scan_address(struct scanner *sc, size_t at)
{
    const char *p = sc->text + at;
    size_t end = at;

    if ((at && ((sc->text[at - 1] | 32) >= 'a' && (sc->text[at - 1] | 32) <= 'z')) ||
        (!str_starts(p, "http://") && !str_starts(p, "https://") && !str_starts(p, "www.")))
        return at + 1;
    while (end < sc->n && (unsigned char)sc->text[end] > ' ' && !strchr("<>[]()`", sc->text[end]))
        end++;
    return scan_mark(sc, at, end, AREA_LINK);
}

static size_t scan_comment(struct scanner *sc, size_t at)
{
    if (at + 1 >= sc->n || sc->text[at + 1] != '%' || sc->last_percent < at + 4)
        return at + 1;
    return scan_mark(sc, at, (size_t)(strstr(sc->text + at + 2, "%%") - sc->text) + 2, AREA_COMMENT);
}

/* ---- characters */

static bool scan_is_punctuation(char ch)
{
    return ch > ' ' && ch < 0x7f && !((ch | 32) >= 'a' && (ch | 32) <= 'z') && !(ch >= '0' && ch <= '9');
}

static size_t scan_backticks(struct scanner *sc, size_t at)
{
    size_t run = at;

    if (sc->code_end[at])
        return scan_mark(sc, at, sc->code_end[at], AREA_CODE);
    while (run < sc->n && sc->text[run] == '`')
        run++;
    return run;
}

static size_t scan_bracket(struct scanner *sc, size_t at)
{
    bool is_embed = at > 0 && sc->text[at - 1] == '!' && (at < 2 || sc->s->area[at - 2] != AREA_ESCAPE);
    size_t end = sc->text[at + 1] == '[' && sc->text[at + 2] != '[' ? scan_wikilink(sc, at, is_embed) : 0;

    if (end)
        return end;
    if (sc->n_open == OPEN_MAX) { /* the outermost cannot close any more */
        memmove(sc->open, sc->open + 1, (OPEN_MAX - 1) * sizeof *sc->open);
        sc->n_open--;
    }
    sc->open[sc->n_open++] = at;
    return at + 1;
}

static size_t scan_character(struct scanner *sc, size_t at)
{
    size_t end;

    switch (sc->text[at]) {
    case '\\':
        if (at + 1 >= sc->n || !scan_is_punctuation(sc->text[at + 1]))
            return at + 1;
        sc->s->area[at] = AREA_ESCAPE;
        return at + (sc->text[at + 1] == '[' && sc->text[at + 2] == '[' ? 3 : 2);
    case '`': return scan_backticks(sc, at);
    case '%': return scan_comment(sc, at);
    case '<': return scan_angle(sc, at);
    case '[': return scan_bracket(sc, at);
    case ']':
        end = scan_link(sc, at);
        return end ? end : at + 1;
    case 'h':
    case 'w': return scan_address(sc, at);
    case '\n':
        if (sc->text[at + 1] == '\n')
            sc->n_open = 0; /* links stay in their paragraph */
        return at + 1;
    default: return at + 1;
    }
}

/* "[name]: destination" at the beginning of a line. */
static size_t scan_definition(struct scanner *sc, size_t at)
{
    size_t i = at;

    while (i < sc->n && i - at < 4 && sc->text[i] == ' ')
        i++;
    if (i >= sc->n || sc->text[i] != '[' || sc->text[i + 1] == '[' || sc->text[i + 1] == '^')
        return at;
    for (; i < sc->n && i - at < 1000 && sc->text[i] != ']' && sc->text[i] != '\n';)
        i++;
    if (i + 1 >= sc->n || sc->text[i] != ']' || sc->text[i + 1] != ':')
        return at;
    while (i < sc->n && sc->text[i] != '\n')
        i++;
    return scan_mark(sc, at, i, AREA_LINK);
}

void link_scan(struct arena *a, const char *text, size_t n, struct link_scan *out)
{
    struct scanner sc = {.s = out, .arena = a, .text = text, .n = n};

    *out = (struct link_scan){.text = text, .n = n, .area = ARENA_ARRAY(a, uint8_t, n + 1)};
    link_scan_blocks(out);
    find_code(&sc);
    sc.last_percent = last_of(text, n, "%%", 2);
    sc.last_arrow = last_of(text, n, "-->", 3);
    for (size_t at = 0; at < n;) {
        if (out->area[at] != AREA_TEXT) {
            sc.n_open = 0;
            at++;
            continue;
        }
        if (at == 0 || text[at - 1] == '\n') {
            size_t behind = scan_definition(&sc, at);

            if (behind > at) {
                at = behind;
                continue;
            }
        }
        at = scan_character(&sc, at);
    }
}
