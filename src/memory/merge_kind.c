/* The kinds that can be merged; see merge_kind.h. */
#include "merge_kind.h"

#include <string.h>

#include "entry.h"
#include "knowledge.h"
#include "strs_json.h"

static err set_entry(struct ctx *c, const struct node *n, struct strs tags)
{
    struct entry_patch p = {.set = ENTRY_SET_TAGS, .context_tags = tags};
    const char *context = arena_strdup(c->arena, UUID_STR(n->space_id)), *id = arena_strdup(c->arena, UUID_STR(n->id));

    return entry_update(c, context, id, &p, &(struct entry){0});
}

static err set_learning(struct ctx *c, const struct node *n, struct strs tags)
{
    struct json *labels = json_obj(c->arena);

    json_set(c->arena, labels, "tags", strs_to_json(c->arena, tags));
    return node_update(c, n->id, &(struct node_patch){.set = NODE_SET_LABELS, .attrs = labels}, &(struct node){0});
}

static err set_knowledge(struct ctx *c, const struct node *n, struct strs tags)
{
    return knowledge_update(c, CHANGE_OF(struct knowledge_change, n->id, tags, tags), &(struct knowledge){0});
}

static const struct merge_kind KINDS[] = {{"entry", set_entry}, {"fact", set_entry}, {"learning", set_learning},
                                          {"knowledge", set_knowledge}};

const struct merge_kind *merge_kind_find(const char *name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return &KINDS[i];
    return NULL;
}

bool merge_kind_is_entry(const char *name)
{
    const struct merge_kind *k = merge_kind_find(name);

    return k && k->set_tags == set_entry;
}

struct strs merge_kinds(struct arena *a)
{
    size_t n = sizeof KINDS / sizeof *KINDS;
    struct strs all = {ARENA_ARRAY(a, const char *, n), 0};

    for (; all.n < n; all.n++)
        all.v[all.n] = KINDS[all.n].name;
    return all;
}
