/* One event of the audit trail: who and what by name, with their pages, and what differs between before and after. */
#include "audit_event_html.h"

#include <string.h>

#include "diff.h"
#include "model.h"
#include "node.h"

#define NESTED_MAX 3 /* objects in objects are compared by their members; deeper ones as they are written */
#define LONG_TEXT 80 /* a text longer than this is compared line by line */

/* ---- what differs */

static const char *audit_event_page_shown(struct ctx *c, const struct json *j)
{
    if (!j || j->type == JSON_NULL)
        return NULL;
    return j->type == JSON_STR ? j->s : json_text(c->arena, j);
}

static bool is_long(const struct json *j)
{
    return json_is(j, JSON_STR) && (j->len > LONG_TEXT || strchr(j->s, '\n'));
}

/* An id is a name where there is one, and leads to what happened to it. */
static void audit_event_page_put_value(struct ctx *c, struct json *row, const char *name, const struct json *j, const struct names *names)
{
    struct json *value = json_obj(c->arena);
    struct uuid id;
    const char *text = audit_event_page_shown(c, j);
    bool is_id = json_is(j, JSON_STR) && uuid_parse(j->s, &id);

    if (!text) {
        json_set(c->arena, row, name, json_new(c->arena, JSON_NULL));
        return;
    }
    json_set_str(c->arena, value, "text", is_id && names_find(names, id) ? names_find(names, id) : text);
    json_set_str(c->arena, value, "href", is_id ? arena_printf(c->arena, "/admin/audit?subject=%s", j->s) : NULL);
    json_set(c->arena, row, name, value);
}

static void add_changes(struct ctx *c, struct json *rows, const char *field, const struct json *before, const struct json *after,
                        const struct names *names, int depth);

static void add_members(struct ctx *c, struct json *rows, const char *field, const struct json *before, const struct json *after,
                        const struct names *names, int depth)
{
    const struct json *sides[] = {before, after};

    for (int side = 0; side < 2; side++)
        for (const struct json *m = json_is(sides[side], JSON_OBJ) ? sides[side]->first : NULL; m; m = m->next)
            if (side == 0 || !json_get(before, m->key))
                add_changes(c, rows, *field ? arena_printf(c->arena, "%s.%s", field, m->key) : m->key,
                            json_get(before, m->key), json_get(after, m->key), names, depth + 1);
}

static void add_changes(struct ctx *c, struct json *rows, const char *field, const struct json *before, const struct json *after,
                        const struct names *names, int depth)
{
    struct json *row;

    if (json_equal(before, after))
        return;
    if ((json_is(before, JSON_OBJ) || json_is(after, JSON_OBJ)) && depth < NESTED_MAX) {
        add_members(c, rows, field, before, after, names, depth);
        return;
    }
    row = add_row(c, rows);
    json_set_str(c->arena, row, "field", field);
    audit_event_page_put_value(c, row, "before", before, names);
    audit_event_page_put_value(c, row, "after", after, names);
    json_set(c->arena, row, "diff", is_long(before) && is_long(after) ? model_diff(c->arena, before->s, after->s)
                                                                      : json_new(c->arena, JSON_NULL));
}

static void put_changes(struct ctx *c, struct json *row, const struct audit_event *e, const struct names *names)
{
    const struct json *before = json_opened(c->arena, e->before), *after = json_opened(c->arena, e->after);
    struct json *changes = json_obj(c->arena), *rows = put_list(c, changes, "rows");

    add_members(c, rows, "", before, after, names, 0);
    json_set(c->arena, row, "changes", rows->first ? changes : json_new(c->arena, JSON_NULL));
}

/* ---- to what */

static const char *subject_page(struct ctx *c, const struct audit_event *e, const struct json *payload)
{
    static const struct { const char *kind, *folder; } PAGES[] = {
        {"user", "users"}, {"agent", "agents"}, {"team", "teams"}, {"space", "spaces"}, {"node", "nodes"}, {"pool", "pools"},
    };

    if (str_eq(e->subject_kind, "job"))
        return !uuid_is_nil(e->subject_id) ? arena_printf(c->arena, "/admin/jobs/runs/%s", UUID_STR(e->subject_id))
            : json_get_str(payload, "job") ? arena_printf(c->arena, "/admin/jobs/%s", json_get_str(payload, "job")) : NULL;
    if (str_eq(e->subject_kind, "token"))
        return "/admin/tokens?state=all";
    if (str_eq(e->subject_kind, "role"))
        return "/admin/users#roles";
    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES && !uuid_is_nil(e->subject_id); i++)
        if (str_eq(PAGES[i].kind, e->subject_kind))
            return arena_printf(c->arena, "/admin/%s/%s", PAGES[i].folder, UUID_STR(e->subject_id));
    return NULL;
}

/* What it was called then, as far as the event says. */
static const char *told_name(const struct json *payload, const struct json *after, const struct json *before)
{
    static const char *const NAMES[] = {"name", "title", "slug", "job", "email"};
    const struct json *from[] = {after, before, payload};

    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
            if (json_is(from[i], JSON_OBJ) && !str_empty(json_get_str(from[i], NAMES[k])))
                return json_get_str(from[i], NAMES[k]);
    return NULL;
}

static void put_subject(struct ctx *c, struct json *row, const struct audit_event *e, const struct names *names,
                        const struct node_brief *node)
{
    const struct json *payload = json_opened(c->arena, e->payload);
    const char *name = names_find(names, e->subject_id);

    if (!name && node && !uuid_is_nil(node->id))
        name = node->title;
    if (!name)
        name = told_name(payload, json_opened(c->arena, e->after), json_opened(c->arena, e->before));
    if (!name && !uuid_is_nil(e->subject_id))
        name = arena_printf(c->arena, "%.13s…", UUID_STR(e->subject_id));
    json_set_str(c->arena, row, "subject_kind", e->subject_kind);
    json_set_str(c->arena, row, "subject_href", subject_page(c, e, payload));
    json_set_str(c->arena, row, "subject_name", name);
    put_id(c, row, "subject_id", e->subject_id);
}

/* ---- by whom */

/* A job, or a program at the server: what the system's events say of themselves. */
static void put_actor(struct ctx *c, struct json *row, const struct audit_event *e, const struct names *names)
{
    const char *by = json_get_str(json_opened(c->arena, e->payload), "actor"), *href = NULL;

    if (!uuid_is_nil(e->actor_id) && (str_eq(e->actor_kind, "user") || str_eq(e->actor_kind, "agent")))
        href = arena_printf(c->arena, "/admin/%ss/%s", e->actor_kind, UUID_STR(e->actor_id));
    else if (by && str_starts(by, "job:"))
        href = arena_printf(c->arena, "/admin/jobs/%s", by + 4);
    json_set_str(c->arena, row, "actor_kind", e->actor_kind);
    json_set_str(c->arena, row, "actor_name", uuid_is_nil(e->actor_id) && by ? by : actor_name(c, names, e));
    json_set_str(c->arena, row, "actor_href", href);
    put_id(c, row, "actor_id", e->actor_id);
}

static void audit_event_page_put_event(struct ctx *c, struct json *row, const struct audit_event *e, const struct names *names,
                                       const struct node_brief *node)
{
    const struct json *payload = json_opened(c->arena, e->payload);

    put_id(c, row, "id", e->id);
    put_time(c, row, "at", e->at);
    json_set_str(c->arena, row, "kind", e->kind);
    json_set_bool(c->arena, row, "is_refusal", strstr(e->kind, "refuse") != NULL);
    put_actor(c, row, e, names);
    put_subject(c, row, e, names, node);
    put_id(c, row, "space_id", uuid_eq(e->space_id, e->subject_id) ? (struct uuid){0} : e->space_id);
    json_set_str(c->arena, row, "request_id", e->request_id);
    json_set_str(c->arena, row, "ip", str_empty(e->ip) ? NULL : e->ip);
    put_changes(c, row, e, names);
    json_set_str(c->arena, row, "payload", payload ? json_text_pretty(c->arena, payload) : NULL);
}

err put_audit_events(struct ctx *c, struct json *m, const struct page *page, const struct names *names)
{
    struct node_brief *nodes = ARENA_ARRAY(c->arena, struct node_brief, page->n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, page->n + 1);
    const struct audit_event *e = page->items;
    struct json *list = put_list(c, m, "events");

    for (size_t i = 0; i < page->n; i++)
        ids[i] = str_eq(e[i].subject_kind, "node") ? e[i].subject_id : (struct uuid){0};
    TRY(node_briefs(c, ids, page->n, nodes));
    for (size_t i = 0; i < page->n; i++)
        audit_event_page_put_event(c, add_row(c, list), &e[i], names, &nodes[i]);
    return ERR_OK;
}
