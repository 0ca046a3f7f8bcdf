/* Making skills: new ones, copies, and ones composed of others; see skill.h. */
#include <ctype.h>
#include <string.h>

#include "db.h"
#include "edge.h"
#include "limit.h"
#include "node.h"
#include "skill_impl.h"
#include "skill_store.h"
#include "space.h"
#include "strs_json.h"
#include "suspect.h"
#include "tag.h"
#include "tags.h"
#include "thing.h"

/* ---- what the files share */

const char *skill_slug_of(struct arena *a, const char *name)
{
    struct buf b;

    buf_init(&b, a, LIMIT_SLUG + 1);
    for (; *name && b.len < LIMIT_SLUG; name++) {
        unsigned char ch = (unsigned char)*name;

        if (ch < 128 && isalnum(ch))
            buf_putc(&b, (char)tolower(ch));
        else if (ch != '\'' && b.len && b.data[b.len - 1] != '-')
            buf_putc(&b, '-');
    }
    while (b.len && b.data[b.len - 1] == '-')
        b.data[--b.len] = 0;
    return buf_str(&b);
}

err skill_category_check(struct ctx *c, const char *pointer, const char *category)
{
    struct buf names;
    struct strs own;
    int value;

    if (enumx_parse(&skill_category_enumx, category, &value))
        return ERR_OK;
    TRY(tag_categories(c, &own));
    for (size_t i = 0; i < own.n; i++)
        if (str_eq(own.v[i], category))
            return ERR_OK;
    buf_init(&names, c->arena, 400);
    for (size_t i = 0; i < skill_category_enumx.n; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", skill_category_enumx.names[i]);
    for (size_t i = 0; i < own.n; i++)
        buf_printf(&names, ", %s", own.v[i]);
    return fail_field(c, pointer, "no such category; there are: %s", buf_str(&names));
}

struct strs skill_flags_of(struct ctx *c, const char *description, const char *body)
{
    const char **flags = ARENA_ARRAY(c->arena, const char *, 2);
    size_t n = 0;

    if (suspect_instruction(description) || suspect_instruction(body))
        flags[n++] = "injection";
    if (suspect_secret(description) || suspect_secret(body))
        flags[n++] = "secret";
    return (struct strs){flags, n};
}

const char *skill_node_body(struct ctx *c, const struct skill *s, const char *body)
{
    const struct json *sections = skill_sections(c->arena, body);
    struct buf b;

    buf_init(&b, c->arena, 512);
    buf_printf(&b, "%s\n\n%s", s->description, s->category);
    for (size_t i = 0; i < s->tags.n; i++)
        buf_printf(&b, " | %s", s->tags.v[i]);
    for (size_t i = 0; i < s->triggers.n; i++)
        buf_printf(&b, " | %s", s->triggers.v[i]);
    for (const struct json *h = sections->first; h; h = h->next)
        buf_printf(&b, "\n%s", json_get_str(h, "title"));
    return buf_str(&b);
}

struct json *skill_node_attrs(struct ctx *c, const struct skill *s)
{
    struct json *o = json_obj(c->arena);

    json_set(c->arena, o, "tags", strs_to_json(c->arena, s->tags));
    json_set(c->arena, o, "triggers", strs_to_json(c->arena, s->triggers));
    json_set_str(c->arena, o, "category", s->category);
    return o;
}

/* ---- making one */

err skill_space_for(struct ctx *c, struct uuid *id)
{
    int kind;

    if (uuid_is_nil(*id))
        return skill_space_to_write(c, id);
    kind = access_space_kind(c->access, *id);
    TRY(access_require(c, *id, ACCESS_WRITE));
    return kind < 0 || kind == SPACE_SKILLS ? ERR_OK : fail_field(c, "/space_id", "this is no space of skills");
}

/* What the caller gave, made whole. */
static err skill_make_ready(struct ctx *c, struct skill *s)
{
    if (!s->body)
        s->body = s->system_prompt;
    s->system_prompt = s->body;
    if (str_empty(s->body))
        return fail_field(c, "/body", "body is required");
    if (s->status != SKILL_ACTIVE && s->status != SKILL_DRAFT)
        return fail_field(c, "/status", "a new skill is draft or active");
    TRY(skill_category_check(c, "/category", s->category));
    TRY(tags_clean(c, "/tags", s->tags, &s->tags));
    if (!s->slug)
        s->slug = skill_slug_of(c->arena, s->name);
    if (!*s->slug)
        return fail_field(c, "/slug", "slug is required: the name has no letter of a-z and no digit");
    s->flags = skill_flags_of(c, s->description, s->body);
    if (s->flags.n)
        s->status = SKILL_DRAFT;
    return ERR_OK;
}

static err skill_make_node(struct ctx *c, const struct skill *s, struct node *out)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .id = s->id, .space_id = s->space_id, .kind = "skill", .title = s->name,
                         .body = skill_node_body(c, s, s->body), .attrs = skill_node_attrs(c, s),
                         .status = enumx_name(&skill_status_enumx, (int)s->status)};

    if (s->confidence > 0)
        n.confidence = s->confidence;
    return node_create(c, &n, out);
}

err skill_make(struct ctx *c, const struct skill *in, enum skill_origin origin, struct skill *out)
{
    struct skill s = *in;
    struct skill_version v;
    struct node node;
    int64_t n;

    TRY(skill_store_count(c, &n));
    if (n >= SKILLS_OF_ACCOUNT)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account can have at most %d skills", SKILLS_OF_ACCOUNT);
    if (!s.execution_context)
        s.execution_context = json_obj(c->arena);
    if (!s.params)
        s.params = json_obj(c->arena);
    TRY(skill_space_for(c, &s.space_id));
    TRY(thing_begin(c, &SKILL, &s));
    TRY(skill_make_ready(c, &s));
    s.is_enabled = true;
    s.created_by = c->who->id;
    TRY(skill_make_node(c, &s, &node));
    TRY(thing_insert(c, &SKILL, &s));
    TRY(skill_version_add(c, &(struct skill_version_new){.skill_id = s.id, .body = s.body, .change_type = CHANGE_MAJOR, .origin = origin,
        .activate = true}, &v));
    TRY(skill_get_whole(c, arena_strdup(c->arena, UUID_STR(s.id)), out));
    return ERR_OK;
}

static err skill_create_tx(struct ctx *c, const struct skill *in, struct skill *out)
{
    return skill_make(c, in, SKILL_MANUAL, out);
}
DB_TX(skill_create, struct skill, struct skill)

/* ---- copies */

static err skill_clone_tx(struct ctx *c, const struct skill_clone *in, struct skill *out)
{
    struct skill of, s;

    TRY(skill_get_whole(c, arena_strdup(c->arena, UUID_STR(in->id)), &of));
    s = (struct skill){.space_id = uuid_is_nil(in->space_id) ? of.space_id : in->space_id,
                       .name = in->name ? in->name : arena_printf(c->arena, "%.120s (copy)", of.name), .description = of.description,
                       .category = of.category, .status = SKILL_DRAFT, .body = of.body, .tags = of.tags, .triggers = of.triggers,
                       .commands = of.commands, .execution_context = of.execution_context, .params = of.params, .parent_skill_id = of.id,
                       .confidence = of.confidence, .is_hidden = of.is_hidden};
    return skill_make(c, &s, SKILL_MANUAL, out);
}
DB_TX(skill_clone, struct skill_clone, struct skill)

/* ---- compositions */

static const char *skill_composed_body(struct ctx *c, const struct skill_composition *in, const struct skill *parts)
{
    static const char *const HOW[] = {"Follow these skills one after the other.", "Follow these skills side by side.",
                                      "Follow the first of these skills that fits."};
    struct buf b;

    buf_init(&b, c->arena, 1024);
    buf_printf(&b, "%s\n\n%s\n", in->description ? in->description : in->name, HOW[in->strategy]);
    for (size_t i = 0; i < in->component_skill_ids.n; i++)
        buf_printf(&b, "\n%zu. `%s`: %s", i + 1, parts[i].slug, parts[i].description);
    return buf_str(&b);
}

static err skill_compose_edges(struct ctx *c, const struct skill_composition *in, struct uuid id)
{
    struct edge edge;

    for (size_t i = 0; i < in->component_skill_ids.n; i++) {
        struct json *metadata = json_obj(c->arena);

        json_set_int(c->arena, metadata, "position", (int64_t)i + 1);
        json_set_str(c->arena, metadata, "strategy", enumx_name(&skill_strategy_enumx, (int)in->strategy));
        TRY(edge_create(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = id, .target_id = in->component_skill_ids.v[i],
                                              .relation = "composes", .metadata = metadata}, &edge));
    }
    return ERR_OK;
}

static err skill_compose_tx(struct ctx *c, const struct skill_composition *in, struct skill *out)
{
    struct skill *parts = ARENA_ARRAY(c->arena, struct skill, in->component_skill_ids.n + 1), s;

    for (size_t i = 0; i < in->component_skill_ids.n; i++)
        TRY(skill_get(c, in->component_skill_ids.v[i], &parts[i]));
    s = (struct skill){.name = in->name, .description = in->description ? in->description : in->name, .category = parts[0].category,
                       .status = SKILL_DRAFT, .body = skill_composed_body(c, in, parts)};
    TRY(skill_make(c, &s, SKILL_MANUAL, out));
    return skill_compose_edges(c, in, out->id);
}
DB_TX(skill_compose, struct skill_composition, struct skill)
