/* The registry of node kinds; see node_kind.h. */
#include "node_kind.h"

#include <string.h>

static const struct node_kind KINDS[] = {
    {"note", KIND_GENERIC | KIND_MEMORY | KIND_ONCE, 365, 0, NULL},
    {"entity", KIND_GENERIC | KIND_MEMORY | KIND_ONCE, 365, 0, NULL},
    {"episode", KIND_GENERIC | KIND_MEMORY | KIND_FIXED, 7, 0, NULL},
    {"goal", KIND_OWN, 0, 0, "the goal calls"},
    {"fact", KIND_MEMORY | KIND_OWN, 365, 0, "the facts calls of belief"},
    {"core_block", KIND_MEMORY | KIND_OWN, 0, 0, "the core memory calls of belief"},
    {"policy", KIND_MEMORY | KIND_OWN, 0, 0, "the policy calls"},
    {"entry", KIND_MEMORY | KIND_OWN, 0, 0, "the entries of a context"},
    {"pool_entry", KIND_MEMORY | KIND_OWN, 0, 0.01, "the pool calls"},
    {"learning", KIND_MEMORY | KIND_OWN, 231, 0.05, "the learning calls"},
    {"knowledge", KIND_MEMORY | KIND_OWN | KIND_USES, 0, 0, "the shared knowledge calls"},
    {"skill", KIND_MEMORY | KIND_OWN, 365, 0, "the skill calls"},
    {"bad_pattern", KIND_MEMORY, 365, 0, "the skill calls"},
    {"pattern", 0, 0, 0, "the skill calls"},
    {"super_concept", KIND_SCAFFOLD | KIND_OWN, 0, 0, "the taxonomy calls"},
    {"tag", KIND_SCAFFOLD | KIND_OWN, 0, 0, "the taxonomy calls"},
    {"page", KIND_OWN | KIND_LONG | KIND_USES, 0, 0, "the page calls"},
    {"article", KIND_OWN | KIND_LONG | KIND_USES, 0, 0, "the article calls"},
    {"document", KIND_OWN, 0, 0, "the knowledge base calls"},
    {"chunk", KIND_OWN, 0, 0, "the calls of its document or page"},
    {"community", KIND_SCAFFOLD, 0, 0, "the knowledge graph's own jobs"},
    {"agent", KIND_SCAFFOLD, 0, 0, "the agent calls"},
    {"session", KIND_SCAFFOLD, 0, 0, "the capture calls"},
    {"scope", KIND_SCAFFOLD, 0, 0, "the capture calls"},
    {"work_item", KIND_OWN, 0, 0, "the work item calls"},
    {"recency_window", KIND_SCAFFOLD, 0, 0, "belief's own calls"},
    {"validity_anchor", KIND_SCAFFOLD, 0, 0, "belief's own calls"},
};

const struct node_kind *node_kind_at(size_t i)
{
    return i < sizeof KINDS / sizeof *KINDS ? &KINDS[i] : NULL;
}

const struct node_kind *node_kind_find(const char *name)
{
    if (!name)
        return NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return &KINDS[i];
    return NULL;
}

double node_kind_floor(const char *name)
{
    const struct node_kind *k = node_kind_find(name);

    return k ? k->floor : 0;
}

bool node_kind_has(const char *name, unsigned flag)
{
    const struct node_kind *k = node_kind_find(name);

    return k && k->flags & flag;
}
