/* Reading files; see intake.h. */
#include "intake.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "extract.h"
#include "intake_child.h"
#include "intake_pages.h"

#define INTAKE_TRIES 2 /* of what crashes, takes too long or too much: it may have been the machine */

/* ---- what went wrong */

static err intake_refuse(struct ctx *c, enum extract_fault fault)
{
    switch (fault) {
    case EXTRACT_NO_TEXT:
        return fail_reason(c, ERR_INVALID, "no_text", "the file has no text: a scan needs character recognition before it is added");
    case EXTRACT_ENCRYPTED: return fail_reason(c, ERR_INVALID, "encrypted", "the file has a password: add it without one");
    case EXTRACT_TOO_LARGE: return fail_reason(c, ERR_INVALID, "too_large", "the file holds more than can be read");
    case EXTRACT_NO_MEMORY: return fail_reason(c, ERR_INVALID, "extract_memory", "reading the file takes more memory than is allowed");
    case EXTRACT_NO_CAGE:
        return fail(c, ERR_UNAVAILABLE, "foreign formats are off: the child that reads them cannot confine itself (locictl doctor)");
    default: return fail_reason(c, ERR_INVALID, "malformed", "the file is damaged, or not what it says it is");
    }
}

static bool says(const struct child_answer *a, const char *what)
{
    return strcasestr(a->errors, what) != NULL;
}

static err intake_complain(struct ctx *c, const struct child_answer *a)
{
    int sig = WIFSIGNALED(a->status) ? WTERMSIG(a->status) : 0, code = WIFEXITED(a->status) ? WEXITSTATUS(a->status) : 0;

    if (a->is_late || sig == SIGXCPU || (sig == SIGKILL && !a->is_too_large))
        return fail_reason(c, ERR_INVALID, "extract_timeout", "reading the file takes too long");
    if (a->is_too_large)
        return intake_refuse(c, EXTRACT_TOO_LARGE);
    if (sig == SIGABRT || says(a, "out of memory") || says(a, "bad_alloc"))
        return intake_refuse(c, EXTRACT_NO_MEMORY);
    if (sig)
        return fail_reason(c, ERR_INVALID, "extract_crashed", "reading the file crashed (signal %d)", sig);
    if (code >= EXTRACT_EXIT && code < EXTRACT_EXIT + EXTRACT_FAULTS)
        return intake_refuse(c, (enum extract_fault)(code - EXTRACT_EXIT));
    if (says(a, "incorrect password") || code == 3)
        return intake_refuse(c, EXTRACT_ENCRYPTED);
    return intake_refuse(c, EXTRACT_MALFORMED);
}

/* ---- what came out */

static bool is_text_empty(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] > ' ')
            return false;
    return true;
}

static err intake_take_pdf(struct ctx *c, const struct child_answer *a, struct intake_text *out)
{
    size_t n = a->out.len;
    const char *text = extract_utf8(c->arena, a->out.data, n, "utf-8", &n);

    if (is_text_empty(text, n))
        return intake_refuse(c, EXTRACT_NO_TEXT);
    out->text = intake_pages_clean(c->arena, text, &n, &out->pages);
    out->n = n;
    return ctx_check_size(c);
}

static void intake_take_record(struct ctx *c, struct intake_text *out, char kind, const char *p, size_t n)
{
    const char *text = kind == 'C' ? NULL : extract_utf8(c->arena, p, n, "utf-8", &(size_t){0});

    switch (kind) {
    case 'T': out->title = text; break;
    case 'L': out->language = text; break;
    case 'D': out->date = text; break;
    case 'B':
        out->text = text;
        out->n = strlen(text);
        break;
    case 'A':
        if (!out->parts)
            out->parts = ARENA_ARRAY(c->arena, struct intake_part, EXTRACT_ENTRIES);
        if (out->n_parts < EXTRACT_ENTRIES)
            out->parts[out->n_parts++].name = text;
        break;
    case 'C':
        if (out->n_parts)
            out->parts[out->n_parts - 1].bytes = (struct bytes){p, n};
        break;
    default: break;
    }
}

static err intake_take_records(struct ctx *c, const struct child_answer *a, struct intake_text *out)
{
    const char *p = a->out.data, *end = p + a->out.len;

    out->is_markdown = true;
    while (p < end) {
        char kind = *p, *behind;
        unsigned long n = strtoul(p + 1, &behind, 10);

        if (*behind != '\n' || n > (size_t)(end - behind) - 1)
            return intake_refuse(c, EXTRACT_MALFORMED);
        intake_take_record(c, out, kind, behind + 1, n);
        p = behind + 1 + n;
    }
    return out->text ? ctx_check_size(c) : intake_refuse(c, EXTRACT_MALFORMED);
}

/* ---- doing it */

static bool is_worth_another_try(const struct child_answer *a)
{
    return !a->is_too_large && (a->is_late || WIFSIGNALED(a->status));
}

static err intake_read_foreign(struct ctx *c, const char *name, struct bytes in, struct intake_text *out)
{
    const char *args[] = {name, arena_printf(c->arena, "%ld", (long)getpid()), NULL};
    struct child_answer a;

    for (int i = 0; i < INTAKE_TRIES; i++) {
        TRY(intake_child_run(c, args, in, &a));
        if (!is_worth_another_try(&a))
            break;
    }
    if (a.is_late || a.is_too_large || !WIFEXITED(a.status) || WEXITSTATUS(a.status) != 0)
        return intake_complain(c, &a);
    return str_eq(name, intake_child_name(INTAKE_PDF)) ? intake_take_pdf(c, &a, out) : intake_take_records(c, &a, out);
}

err intake_read(struct ctx *c, enum intake_format f, struct bytes in, const char *charset, struct intake_text *out)
{
    *out = (struct intake_text){0};
    if (f == INTAKE_UNKNOWN)
        return fail(c, ERR_MEDIA_TYPE, "files of this kind cannot be read");
    if (intake_child_name(f))
        return intake_read_foreign(c, intake_child_name(f), in, out);
    out->text = extract_utf8(c->arena, in.p, in.n, charset, &out->n);
    out->is_markdown = f == INTAKE_MARKDOWN;
    return is_text_empty(out->text, out->n) ? intake_refuse(c, EXTRACT_NO_TEXT) : ctx_check_size(c);
}

err intake_unpack(struct ctx *c, struct bytes zip, struct intake_text *out)
{
    *out = (struct intake_text){0};
    return intake_read_foreign(c, "zip", zip, out);
}

const char *intake_probe(struct ctx *c)
{
    struct child_answer a;
    err e = intake_child_run(c, (const char *const[]){"--probe", NULL}, (struct bytes){"", 0}, &a);

    if (e != ERR_OK)
        ctx_forgive(c);
    return e == ERR_OK && WIFEXITED(a.status) ? buf_str(&a.out) : NULL;
}
