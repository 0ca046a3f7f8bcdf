/* The nearest node that says the same, by its vector; see alike.h. */
#include <string.h>

#include "access.h"
#include "alike.h"
#include "near_text.h"
#include "node_row.h"
#include "str.h"

#define NEIGHBOURS 5
#define TEXT_CHARS 20000 /* of a neighbour, to compare details by */

const char *alike_text(struct arena *a, const char *title, const char *body)
{
    return *title && !str_starts(body, title) ? arena_printf(a, "%s\n%s", title, body) : body;
}

/* The row as it is now, not as the index knew it. */
static bool alike_find_is_live(const struct ctx *c, const struct node_content *k)
{
    const struct node *n = &k->node;

    return k->found && access_may_read(c, n->space_id) && !n->archived_at.us && !n->forgotten_at.us &&
           strcmp(n->status, NODE_VERSION) != 0 && (!n->expires_at.us || n->expires_at.us > c->now.us);
}

err alike_find(struct ctx *c, const char *kind, const char *title, const char *body,
               const struct uuid *spaces, size_t n_spaces, struct alike *out)
{
    const char *text = alike_text(c->arena, title, body);
    struct node_content contents[NEIGHBOURS];
    struct near_text near[NEIGHBOURS];
    struct uuid ids[NEIGHBOURS];
    size_t n;

    *out = (struct alike){0};
    TRY(near_text_find(c, text, kind, spaces, n_spaces, NEIGHBOURS, near, &n));
    for (size_t i = 0; i < n; i++)
        ids[i] = near[i].id;
    TRY(node_contents_read(c, ids, n, TEXT_CHARS, contents));
    for (size_t i = 0; i < n; i++) {
        const struct node *node = &contents[i].node;

        if (alike_find_is_live(c, &contents[i]) &&
            similar_enough(c->arena, near[i].similarity, text, alike_text(c->arena, node->title, node->body))) {
            *out = (struct alike){node->id, node->space_id, near[i].similarity};
            return ERR_OK;
        }
    }
    return ERR_OK;
}
