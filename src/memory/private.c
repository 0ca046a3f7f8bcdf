/* Remembering, recalling and forgetting in the pool of an agent; see private.h. */
#include "private.h"

#include "db.h"
#include "echo.h"
#include "node.h"
#include "pool_entry_store.h"
#include "pool_path.h"
#include "private_impl.h"
#include "strs_json.h"
#include "tags.h"

#define SOFT 0.1        /* what is left of the importance of what is softly forgotten … */
#define SOFT_LEAST 0.01 /* … which is never nothing */
#define IMPORTANCE 0.5
#define TEAM_POOLS 100 /* that one call looks into */

static err open_pool(struct ctx *c, struct uuid agent_id, enum access_level level, struct space *out)
{
    struct uuid id;

    TRY(subject_or_self(c, agent_id, level, &id));
    return private_pool(c, id, out);
}

/* The row of exactly this key. */
static err private_find(struct ctx *c, struct uuid pool, const char *key, bool *found, struct pool_entry *out)
{
    struct pool_path path;
    struct pool_entry *rows;
    size_t n;

    TRY(pool_path_parse(c, "/key", key, &path));
    TRY(pool_entry_store_read(c, pool, (struct strs){&path.key, 1}, NULL, &rows, &n));
    *found = n > 0;
    if (n)
        *out = rows[0];
    return ERR_OK;
}

/* ---- remember */

struct remembering {
    const struct private_new *in;
    struct space pool;
    bool is_new;
    struct strs tags;
    struct pool_written written;
    struct node node;
    struct private_kept *out;
};

static err private_weigh(struct ctx *c, const struct remembering *r, struct node_patch *p)
{
    struct json *labels = json_obj(c->arena);
    double said = r->in->importance >= 0 ? r->in->importance : IMPORTANCE;

    *p = (struct node_patch){.importance = r->out->echo_ratio >= ECHO_DOUBTED ? said / 2 : said, .attrs = labels};
    p->set = r->in->importance >= 0 || r->is_new ? NODE_SET_IMPORTANCE : 0;
    if (r->in->tags.v)
        json_set(c->arena, labels, "tags", strs_to_json(c->arena, r->tags));
    if (r->out->echo_ratio >= ECHO_DOUBTED)
        json_set(c->arena, labels, "echo_ratio", json_num(c->arena, r->out->echo_ratio));
    p->set |= labels->first ? NODE_SET_LABELS : 0;
    return ERR_OK;
}

static err remember_body(struct ctx *c, void *arg)
{
    struct remembering *r = arg;
    const char *ref = arena_strdup(c->arena, UUID_STR(r->pool.id));
    struct node_patch p;

    TRY(pool_put(c, ref, &(struct pool_write){ .key = r->in->key, .op = POOL_OP_SET, .value = r->in->value, .if_version = -1,
                                               .ttl_seconds = r->in->ttl_seconds, .if_absent = 0 }, &r->written));
    TRY(private_weigh(c, r, &p));
    return p.set ? node_update(c, r->written.node_id, &p, &r->node) : node_get(c, r->written.node_id, &r->node);
}

/* Whether the caller was just shown it: stored then only by force, and half believed where it is doubtful. */
static err check_echo(struct ctx *c, struct remembering *r, bool *refused)
{
    const struct json *v = r->in->value;
    struct echo echo = {0};

    if (r->is_new && !r->in->force)
        TRY(echo_of(c, v->type == JSON_STR ? v->s : json_text(c->arena, v), r->pool.id, &echo));
    *refused = echo.ratio >= ECHO_REFUSED;
    r->out->echo_ratio = lifecycle_round(echo.ratio);
    r->out->reason = *refused ? "echo" : NULL;
    r->out->of = *refused ? echo.of : (struct uuid){{0}};
    return ERR_OK;
}

err private_remember(struct ctx *c, const struct private_new *in, struct private_kept *out)
{
    struct remembering r = {.in = in, .out = out};
    struct pool_entry there;
    bool found, refused;

    *out = (struct private_kept){.key = in->key};
    if (in->force)
        TRY(access_permit(c, PERM_MEMORY_MANAGE));
    if (in->tags.v)
        TRY(tags_clean(c, "/tags", in->tags, &r.tags));
    TRY(open_pool(c, in->agent_id, ACCESS_WRITE, &r.pool));
    TRY(private_find(c, r.pool.id, in->key, &found, &there));
    r.is_new = !found;
    TRY(check_echo(c, &r, &refused));
    if (refused)
        return ERR_OK;
    TRY(db_tx(c, remember_body, &r));
    out->stored = true;
    out->version = r.written.version;
    out->importance_score = r.node.importance_score;
    out->expires_at = r.written.expires_at;
    out->evicted = r.written.evicted;
    return ERR_OK;
}

/* ---- recall */

err private_recall(struct ctx *c, const struct private_query *in, struct pool_hits *out)
{
    struct uuid *spaces = ARENA_ARRAY(c->arena, struct uuid, TEAM_POOLS + 1);
    struct pool_filter team = {.pool_type = POOL_TEAM_SHARED, .scope = -1, .limit = TEAM_POOLS};
    struct page page = {0};
    struct space pool;

    TRY(open_pool(c, in->agent_id, ACCESS_READ, &pool));
    spaces[0] = pool.id;
    if (in->include_team)
        TRY(pool_list(c, &team, &page));
    for (size_t i = 0; i < page.n; i++)
        spaces[i + 1] = ((const struct pool *)page.items)[i].id;
    return pool_recall(c, &(struct pool_question){ .pools = { spaces, page.n + 1 }, .query = in->query, .limit = in->limit,
                                                   .min_importance = PRIVATE_RECALLED }, out);
}

/* ---- forget */

struct forgetting {
    struct uuid node_id;
    double left;
};

static err soften(struct ctx *c, void *arg)
{
    struct forgetting *f = arg;
    struct node n;

    TRY(node_get(c, f->node_id, &n));
    f->left = n.importance_score * SOFT > SOFT_LEAST ? n.importance_score * SOFT : SOFT_LEAST;
    return node_update(c, f->node_id, &(struct node_patch){.set = NODE_SET_IMPORTANCE, .importance = f->left}, &n);
}

err private_forget(struct ctx *c, struct uuid agent_id, const char *key, bool soft, struct private_forgotten *out)
{
    struct forgetting f = {.left = 0};
    struct pool_entry there;
    struct pool_written cut;
    struct space pool;

    *out = (struct private_forgotten){0};
    TRY(open_pool(c, agent_id, ACCESS_WRITE, &pool));
    if (!soft) {
        TRY(pool_cut(c, UUID_STR(pool.id), key, -1, &cut));
        out->forgotten = cut.written;
        return ERR_OK;
    }
    TRY(private_find(c, pool.id, key, &out->forgotten, &there));
    if (!out->forgotten)
        return ERR_OK;
    f.node_id = there.node_id;
    TRY(db_tx(c, soften, &f));
    out->importance_score = lifecycle_round(f.left);
    return ERR_OK;
}
