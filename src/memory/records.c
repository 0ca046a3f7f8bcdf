/* Reading records; see records.h. A buffer of fixed size holds what was read, another one the record. */
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

ENUMX_DEFINE(record_format, RECORD_FORMAT);

#define PIECE 65536
#define END (-1)

struct records {
    enum record_format format;
    int fd;
    unsigned char piece[PIECE];
    size_t have, at;
    int64_t line; /* of the byte at hand */
    char *record; /* RECORD_BYTES and a NUL */
    size_t n;
    bool too_long, has_nul, began, ended;
    const char *cells[RECORD_CELLS];
    size_t starts[RECORD_CELLS], n_cells;
    const char *names[RECORD_CELLS];
    size_t n_names;
};

static void records_close_fd(void *fd)
{
    close((int)(intptr_t)fd);
}

/* ---- bytes */

static int peek(struct records *r)
{
    ssize_t got;

    if (r->at < r->have)
        return r->piece[r->at];
    do
        got = read(r->fd, r->piece, PIECE);
    while (got < 0 && errno == EINTR);
    r->at = 0;
    r->have = got > 0 ? (size_t)got : 0;
    return r->have ? r->piece[0] : END;
}

static int records_step(struct records *r)
{
    int b = peek(r);

    if (b == END)
        return END;
    r->at++;
    r->line += b == '\n';
    return b;
}

static void records_keep(struct records *r, int b)
{
    if (r->n < RECORD_BYTES)
        r->record[r->n++] = (char)b;
    else
        r->too_long = true;
}

static bool records_is_blank(int b)
{
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
}

static void records_skip_blank(struct records *r)
{
    while (records_is_blank(peek(r)))
        records_step(r);
}

static void skip_mark(struct records *r)
{
    if (peek(r) != 0xef || r->have < 3 || r->piece[1] != 0xbb || r->piece[2] != 0xbf)
        return;
    r->at = 3;
}

static void records_begin(struct records *r, struct record *out)
{
    *out = (struct record){.line = r->line};
    r->n = r->n_cells = 0;
    r->too_long = r->has_nul = false;
}

static bool records_hand_out(struct records *r, struct record *out)
{
    r->record[r->n] = 0;
    out->text = r->record;
    out->n = r->n;
    if (r->too_long)
        out->fault = "a record holds at most 1048576 bytes";
    return true;
}

/* ---- JSON */

static bool records_next_line(struct records *r, struct record *out)
{
    records_skip_blank(r);
    records_begin(r, out);
    if (peek(r) == END)
        return false;
    for (int b; (b = records_step(r)) != END && b != '\n';)
        records_keep(r, b);
    return records_hand_out(r, out);
}

static bool records_broken(struct records *r, struct record *out, const char *why)
{
    r->ended = true;
    records_begin(r, out);
    out->fault = why;
    return true;
}

/* Up to the comma or bracket behind the element, which stays. */
static void take_element(struct records *r)
{
    bool in_string = false;
    int depth = 0;

    for (int b; (b = peek(r)) != END; records_keep(r, records_step(r))) {
        if (in_string) {
            if (b == '\\') {
                records_keep(r, records_step(r));
                if (peek(r) == END)
                    return;
            } else if (b == '"') {
                in_string = false;
            }
            continue;
        }
        if (depth == 0 && (b == ',' || b == ']'))
            return;
        in_string = b == '"';
        depth += (b == '{' || b == '[') - (b == '}' || b == ']');
    }
}

static bool next_element(struct records *r, struct record *out)
{
    bool first = !r->began;

    r->began = true;
    records_skip_blank(r);
    if (first && records_step(r) != '[')
        return records_broken(r, out, "the file is not a JSON list");
    records_skip_blank(r);
    records_begin(r, out);
    if (first && peek(r) == ']') {
        r->ended = true;
        return false;
    }
    take_element(r);
    switch (records_step(r)) {
    case END:
        return records_broken(r, out, "the list does not end");
    case ']':
        r->ended = true;
    }
    return records_hand_out(r, out);
}

/* ---- CSV (RFC 4180) */

/* The apostrophe by which csv_cell keeps spreadsheets from running a cell. */
static const char *without_apostrophe(const char *cell)
{
    return cell[0] == '\'' && cell[1] && strchr("=+-@\t\r'", cell[1]) ? cell + 1 : cell;
}

static void begin_cell(struct records *r)
{
    if (r->n_cells < RECORD_CELLS)
        r->starts[r->n_cells++] = r->n;
    else
        r->too_long = true;
}

/* false: the row is over. */
static bool take_cell(struct records *r)
{
    bool quoted = peek(r) == '"';
    int b;

    begin_cell(r);
    if (quoted)
        records_step(r);
    while ((b = records_step(r)) != END) {
        if (quoted && b == '"' && peek(r) != '"') {
            quoted = false;
            continue;
        }
        if (quoted && b == '"')
            records_step(r);
        else if (!quoted && (b == ',' || b == '\n'))
            break;
        else if (!quoted && b == '\r' && peek(r) == '\n')
            continue;
        r->has_nul |= b == 0;
        records_keep(r, b);
    }
    records_keep(r, 0);
    if (quoted)
        r->ended = true; /* the quote never closed: what follows is no row */
    return b == ',';
}

static bool next_row(struct records *r, struct record *out)
{
    while (peek(r) == '\n' || peek(r) == '\r')
        records_step(r);
    records_begin(r, out);
    if (peek(r) == END)
        return false;
    while (take_cell(r))
        ;
    if (r->ended)
        return records_broken(r, out, "a quote is not closed");
    if (r->too_long) {
        out->fault = "a record holds at most 1048576 bytes and 64 cells";
        return true;
    }
    if (r->has_nul) {
        out->fault = "a cell holds a NUL";
        return true;
    }
    for (size_t i = 0; i < r->n_cells; i++)
        r->cells[i] = without_apostrophe(r->record + r->starts[i]);
    out->cells = r->cells;
    out->n_cells = r->n_cells;
    return true;
}

/* ---- all */

struct records *records_open(struct arena *a, const char *path, enum record_format format)
{
    struct records *r = ARENA_NEW(a, struct records);
    struct record head;

    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0)
        return NULL;
    arena_defer(a, records_close_fd, (void *)(intptr_t)r->fd);
    r->format = format;
    r->line = 1;
    r->record = arena_alloc(a, RECORD_BYTES + 1);
    skip_mark(r);
    if (format == RECORDS_CSV && next_row(r, &head) && head.cells) {
        for (size_t i = 0; i < head.n_cells; i++)
            r->names[i] = arena_strdup(a, head.cells[i]);
        r->n_names = head.n_cells;
    }
    return r;
}

bool records_next(struct records *r, struct record *out)
{
    if (r->ended)
        return false;
    switch (r->format) {
    case RECORDS_JSON:
        return next_element(r, out);
    case RECORDS_CSV:
        return next_row(r, out);
    default:
        return records_next_line(r, out);
    }
}

const char *const *records_names(const struct records *r, size_t *n)
{
    *n = r->n_names;
    return r->names;
}
