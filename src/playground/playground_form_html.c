/* The settings of the playground, made from the operation's own fields, so that none can be forgotten. */
#include "playground_html.h"

#include <string.h>

#include "node_kind.h"
#include "parts_html.h"
#include "space.h"

/* Set by the page itself, or shown apart. */
static const char *const APART[] = {"query", "explain", "touch", "hitl"};

/* Which setting stands under which heading: the usual ones first, in sight; what is not named here comes last. */
static const struct {
    const char *heading, *fields;
} GROUPS[] = {
    { "Usual", " mode limit token_budget as_of " },
    { "Where", " kinds spaces min_score exact " },
    { "Only hits that", " filters include " },
    { "When", " as_known_at history temporal tz " },
    { "Fusion", " fusion weights expand lifecycle " },
    { "Graph and spread", " spread spread_options " },
    { "Rerank and diversity", " rerank diversify diversify_options " },
    { "Gate and grade", " gate grade grade_options " },
    { "Answer", " render body_chars stable " },
};
#define N_GROUPS (sizeof GROUPS / sizeof *GROUPS)

static bool is_apart(const struct field *f)
{
    for (size_t i = 0; i < sizeof APART / sizeof *APART; i++)
        if (str_eq(f->name, APART[i]))
            return true;
    return false;
}

/* N_GROUPS: none of them. */
static size_t group_of(struct ctx *c, const char *name)
{
    const char *word = arena_printf(c->arena, " %s ", name);
    size_t i = 0;

    while (i < N_GROUPS && !strstr(GROUPS[i].fields, word))
        i++;
    return i;
}

/* ---- what was sent */

/* All values of a name, those with commas taken apart. */
static struct json *playground_form_values_of(struct ctx *c, const struct page_call *p, const char *name)
{
    const struct json *sent = json_get(p->query, name);
    struct json *out = json_arr(c->arena);

    for (const struct json *j = json_is(sent, JSON_ARR) ? sent->first : sent; j; j = json_is(sent, JSON_ARR) ? j->next : NULL) {
        const char *at = json_is(j, JSON_STR) ? j->s : "";

        while (*(at += strspn(at, ", ")) != 0) {
            size_t n = strcspn(at, ",");

            json_push(out, json_str(c->arena, arena_strndup(c->arena, at, n)));
            at += n;
        }
    }
    return out;
}

/* Text that is no JSON stays text, and is refused with the field's name. */
static struct json *object_of(struct ctx *c, const char *text)
{
    struct json *out;
    const char *why;

    return json_parse(c->arena, text, strlen(text), &out, &why) == JSON_OK ? out : json_str(c->arena, text);
}

/* Browsers send "2026-11-18T10:30"; it is meant in UTC. */
static struct json *moment_of(struct ctx *c, const char *text)
{
    return json_str(c->arena, strlen(text) == 16 ? arena_printf(c->arena, "%s:00Z", text) : text);
}

static struct json *members_of(struct ctx *c, const struct page_call *p, const struct field *table, const char *prefix);

/* NULL: not set. */
static struct json *playground_form_value_of(struct ctx *c, const struct page_call *p, const struct field *f, const char *name)
{
    const char *text = page_query(p, name);
    struct json *out;

    switch (f->type) {
    case FT_OBJ:
        out = members_of(c, p, f->sub, arena_printf(c->arena, "%s.", name));
        return out->first ? out : NULL;
    case FT_STRS:
    case FT_UUIDS:
        out = playground_form_values_of(c, p, name);
        return out->first ? out : NULL;
    case FT_OBJECT: return text ? object_of(c, text) : NULL;
    case FT_TIME: return text ? moment_of(c, text) : NULL;
    case FT_ENUM: /* a select always sends something */
        return text && !str_eq(text, enumx_name(f->enumx, (int)f->otherwise)) ? field_from_text(c->arena, f, text) : NULL;
    default: return text ? field_from_text(c->arena, f, text) : NULL;
    }
}

static struct json *members_of(struct ctx *c, const struct page_call *p, const struct field *table, const char *prefix)
{
    struct json *o = json_obj(c->arena);

    for (const struct field *f = table; f->type != FT_END; f++) {
        const char *name = arena_printf(c->arena, "%s%s", prefix, f->name);
        struct json *v = is_apart(f) && !*prefix ? NULL : playground_form_value_of(c, p, f, name);

        if (v)
            json_set(c->arena, o, f->name, v);
    }
    return o;
}

struct json *playground_args(struct ctx *c, const struct page_call *p, const struct field *table)
{
    struct json *o = members_of(c, p, table, "");
    const char *query = page_query(p, "query");

    json_set_str(c->arena, o, "query", query ? query : "");
    return o;
}

/* ---- the form */

static const char *error_at(struct ctx *c, const char *name)
{
    char *pointer = arena_printf(c->arena, "/%s", name);

    for (char *s = pointer; *s; s++)
        *s = *s == '.' ? '/' : *s;
    for (const struct field_error *f = c->fault.fields; f; f = f->next)
        if (str_starts(f->pointer, pointer) && (!f->pointer[strlen(pointer)] || f->pointer[strlen(pointer)] == '/'))
            return f->detail;
    return NULL;
}

/* "filters.min_importance" → "Min importance" */
static const char *label_of(struct ctx *c, const char *name)
{
    const char *dot = strrchr(name, '.');
    char *label = arena_strdup(c->arena, dot ? dot + 1 : name);

    for (char *s = label; *s; s++)
        *s = *s == '_' ? ' ' : *s;
    if (*label >= 'a' && *label <= 'z')
        *label = (char)(*label - 32);
    return label;
}

static bool has_value(const struct json *values, const char *v)
{
    for (const struct json *j = values->first; j; j = j->next)
        if (str_eq(j->s, v))
            return true;
    return false;
}

static err add_space_choices(struct ctx *c, struct json *options, const struct json *values)
{
    struct space_filter f = {.kind = -1, .status = -1, .limit = LIMIT_PAGE};
    const struct space *s;
    struct page page;

    TRY(space_list(c, &f, &page));
    s = page.items;
    for (size_t i = 0; i < page.n; i++) {
        const char *id = arena_strdup(c->arena, UUID_STR(s[i].id));

        add_choice(c, options, id, s[i].name, has_value(values, id));
    }
    return ERR_OK;
}

/* Sets of which all members are known are chosen from a list; others are typed, with commas. */
static err add_choices(struct ctx *c, struct json *row, const struct field *f, const struct json *values)
{
    struct json *options = put_list(c, row, "options");

    if (str_eq(f->name, "spaces"))
        TRY(add_space_choices(c, options, values));
    for (size_t i = 0; str_eq(f->name, "kinds") && node_kind_at(i); i++)
        add_choice(c, options, node_kind_at(i)->name, node_kind_at(i)->name, has_value(values, node_kind_at(i)->name));
    for (size_t i = 0; str_eq(f->name, "include") && i < 3; i++) {
        static const char *const WORDS[] = {"superseded", "forgotten", "archived"};

        add_choice(c, options, WORDS[i], WORDS[i], has_value(values, WORDS[i]));
    }
    json_set_bool(c->arena, row, "is_many", options->first != NULL);
    return ERR_OK;
}

static err add_set(struct ctx *c, const struct page_call *p, struct json *row, const struct field *f, const char *name)
{
    struct json *values = playground_form_values_of(c, p, name);
    struct buf typed;

    TRY(add_choices(c, row, f, values));
    buf_init(&typed, c->arena, 32);
    for (const struct json *j = values->first; j; j = j->next)
        buf_printf(&typed, "%s%s", j->s, j->next ? ", " : "");
    json_set_bool(c->arena, row, "is_text", !json_get(row, "is_many")->b);
    json_set_str(c->arena, row, "value", buf_str(&typed));
    json_set_str(c->arena, row, "placeholder", "with commas between");
    return ERR_OK;
}

static void add_number(struct ctx *c, struct json *row, const struct field *f)
{
    json_set_bool(c->arena, row, "is_number", true);
    json_set_str(c->arena, row, "step", f->type == FT_INT ? "1" : "any");
    json_set_str(c->arena, row, "min", arena_printf(c->arena, "%g", f->min));
    json_set_str(c->arena, row, "max", arena_printf(c->arena, "%.12g", f->max));
    json_set_str(c->arena, row, "placeholder", arena_printf(c->arena, "%.12g", f->otherwise));
}

/* One setting; the template asks which of is_… it is. */
static err add_setting(struct ctx *c, const struct page_call *p, struct json *list, const struct field *f, const char *name)
{
    const char *sent = page_query(p, name), *wrong = error_at(c, name);
    struct json *row = add_row(c, list);

    json_set_str(c->arena, row, "name", name);
    json_set_str(c->arena, row, "label", label_of(c, name));
    json_set_str(c->arena, row, "help", f->help);
    json_set_str(c->arena, row, "error", wrong);
    if (f->type == FT_STRS || f->type == FT_UUIDS)
        return add_set(c, p, row, f, name);
    json_set_bool(c->arena, row, "is_select", f->type == FT_ENUM);
    json_set_bool(c->arena, row, "is_check", f->type == FT_BOOL);
    json_set_bool(c->arena, row, "is_moment", f->type == FT_TIME);
    json_set_str(c->arena, row, "value", sent);
    json_set_str(c->arena, row, "otherwise", f->type == FT_ENUM ? enumx_name(f->enumx, (int)f->otherwise) : NULL);
    if (f->type == FT_ENUM)
        json_set(c->arena, row, "options",
                 enum_choices(c, f->enumx, NULL, sent ? sent : enumx_name(f->enumx, (int)f->otherwise)));
    else if (f->type == FT_INT || f->type == FT_NUM)
        add_number(c, row, f);
    else if (f->type == FT_BOOL)
        json_set_bool(c->arena, row, "checked", sent != NULL);
    else if (f->type != FT_TIME) {
        json_set_bool(c->arena, row, "is_text", true);
        json_set_str(c->arena, row, "placeholder", f->type == FT_OBJECT ? "{\"topic\": \"rent\"}" : NULL);
    }
    return ERR_OK;
}

static err add_settings(struct ctx *c, const struct page_call *p, struct json *list, const struct field *f)
{
    if (f->type != FT_OBJ)
        return add_setting(c, p, list, f, f->name);
    for (const struct field *s = f->sub; s->type != FT_END; s++)
        TRY(add_setting(c, p, list, s, arena_printf(c->arena, "%s.%s", f->name, s->name)));
    return ERR_OK;
}

static err add_group(struct ctx *c, const struct page_call *p, struct json *groups, const struct field *table, size_t g)
{
    struct json *group = json_obj(c->arena), *settings = put_list(c, group, "settings");

    for (const struct field *f = table; f->type != FT_END; f++)
        if (!is_apart(f) && group_of(c, f->name) == g)
            TRY(add_settings(c, p, settings, f));
    if (!settings->first)
        return ERR_OK;
    json_set_str(c->arena, group, "heading", g < N_GROUPS ? GROUPS[g].heading : "More");
    json_push(groups, group);
    return ERR_OK;
}

/* What is wrong is seen without being opened; what is set otherwise than usual stands in the chips. */
static bool is_open(const struct json *groups)
{
    for (const struct json *g = groups->first; g; g = g->next)
        for (const struct json *s = json_get(g, "settings")->first; s; s = s->next)
            if (json_get_str(s, "error"))
                return true;
    return false;
}

err playground_form(struct ctx *c, struct page_call *p, const struct field *table)
{
    struct json *parts = put_list(c, p->model, "parts"), *groups = NULL;

    for (size_t g = 0; g <= N_GROUPS; g++) {
        if (g < 2) { /* the usual ones, and all others */
            struct json *part = add_row(c, parts);

            json_set_bool(c->arena, part, "is_more", g == 1);
            groups = put_list(c, part, "groups");
        }
        TRY(add_group(c, p, groups, table, g));
    }
    playground_chips(c, p, parts);
    for (struct json *part = parts->first; part; part = part->next)
        json_set_bool(c->arena, part, "open", is_open(json_get(part, "groups")));
    json_set_str(c->arena, p->model, "query", page_query(p, "query"));
    json_set_str(c->arena, p->model, "query_error", error_at(c, "query"));
    json_set_str(c->arena, p->model, "keep", page_query(p, "keep"));
    return ERR_OK;
}
