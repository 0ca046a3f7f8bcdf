/* Many entries of one context written, archived or brought back by a few statements; see entry_impl.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "context_store.h"
#include "db.h"
#include "entry_impl.h"
#include "merge.h"
#include "node_many.h"

static bool is_fact(const struct entry_row *e)
{
    return e->entry.memory_type == MEMORY_FACTUAL;
}

size_t entry_portion(const struct entry_row *rows, size_t n)
{
    int64_t bytes = 0;
    size_t k = 0;

    while (k < n && k < ENTRIES_AT_ONCE && (!k || bytes + rows[k].size_bytes <= ENTRIES_BYTES))
        bytes += rows[k++].size_bytes;
    return k;
}

/* ---- made */

static err make_facts(struct ctx *c, const struct context *x, struct entry_write *w, size_t n)
{
    struct fact_new *facts = ARENA_ARRAY(c->arena, struct fact_new, n + 1);
    struct fact_recorded *made = ARENA_ARRAY(c->arena, struct fact_recorded, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (w[i].is_new && is_fact(&w[i].after))
            facts[k++] = entry_fact_of(c, x, &w[i].after.entry);
    TRY(fact_record(c, facts, k, made));
    k = 0;
    for (size_t i = 0; i < n; i++)
        if (w[i].is_new && is_fact(&w[i].after))
            w[i].after.entry.id = made[k++].node.id;
    return ERR_OK;
}

static err make_nodes(struct ctx *c, const struct context *x, struct entry_write *w, size_t n)
{
    struct node_new *nodes = ARENA_ARRAY(c->arena, struct node_new, n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (w[i].is_new && !is_fact(&w[i].after))
            nodes[k++] = entry_node_of(c, x, &w[i].after.entry);
    TRY(node_create_many(c, nodes, k, ids, NULL));
    k = 0;
    for (size_t i = 0; i < n; i++)
        if (w[i].is_new && !is_fact(&w[i].after))
            w[i].after.entry.id = ids[k++];
    return ERR_OK;
}

static err insert_rows(struct ctx *c, const struct entry_write *w, size_t n)
{
    struct entry_row *rows = ARENA_ARRAY(c->arena, struct entry_row, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (w[i].is_new)
            rows[k++] = w[i].after;
    return k ? entry_store_insert(c, rows, k) : ERR_OK;
}

/* ---- changed */

/* Another value of a fact is another fact: the entry moves to it. Other words for the same value change it in place. */
static bool moves(const struct entry_write *w)
{
    return !w->is_new && w->is_content && is_fact(&w->before) && !w->is_same_fact;
}

static bool changes_in_place(const struct entry_write *w)
{
    return !w->is_new && !moves(w) && (w->is_content || entry_node_bits(w->patch.set));
}

static err move_facts(struct ctx *c, const struct context *x, struct entry_write *w, size_t n)
{
    struct fact_new *facts = ARENA_ARRAY(c->arena, struct fact_new, n + 1);
    struct fact_recorded *made = ARENA_ARRAY(c->arena, struct fact_recorded, n + 1);
    struct entry_kept *moved = ARENA_ARRAY(c->arena, struct entry_kept, n + 1);
    struct uuid *from = ARENA_ARRAY(c->arena, struct uuid, n + 1), *to = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct entry_row *rows = ARENA_ARRAY(c->arena, struct entry_row, n + 1);
    size_t k = 0, n_moved = 0;

    for (size_t i = 0; i < n; i++)
        if (moves(&w[i]))
            facts[k++] = entry_fact_of(c, x, &w[i].after.entry);
    if (!k)
        return ERR_OK;
    TRY(fact_record(c, facts, k, made));
    for (size_t i = 0, at = 0; i < n; i++) {
        if (!moves(&w[i]))
            continue;
        w[i].is_same_fact = made[at].outcome == FACT_CORROBORATED;
        w[i].after.entry.id = made[at++].node.id;
        if (w[i].is_same_fact)
            continue;
        from[n_moved] = w[i].before.entry.id;
        to[n_moved] = w[i].after.entry.id;
        moved[n_moved] = (struct entry_kept){from[n_moved], to[n_moved]};
        rows[n_moved++] = w[i].after;
    }
    if (!n_moved)
        return ERR_OK;
    TRY(entry_store_succeed(c, moved, n_moved));
    TRY(merge_follow(c, from, to, n_moved));
    return entry_store_insert(c, rows, n_moved);
}

/* The node keeps its id, and old content goes to the node that keeps the state. */
static err change_nodes(struct ctx *c, const struct entry_write *w, size_t n)
{
    struct node_wish *wishes = ARENA_ARRAY(c->arena, struct node_wish, n + 1);
    struct entry_kept *kept = ARENA_ARRAY(c->arena, struct entry_kept, n + 1);
    struct entry_row *rows = ARENA_ARRAY(c->arena, struct entry_row, n + 1);
    size_t k = 0, n_kept = 0;

    for (size_t i = 0; i < n; i++)
        if (changes_in_place(&w[i])) {
            wishes[k] = (struct node_wish){.id = w[i].before.entry.id, .what = NODE_WISH_PATCH, .patch = entry_node_patch(c, &w[i])};
            rows[k++] = w[i].after;
        }
    if (!k)
        return ERR_OK;
    TRY(node_change_many(c, wishes, k));
    for (size_t i = 0; i < k; i++)
        if (wishes[i].out.changed)
            kept[n_kept++] = (struct entry_kept){wishes[i].id, wishes[i].out.previous_id};
    if (n_kept)
        TRY(entry_store_keep(c, kept, n_kept));
    return entry_store_update(c, rows, k);
}

/* ---- both */

static err log_writes(struct ctx *c, const struct entry_write *w, size_t n)
{
    struct access_change *log = ARENA_ARRAY(c->arena, struct access_change, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (w[i].is_new)
            log[k++] = entry_log_of(LOGGED_WRITE, NULL, &w[i].after);
        else if (moves(&w[i]) || changes_in_place(&w[i]))
            log[k++] = entry_log_of(LOGGED_UPDATE, &w[i].before, &w[i].after);
    return access_log_changes(c, log, k);
}

err entry_write_many(struct ctx *c, const struct context *x, struct entry_write *w, size_t n, struct strs *evicted)
{
    int64_t entries = 0, bytes = 0;
    struct uuid last = {{0}};

    assert(db_in_tx(c));
    *evicted = (struct strs){0};
    TRY(make_facts(c, x, w, n));
    TRY(make_nodes(c, x, w, n));
    TRY(insert_rows(c, w, n));
    TRY(move_facts(c, x, w, n));
    TRY(change_nodes(c, w, n));
    TRY(log_writes(c, w, n));
    for (size_t i = 0; i < n; i++) {
        entries += w[i].is_new;
        bytes += w[i].after.size_bytes - w[i].before.size_bytes;
        w[i].is_content = w[i].is_content || w[i].is_new;
        if (w[i].is_content)
            last = w[i].after.entry.id;
    }
    if (uuid_is_nil(last))
        return ERR_OK;
    TRY(context_store_count(c, x->id, entries, bytes));
    return entry_make_room(c, x, last, x->entry_count + entries, x->data_size_bytes + bytes, evicted);
}

/* ---- by key */

static int entry_many_by_key(const void *a, const void *b)
{
    return strcmp(((const struct entry_row *)a)->entry.entry_key, ((const struct entry_row *)b)->entry.entry_key);
}

/* Who holds which of the keys, in the order of keys; who has expired or went behind its back leaves it. */
static err read_holders(struct ctx *c, const struct context *x, const struct entry_new *in, size_t n, struct entry_row **rows,
                        size_t *n_rows)
{
    const char **keys = ARENA_ARRAY(c->arena, const char *, n + 1);
    size_t found, k = 0;

    for (size_t i = 0; i < n; i++)
        keys[i] = in[i].entry_key;
    TRY(entry_store_holders(c, x->id, keys, n, rows, &found));
    TRY(entry_leave_stale(c, x, *rows, found));
    for (size_t i = 0; i < found; i++)
        if (entry_holds(c, &(*rows)[i]))
            (*rows)[k++] = (*rows)[i];
    qsort(*rows, k, sizeof **rows, entry_many_by_key);
    *n_rows = k;
    return ERR_OK;
}

err entry_merge_many(struct ctx *c, const struct context *x, const struct entry_new *in, size_t n, enum entry_merging how,
                     struct entry_merged *out)
{
    struct entry_write *writes = ARENA_ARRAY(c->arena, struct entry_write, n + 1);
    size_t *of = ARENA_ARRAY(c->arena, size_t, n + 1);
    struct entry_row *rows;
    struct strs evicted;
    size_t n_rows, k = 0;

    assert(n <= ENTRIES_AT_ONCE);
    TRY(read_holders(c, x, in, n, &rows, &n_rows));
    for (size_t i = 0; i < n; i++) {
        const struct entry_row *there = bsearch(&(struct entry_row){.entry.entry_key = in[i].entry_key}, rows, n_rows, sizeof *rows,
                                                entry_many_by_key);

        out[i] = (struct entry_merged){.id = there ? there->entry.id : (struct uuid){{0}}};
        if (there && how == MERGE_SKIP)
            continue;
        of[k] = i;
        if (there) {
            struct entry_patch p = entry_patch_of(c, &in[i], how);

            TRY(entry_plan_change(c, there, &p, &writes[k++]));
        } else {
            TRY(entry_plan_new(c, x, &in[i], &writes[k++]));
        }
    }
    TRY(entry_write_many(c, x, writes, k, &evicted));
    for (size_t i = 0; i < k; i++)
        out[of[i]] = (struct entry_merged){writes[i].after.entry.id, writes[i].is_new, writes[i].is_content};
    return ERR_OK;
}

/* ---- away and back */

static err change_places(struct ctx *c, const struct entry_row *rows, size_t n, enum node_wish_what what)
{
    struct node_wish *wishes = ARENA_ARRAY(c->arena, struct node_wish, n + 1);

    for (size_t i = 0; i < n; i++)
        wishes[i] = (struct node_wish){.id = rows[i].entry.id, .what = what};
    return node_change_many(c, wishes, n);
}

err entry_hold_many(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n, bool holds)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1), *facts = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    int64_t bytes = 0;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        ids[i] = rows[i].entry.id;
        bytes += rows[i].size_bytes;
        if (is_fact(&rows[i]))
            facts[k++] = ids[i];
    }
    TRY(entry_store_hold(c, ids, n, holds));
    if (k)
        TRY(fact_hold(c, facts, k, holds));
    return context_store_count(c, x->id, holds ? (int64_t)n : -(int64_t)n, holds ? bytes : -bytes);
}

static err log_all(struct ctx *c, const struct entry_row *rows, size_t n, enum access_action action)
{
    struct access_change *log = ARENA_ARRAY(c->arena, struct access_change, n + 1);

    for (size_t i = 0; i < n; i++)
        log[i] = entry_log_of(action, &rows[i], action == LOGGED_DELETE ? NULL : &rows[i]);
    return access_log_changes(c, log, n);
}

err entry_leave_many(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n, bool archived)
{
    if (!n)
        return ERR_OK;
    TRY(change_places(c, rows, n, archived ? NODE_WISH_ARCHIVE : NODE_WISH_FORGET));
    TRY(log_all(c, rows, n, archived ? LOGGED_ARCHIVE : LOGGED_DELETE));
    return entry_hold_many(c, x, rows, n, false);
}

bool entry_holds(const struct ctx *c, const struct entry_row *e)
{
    return entry_is_there(c, e) && !e->node.archived_at.us;
}

err entry_leave_stale(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n)
{
    struct entry_row *stale = ARENA_ARRAY(c->arena, struct entry_row, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (!entry_holds(c, &rows[i]))
            stale[k++] = rows[i];
    return k ? entry_hold_many(c, x, stale, k, false) : ERR_OK;
}

err entry_revive_many(struct ctx *c, const struct context *x, const struct entry_row *rows, size_t n)
{
    if (!n)
        return ERR_OK;
    TRY(change_places(c, rows, n, NODE_WISH_REVIVE));
    TRY(entry_hold_many(c, x, rows, n, true));
    return log_all(c, rows, n, LOGGED_UNARCHIVE);
}

struct archiving {
    const char *context;
    const struct uuid *ids;
    size_t n;
};

err entry_leave_by_id(struct ctx *c, const struct context *x, const struct uuid *ids, size_t n)
{
    struct entry_row *rows;
    size_t found, k = 0;

    TRY(entry_store_heads(c, x->id, ids, n, &rows, &found));
    for (size_t i = 0; i < found; i++)
        if (rows[i].live && entry_holds(c, &rows[i]))
            rows[k++] = rows[i];
    return entry_leave_many(c, x, rows, k, true);
}

static err entry_many_archive_body(struct ctx *c, void *arg)
{
    const struct archiving *a = arg;
    struct context x;

    TRY(entry_lock_context(c, a->context, &x));
    for (size_t at = 0; at < a->n; at += ENTRIES_AT_ONCE)
        TRY(entry_leave_by_id(c, &x, a->ids + at, a->n - at < ENTRIES_AT_ONCE ? a->n - at : ENTRIES_AT_ONCE));
    return ERR_OK;
}

err entry_archive_many(struct ctx *c, const char *context, const struct uuid *ids, size_t n)
{
    struct archiving a = {context, ids, n};

    return n ? db_tx(c, entry_many_archive_body, &a) : ERR_OK;
}
