/* Models of pages and forms from tables of columns: what a thing shows, and the fields that a person fills in. */
#include <math.h>

#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "strs_json.h"

#define AREA_FROM 500 /* texts that may be so long get several lines */

/* ---- a row as a page shows it */

/* The word of shades at this place: "ok warn off". */
static const char *shade_of(struct arena *a, const char *shades, int place)
{
    for (; place > 0 && *shades; place--) {
        shades += strcspn(shades, " ");
        shades += strspn(shades, " ");
    }
    return arena_strndup(a, shades, strcspn(shades, " "));
}

static struct json *shown_enum(struct ctx *c, const struct field *f, int value)
{
    const char *name = enumx_name(f->enumx, value);

    return f->shades ? model_badge(c->arena, shade_of(c->arena, f->shades, value), name) : json_str(c->arena, name);
}

static const char *form_page_words_of(struct arena *a, struct strs list)
{
    struct buf b;

    buf_init(&b, a, 64);
    for (size_t i = 0; i < list.n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", list.v[i]);
    return buf_str(&b);
}

static struct json *form_page_shown(struct ctx *c, const struct field *f, const void *member)
{
    struct arena *a = c->arena;

    switch (f->type) {
    case FT_STR: return json_str(a, str_empty(*(const char *const *)member) ? NULL : *(const char *const *)member);
    case FT_INT:
        if (*(const int64_t *)member == FIELD_NONE)
            return json_new(a, JSON_NULL);
        return f->flags & COL_VERSION ? json_int(a, *(const int64_t *)member) : json_str(a, model_count(a, *(const int64_t *)member));
    case FT_NUM: return isnan(*(const double *)member) ? json_new(a, JSON_NULL) : json_str(a, arena_printf(a, "%.2f", *(const double *)member));
    case FT_BOOL: return json_bool(a, *(const bool *)member);
    case FT_ENUM: return shown_enum(c, f, *(const int *)member);
    case FT_UUID: {
        struct uuid id = *(const struct uuid *)member;

        return json_str(a, uuid_is_nil(id) ? NULL : uuid_text(id, arena_alloc(a, UUID_TEXT)));
    }
    case FT_TIME: return model_time(a, *(const struct instant *)member, c->now);
    case FT_STRS: return ((const struct strs *)member)->v ? strs_to_json(a, *(const struct strs *)member) : json_new(a, JSON_NULL);
    default: return json_new(a, JSON_NULL);
    }
}

struct json *put_thing(struct ctx *c, struct json *obj, const struct thing *t, const void *row)
{
    for (const struct field *f = t->columns; f->type != FT_END; f++)
        if (f->flags & COL_SHOW)
            json_set(c->arena, obj, f->name, form_page_shown(c, f, (const char *)row + f->off));
    return obj;
}

void put_things(struct ctx *c, struct json *obj, const char *name, const struct thing *t, const struct page *page)
{
    struct json *list = put_list(c, obj, name);

    for (size_t i = 0; i < page->n; i++)
        put_thing(c, add_row(c, list), t, (const char *)page->items + i * t->size);
}

/* ---- a form */

/* As an input of the type datetime-local has it. */
static const char *form_moment(struct arena *a, struct instant t)
{
    char text[INSTANT_TEXT];

    return t.us ? arena_strndup(a, instant_text(t, text), sizeof "2026-11-18T09:04" - 1) : NULL;
}

/* What stands in the field: what was posted, else what the row has, else the default. */
static const char *typed_value(struct ctx *c, const struct page_call *p, const struct field *f, const void *row)
{
    const void *member = row ? (const char *)row + f->off : NULL;

    if (p->is_again && json_get(p->form, f->name)) /* another form of the page may have been posted */
        return page_form(p, f->name);
    switch (f->type) {
    case FT_STR: return row ? *(const char *const *)member : f->preset;
    case FT_INT: return arena_printf(c->arena, "%lld", (long long)(row ? *(const int64_t *)member : (int64_t)f->otherwise));
    case FT_NUM: return arena_printf(c->arena, "%g", row ? *(const double *)member : f->otherwise);
    case FT_ENUM:
        return enumx_name(f->enumx, row ? *(const int *)member : (int)f->otherwise);
    case FT_BOOL: return (row ? *(const bool *)member : f->otherwise > 0) ? "true" : "false";
    case FT_UUID: return row && !uuid_is_nil(*(const struct uuid *)member) ? uuid_text(*(const struct uuid *)member,
                                                                                       arena_alloc(c->arena, UUID_TEXT)) : NULL;
    case FT_TIME: return row ? form_moment(c->arena, *(const struct instant *)member) : NULL;
    case FT_STRS: return row ? form_page_words_of(c->arena, *(const struct strs *)member) : NULL;
    default: return NULL;
    }
}

static void add_number_limits(struct ctx *c, struct json *one, const struct field *f)
{
    json_set_str(c->arena, one, "min", arena_printf(c->arena, "%.15g", f->min));
    json_set_str(c->arena, one, "max", arena_printf(c->arena, "%.15g", f->max));
    json_set_str(c->arena, one, "step", f->type == FT_INT ? "1" : "any");
}

static bool is_area(const struct field *f)
{
    return f->type == FT_STR && f->max >= AREA_FROM && !(f->flags & (FIELD_SLUG | FIELD_EMAIL | FIELD_SECRET));
}

static const char *kind_of_text(const struct field *f)
{
    return f->flags & FIELD_SLUG ? "is_slug" : f->flags & FIELD_EMAIL ? "is_email" : f->flags & FIELD_SECRET ? "is_password" :
           is_area(f) ? "is_area" : "is_text";
}

static const char *hint_of(struct arena *a, const struct field *f)
{
    return !f->hint && f->flags & FIELD_SECRET && f->min > 0 ? arena_printf(a, "At least %.0f characters", f->min) : f->hint;
}

static void add_field(struct ctx *c, const struct page_call *p, struct json *list, const struct field *f, const void *row)
{
    struct json *one = add_row(c, list);
    const char *value = typed_value(c, p, f, row);

    json_set_str(c->arena, one, "name", f->name);
    json_set_str(c->arena, one, "label", f->label);
    json_set_str(c->arena, one, "help", hint_of(c->arena, f));
    json_set_str(c->arena, one, "error", json_get_str(json_get(p->model, "errors"), f->name));
    json_set_str(c->arena, one, "value", f->flags & FIELD_SECRET ? NULL : value);
    json_set_bool(c->arena, one, "required", f->flags & FIELD_REQUIRED);
    if (f->type == FT_ENUM) {
        json_set_bool(c->arena, one, "is_select", true);
        json_set(c->arena, one, "options", enum_choices(c, f->enumx, NULL, value));
    } else if (f->type == FT_BOOL) {
        json_set_bool(c->arena, one, "is_check", true);
        json_set_bool(c->arena, one, "checked", str_eq(value, "true"));
    } else if (f->type == FT_INT || f->type == FT_NUM) {
        json_set_bool(c->arena, one, "is_number", true);
        add_number_limits(c, one, f);
    } else if (f->type == FT_TIME) {
        json_set_bool(c->arena, one, "is_moment", true);
    } else {
        json_set_bool(c->arena, one, f->type == FT_STR ? kind_of_text(f) : "is_text", true);
        if (f->flags & FIELD_SECRET && f->min > 0)
            json_set_int(c->arena, one, "min", (int64_t)f->min);
        if (f->max > 0)
            json_set_int(c->arena, one, "max", (int64_t)f->max);
    }
}

struct json *put_form(struct ctx *c, struct page_call *p, const char *name, const struct thing *t, unsigned use, const void *row)
{
    struct json *list = put_list(c, p->model, name);

    for (int areas = 0; areas <= 1; areas++) /* what has several lines stands below the rest */
        for (const struct field *f = t->columns; f->type != FT_END; f++)
            if (f->flags & use && f->label && is_area(f) == areas)
                add_field(c, p, list, f, row);
    return list;
}

struct json *form_field(struct json *form, const char *name)
{
    for (struct json *one = form->first; one; one = one->next)
        if (str_eq(json_get_str(one, "name"), name))
            return one;
    return NULL;
}

void form_without(struct json *form, const char *name)
{
    struct json *last = NULL, **at = &form->first;

    for (struct json *one = form->first; one; one = one->next)
        if (str_eq(json_get_str(one, "name"), name)) {
            *at = one->next;
            form->len--;
        } else {
            last = one;
            at = &one->next;
        }
    form->last = last;
}

void form_choices(struct ctx *c, struct json *form, const char *name, struct json *options)
{
    struct json *one = form_field(form, name);

    for (struct json *m = one->first; m; m = m->next)
        m->b &= !str_starts(m->key, "is_");
    json_put(c->arena, one, "is_select", json_bool(c->arena, true));
    json_put(c->arena, one, "options", options);
}
