/* Which pool has a key, and knowledge behind them; see shared.h. */
#include "shared.h"

#include "db.h"
#include "knowledge.h"
#include "node.h"
#include "pool_path.h"
#include "private_impl.h"
#include "shared_store.h"
#include "strs_json.h"
#include "subject.h"
#include "tags.h"

static const char *shared_pool_of(const struct shared_at *at)
{
    return at->pool_id ? at->pool_id : POOL_DEFAULT;
}

/* ---- reading */

static err shared_read_pool(struct ctx *c, const char *ref, const char *key, bool peek, struct shared_found *out)
{
    struct pool_value v;

    TRY(pool_read(c, ref, key, peek, &v));
    *out = (struct shared_found){v.found, v.value, v.node_id, v.version};
    return ERR_OK;
}

/* A title may be what no path can be. */
static bool is_path(struct ctx *c, const char *key, struct pool_path *out)
{
    if (pool_path_parse(c, "/key", key, out) == ERR_OK)
        return true;
    ctx_forgive(c);
    return false;
}

/* The first that has it: where a row stands above the key, only reading tells. */
static err in_pools(struct ctx *c, const struct shared_at *at, bool peek, struct shared_found *out)
{
    struct uuid pools[SHARED_POOLS], own;
    struct pool_path path;
    bool has_own;
    size_t n;

    if (!is_path(c, at->key, &path))
        return ERR_OK;
    TRY(private_pool_there(c, at->agent_id, &has_own, &own));
    TRY(shared_store_pools(c, at, has_own ? own : (struct uuid){{0}}, &path, pools, &n));
    for (size_t i = 0; i < n && !out->found; i++)
        TRY(shared_read_pool(c, arena_strdup(c->arena, UUID_STR(pools[i])), at->key, peek, out));
    return ERR_OK;
}

static err in_knowledge(struct ctx *c, const char *title, bool peek, struct shared_found *out)
{
    struct knowledge k = {0};
    struct uuid id;
    bool found;

    TRY(knowledge_by_title(c, title, &found, &id));
    if (!found)
        return ERR_OK;
    TRY(peek ? knowledge_look(c, id, &k) : knowledge_get(c, id, &k));
    *out = (struct shared_found){true, json_str(c->arena, k.content), k.id, k.version};
    return ERR_OK;
}

err shared_find(struct ctx *c, const struct shared_at *at, bool peek, struct shared_found *out)
{
    *out = (struct shared_found){0};
    TRY(subject_require(c, at->agent_id, ACCESS_READ));
    if (at->pool_id)
        return shared_read_pool(c, at->pool_id, at->key, peek, out);
    TRY(in_pools(c, at, peek, out));
    return out->found ? ERR_OK : in_knowledge(c, at->key, peek, out);
}

/* ---- writing */

struct putting {
    const struct shared_at *at;
    struct pool_write write;
    struct strs tags;
    struct pool_written *out;
};

static err shared_put_body(struct ctx *c, void *arg)
{
    const struct putting *p = arg;
    struct json *labels = json_obj(c->arena);
    struct node node;

    TRY(pool_put(c, shared_pool_of(p->at), &p->write, p->out));
    if (!p->tags.n || uuid_is_nil(p->out->node_id))
        return ERR_OK;
    json_set(c->arena, labels, "tags", strs_to_json(c->arena, p->tags));
    return node_update(c, p->out->node_id, &(struct node_patch){.set = NODE_SET_LABELS, .attrs = labels}, &node);
}

err shared_put(struct ctx *c, const struct shared_at *at, const struct json *value, int64_t ttl_seconds, struct strs tags,
               struct pool_written *out)
{
    struct putting p = { .at = at, .out = out,
                         .write = { .key = at->key, .op = POOL_OP_SET, .value = value, .if_version = -1,
                                    .ttl_seconds = ttl_seconds } };

    TRY(subject_require(c, at->agent_id, ACCESS_WRITE));
    TRY(tags_clean(c, "/tags", tags, &p.tags));
    return db_tx(c, shared_put_body, &p);
}

err shared_cut(struct ctx *c, const struct shared_at *at, bool *was_there)
{
    struct pool_written cut;

    TRY(subject_require(c, at->agent_id, ACCESS_WRITE));
    TRY(pool_cut(c, shared_pool_of(at), at->key, -1, &cut));
    *was_there = cut.written;
    return ERR_OK;
}
