/* What is set otherwise than usual in the playground, in words that can be taken away one by one. */
#include "playground_html.h"

#include "model.h"
#include "parts_html.h"

/* The texts of what is chosen, with commas between; NULL: nothing is. */
static const char *chosen_texts(struct ctx *c, const struct json *options)
{
    const char *out = NULL;

    for (const struct json *o = options ? options->first : NULL; o; o = o->next)
        if (json_get_bool(o, "selected", false))
            out = out ? arena_printf(c->arena, "%s, %s", out, json_get_str(o, "text")) : json_get_str(o, "text");
    return out;
}

/* NULL: as usual. */
static const char *chip_of(struct ctx *c, const struct json *setting)
{
    const char *value = json_get_str(setting, "value"), *label = json_get_str(setting, "label");

    if (json_get_bool(setting, "is_check", false))
        return json_get_bool(setting, "checked", false) ? label : NULL;
    if (json_get_bool(setting, "is_many", false))
        value = chosen_texts(c, json_get(setting, "options"));
    if (str_empty(value) || str_eq(value, json_get_str(setting, "otherwise")) ||
        (json_get_bool(setting, "is_number", false) && str_eq(value, json_get_str(setting, "placeholder"))))
        return NULL;
    return arena_printf(c->arena, "%s: %s", label, value);
}

/* A name that was sent several times, as one text with commas, which means the same. */
static const char *as_text(struct ctx *c, const struct json *sent)
{
    const char *out = "";

    if (!json_is(sent, JSON_ARR))
        return json_is(sent, JSON_STR) ? sent->s : NULL;
    for (const struct json *j = sent->first; j; j = j->next)
        if (!str_empty(j->s))
            out = *out ? arena_printf(c->arena, "%s,%s", out, j->s) : j->s;
    return out;
}

const char *playground_href(struct ctx *c, const struct page_call *p, const char *name, const char *value)
{
    struct json *query = json_obj(c->arena);

    for (const struct json *j = p->query->first; j; j = j->next)
        if (!str_eq(j->key, name))
            json_set_str(c->arena, query, j->key, as_text(c, j));
    json_set_str(c->arena, query, name, value);
    return model_href(c->arena, "/admin/recall", query);
}

static void add_chip(struct ctx *c, const struct page_call *p, struct json *chips, const char *text, const char *name)
{
    struct json *chip = add_row(c, chips);

    json_set_str(c->arena, chip, "text", text);
    json_set_str(c->arena, chip, "href", playground_href(c, p, name, NULL));
}

void playground_chips(struct ctx *c, struct page_call *p, const struct json *parts)
{
    struct json *chips = put_list(c, p->model, "chips");

    for (const struct json *part = parts->first; part; part = part->next)
        for (const struct json *g = json_get(part, "groups")->first; g; g = g->next)
            for (const struct json *s = json_get(g, "settings")->first; s; s = s->next) {
                const char *text = chip_of(c, s);

                if (text)
                    add_chip(c, p, chips, text, json_get_str(s, "name"));
            }
}
