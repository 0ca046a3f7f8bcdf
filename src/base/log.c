/* Log lines; see log.h. */
#include "log.h"

#include <stdarg.h>
#include <string.h>

#include "clock.h"
#include "str.h"

#define LINE_ARENA (16 * 1024 * 1024)
#define TEXT_MAX 4096 /* bytes of one string of a line; messages quote what users sent */

static const char *const LEVELS[] = {"debug", "info", "warn", "error"};

bool log_level_parse(const char *name, enum log_level *out)
{
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++)
        if (str_eq(name, LEVELS[i])) {
            *out = (enum log_level)i;
            return true;
        }
    return false;
}

bool log_wants(const struct log *l, enum log_level level)
{
    return l && level >= l->level;
}

/* s as it may stand in a line: not too long, and valid UTF-8 even where a message quotes bytes that are not. */
static const char *log_fit(struct arena *a, const char *s)
{
    size_t n = s ? strnlen(s, TEXT_MAX + 1) : 0;
    char *out;

    if (n <= TEXT_MAX && (!s || str_is_utf8(s, n)))
        return s;
    if (n > TEXT_MAX)
        for (n = TEXT_MAX; n > TEXT_MAX - 4 && ((unsigned char)s[n] & 0xc0) == 0x80;)
            n--; /* not in the middle of a character */
    out = arena_strndup(a, s, n);
    if (!str_is_utf8(out, n))
        for (char *p = out; *p; p++)
            if ((unsigned char)*p >= 0x80)
                *p = '?';
    return out;
}

static struct json *fit_field(struct arena *a, const struct json *field)
{
    return json_is(field, JSON_STR) ? json_str(a, log_fit(a, field->s)) : arena_memdup(a, field, sizeof *field);
}

void log_write(struct arena *a, const struct log *l, enum log_level level, const char *msg, const struct json *fields)
{
    struct json *line;
    struct buf out;
    char ts[INSTANT_TEXT];

    if (!log_wants(l, level))
        return;
    line = json_obj(a);
    json_set_str(a, line, "ts", instant_text(clock_now(), ts));
    json_set_str(a, line, "level", LEVELS[level]);
    json_set_str(a, line, "program", l->program);
    json_set_str(a, line, "msg", log_fit(a, msg));
    for (const struct json *m = fields ? fields->first : NULL; m; m = m->next)
        json_set(a, line, m->key, fit_field(a, m));
    buf_init(&out, a, 512);
    json_write(&out, line, false);
    buf_putc(&out, '\n');
    if (l->queue)
        log_queue_add(l->queue, out.data, out.len, level >= LOG_WARN);
    else
        log_queue_put(l->fd, out.data, out.len);
}

void log_say(const struct log *l, enum log_level level, const char *fmt, ...)
{
    struct arena *a;
    va_list ap;

    if (!log_wants(l, level))
        return;
    a = arena_new(LINE_ARENA);
    va_start(ap, fmt);
    log_write(a, l, level, arena_vprintf(a, fmt, ap), NULL);
    va_end(ap);
    arena_free(a);
}

void log_flush(const struct log *l)
{
    if (l && l->queue)
        log_queue_add(l->queue, "", 0, true);
}
