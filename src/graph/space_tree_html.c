/* Spaces as a tree: which lie in which. */
#include "graph_html.h"

#include "limit.h"
#include "model.h"
#include "parts_html.h"
#include "space.h"

struct tree {
    const struct space *spaces;
    size_t n;
    struct json **nodes; /* of the same places */
};

static size_t space_tree_page_place_of(const struct tree *t, struct uuid id)
{
    size_t i = 0;

    while (i < t->n && !uuid_eq(t->spaces[i].id, id))
        i++;
    return i;
}

static struct json *space_tree_page_node_of(struct ctx *c, const struct space *s)
{
    struct json *m = json_obj(c->arena);

    put_id(c, m, "id", s->id);
    json_set_str(c->arena, m, "name", s->name);
    json_set_str(c->arena, m, "kind", enumx_name(&space_kind_enumx, (int)s->kind));
    json_set_str(c->arena, m, "level", enumx_name(&access_level_enumx, (int)s->access));
    json_set_bool(c->arena, m, "is_archived", s->status == SPACE_ARCHIVED);
    put_list(c, json_set(c->arena, m, "within", json_obj(c->arena)), "tree");
    return m;
}

/* Does the chain of parents from i upwards end? One that runs in a circle is cut where it is entered. */
static bool has_root(const struct tree *t, size_t i)
{
    for (size_t steps = 0; steps <= t->n; steps++) {
        size_t parent = uuid_is_nil(t->spaces[i].parent_id) ? t->n : space_tree_page_place_of(t, t->spaces[i].parent_id);

        if (parent == t->n)
            return true;
        i = parent;
    }
    return false;
}

static void hang(struct json *roots, const struct tree *t, size_t i)
{
    size_t parent = uuid_is_nil(t->spaces[i].parent_id) ? t->n : space_tree_page_place_of(t, t->spaces[i].parent_id);
    struct json *above = parent < t->n && has_root(t, i) ? json_get(t->nodes[parent], "within") : NULL;

    json_push(above ? json_get(above, "tree") : roots, t->nodes[i]);
}

static err tree_page(struct ctx *c, struct page_call *p)
{
    struct json *roots = put_list(c, p->model, "tree");
    struct tree t;
    struct page page;

    TRY(space_list(c, &(struct space_filter){.kind = -1, .status = -1, .limit = LIMIT_PAGE, .cursor = page_query(p, "cursor")}, &page));
    t = (struct tree){page.items, page.n, ARENA_ARRAY(c->arena, struct json *, page.n + 1)};
    for (size_t i = 0; i < t.n; i++)
        t.nodes[i] = space_tree_page_node_of(c, &t.spaces[i]);
    for (size_t i = t.n; i-- > 0;) /* oldest first */
        hang(roots, &t, i);
    for (size_t i = 0; i < t.n; i++)
        json_set_bool(c->arena, t.nodes[i], "has_within", json_get(json_get(t.nodes[i], "within"), "tree")->first != NULL);
    put_listing(c, p, "/admin/spaces/tree", &page);
    return page_show(p, "space_tree");
}

const struct page_row space_tree_pages[] = {
    {.method = "GET", .path = "/admin/spaces/tree", .name = "page.spaces.tree", .perm = PERM_MEMORY_READ, .run = tree_page},
    {0},
};
