/* Memories by their ids; see read_nodes.h. */
#include "read_nodes.h"

#include <string.h>

#include "inert.h"
#include "node.h"

/* From the byte offset on, at most a page, whole characters. */
static const char *page_of_text(struct ctx *c, const char *body, int64_t offset, int64_t *next)
{
    size_t n = strlen(body), from = (size_t)offset < n ? (size_t)offset : n, to = from + READ_NODES_FULL < n ? from + READ_NODES_FULL : n;

    while (from < n && ((unsigned char)body[from] & 0xc0) == 0x80)
        from++;
    while (to < n && ((unsigned char)body[to] & 0xc0) == 0x80)
        to--;
    *next = to < n ? (int64_t)to : 0;
    return arena_strndup(c->arena, body + from, to - from);
}

static struct read_node read_node_of(struct ctx *c, const struct read_nodes_in *in, const struct node *n)
{
    const struct json *attrs = json_opened(c->arena, n->attrs);
    struct read_node r = {
        .id = n->id, .space_id = n->space_id, .kind = n->kind, .title = inert_text(c->arena, n->title), .status = n->status,
        .role = json_get_str(attrs, "role"), .block_kind = json_get_str(attrs, "block_kind"), .untrusted = true,
        .chars = (int64_t)str_code_points(n->body, strlen(n->body)), .trust = n->trust, .confidence = n->confidence,
        .created_at = n->created_at, .valid_from = n->valid_from, .valid_to = n->valid_to, .superseded_by = n->superseded_by};
    const char *text;

    if (in->full)
        text = page_of_text(c, n->body, in->offset, &r.next_offset);
    else
        text = text_cut(c->arena, n->body, in->verbose ? READ_NODES_VERBOSE : READ_NODES_CHARS, false);
    r.body_cut = r.next_offset > 0 || (!in->full && strcmp(text, n->body) != 0);
    r.body = inert_text(c->arena, text);
    return r;
}

err nodes_read(struct ctx *c, const struct read_nodes_in *in, struct read_nodes_out *out)
{
    struct read_node *v = ARENA_ARRAY(c->arena, struct read_node, in->ids.n + 1);
    struct uuid *missing = ARENA_ARRAY(c->arena, struct uuid, in->ids.n + 1);
    size_t n = 0, m = 0;

    if (!in->ids.n)
        return fail_field(c, "/ids", "ids is empty");
    for (size_t i = 0; i < in->ids.n; i++) {
        struct node row;
        err e = node_get(c, in->ids.v[i], &row);

        if (e == ERR_NOT_FOUND) {
            ctx_forgive(c);
            missing[m++] = in->ids.v[i];
            continue;
        }
        TRY(e);
        v[n++] = read_node_of(c, in, &row);
        node_use(c, row.id);
    }
    out->nodes = (struct list){v, n};
    out->missing = (struct uuids){missing, m};
    return ERR_OK;
}
