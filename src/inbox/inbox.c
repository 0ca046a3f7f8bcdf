/* What waits for the viewer; see inbox.h. */
#include "inbox.h"

#include <string.h>

#include "inbox_store.h"
#include "limit.h"
#include "principal.h"
#include "str.h"

#define SOURCES_MAX 32

/* The sources that the viewer may decide about; one: only that. */
static size_t inbox_sources(const struct ctx *c, const char *one, const struct inbox_source **out)
{
    size_t n = 0;

    for (const struct inbox_source *s = INBOX_SOURCES; s->kind && n < SOURCES_MAX; s++)
        if (permissions_have(c->who->perms, s->perm) && (!one || str_eq(one, s->kind)))
            out[n++] = s;
    return n;
}

/* ---- what can be done */

static const char *with_id(struct ctx *c, const char *pattern, struct uuid id)
{
    const char *at = strstr(pattern, ":id");

    return at ? arena_printf(c->arena, "%.*s%s%s", (int)(at - pattern), pattern, UUID_STR(id), at + 3) : pattern;
}

/* The text that a placeholder stands for; NULL: the member is left out. */
static const char *stands_for(struct ctx *c, const struct inbox_action *a, const char *text, struct uuid id, const char *note)
{
    if (str_eq(text, "$id"))
        return arena_strdup(c->arena, UUID_STR(id));
    if (str_eq(text, "$note"))
        return note;
    return str_eq(text, "$note!") ? (note ? note : a->label) : text;
}

struct json *inbox_body(struct ctx *c, const struct inbox_action *a, struct uuid id, const char *note)
{
    const struct json *form = a->body ? json_opened(c->arena, json_raw(c->arena, a->body)) : NULL;
    struct json *o = json_obj(c->arena), *list;

    for (const struct json *m = form ? form->first : NULL; m; m = m->next) {
        const char *text = json_is(m, JSON_STR) ? stands_for(c, a, m->s, id, str_empty(note) ? NULL : note) : NULL;

        if (text)
            json_set_str(c->arena, o, m->key, text);
        else if (json_is(m, JSON_BOOL))
            json_set_bool(c->arena, o, m->key, m->b);
        else if (json_is(m, JSON_ARR)) {
            list = json_set(c->arena, o, m->key, json_arr(c->arena));
            for (const struct json *j = m->first; j; j = j->next)
                json_push(list, json_str(c->arena, stands_for(c, a, j->s, id, NULL)));
        }
    }
    return o;
}

static const char *note_member(struct ctx *c, const struct inbox_action *a)
{
    const struct json *form = a->body ? json_opened(c->arena, json_raw(c->arena, a->body)) : NULL;

    for (const struct json *m = form ? form->first : NULL; m; m = m->next)
        if (json_is(m, JSON_STR) && strncmp(m->s, "$note", 5) == 0)
            return m->key;
    return NULL;
}

static void add_offers(struct ctx *c, struct inbox_item *item)
{
    struct inbox_offer *v = ARENA_ARRAY(c->arena, struct inbox_offer, INBOX_ACTIONS);
    size_t n = 0;

    for (const struct inbox_action *a = item->source->actions; n < INBOX_ACTIONS && a[n].name; n++) {
        const char *note = note_member(c, &a[n]);

        v[n] = (struct inbox_offer){a[n].name, "POST", with_id(c, a[n].path, item->id), inbox_body(c, &a[n], item->id, NULL), note};
    }
    item->actions = (struct list){v, n};
}

/* ---- listing */

/* Texts of what is shown side by side, for all rows at once. */
static err inbox_add_texts(struct ctx *c, struct inbox_item *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, 2 * n + 1);
    const char **texts = ARENA_ARRAY(c->arena, const char *, 2 * n + 1);

    memset(texts, 0, 2 * n * sizeof *texts);
    for (size_t i = 0; i < n; i++) {
        ids[2 * i] = rows[i].subject_id;
        ids[2 * i + 1] = rows[i].other_id;
    }
    TRY(inbox_store_texts(c, ids, 2 * n, texts));
    for (size_t i = 0; i < n; i++) {
        rows[i].text = texts[2 * i] ? texts[2 * i] : rows[i].text;
        rows[i].other_text = texts[2 * i + 1] ? texts[2 * i + 1] : rows[i].other_text;
    }
    return ERR_OK;
}

err inbox_list(struct ctx *c, const struct inbox_filter *f, struct page *out)
{
    struct inbox_item *rows = ARENA_ARRAY(c->arena, struct inbox_item, (size_t)f->limit + 1);
    const struct inbox_source *sources[SOURCES_MAX];
    size_t n_sources = inbox_sources(c, f->kind, sources), n = 0;
    const char *after;

    memset(rows, 0, ((size_t)f->limit + 1) * sizeof *rows);
    TRY(page_begin_name(c, f->cursor, &after));
    if (n_sources)
        TRY(inbox_store_list(c, sources, n_sources, f, after, rows, &n));
    PAGE_END_NAME(c, out, rows, n, f->limit, struct inbox_item, sort_key);
    if (!out->n)
        return ERR_OK;
    for (size_t i = 0; i < out->n; i++) {
        rows[i].source = inbox_source_find(rows[i].kind);
        add_offers(c, &rows[i]);
    }
    return inbox_add_texts(c, rows, out->n);
}

err inbox_count(struct ctx *c, int64_t *n)
{
    const struct inbox_source *sources[SOURCES_MAX];
    size_t n_sources = inbox_sources(c, NULL, sources);

    *n = 0;
    return n_sources ? inbox_store_count(c, sources, n_sources, n) : ERR_OK;
}
