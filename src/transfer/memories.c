/* Keeping memories of other systems as nodes; see memories.h. */
#include "memories.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "edge.h"
#include "node.h"
#include "portion.h"
#include "space.h"
#include "transfer_store.h"

#define BATCH 100
#define TITLE_POINTS 80 /* of a text that has none */
#define LINKED "RELATES_TO"

struct keeping {
    const struct memories *m;
    struct memories_done *done;
    struct uuid space_id;
    struct uuid *ids; /* of each memory */
    bool *is_new;
    const struct transfer_table *node;
    size_t key;
    struct ctx part;
};

/* Of the moment it is about, as ids are, and for the rest of where it came from. */
static struct uuid memories_id_of(struct uuid space_id, const char *format, const struct memory_in *m)
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    uint64_t ms = (uint64_t)(m->at.us > 0 ? m->at.us / 1000 : 0);
    crypto_hash_sha256_state h;
    struct uuid id;

    crypto_hash_sha256_init(&h);
    crypto_hash_sha256_update(&h, space_id.b, sizeof space_id.b);
    crypto_hash_sha256_update(&h, (const unsigned char *)format, strlen(format) + 1);
    crypto_hash_sha256_update(&h, (const unsigned char *)m->key, strlen(m->key));
    crypto_hash_sha256_final(&h, hash);
    memcpy(id.b, hash, sizeof id.b);
    for (int i = 0; i < 6; i++)
        id.b[i] = (uint8_t)(ms >> (40 - 8 * i));
    id.b[6] = (uint8_t)(0x70 | (id.b[6] & 0x0f));
    id.b[8] = (uint8_t)(0x80 | (id.b[8] & 0x3f));
    return id;
}

static const char *memories_title_of(struct arena *a, const struct memory_in *m)
{
    size_t line = strcspn(m->body, "\r\n"), n = str_first_bytes(arena_strndup(a, m->body, line), TITLE_POINTS);

    return str_empty(m->title) ? arena_strndup(a, m->body, n < line ? n : line) : m->title;
}

static struct node_new memories_node_of(struct ctx *c, const struct keeping *k, size_t i)
{
    const struct memory_in *m = &k->m->v[i];
    struct node_new n = {NODE_NEW_DEFAULTS};

    n.id = k->ids[i];
    n.space_id = k->space_id;
    n.kind = m->kind;
    n.title = memories_title_of(c->arena, m);
    n.body = m->body;
    n.attrs = m->attrs;
    n.source_kind = "import";
    n.source_id = strlen(m->key) <= 255 ? m->key : NULL;
    n.valid_from = m->at;
    return n;
}

static void memories_note(struct ctx *c, struct keeping *k, size_t i, struct ctx *part, err e)
{
    struct memories_error *errors = k->done->errors.v;

    k->done->failed++;
    k->is_new[i] = false;
    if (k->done->errors.n < MEMORIES_ERRORS)
        errors[k->done->errors.n++] = (struct memories_error){
            arena_strndup(c->arena, k->m->v[i].key, str_first_bytes(k->m->v[i].key, 255)),
            arena_strdup(c->arena, part->fault.message && e != ERR_INTERNAL ? part->fault.message : err_info(e)->meaning)};
    ctx_forgive(part);
}

/* Which of the batch are new, and can be: those are left in `in`, and where they stand in `which`. */
static err memories_look(struct ctx *c, struct keeping *k, size_t from, size_t n, struct node_new *in, size_t *which, size_t *left)
{
    struct transfer_row rows[BATCH];
    bool there[BATCH];

    for (size_t i = 0; i < n; i++) {
        rows[i] = (struct transfer_row){.table = k->node, .v = ARENA_ARRAY(k->part.arena, struct transfer_value, k->node->n_columns)};
        rows[i].v[k->key].uuid = k->ids[from + i];
    }
    TRY(portion_end(c, &k->part, transfer_store_have_keys(&k->part, rows, n, there)));
    *left = 0;
    for (size_t i = 0; i < n; i++) {
        err e;

        if (there[i]) {
            k->done->there++;
            continue;
        }
        k->is_new[from + i] = true;
        in[*left] = memories_node_of(&k->part, k, from + i);
        e = node_check(&k->part, &in[*left]);
        if (e == ERR_FORBIDDEN || e == ERR_NOT_FOUND) /* the space: no other memory will do better */
            return portion_end(c, &k->part, e);
        if (e != ERR_OK)
            memories_note(c, k, from + i, &k->part, e);
        else
            which[(*left)++] = from + i;
    }
    return ERR_OK;
}

static err keep_batch(struct ctx *c, struct keeping *k, size_t from, size_t n)
{
    struct node_new in[BATCH];
    struct uuid ids[BATCH];
    size_t which[BATCH], left;
    err e = ERR_OK;

    TRY(memories_look(c, k, from, n, in, which, &left));
    if (left && !k->done->dry_run)
        e = node_create_many(&k->part, in, left, ids, NULL);
    if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
        return portion_end(c, &k->part, e);
    if (e == ERR_OK)
        k->done->added += (int64_t)left;
    for (size_t i = 0; e != ERR_OK && i < left; i++)
        memories_note(c, k, which[i], &k->part, e);
    portion_next(&k->part);
    return ctx_check_deadline(c);
}

struct named {
    const char *name;
    size_t at;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static struct named *index_names(struct arena *a, const struct memories *m, size_t *n)
{
    struct named *v = ARENA_ARRAY(a, struct named, m->n + 1);

    *n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->v[i].name)
            v[(*n)++] = (struct named){m->v[i].name, i};
    if (*n)
        qsort(v, *n, sizeof *v, by_name);
    return v;
}

/* The first note of that name; NULL: none. */
static const struct named *find_name(const struct named *v, size_t n, const char *name)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(v[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && strcmp(v[low].name, name) == 0 ? &v[low] : NULL;
}

/* Links of notes that came in now, or lead to such; what is linked already stays so. */
static err keep_links(struct ctx *c, struct keeping *k)
{
    struct json *how = json_obj(c->arena);
    size_t n;
    const struct named *names = index_names(c->arena, k->m, &n);

    json_set_str(c->arena, how, "relationship_label", "links to");
    for (size_t i = 0; i < k->m->n_links; i++) {
        const struct memory_link *l = &k->m->links[i];
        const struct named *to = find_name(names, n, l->to);
        struct edge_new in = {EDGE_NEW_DEFAULTS, .relation = LINKED, .metadata = how};
        struct edge out;
        err e;

        if (!to || to->at == l->from || (!k->is_new[l->from] && !k->is_new[to->at]))
            continue;
        in.source_id = k->ids[l->from];
        in.target_id = k->ids[to->at];
        e = k->done->dry_run ? ERR_OK : edge_create(&k->part, &in, &out);
        if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
            return portion_end(c, &k->part, e);
        k->done->links += e == ERR_OK;
        portion_next(&k->part);
        TRY(ctx_check_deadline(c));
    }
    return ERR_OK;
}

err memories_keep(struct ctx *c, enum memories_format format, struct uuid space_id, const struct memories *m, bool dry_run,
                  struct memories_done *out)
{
    const struct transfer_tables *tables = transfer_tables_read(c->arena);
    struct keeping k = {.m = m, .done = out, .space_id = space_id, .node = transfer_table_find(tables, "node")};

    if (uuid_is_nil(space_id))
        TRY(space_own(c, &k.space_id));
    TRY(access_require(c, k.space_id, ACCESS_WRITE));
    if (!m->n)
        return fail(c, ERR_INVALID, "the file holds no memories of the format %s", enumx_name(&memories_format_enumx, (int)format));
    *out = (struct memories_done){.read = (int64_t)m->n, .dry_run = dry_run};
    out->errors.v = ARENA_ARRAY(c->arena, struct memories_error, MEMORIES_ERRORS);
    k.ids = ARENA_ARRAY(c->arena, struct uuid, m->n + 1);
    k.is_new = ARENA_ARRAY(c->arena, bool, m->n + 1);
    k.key = k.node->key[0];
    for (size_t i = 0; i < m->n; i++)
        k.ids[i] = memories_id_of(k.space_id, enumx_name(&memories_format_enumx, (int)format), &m->v[i]);
    portion_begin(c, &k.part);
    for (size_t i = 0; i < m->n; i += BATCH)
        TRY(keep_batch(c, &k, i, m->n - i < BATCH ? m->n - i : BATCH));
    return keep_links(c, &k);
}
