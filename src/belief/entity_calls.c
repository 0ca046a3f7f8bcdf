/* Operations on entities. */
#include "belief_calls.h"
#include "entity.h"

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
        .flags = OP_READONLY | OP_IDEMPOTENT, OP_IN(ENTITY_KEY, struct thing_key), OP_OUT(ENTITY_COLUMNS, struct entity));

const struct op *const entity_calls_table[] = {&ENTITY_LIST, &ENTITY_GET, NULL};
