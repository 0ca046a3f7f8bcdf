/* Erasing; see erase.h. */
#include "erase.h"

#include <sodium.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "archive_many.h"
#include "audit.h"
#include "changes.h"
#include "db.h"
#include "erase_seal.h"
#include "erase_store.h"
#include "fact_erase.h"
#include "node.h"
#include "node_kind.h"
#include "node_many.h"
#include "principal.h"
#include "row.h"
#include "task.h"
#include "thing.h"

ENUMX_DEFINE(erase_state, ERASE_STATE);

static const struct field RECEIPT_COLUMNS[] = {
    F_ID(struct erase_receipt, "id of the receipt"),
    F_ENUM(struct erase_receipt, state, COL_READ, erase_state, ERASE_HIDDEN, "hidden: no longer found, its rows are still going; done",
           .shades = "warn ok"),
    F_STR(struct erase_receipt, reason, COL_READ, 1, ERASE_REASON, "why"),
    F_STR(struct erase_receipt, actor_kind, COL_READ, 0, 8, "user, agent or system"),
    F_UUID(struct erase_receipt, actor_id, COL_READ | FIELD_NULLABLE, "who erased it"),
    F_INT(struct erase_receipt, nodes, COL_READ, 0, 9e15, 0, "memories and older states of them that are gone"),
    F_INT(struct erase_receipt, spared, COL_READ, 0, 9e15, 0, "memories that were derived from them and have other sources"),
    F_OBJECT(struct erase_receipt, counts, COL_READ, 0, "kinds and spaces, each with how many"),
    F_OBJECT(struct erase_receipt, left_over, COL_READ, 0, "what was found afterwards: rows and keys"),
    F_TIME(struct erase_receipt, at, COL_READ, "when"),
    F_TIME(struct erase_receipt, done_at, COL_READ | FIELD_NULLABLE, "when the last of it was gone"),
    F_BYTES(struct erase_receipt, seal, COL_ROW | FIELD_NULLABLE, "keyed hash of it all"),
    F_END
};
const struct thing ERASE_RECEIPT = THING("erase_receipt", RECEIPT_COLUMNS, struct erase_receipt, .schema = "Erasure");

/* ---- what is to go */

static err check_root(struct ctx *c, struct uuid id)
{
    struct node_brief brief;

    TRY(node_briefs(c, &id, 1, &brief));
    if (!uuid_is_nil(brief.id) && node_kind_has(brief.kind, KIND_SCAFFOLD))
        return fail_field(c, "/node_ids", "a node of kind %s is no memory: it is deleted with what it stands for", brief.kind);
    return ERR_OK;
}

static err erase_roots(struct ctx *c, const struct erase_in *in, struct list *out)
{
    struct uuid *ids;
    struct list more = {0};

    if (in->node_ids.n && !uuid_is_nil(in->entity_id))
        return fail_field(c, "/entity_id", "give node_ids or entity_id");
    if (!in->node_ids.n && uuid_is_nil(in->entity_id))
        return fail_field(c, "/node_ids", "node_ids is empty");
    for (size_t i = 0; i < in->node_ids.n; i++)
        TRY(check_root(c, in->node_ids.v[i]));
    if (!uuid_is_nil(in->entity_id))
        TRY(erase_store_of_entity(c, in->entity_id, in->include_episodes, &more));
    ids = ARENA_ARRAY(c->arena, struct uuid, in->node_ids.n + more.n + 1);
    if (in->node_ids.n)
        memcpy(ids, in->node_ids.v, in->node_ids.n * sizeof *ids);
    if (more.n)
        memcpy(ids + in->node_ids.n, more.v, more.n * sizeof *ids);
    *out = (struct list){ids, in->node_ids.n + more.n};
    if (!uuid_is_nil(in->entity_id))
        ids[out->n++] = in->entity_id;
    return ERR_OK;
}

static void erase_count(struct arena *a, struct json *of, const char *name)
{
    struct json *m = json_get(of, name);

    if (m)
        json_put(a, of, name, json_int(a, json_get_int(of, name, 0) + 1));
    else
        json_set_int(a, of, name, 1);
}

static const struct json *erase_counts(struct ctx *c, const struct derived *d)
{
    struct json *o = json_obj(c->arena), *kinds = json_set(c->arena, o, "kinds", json_obj(c->arena));
    struct json *spaces = json_set(c->arena, o, "spaces", json_obj(c->arena));

    for (size_t i = 0; i < d->n; i++) {
        erase_count(c->arena, kinds, d->nodes[i].kind);
        erase_count(c->arena, spaces, arena_strdup(c->arena, UUID_STR(d->nodes[i].space_id)));
    }
    return o;
}

/* A memory that may not even be read is not there; one that may not be managed refuses the whole. */
static err check_manage(struct ctx *c, const struct derived *d, const struct list *roots)
{
    const struct uuid *ids = roots->v;
    size_t refused = 0;

    for (size_t r = 0; r < roots->n; r++) {
        bool seen = false;

        for (size_t i = 0; i < d->n && !seen; i++)
            seen = uuid_eq(d->nodes[i].id, ids[r]) && access_may_read(c, d->nodes[i].space_id);
        if (!seen)
            return fail(c, ERR_NOT_FOUND, "no memory %s", UUID_STR(ids[r]));
    }
    for (size_t i = 0; i < d->n; i++)
        refused += !access_may_manage(c, d->nodes[i].space_id);
    if (!refused)
        return ERR_OK;
    audit_refusal(c, "erase_refused", "space", (struct uuid){{0}}, "not all of the spaces may be managed");
    return fail_reason(c, ERR_CONFLICT, "not_managed", "%zu of %zu memories are in spaces that you do not manage; nothing was erased",
                       refused, d->n);
}

/* ---- erasing */

struct erasing {
    struct erase_receipt receipt;
    const struct derived *what;
};

static err write_receipt(struct ctx *c, const struct erasing *e)
{
    struct erase_item *items = ARENA_ARRAY(c->arena, struct erase_item, e->what->n + 1);

    TRY(row_insert(c, &ERASE_RECEIPT, &e->receipt));
    for (size_t i = 0; i < e->what->n; i++) {
        const struct derived_node *n = &e->what->nodes[i];

        items[i] = (struct erase_item){.node_id = n->id, .space_id = n->space_id, .kind = n->kind,
                                       .seal = seal_of_content(c, n->content_hash)};
    }
    return erase_store_items(c, e->receipt.id, items, e->what->n);
}

/* Rows, and what names them. */
static err purge_some(struct ctx *c, struct uuid receipt_id, const struct uuid *ids, size_t n)
{
    struct list slots, entities;
    int64_t rows;

    TRY(erase_store_names(c, ids, n, &entities));
    TRY(fact_erase_claims(c, ids, n, &slots));
    TRY(erase_store_scrub(c, ids, n, true, &rows));
    TRY(node_purge_many(c, ids, n));
    TRY(fact_erase_settle(c, &slots));
    for (size_t i = 0; i < entities.n; i += DERIVED_AT_ONCE)
        TRY(erase_store_forget_names(c, (struct uuid *)entities.v + i,
                                     entities.n - i < DERIVED_AT_ONCE ? entities.n - i : DERIVED_AT_ONCE));
    return erase_store_purged(c, receipt_id, ids, n);
}

static err purge_slice(struct ctx *c, struct uuid receipt_id, bool *more)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, ERASE_SLICE);
    const struct erase_item *v;
    struct list items;

    TRY(erase_store_read(c, receipt_id, true, ERASE_SLICE, &items));
    v = items.v;
    for (size_t i = 0; i < items.n; i++)
        ids[i] = v[i].node_id;
    *more = items.n == ERASE_SLICE;
    return items.n ? purge_some(c, receipt_id, ids, items.n) : ERR_OK;
}

static err count_left(struct ctx *c, const struct list *items, int64_t *rows)
{
    const struct erase_item *v = items->v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, ERASE_SLICE);
    int64_t some;

    *rows = 0;
    for (size_t i = 0, n; i < items->n; i += n) {
        for (n = 0; n < ERASE_SLICE && i + n < items->n; n++)
            ids[n] = v[i + n].node_id;
        TRY(erase_store_scrub(c, ids, n, false, &some));
        *rows += some;
    }
    return ERR_OK;
}

static err note_purge(struct ctx *c, const struct erase_receipt *r)
{
    const struct json *spaces = json_get(r->counts, "spaces");

    for (const struct json *s = spaces ? spaces->first : NULL; s; s = s->next) {
        struct json *o = json_obj(c->arena);
        struct audit a = {.kind = "purge", .subject_kind = "erasure", .subject_id = r->id, .payload = o};

        json_set(c->arena, o, "nodes", json_raw(c->arena, json_text(c->arena, s)));
        if (!uuid_parse(s->key, &a.space_id))
            return fail(c, ERR_INTERNAL, "a receipt names no space");
        TRY(audit_add(c, &a));
    }
    return ERR_OK;
}

/* All rows are gone: it says what is left, and is sealed. What holds nodes or words in memory ends on every host. */
static err erase_finish(struct ctx *c, struct erase_receipt *r)
{
    struct json *left = json_obj(c->arena);
    struct list items;
    int64_t rows;

    TRY(erase_store_read(c, r->id, false, DERIVED_MAX, &items));
    TRY(count_left(c, &items, &rows));
    json_set_int(c->arena, left, "rows", rows);
    r->left_over = left;
    r->done_at = c->now;
    r->state = ERASE_DONE;
    r->seal = seal_of_receipt(c, r, &items);
    TRY(erase_store_done(c, r));
    TRY(note_purge(c, r));
    if (c->app->nodes_erased)
        TRY(c->app->nodes_erased(c));
    return changes_of_account(c, c->account_id);
}

/* Those of the space of the first one that is left, at most DERIVED_CHANGED; ids: room for as many. They are not left then. */
static size_t next_of_a_space(const struct derived *d, bool *gone, struct uuid *ids, struct uuid *space_id)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n && n < DERIVED_CHANGED; i++) {
        const struct derived_node *k = &d->nodes[i];

        if (gone[i] || k->is_old || k->is_forgotten || (n && !uuid_eq(k->space_id, *space_id)))
            continue;
        *space_id = k->space_id;
        gone[i] = true;
        ids[n++] = k->id;
    }
    return n;
}

static err hide_all(struct ctx *c, const struct erasing *e)
{
    struct json *payload = json_obj(c->arena);
    bool *gone = ARENA_ARRAY(c->arena, bool, e->what->n + 1);
    struct uuid ids[DERIVED_CHANGED], space_id;
    size_t n;

    while ((n = next_of_a_space(e->what, gone, ids, &space_id)))
        TRY(memory_drop_many(c, space_id, ids, n));
    json_set_str(c->arena, payload, "receipt_id", arena_strdup(c->arena, UUID_STR(e->receipt.id)));
    return task_enqueue(c, &(struct task_new){.kind = "erase", .payload = payload, .priority = TASK_ASKED_LONG,
                                              .idem_key = arena_strdup(c->arena, UUID_STR(e->receipt.id))});
}

static err erase_body(struct ctx *c, void *arg)
{
    struct erasing *e = arg;
    bool more = true;

    e->receipt.state = ERASE_HIDDEN;
    TRY(write_receipt(c, e));
    if (e->what->n > ERASE_AT_ONCE)
        return hide_all(c, e);
    while (more)
        TRY(purge_slice(c, e->receipt.id, &more));
    return erase_finish(c, &e->receipt);
}

/* After the commit: Redis takes no part in it. Without Redis there is nothing to take away. */
static void scrub_redis(struct ctx *c, const struct list *items)
{
    const struct erase_item *v = items->v;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, ERASE_SLICE);
    struct fault before = c->fault;
    int64_t gone;

    for (size_t i = 0, n; i < items->n; i += n) {
        for (n = 0; n < ERASE_SLICE && i + n < items->n; n++)
            ids[n] = v[i + n].node_id;
        if (erase_store_scrub_redis(c, ids, n, &gone) != ERR_OK) {
            c->fault = before;
            return;
        }
    }
}

static err erase_all(struct ctx *c, const struct erase_in *in, const struct derived *d, struct erase_out *out)
{
    struct erasing e = {.what = d, .receipt = {
        .id = uuid_new(c->now.us), .reason = in->reason, .actor_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind),
        .actor_id = c->who->id, .nodes = (int64_t)d->n, .spared = (int64_t)d->n_spared, .counts = out->counts,
        .left_over = json_obj(c->arena), .at = c->now}};
    struct list items;

    TRY(db_tx(c, erase_body, &e));
    TRY(erase_store_read(c, e.receipt.id, false, DERIVED_MAX, &items));
    scrub_redis(c, &items);
    out->receipt_id = e.receipt.id;
    out->state = e.receipt.state;
    return ERR_OK;
}

err erase_run(struct ctx *c, const struct erase_in *in, struct erase_out *out)
{
    struct list roots = {0};
    struct derived d;

    TRY(erase_roots(c, in, &roots));
    TRY(derived_find(c, roots.v, roots.n, true, &d));
    TRY(check_manage(c, &d, &roots));
    *out = (struct erase_out){.dry_run = in->dry_run, .state = ERASE_HIDDEN, .nodes = (int64_t)d.n, .spared = (int64_t)d.n_spared,
                              .counts = erase_counts(c, &d)};
    if (in->dry_run) {
        out->confirm_until = (struct instant){c->now.us + ERASE_CONFIRM_S * SECOND_US};
        out->confirm = erase_confirm_of(c, &d, out->confirm_until.us);
        return ERR_OK;
    }
    TRY(erase_check_confirm(c, in->confirm, &d));
    return erase_all(c, in, &d, out);
}

/* ---- the task */

struct going_on {
    struct uuid id;
    bool more;
};

static err go_on_body(struct ctx *c, void *arg)
{
    struct going_on *g = arg;
    struct erase_receipt r;
    bool found;

    TRY(row_get(c, &ERASE_RECEIPT, g->id, &found, &r));
    g->more = false;
    if (!found || r.state == ERASE_DONE)
        return ERR_OK;
    TRY(purge_slice(c, g->id, &g->more));
    return g->more ? ERR_OK : erase_finish(c, &r);
}

err erase_go_on(struct ctx *c, struct uuid receipt_id, bool *more)
{
    struct going_on g = {.id = receipt_id};
    struct list items;

    TRY(db_tx(c, go_on_body, &g));
    *more = g.more;
    if (g.more)
        return ERR_OK;
    TRY(erase_store_read(c, receipt_id, false, DERIVED_MAX, &items));
    scrub_redis(c, &items);
    return ERR_OK;
}

/* ---- receipts */

static const struct json *erase_remains(struct ctx *c)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "pages", "deleted bytes stay in free space of MariaDB's files until that is used again, or OPTIMIZE TABLE");
    json_set_str(c->arena, o, "binlog", "until the server's binary logs expire (binlog_expire_logs_seconds)");
    json_set_str(c->arena, o, "exports", "files of earlier exports, until transfer.keep_days are over");
    json_set_str(c->arena, o, "logs", "ids in paths of the web server's access log, until it is rotated away");
    json_set_str(c->arena, o, "backups", "as long as you keep them");
    return o;
}

err erase_get(struct ctx *c, struct uuid id, struct erase_shown *out)
{
    struct erase_receipt *r = ARENA_NEW(c->arena, struct erase_receipt);
    struct erase_item *v;
    struct list items;

    TRY(thing_get(c, &ERASE_RECEIPT, id, r));
    TRY(erase_store_read(c, id, false, DERIVED_MAX, &items));
    v = items.v;
    for (size_t i = 0; i < items.n; i++) {
        char *hex = arena_alloc(c->arena, 2 * v[i].seal.n + 1);

        hex_encode(v[i].seal.p, v[i].seal.n, hex);
        v[i].seal_hex = hex;
    }
    *out = (struct erase_shown){.receipt = r, .remains = erase_remains(c),
                                .items = {items.v, items.n < ERASE_SLICE ? items.n : ERASE_SLICE}};
    if (r->seal.n == crypto_auth_hmacsha256_BYTES)
        out->is_genuine = sodium_memcmp(r->seal.p, seal_of_receipt(c, r, &items).p, crypto_auth_hmacsha256_BYTES) == 0;
    return ERR_OK;
}

err erase_list(struct ctx *c, const struct thing_page *in, struct page *out)
{
    return thing_list(c, &ERASE_RECEIPT, in, out);
}
