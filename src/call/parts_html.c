/* Common parts of models; see parts_html.h. */
#include "parts_html.h"

#include <string.h>

#include "limit.h"
#include "model.h"

#define LIFETIME_DAYS 3650

void put_time(struct ctx *c, struct json *obj, const char *name, struct instant t)
{
    json_set(c->arena, obj, name, model_time(c->arena, t, c->now));
}

void put_badge(struct ctx *c, struct json *obj, const char *kind, const char *text)
{
    json_set(c->arena, obj, "status", model_badge(c->arena, kind, text));
}

void put_id(struct ctx *c, struct json *obj, const char *name, struct uuid id)
{
    json_set_str(c->arena, obj, name, uuid_is_nil(id) ? NULL : uuid_text(id, arena_alloc(c->arena, UUID_TEXT)));
}

struct json *put_list(struct ctx *c, struct json *obj, const char *name)
{
    return json_set(c->arena, obj, name, json_arr(c->arena));
}

struct json *add_row(struct ctx *c, struct json *list)
{
    struct json *row = json_obj(c->arena);

    json_push(list, row);
    return row;
}

/* ---- choices */

void add_choice(struct ctx *c, struct json *list, const char *value, const char *text, bool selected)
{
    struct json *o = add_row(c, list);

    json_set_str(c->arena, o, "value", value);
    json_set_str(c->arena, o, "text", text);
    json_set_bool(c->arena, o, "selected", selected);
}

struct json *enum_choices(struct ctx *c, const struct enumx *e, const char *any, const char *value)
{
    struct json *list = json_arr(c->arena);

    if (any)
        add_choice(c, list, "", any, str_empty(value));
    for (size_t i = 0; i < e->n; i++)
        add_choice(c, list, e->names[i], e->names[i], str_eq(e->names[i], value));
    return list;
}

int query_enum(const struct page_call *p, const char *name, const struct enumx *e)
{
    const char *text = page_query(p, name);
    int value;

    return text && enumx_parse(e, text, &value) ? value : -1;
}

const char *chosen(const struct page_call *p, const char *name, const char *otherwise)
{
    const char *posted = p->is_again ? page_form(p, name) : NULL;

    return posted ? posted : otherwise;
}

void put_lifetimes(struct ctx *c, struct json *m, const char *name, const char *value, const char *never)
{
    static const char *const DAYS[][2] = {{"1", "1 day"}, {"7", "7 days"}, {"30", "30 days"}, {"90", "90 days"},
                                          {"365", "1 year"}};
    struct json *list = put_list(c, m, name);

    for (size_t i = 0; i < sizeof DAYS / sizeof *DAYS; i++)
        add_choice(c, list, DAYS[i][0], DAYS[i][1], str_eq(DAYS[i][0], value));
    add_choice(c, list, "0", never, str_eq(value, "0"));
}

err form_lifetime(struct ctx *c, const struct page_call *p, const char *name, struct instant *out)
{
    const char *text = page_form(p, name);
    int64_t days;

    if (!text || !str_to_i64(text, &days) || days < 0 || days > LIFETIME_DAYS)
        return fail_field(c, arena_printf(c->arena, "/%s", name), "choose an item of the list");
    out->us = days ? c->now.us + days * DAY_US : 0;
    return ERR_OK;
}

int64_t form_version(const struct page_call *p)
{
    const char *text = page_form(p, "if_version");
    int64_t v;

    return text && str_to_i64(text, &v) && v > 0 ? v : 0;
}

err in_words_of(struct ctx *c, err e, const char *pointer, const char *form_pointer)
{
    for (struct field_error *f = e == ERR_OK ? NULL : c->fault.fields; f; f = f->next)
        if (str_eq(f->pointer, pointer))
            f->pointer = form_pointer;
    return e;
}

void put_listing(struct ctx *c, struct page_call *p, const char *path, const struct page *page)
{
    json_set_str(c->arena, p->model, "q", page_query(p, "q"));
    json_set(c->arena, p->model, "pager", model_pager(c->arena, path, p->query, page->next_cursor));
}
