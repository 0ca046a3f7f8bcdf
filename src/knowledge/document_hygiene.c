/* What a text may hold when it is kept: characters, secrets, orders to a model; and its front matter. See document_impl.h. */
#include <stdlib.h>
#include <string.h>

#include "document_impl.h"
#include "limit.h"
#include "sanitize.h"
#include "unicode.h"

#define FLAGS 32
#define FRONT_BYTES 8192
#define FRONT_KEYS 32

const char *document_clean(struct ctx *c, const char *text)
{
    const char *from = unicode_nfc(c->arena, text);
    char *clean = arena_strdup(c->arena, from), *to = clean;

    if (str_starts(from, "\xef\xbb\xbf"))
        from += 3;
    for (; *from; from++) {
        if (*from == '\r') {
            if (from[1] != '\n')
                *to++ = '\n';
        } else if ((unsigned char)*from >= ' ' || strchr("\n\t\f", *from)) {
            if (*from != 0x7f)
                *to++ = *from;
        }
    }
    *to = 0;
    return clean;
}

/* ---- what is found in it */

static struct sanitize_policy hygiene_policy(const char *pii)
{
    enum sanitize_action private = str_eq(pii, "redact") ? SANITIZE_REDACT : str_eq(pii, "off") ? SANITIZE_OFF : SANITIZE_FLAG;
    struct sanitize_policy p = {.keeps_markers = true};

    for (int k = 0; k < SANITIZE_MARKER; k++)
        p.of[k] = k == SANITIZE_SECRET ? SANITIZE_REDACT : private;
    return p;
}

static void hygiene_flag(struct ctx *c, struct json *flags, const struct sanitize_hit *h)
{
    const char *kind = enumx_name(&sanitize_kind_enumx, (int)h->kind);
    struct json *row;

    for (row = flags->first; row; row = row->next)
        if (str_eq(json_get_str(row, "pattern"), h->id) && json_get_bool(row, "redacted", false) == h->cut) {
            json_put(c->arena, row, "count", json_int(c->arena, json_get_int(row, "count", 0) + 1));
            return;
        }
    if (flags->len >= FLAGS)
        return;
    row = json_obj(c->arena);
    json_set_str(c->arena, row, "kind", kind);
    json_set_str(c->arena, row, "pattern", h->id);
    json_set_int(c->arena, row, "count", 1);
    json_set_bool(c->arena, row, "redacted", h->cut);
    json_push(flags, row);
}

err document_sanitize(struct ctx *c, struct document *d, const char *pii, const char **text)
{
    struct sanitize_policy policy = hygiene_policy(pii);
    struct sanitized s = sanitize(c->arena, *text, strlen(*text), &policy);
    struct json *flags = json_arr(c->arena);

    if (s.verdict == SANITIZE_MALFORMED || s.verdict == SANITIZE_UNSETTLED)
        return fail_reason(c, ERR_INVALID, "malformed", "the text cannot be judged: %s",
                           enumx_name(&sanitize_verdict_enumx, (int)s.verdict));
    for (size_t i = 0; i < s.n_hits; i++)
        hygiene_flag(c, flags, &s.hits[i]);
    d->flags = flags;
    d->injection_score = s.injection_score < 1 ? s.injection_score : 1;
    d->is_quarantined = s.injection_score >= SANITIZE_QUARANTINE && !d->by_person;
    *text = s.verdict == SANITIZE_RESIDUE ? "[redacted]" : arena_strndup(c->arena, s.text, s.n);
    return ctx_check_size(c);
}

/* ---- front matter: a first block between lines of three dashes, of lines "key: value" */

static const struct json *hygiene_front_value(struct ctx *c, const char *text)
{
    size_t n = strlen(text);
    double number;
    char *end;

    if (n >= 2 && (*text == '"' || *text == '\'') && text[n - 1] == *text)
        return json_str(c->arena, arena_strndup(c->arena, text + 1, n - 2));
    if (str_eq(text, "true") || str_eq(text, "false"))
        return json_bool(c->arena, *text == 't');
    number = strtod(text, &end);
    return *text && !*end && n < 16 && strspn(text, "0123456789.-") == n ? json_num(c->arena, number) : json_str(c->arena, text);
}

static const char *hygiene_front_trim(struct ctx *c, const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return arena_strndup(c->arena, from, (size_t)(to - from));
}

static void hygiene_front_line(struct ctx *c, struct json *into, const char *from, const char *to)
{
    const char *colon = memchr(from, ':', (size_t)(to - from)), *key;

    if (!colon || *from == ' ' || *from == '#' || *from == '-' || into->len >= FRONT_KEYS)
        return;
    key = hygiene_front_trim(c, from, colon);
    if (*key && strlen(key) <= 64 && !json_get(into, key))
        json_set(c->arena, into, key, (struct json *)(uintptr_t)hygiene_front_value(c, hygiene_front_trim(c, colon + 1, to)));
}

const char *document_front_matter(struct ctx *c, const char *text, struct json *into)
{
    const char *p = text + 4, *end;

    if (!str_starts(text, "---\n"))
        return text;
    end = strstr(text + 3, "\n---\n");
    if (!end || end - text > FRONT_BYTES || !end[5])
        return text;
    for (; p < end; p += strcspn(p, "\n") + 1)
        hygiene_front_line(c, into, p, p + strcspn(p, "\n") < end ? p + strcspn(p, "\n") : end);
    p = end + 5;
    return p + strspn(p, "\n");
}
