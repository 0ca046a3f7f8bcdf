/* Core blocks and their edits; see core_block.h. */
#include "core_block.h"

#include <string.h>

#include "access.h"
#include "audit.h"
#include "content.h"
#include "core_block_store.h"
#include "db.h"
#include "node.h"
#include "principal.h"

ENUMX_DEFINE(core_kind, CORE_KIND);
ENUMX_DEFINE(core_edit_state, CORE_EDIT_STATE);

#define KIND "core_block"

/* ---- reading */

static const char *core_hash_text(struct ctx *c, const char *content)
{
    struct bytes h = content_hash(c->arena, KIND, content, NULL);
    char *hex = arena_alloc(c->arena, 2 * h.n + 1);

    hex_encode(h.p, h.n, hex);
    return hex;
}

static struct core_block block_of_node(struct ctx *c, const struct node *n)
{
    const struct json *attrs = json_opened(c->arena, n->attrs);
    const char *kind = json_get_str(attrs, "block_kind");
    int value = CORE_PERSONA;

    if (kind)
        (void)enumx_parse(&core_kind_enumx, kind, &value);
    return (struct core_block){
        .id = n->id, .space_id = n->space_id, .block_kind = (enum core_kind)value, .title = n->title, .content = n->body,
        .hash = core_hash_text(c, n->body), .sensitivity = json_get_str(attrs, "sensitivity"),
        .needs_votes = json_get_int(attrs, "needs_votes", 1), .version = n->version, .created_at = n->created_at,
        .updated_at = n->updated_at};
}

err core_block_list(struct ctx *c, const struct core_filter *f, struct list *out)
{
    struct node_filter by = {.kind = KIND, .space_id = f->namespace, .with_body = true, .limit = LIMIT_PAGE};
    struct core_block *v;
    const struct node *n;
    struct page p;

    TRY(node_list(c, &by, &p));
    n = p.items;
    v = ARENA_ARRAY(c->arena, struct core_block, p.n + 1);
    for (size_t i = 0; i < p.n; i++)
        v[i] = block_of_node(c, &n[i]);
    *out = (struct list){v, p.n};
    return ERR_OK;
}

err core_block_get(struct ctx *c, struct uuid id, struct core_block *out)
{
    struct node n;

    TRY(node_get(c, id, &n));
    if (!str_eq(n.kind, KIND))
        return fail(c, ERR_NOT_FOUND, "no such core block");
    *out = block_of_node(c, &n);
    return ERR_OK;
}

/* ---- making */

/* Of the space, with this text in the place of one of them. */
static err check_room(struct ctx *c, struct uuid space_id, struct uuid instead_of, const char *content)
{
    int64_t tokens = content_tokens(content);
    const struct core_block *b;
    struct list all;

    TRY(core_block_list(c, &(struct core_filter){space_id}, &all));
    b = all.v;
    for (size_t i = 0; i < all.n; i++)
        tokens += uuid_eq(b[i].id, instead_of) ? 0 : content_tokens(b[i].content);
    if (all.n >= CORE_BLOCKS && uuid_is_nil(instead_of))
        return fail(c, ERR_CONFLICT, "the space has %d core blocks already", CORE_BLOCKS);
    return tokens <= CORE_SPACE_TOKENS ? ERR_OK
           : fail_field(c, "/content", "the core blocks of the space would have %lld tokens together; %d are the most", (long long)tokens,
                        CORE_SPACE_TOKENS);
}

static err note_core(struct ctx *c, const struct core_block *b, const char *what)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "state", what);
    json_set_str(c->arena, o, "hash", b->hash);
    return audit_add(c, &(struct audit){.kind = "core_edit", .subject_kind = "node", .subject_id = b->id, .space_id = b->space_id,
                                        .after = o});
}

static err core_block_create_tx(struct ctx *c, const struct core_new *in, struct core_block *out)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .space_id = in->namespace, .kind = KIND, .body = in->content, .by_room = true,
                         .is_pinned = true,
                         .title = in->title ? in->title : enumx_name(&core_kind_enumx, (int)in->block_kind)};
    struct json *attrs = json_obj(c->arena);
    struct node made;

    TRY(access_require(c, in->namespace, ACCESS_MANAGE));
    TRY(check_room(c, in->namespace, (struct uuid){{0}}, in->content));
    json_set_str(c->arena, attrs, "block_kind", enumx_name(&core_kind_enumx, (int)in->block_kind));
    json_set_int(c->arena, attrs, "needs_votes", in->needs_votes);
    if (in->sensitivity)
        json_set_str(c->arena, attrs, "sensitivity", in->sensitivity);
    n.attrs = attrs;
    n.importance = 1;
    TRY(node_create(c, &n, &made));
    *out = block_of_node(c, &made);
    return note_core(c, out, "created");
}
DB_TX(core_block_create, struct core_new, struct core_block)

/* ---- editing */

static err apply_edit(struct ctx *c, const struct core_block *b, const struct core_edit *e)
{
    struct node_patch p = {.set = NODE_SET_BODY, .body = e->content};

    TRY(core_edit_store_resolve(c, e->id, CORE_APPLIED));
    TRY(core_edit_store_overtake(c, b->id));
    TRY(node_update(c, b->id, &p, &(struct node){0}));
    return note_core(c, b, "applied");
}

static err core_block_propose_tx(struct ctx *c, const struct core_proposal *in, struct core_edit *out)
{
    struct core_block b;

    TRY(core_block_get(c, in->id, &b));
    TRY(access_require(c, b.space_id, ACCESS_WRITE));
    if (!str_eq(in->expected_hash, b.hash))
        return fail_reason(c, ERR_CONFLICT, "stale_hash", "the block says something else by now; read it again");
    TRY(check_room(c, b.space_id, b.id, in->content));
    *out = (struct core_edit){.id = uuid_new(c->now.us), .block_id = b.id, .editor_id = c->who->id, .content = in->content, .at = c->now,
                              .editor_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .needs_votes = b.needs_votes,
                              .prior_hash = content_hash(c->arena, KIND, b.content, NULL), .state = CORE_WAITING};
    TRY(core_edit_store_add(c, out));
    if (b.needs_votes > 0)
        return note_core(c, &b, "waiting");
    out->state = CORE_APPLIED;
    return apply_edit(c, &b, out);
}
DB_TX(core_block_propose, struct core_proposal, struct core_edit)

static bool needs_person(const struct core_block *b)
{
    return b->block_kind == CORE_REDLINE || b->sensitivity;
}

struct voting {
    struct uuid edit_id;
    struct core_edit *out;
};

static err vote_body(struct ctx *c, void *arg)
{
    const struct voting *v = arg;
    struct core_edit *e = v->out;
    struct core_block b;
    int64_t persons;
    bool found;

    TRY(core_edit_store_get(c, v->edit_id, &found, e));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such edit");
    TRY(core_block_get(c, e->block_id, &b));
    TRY(access_require(c, b.space_id, ACCESS_WRITE));
    e->needs_votes = b.needs_votes;
    if (e->state != CORE_WAITING)
        return fail(c, ERR_CONFLICT, "the edit is %s", enumx_name(&core_edit_state_enumx, (int)e->state));
    if (uuid_eq(e->editor_id, c->who->id))
        return fail_reason(c, ERR_CONFLICT, "own_edit", "an edit is approved by others than its editor");
    TRY(core_vote_store_add(c, e->id));
    TRY(core_vote_store_count(c, e->id, &e->votes, &persons));
    if (e->votes < b.needs_votes || (needs_person(&b) && !persons))
        return note_core(c, &b, "vote");
    e->state = CORE_APPLIED;
    return apply_edit(c, &b, e);
}

err core_edit_vote(struct ctx *c, struct uuid edit_id, struct core_edit *out)
{
    return db_tx(c, vote_body, &(struct voting){edit_id, out});
}

err core_edit_list(struct ctx *c, struct list *out)
{
    struct core_edit *v;
    struct core_block b;
    size_t n = 0;

    TRY(core_edit_store_waiting(c, out));
    v = out->v;
    for (size_t i = 0; i < out->n; i++) {
        err e = core_block_get(c, v[i].block_id, &b);

        if (e == ERR_NOT_FOUND) {
            ctx_forgive(c);
            continue;
        }
        TRY(e);
        v[i].needs_votes = b.needs_votes;
        if (access_may_write(c, b.space_id))
            v[n++] = v[i];
    }
    out->n = n;
    return ERR_OK;
}
