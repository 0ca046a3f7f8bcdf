/* Names for the ids of what a recall left out: all of them in one statement. */
#include "node.h"
#include "parts_html.h"
#include "people_html.h"
#include "playground_html.h"

struct wanted {
    struct json *row;
    const char *name; /* of the member that the row gets */
};

struct names_of {
    struct wanted *wanted;
    struct uuid *ids;
    size_t n;
};

static size_t length(const struct json *list)
{
    return json_is(list, JSON_ARR) ? list->len : 0;
}

static void want(struct names_of *all, struct json *row, const char *id_member, const char *name)
{
    const char *text = json_get_str(row, id_member);

    if (text && uuid_parse(text, &all->ids[all->n]))
        all->wanted[all->n++] = (struct wanted){row, name};
}

static void want_all(struct names_of *all, const struct json *list)
{
    for (struct json *row = list ? list->first : NULL; row; row = row->next) {
        want(all, row, "id", "title");
        want(all, row, "near_of", "near_title");
    }
}

err playground_names(struct ctx *c, struct page_call *p)
{
    const struct json *answer = json_get(p->model, "answer");
    const struct json *lists[] = { json_get(answer, "cut"), json_get(json_get(answer, "report"), "evicted"),
                                   json_get(json_get(answer, "grade"), "rejected") };
    size_t most = 2 * (length(lists[0]) + length(lists[1]) + length(lists[2])) + 1;
    struct names_of all = {ARENA_ARRAY(c->arena, struct wanted, most), ARENA_ARRAY(c->arena, struct uuid, most), 0};
    struct node_brief *briefs = ARENA_ARRAY(c->arena, struct node_brief, most);

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        want_all(&all, lists[i]);
    if (!all.n)
        return ERR_OK;
    TRY(node_briefs(c, all.ids, all.n, briefs));
    for (size_t i = 0; i < all.n; i++) {
        const struct node_brief *b = &briefs[i];

        if (!uuid_is_nil(b->id))
            json_set_str(c->arena, all.wanted[i].row, all.wanted[i].name,
                         str_empty(b->title) ? arena_printf(c->arena, "%s without a title", b->kind) : b->title);
    }
    return ERR_OK;
}
