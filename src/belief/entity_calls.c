/* Operations on entities. */
#include "belief_calls.h"
#include "entity.h"
#include "fact_read.h"

#define TAG .tag = "belief"
#define ENTITIES "/api/v1/entities"

static const struct field ENTITY_FILTER[] = {
    F_STR(struct entity_filter, q, FIELD_NULLABLE, 1, ENTITY_NAME, "beginning of one of its names, in any form"),
    F_STR(struct entity_filter, type, FIELD_NULLABLE, 1, 64, "only of this type: person, place, project …"),
    F_UUID(struct entity_filter, space_id, FIELD_NULLABLE, "only of this space"),
    F_PAGE(struct entity_filter),
    F_END
};

OP_CALL(ENTITY_LIST, struct entity_filter, struct page, entity_list(c, in, out),
        .name = "entity.list", .method = "GET", .path = ENTITIES, .tool = "list_entities", TAG,
        .summary = "Lists entities: what facts are about.", .perm = PERM_BELIEF_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(ENTITY_FILTER, struct entity_filter), OP_OUT(ENTITY_COLUMNS, struct entity));

static const struct field ENTITY_KEY[] = {
    F_UUID(struct thing_key, id, FIELD_REQUIRED, "id of the entity"),
    F_END
};

OP_CALL(ENTITY_GET, struct thing_key, struct entity, entity_get(c, in->id, out),
        .name = "entity.get", .method = "GET", .path = ENTITIES "/:id", .tool = "get_entity", TAG,
        .summary = "Returns one entity with its names; its facts: list_facts with subject_id.", .perm = PERM_BELIEF_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_IN(ENTITY_KEY, struct thing_key), OP_OUT(ENTITY_COLUMNS, struct entity));

/* ---- what was believed of it */

struct timeline_in {
    struct uuid id;
    int64_t limit;
    const char *cursor;
};
static const struct field TIMELINE_IN[] = {
    F_UUID(struct timeline_in, id, FIELD_REQUIRED, "id of the entity"),
    F_PAGE(struct timeline_in),
    F_END
};

static err entity_timeline(struct ctx *c, const struct timeline_in *in, struct page *out)
{
    struct entity e;

    TRY(entity_get(c, in->id, &e));
    return fact_list(c, &(struct fact_filter){.subject_id = e.id, .mode = FACT_HISTORY, .limit = in->limit, .cursor = in->cursor}, out);
}

OP_CALL(ENTITY_TIMELINE, struct timeline_in, struct page, entity_timeline(c, in, out),
        .name = "entity.timeline", .method = "GET", .path = ENTITIES "/:id/timeline", TAG,
        .summary = "Lists all that was ever believed of an entity, newest first, with the time for which it holds.",
        .perm = PERM_BELIEF_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(TIMELINE_IN, struct timeline_in),
        OP_OUT(FACT_COLUMNS, struct fact));

/* ---- corrections */

static const struct field ENTITY_CHANGE[] = {
    F_UUID(struct entity_changing, id, FIELD_REQUIRED, "id of the entity"),
    F_INT(struct entity_changing, if_version, FIELD_NULLABLE, 1, 9e15, 0, "only if this is its version; the same as If-Match"),
    F_STR(struct entity_changing, canonical_name, FIELD_NULLABLE, 1, ENTITY_NAME, "its name; the old one still leads to it"),
    F_STR(struct entity_changing, entity_type, FIELD_NULLABLE | FIELD_SLUG, 1, 64, "person, organization, place, project …"),
    F_STR(struct entity_changing, description, FIELD_NULLABLE, 0, 2000, "what it is"),
    F_STRS(struct entity_changing, add_aliases, 0, ENTITY_ALIASES, "names that lead to it as well"),
    F_STRS(struct entity_changing, remove_aliases, 0, ENTITY_ALIASES, "names that do not lead to it any more"),
    F_JSON(struct entity_changing, attributes, FIELD_NULLABLE, 16384, "what else is said of it; merged (RFC 7396), never searched, at "
        "most 16384 bytes"),
    F_END
};

OP_CALL(ENTITY_UPDATE, struct entity_changing, struct entity, entity_update(c, in, out),
        .name = "entity.update", .method = "PATCH", .path = ENTITIES "/:id", TAG,
        .summary = "Corrects an entity: name, type, description, the names that lead to it.", .perm = PERM_BELIEF_WRITE,
        .flags = OP_MATCH | OP_ETAG, OP_IN(ENTITY_CHANGE, struct entity_changing), OP_OUT(ENTITY_COLUMNS, struct entity));

static const struct field ENTITY_SPLIT_IN[] = {
    F_UUID(struct entity_splitting, id, FIELD_REQUIRED, "entity that is two things"),
    F_STR(struct entity_splitting, name, FIELD_NULLABLE, 1, ENTITY_NAME, "name of the new one; default: the first of the aliases"),
    F_UUIDS(struct entity_splitting, fact_ids, 0, 100, "facts that are about the new one"),
    F_UUIDS(struct entity_splitting, episode_ids, 0, 100, "episodes that speak of the new one"),
    F_STRS(struct entity_splitting, aliases, 0, ENTITY_ALIASES, "names that lead to the new one from now on"),
    F_BOOL(struct entity_splitting, dry_run, 0, false, "say how much it is, and change nothing"),
    F_END
};
static const struct field ENTITY_SPLIT_OUT[] = {
    F_UUID(struct entity_split, id, FIELD_NULLABLE, "the new entity"),
    F_INT(struct entity_split, claims, 0, 0, 9e15, 0, "claims that are about it now"),
    F_INT(struct entity_split, facts, 0, 0, 9e15, 0, "facts that went with them whole"),
    F_INT(struct entity_split, aliases, 0, 0, 9e15, 0, "names that went with them"),
    F_BOOL(struct entity_split, is_dry_run, 0, false, "nothing was changed"),
    F_END
};

OP_CALL(ENTITY_SPLIT, struct entity_splitting, struct entity_split, entity_split(c, in, out),
        .name = "entity.split", .method = "POST", .path = ENTITIES "/:id/split", TAG,
        .summary = "Makes two of an entity that is two things: what is named goes to a new one. Merging them takes it back.",
        .perm = PERM_BELIEF_REVIEW, OP_IN(ENTITY_SPLIT_IN, struct entity_splitting), OP_OUT(ENTITY_SPLIT_OUT, struct entity_split));

const struct op *const entity_calls_table[] = {&ENTITY_LIST, &ENTITY_GET, &ENTITY_TIMELINE, &ENTITY_UPDATE, &ENTITY_SPLIT, NULL};
