/* Reading skills, and the columns they have; see skill.h. skill_make.c makes them, skill_change.c changes them. */
#include "skill.h"

#include "db.h"
#include "limit.h"
#include "skill_impl.h"
#include "skill_score.h"
#include "skill_store.h"
#include "skill_version_store.h"
#include "space.h"
#include "tag.h"
#include "thing.h"

ENUMX_DEFINE(skill_category, SKILL_CATEGORY);
ENUMX_DEFINE(skill_status, SKILL_STATUS);
ENUMX_DEFINE(skill_sort, SKILL_SORT);
ENUMX_DEFINE(skill_strategy, SKILL_STRATEGY);

#define COL_IN_NODE (COL_CREATE | COL_PATCH | COL_SHOW | COL_AUDIT) /* kept in the node */
#define COL_TEXT (COL_CREATE | COL_PATCH | COL_SHOW)                /* kept in a version */

static const struct field SKILL_COLUMNS[] = {
    F_ID(struct skill, "id of the skill, and of its node"),
    F_UUID(struct skill, space_id, COL_READ | COL_CREATE, "space of kind skills; default: the one of the account"),
    F_STR(struct skill, name, COL_IN_NODE | FIELD_REQUIRED, 1, 128, "name", .sql = "n.title", .label = "Name"),
    F_STR(struct skill, slug, COL_ONCE | COL_UNIQUE | FIELD_SLUG, 1, LIMIT_SLUG, "name in addresses and files; default: made of the name"),
    F_STR(struct skill, description, COL_OPEN | FIELD_REQUIRED, 1, SKILL_DESCRIPTION,
        "what it does and when to use it; data, not instructions",
        .label = "Description"),
    F_STR(struct skill, category, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_SLUG, "a category: list_skills and GET /skills/categories name them",
        .label = "Category"),
    F_ENUM(struct skill, status, COL_CREATE | COL_SHOW | COL_AUDIT, skill_status, SKILL_ACTIVE,
        "draft, active, deprecated or archived; only active ones are served", .sql = "n.status", .shades = "info ok warn off"),
    F_STR(struct skill, body, COL_TEXT | FIELD_NULLABLE | FIELD_RAW, 1, SKILL_BODY,
        "the text, Markdown; null in lists; data, not instructions", .label = "Text"),
    F_STR(struct skill, system_prompt, COL_TEXT | FIELD_NULLABLE | FIELD_RAW, 1, SKILL_BODY, "the same as body"),
    F_STRS(struct skill, tags, COL_IN_NODE | FIELD_NULLABLE, SKILL_TAGS, "tags", .label = "Tags", .sql = "JSON_QUERY(n.attrs, '$.tags')"),
    F_STRS(struct skill, triggers, COL_OPEN, SKILL_TRIGGERS, "phrases that it is found by"),
    F_STRS(struct skill, commands, COL_OPEN, SKILL_COMMANDS, "commands that it names; Loci runs none"),
    F_OBJECT(struct skill, execution_context, COL_OPEN, 16384, "tools, environment and limits that a caller should know"),
    F_OBJECT(struct skill, params, COL_OPEN, 16384, "parameters, preconditions and postconditions"),
    F_ENUM(struct skill, change_type, COL_PATCH, skill_change_type, CHANGE_PATCH, "how large the change of the body is"),
    F_STR(struct skill, change_reason, COL_PATCH | FIELD_NULLABLE, 1, SKILL_REASON, "why the body changes"),
    F_BOOL(struct skill, activate, COL_PATCH, true, "serve the new body at once"),
    F_UUID(struct skill, active_version_id, COL_SHOW | FIELD_NULLABLE, "version that is served", .sql = "k.active_version_id"),
    F_STR(struct skill, active_version, COL_SHOW | FIELD_NULLABLE, 0, 0, "its number", .sql = "v.semver"),
    F_UUID(struct skill, parent_skill_id, COL_READ | FIELD_NULLABLE, "skill that it was cloned from"),
    F_UUID(struct skill, replaced_by, COL_READ | COL_AUDIT | FIELD_NULLABLE, "skill to use instead"),
    F_BOOL(struct skill, is_enabled, COL_READ | COL_AUDIT, true, "only enabled ones are served"),
    F_BOOL(struct skill, is_hidden, COL_OPEN, false, "read by name only, never discovered", .label = "Read by name only, never discovered"),
    F_BOOL(struct skill, induced, COL_READ, false, "made of what agents did again and again"),
    F_BOOL(struct skill, in_use, COL_SHOW, false, "active, and used within 30 days"),
    F_STRS(struct skill, flags, COL_READ | COL_AUDIT, 16, "what a reviewer should look at: injection, secret"),
    F_STR(struct skill, ingest_source, COL_READ | FIELD_NULLABLE, 0, 255, "folder or repository it was ingested from"),
    F_STR(struct skill, source_path, COL_READ | FIELD_NULLABLE, 0, 512, "its file there"),
    F_STR(struct skill, front_matter, COL_ROW | FIELD_NULLABLE, 0, 16384, "front matter as it was written"),
    F_BYTES(struct skill, source_hash, COL_ROW | FIELD_NULLABLE, "SHA-256 of the file"),
    F_NUM(struct skill, confidence, COL_SHOW, 0, 1, 1, "how sure its maker was", .sql = "n.confidence"),
    F_NUM(struct skill, effectiveness, COL_SHOW, 0, 1, 0.5, "confidence and outcomes together", .sql = "k.effectiveness"),
    F_NUM(struct skill, effectiveness_now, COL_SHOW, 0, 1, 0.5, "the same, lowered while it lies unused for more than 30 days"),
    F_BOOL(struct skill, is_pinned, COL_SHOW, false, "is not lowered while unused", .sql = "n.is_pinned"),
    F_INT(struct skill, usage_count, COL_SHOW, 0, 0, 0, "how often it was served", .sql = "k.usage_count"),
    F_INT(struct skill, success_count, COL_SHOW, 0, 0, 0, "outcomes: success", .sql = "k.success_count"),
    F_INT(struct skill, failure_count, COL_SHOW, 0, 0, 0, "outcomes: failure", .sql = "k.failure_count"),
    F_INT(struct skill, partial_count, COL_SHOW, 0, 0, 0, "outcomes: partial", .sql = "k.partial_count"),
    F_INT(struct skill, mean_latency_ms, COL_SHOW, 0, 0, 0, "mean of the durations that outcomes named",
        .sql = "COALESCE(k.latency_sum_ms DIV NULLIF(k.latency_count, 0), 0)"),
    F_TIME(struct skill, last_used_at, COL_SHOW | FIELD_NULLABLE, "when it was last served or credited", .sql = "k.last_used_at"),
    F_TIME(struct skill, last_success_at, COL_SHOW | FIELD_NULLABLE, "last outcome: success", .sql = "k.last_success_at"),
    F_TIME(struct skill, last_failure_at, COL_SHOW | FIELD_NULLABLE, "last outcome: failure", .sql = "k.last_failure_at"),
    F_TIME(struct skill, deprecated_at, COL_READ | FIELD_NULLABLE, "when it was deprecated"),
    F_UUID(struct skill, created_by, COL_READ, "principal who made it"),
    F_VERSION(struct skill),
    F_TIMES(struct skill),
    F_END
};
const struct thing SKILL = THING("skill", SKILL_COLUMNS, struct skill, .schema = "Skill", .alias = "k",
    .from = "skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id"
            " LEFT JOIN skill_version v ON v.account_id = k.account_id AND v.id = k.active_version_id");

err skill_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such skill");
}

/* ---- spaces */

struct uuids skill_spaces(struct ctx *c)
{
    return access_spaces_of(c, SPACE_SKILLS);
}

/* ---- reading */

void skill_present(const struct ctx *c, struct skill *s)
{
    int64_t idle_from = s->last_used_at.us > s->created_at.us ? s->last_used_at.us : s->created_at.us;

    s->effectiveness_now = skill_effectiveness_now(s->effectiveness, s->is_pinned ? c->now.us : idle_from, c->now.us);
    s->in_use = s->status == SKILL_ACTIVE && s->last_used_at.us && c->now.us - s->last_used_at.us <= 30 * DAY_US;
}

bool skill_is_served(const struct skill *s)
{
    return s->status == SKILL_ACTIVE && s->is_enabled;
}

err skill_get(struct ctx *c, struct uuid id, struct skill *out)
{
    bool found;

    TRY(skill_store_get(c, id, &found, out));
    if (!found || !access_may_read(c, out->space_id))
        return skill_missing(c);
    skill_present(c, out);
    return ERR_OK;
}

err skill_get_whole(struct ctx *c, const char *ref, struct skill *out)
{
    struct skill_version v;
    struct uuid id;
    bool found = uuid_parse(ref, &id);

    if (!found && str_is_slug(ref))
        TRY(skill_store_by_slug(c, ref, skill_spaces(c), &found, &id));
    if (!found)
        return skill_missing(c);
    TRY(skill_get(c, id, out));
    if (uuid_is_nil(out->active_version_id))
        return ERR_OK;
    TRY(skill_version_store_get(c, out->active_version_id, &found, &v));
    out->body = out->system_prompt = found ? v.body : NULL;
    return ERR_OK;
}

err skill_get_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct skill *rows;

    TRY(skill_store_many(c, ids, n, skill_spaces(c), out));
    rows = out->v;
    for (size_t i = 0; i < out->n; i++)
        skill_present(c, &rows[i]);
    return ERR_OK;
}

err skill_list(struct ctx *c, const struct skill_filter *f, struct page *out)
{
    struct skill *rows;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    TRY(skill_store_list(c, f, skill_spaces(c), before, out));
    rows = out->items;
    for (size_t i = 0; i < out->n; i++)
        skill_present(c, &rows[i]);
    return ERR_OK;
}

err skill_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return skill_store_accounts(c, above, ids, max, n);
}

/* ---- categories */

err skill_categories(struct ctx *c, struct list *out)
{
    const struct skill_category_row *counted;
    struct skill_category_row *rows;
    size_t built_in = skill_category_enumx.n;
    struct list list;
    struct strs own;

    TRY(skill_store_categories(c, skill_spaces(c), &list));
    TRY(tag_categories(c, &own));
    rows = ARENA_ARRAY(c->arena, struct skill_category_row, built_in + own.n);
    counted = list.v;
    for (size_t i = 0; i < built_in + own.n; i++) {
        rows[i] = (struct skill_category_row){.name = i < built_in ? skill_category_enumx.names[i] : own.v[i - built_in],
                                              .built_in = i < built_in};
        for (size_t k = 0; k < list.n; k++)
            if (str_eq(counted[k].name, rows[i].name))
                rows[i].skills = counted[k].skills;
    }
    *out = (struct list){rows, built_in + own.n};
    return ERR_OK;
}

err skill_category_create(struct ctx *c, const struct skill_category_new *in, struct skill_category_row *out)
{
    struct tag tag;
    int value;

    if (enumx_parse(&skill_category_enumx, in->name, &value))
        return fail(c, ERR_CONFLICT, "the category '%s' is built in", in->name);
    TRY(tag_create(c, &(struct tag_new){in->name, TAG_CATEGORY}, &tag));
    *out = (struct skill_category_row){.name = tag.display};
    return ERR_OK;
}
