/* Making nodes, one or many; what equal content says already is found instead (docs/decisions/0023). See node.h. */
#include <string.h>

#include "app.h"
#include "db.h"
#include "node_impl.h"
#include "node_kind.h"
#include "node_store.h"
#include "node_write_store.h"
#include "outbox.h"

#define CLASHES_MAX 4 /* each time another writer made, or took away, what this one met */

bool node_is_found_by_content(const struct node *n)
{
    return node_kind_has(n->kind, KIND_ONCE) && strcmp(n->status, NODE_ACTIVE) == 0 && !n->archived_at.us && !n->forgotten_at.us &&
           uuid_is_nil(n->superseded_by) && !n->valid_from.us && !n->valid_to.us && !n->expires_at.us;
}

/* A node on its way. */
struct making {
    struct node node;
    const struct node_new *in;
    bool is_kept;  /* equal content finds it from now on */
    bool *clashed; /* the unique key of its content, or its id, was taken */
};

/* The server's word must be looked at before anything else is asked. */
static err clash_of(struct ctx *c, err e, bool *clashed)
{
    *clashed = e == ERR_CONFLICT && db_was_duplicate(c);
    if (!*clashed)
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "a node with this id exists already");
}

/* ---- one */

static err insert_node(struct ctx *c, const struct making *m)
{
    struct audit a = node_audit(c, "node.create", NULL, &m->node);
    struct audit_event e = audit_event_of(c, &a);

    return clash_of(c, node_store_create(c, &m->node, m->is_kept, &e), m->clashed);
}

static err insert_promised(struct ctx *c, void *arg)
{
    const struct making *m = arg;

    TRY(insert_node(c, m));
    return node_promise_vectors(c, &m->node.id, 1);
}

static err count_again(struct ctx *c, void *arg)
{
    return node_write_again(c, arg, 1);
}

/* What the caller wanted otherwise than it is. */
static void note_not_taken(struct ctx *c, const struct node_new *in, struct node *there)
{
    const struct { bool differs; const char *name; } all[] = {
        {in->importance != 0.5 && in->importance != there->importance, "importance"},
        {in->confidence != 1 && in->confidence != there->confidence, "confidence"},
        {in->decay_rate >= 0 && in->decay_rate != there->decay_rate, "decay_rate"},
        {in->is_pinned && !there->is_pinned, "is_pinned"},
        {in->source_id && !str_eq(in->source_id, there->source_id), "source_id"},
    };
    const char **names = ARENA_ARRAY(c->arena, const char *, sizeof all / sizeof *all);
    size_t n = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].differs)
            names[n++] = all[i].name;
    there->not_taken = (struct strs){names, n};
}

/* *out becomes the node that says the same; without one, or where a copy is wanted, the node is tried again without a key. */
static err meet_equal(struct ctx *c, struct making *m, bool *met, struct node *out)
{
    struct node there = {0};
    bool found;

    TRY(node_store_equal(c, &m->node, &found, &there));
    *met = found && m->in->once;
    m->is_kept = false;
    if (!*met)
        return ERR_OK;
    TRY(db_tx(c, count_again, &there.id));
    there.occurrences++;
    there.duplicate_of = there.id;
    note_not_taken(c, m->in, &there);
    node_present(c, &there);
    *out = there;
    return ERR_OK;
}

static err insert_new(struct ctx *c, struct making *m)
{
    TRY(c->app->vectors_later ? db_tx(c, insert_promised, m) : insert_node(c, m));
    outbox_made_news(c);
    node_written(c, &m->node.id, 1);
    node_present(c, &m->node);
    return ERR_OK;
}

err node_create(struct ctx *c, const struct node_new *in, struct node *out)
{
    bool clashed = false, met = false;
    struct making m = {.in = in, .clashed = &clashed};
    err e;

    TRY(node_prepare(c, in, &m.node));
    m.is_kept = node_is_found_by_content(&m.node);
    e = insert_new(c, &m);
    if (e != ERR_OK && clashed && m.is_kept) {
        ctx_forgive(c);
        TRY(meet_equal(c, &m, &met, out));
        if (met)
            return ERR_OK;
        e = insert_new(c, &m);
    }
    if (e == ERR_OK)
        *out = m.node;
    return e;
}

/* ---- many */

struct many {
    const struct node_new *in;
    struct node *rows; /* all of them: duplicate_of says which are not to be written */
    bool *is_kept;
    size_t n;
    bool clashed;
};

static bool is_equal(const struct node *a, const struct node *b)
{
    return uuid_eq(a->space_id, b->space_id) && strcmp(a->kind, b->kind) == 0 &&
           memcmp(a->content_hash.p, b->content_hash.p, NODE_HASH) == 0;
}

/* Row i says what the node `there` says. */
static void settle_equal(struct many *m, size_t i, struct uuid there)
{
    m->is_kept[i] = false;
    if (m->in[i].once)
        m->rows[i].duplicate_of = there;
}

static void find_equal_within(struct many *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < i && m->is_kept[i]; k++)
            if (m->is_kept[k] && is_equal(&m->rows[i], &m->rows[k]))
                settle_equal(m, i, m->rows[k].id);
}

/* Those that are in the way of rows to be kept; what was to follow such a row follows them. None: an older release left a key behind. */
static err find_equal_there(struct ctx *c, struct many *m)
{
    struct node *wanted = ARENA_ARRAY(c->arena, struct node, m->n + 1), *there = ARENA_ARRAY(c->arena, struct node, m->n + 1);
    size_t n = 0, found;

    for (size_t i = 0; i < m->n; i++)
        if (m->is_kept[i])
            wanted[n++] = m->rows[i];
    TRY(node_store_equal_many(c, wanted, n, there, &found));
    if (!found)
        memset(m->is_kept, 0, m->n * sizeof *m->is_kept);
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < found; k++) {
            if (m->is_kept[i] && is_equal(&m->rows[i], &there[k]))
                settle_equal(m, i, there[k].id);
            else if (!uuid_is_nil(m->rows[i].duplicate_of) && is_equal(&m->rows[i], &there[k]))
                m->rows[i].duplicate_of = there[k].id;
        }
    return ERR_OK;
}

static err insert_many(struct ctx *c, struct many *m, const struct node *rows, const bool *is_kept, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct audit *audits = ARENA_ARRAY(c->arena, struct audit, n + 1);

    for (size_t i = 0; i < n; i++) {
        audits[i] = node_audit(c, "node.create", NULL, &rows[i]);
        ids[i] = rows[i].id;
    }
    TRY(clash_of(c, node_store_insert_many(c, rows, is_kept, n), &m->clashed));
    TRY(node_promise_vectors(c, ids, n));
    return audit_add_many(c, audits, n);
}

static err create_many_body(struct ctx *c, void *arg)
{
    struct many *m = arg;
    struct node *rows = ARENA_ARRAY(c->arena, struct node, m->n + 1);
    struct uuid *again = ARENA_ARRAY(c->arena, struct uuid, m->n + 1);
    bool *is_kept = ARENA_ARRAY(c->arena, bool, m->n + 1);
    size_t n = 0, n_again = 0;

    m->clashed = false;
    for (size_t i = 0; i < m->n; i++) {
        if (!uuid_is_nil(m->rows[i].duplicate_of)) {
            again[n_again++] = m->rows[i].duplicate_of;
            continue;
        }
        is_kept[n] = m->is_kept[i];
        rows[n++] = m->rows[i];
    }
    if (n)
        TRY(insert_many(c, m, rows, is_kept, n));
    return n_again ? node_write_again(c, again, n_again) : ERR_OK;
}

static err create_all(struct ctx *c, struct many *m)
{
    err e = db_tx(c, create_many_body, m);

    for (int i = 0; e != ERR_OK && m->clashed && i < CLASHES_MAX; i++) {
        ctx_forgive(c);
        TRY(find_equal_there(c, m));
        e = db_tx(c, create_many_body, m);
    }
    return e;
}

err node_create_many(struct ctx *c, const struct node_new *in, size_t n, struct uuid *ids, bool *was_there)
{
    struct many m = {in, ARENA_ARRAY(c->arena, struct node, n + 1), ARENA_ARRAY(c->arena, bool, n + 1), n, false};
    struct uuid *made = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t n_made = 0;

    for (size_t i = 0; i < n; i++) {
        TRY(node_prepare(c, &in[i], &m.rows[i]));
        m.is_kept[i] = node_is_found_by_content(&m.rows[i]);
    }
    find_equal_within(&m);
    if (n)
        TRY(create_all(c, &m));
    for (size_t i = 0; i < n; i++) {
        bool is_new = uuid_is_nil(m.rows[i].duplicate_of);

        ids[i] = is_new ? m.rows[i].id : m.rows[i].duplicate_of;
        if (was_there)
            was_there[i] = !is_new;
        if (is_new)
            made[n_made++] = m.rows[i].id;
    }
    node_written(c, made, n_made);
    return ERR_OK;
}
