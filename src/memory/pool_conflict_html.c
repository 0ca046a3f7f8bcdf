/* Two people changed one key at once: the page that shows both changes, and what can be done about it. */
#include "pool_html.h"

#include <string.h>

#include "diff.h"
#include "three_way.h"

/* A value as it is typed into the form: a text as it is, JSON with line breaks. NULL when it cannot be read. */
static const struct json *typed(struct ctx *c, const struct page_call *p, const char *name, const char *format)
{
    const char *text = form_text(c, p, name), *why;
    struct json *j;

    if (!text)
        return NULL;
    if (!str_eq(page_form(p, format), "json"))
        return json_str(c->arena, text);
    return json_parse(c->arena, text, strlen(text), &j, &why) == JSON_OK ? j : NULL;
}

static const char *pool_conflict_page_shown(struct ctx *c, const struct json *j)
{
    return !j ? "" : json_is(j, JSON_STR) ? j->s : json_text_pretty(c->arena, j);
}

/* mine, as it will be sent again: with the version that theirs has. */
static void add_mine(struct ctx *c, struct json *m, const struct page_call *p, const struct json *mine)
{
    put_value(c, m, mine);
    json_set_str(c->arena, m, "format", json_is(mine, JSON_STR) ? "text" : "json");
    json_set_str(c->arena, m, "ttl_seconds", page_form(p, "ttl_seconds"));
}

static void add_theirs(struct ctx *c, struct json *m, const struct pool_view *v, const struct pool_entry *e)
{
    put_pool_entry(c, m, v->ref, e, v->names);
    put_value(c, m, e->value);
    json_set_str(c->arena, m, "format", json_is(json_opened(c->arena, e->value), JSON_STR) ? "text" : "json");
}

static void add_merged(struct ctx *c, struct page_call *p, const struct json *base, const struct json *mine, const struct json *theirs)
{
    struct strs clashes = {ARENA_ARRAY(c->arena, const char *, THREE_WAY_CLASHES), 0};
    struct json *m = json_set(c->arena, p->model, "merged", json_obj(c->arena)), *list = put_list(c, m, "clashes");
    const struct json *both = three_way(c->arena, base, mine, theirs, &clashes);

    both = json_opened(c->arena, json_raw(c->arena, json_text(c->arena, both)));
    put_value(c, m, both);
    for (size_t i = 0; i < clashes.n; i++)
        json_push(list, json_str(c->arena, clashes.v[i]));
    json_set_bool(c->arena, m, "fits", !clashes.n);
    put_formats(c, p, both);
}

err pool_conflict(struct ctx *c, struct page_call *p, const struct pool_view *v, const char *key, const struct pool_entry *e)
{
    const struct json *mine = typed(c, p, "value", "format"), *base = typed(c, p, "base", "base_format");
    const struct json *theirs = e ? json_opened(c->arena, e->value) : NULL;
    struct json *m;

    if (!mine)
        mine = json_str(c->arena, form_text(c, p, "value"));
    p->is_again = false;           /* the form below is another one, … */
    p->flash = json_arr(c->arena); /* … and the page says itself what was not done */
    json_set_str(c->arena, p->model, "key", key);
    json_set_str(c->arena, p->model, "key_href", pool_key_place(c, v->ref, key));
    json_set_bool(c->arena, p->model, "knows_base", base != NULL);
    add_mine(c, json_set(c->arena, p->model, "mine", json_obj(c->arena)), p, mine);
    m = json_set(c->arena, p->model, "theirs", json_new(c->arena, e ? JSON_OBJ : JSON_NULL));
    if (e) {
        add_theirs(c, m, v, e);
        add_merged(c, p, base, mine, theirs);
        json_set(c->arena, p->model, "between", model_diff(c->arena, pool_conflict_page_shown(c, theirs),
                                                           pool_conflict_page_shown(c, mine)));
    }
    if (base) {
        json_set(c->arena, p->model, "their_change", model_diff(c->arena, pool_conflict_page_shown(c, base),
                                                                pool_conflict_page_shown(c, theirs)));
        json_set(c->arena, p->model, "my_change", model_diff(c->arena, pool_conflict_page_shown(c, base),
                                                             pool_conflict_page_shown(c, mine)));
    }
    return page_show(p, "pool_conflict");
}
