/* The tiers in turn, each of which asks the gate; see tiered.h. */
#include "tiered.h"

#include "long_term.h"
#include "promote.h"
#include "shared.h"
#include "working.h"

ENUMX_DEFINE(memory_tier, MEMORY_TIER);

static struct working_scope tiered_scope_of(const struct tiered_key *at)
{
    return (struct working_scope){ .agent_id = at->agent_id, .session_id = at->session_id, .run_id = at->run_id,
                                    .task_id = at->task_id };
}

static struct short_term_key short_key(const struct tiered_key *at)
{
    return (struct short_term_key){at->agent_id, at->session_id, at->key};
}

static struct shared_at shared_place(const struct tiered_key *at)
{
    return (struct shared_at){ .agent_id = at->agent_id, .run_id = at->run_id, .task_id = at->task_id, .pool_id = at->pool_id,
                               .key = at->key };
}

/* ---- reading */

static err read_working(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out)
{
    struct working_scope s = tiered_scope_of(at);

    (void)peek; /* reading leaves no trace there */
    TRY(working_find(c, &s, at->key, &out->value));
    out->found = out->value != NULL;
    return ERR_OK;
}

static err read_short_term(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out)
{
    struct short_term_key k = short_key(at);
    struct short_term s;

    TRY(short_term_read(c, &k, peek, &out->found, &s));
    if (!out->found)
        return ERR_OK;
    out->value = s.memory_value;
    out->id = s.id;
    out->version = s.version;
    return ERR_OK;
}

static err read_long_term(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out)
{
    struct entry e;

    TRY(long_term_find(c, &(struct long_term_key){at->agent_id, at->session_id, at->key}, peek, &out->found, &e));
    if (!out->found)
        return ERR_OK;
    out->value = e.content;
    out->id = e.id;
    out->version = e.version;
    return ERR_OK;
}

static err read_shared(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out)
{
    struct shared_at place = shared_place(at);
    struct shared_found f;

    TRY(shared_find(c, &place, peek, &f));
    if (!f.found)
        return ERR_OK;
    out->found = true;
    out->value = f.value;
    out->id = f.id;
    out->version = f.version;
    return ERR_OK;
}

typedef err (*read_tier)(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out);

static const read_tier READ[] = { [TIER_WORKING] = read_working, [TIER_SHORT_TERM] = read_short_term,
                                  [TIER_LONG_TERM] = read_long_term, [TIER_SHARED] = read_shared };
#define TIERS (sizeof READ / sizeof *READ)

err tiered_read(struct ctx *c, const struct tiered_key *at, bool peek, struct tiered_found *out)
{
    const char **skipped = ARENA_ARRAY(c->arena, const char *, TIERS);

    *out = (struct tiered_found){.key = at->key, .skipped = {skipped, 0}};
    for (int t = 0; t < (int)TIERS && !out->found; t++) {
        err e = at->tier < 0 || at->tier == t ? READ[t](c, at, peek, out) : ERR_OK;

        if (e == ERR_UNAVAILABLE && t == TIER_WORKING) { /* Redis is away: what is in MariaDB is still there */
            ctx_forgive(c);
            skipped[out->skipped.n++] = enumx_name(&memory_tier_enumx, t);
            continue;
        }
        TRY(e);
        if (out->found)
            out->tier = enumx_name(&memory_tier_enumx, t);
    }
    return ERR_OK;
}

/* ---- writing */

static err write_working(struct ctx *c, const struct tiered_new *in, struct tiered_written *out)
{
    struct working_scope s = tiered_scope_of(&in->at);
    struct working_stored w;

    TRY(working_store(c, &s, &(struct working_new){.key = in->at.key, .value = in->value, .ttl_s = in->ttl_s}, &w));
    out->expires_at = w.expires_at;
    return ERR_OK;
}

static err write_short_term(struct ctx *c, const struct tiered_new *in, struct tiered_written *out)
{
    struct short_term s;

    enum short_term_type type = in->type < 0 ? SHORT_TASK_CONTEXT : (enum short_term_type)in->type;

    TRY(short_term_write(c, &(struct short_term_new){short_key(&in->at), in->value, type, in->tags, in->ttl_s}, &s));
    out->id = s.id;
    out->version = s.version;
    out->expires_at = s.expires_at;
    return ERR_OK;
}

static err write_long_term(struct ctx *c, const struct tiered_new *in, struct tiered_written *out)
{
    struct entry_new n = {
        ENTRY_NEW_DEFAULTS, .entry_key = in->at.key, .content = in->value, .context_tags = in->tags,
        .expires_at = { in->ttl_s ? c->now.us + in->ttl_s * SECOND_US : 0 },
    };
    struct entry e;

    if (in->type >= 0)
        n.entry_type = (int)promote_entry_type((enum short_term_type)in->type);
    TRY(long_term_put_key(c, &(struct long_term_key){in->at.agent_id, in->at.session_id, in->at.key}, &n, &e));
    out->id = e.id;
    out->version = e.version;
    out->expires_at = e.expires_at;
    return ERR_OK;
}

static err write_shared(struct ctx *c, const struct tiered_new *in, struct tiered_written *out)
{
    struct shared_at place = shared_place(&in->at);
    struct pool_written w;

    TRY(shared_put(c, &place, in->value, in->ttl_s, in->tags, &w));
    out->id = w.node_id;
    out->version = w.version;
    out->expires_at = w.expires_at;
    return ERR_OK;
}

err tiered_write(struct ctx *c, const struct tiered_new *in, struct tiered_written *out)
{
    *out = (struct tiered_written){.tier = enumx_name(&memory_tier_enumx, in->at.tier), .key = in->at.key};
    switch (in->at.tier) {
    case TIER_WORKING: return write_working(c, in, out);
    case TIER_SHORT_TERM: return write_short_term(c, in, out);
    case TIER_SHARED: return write_shared(c, in, out);
    default: return write_long_term(c, in, out);
    }
}

err tiered_delete(struct ctx *c, const struct tiered_key *at, bool *was_there)
{
    struct working_scope s = tiered_scope_of(at);
    struct short_term_key k = short_key(at);
    struct shared_at place = shared_place(at);

    switch (at->tier) {
    case TIER_WORKING: return working_remove(c, &s, at->key, was_there);
    case TIER_SHORT_TERM: return short_term_remove(c, &k, was_there);
    case TIER_SHARED: return shared_cut(c, &place, was_there);
    default: return long_term_archive(c, &(struct long_term_key){at->agent_id, at->session_id, at->key}, was_there);
    }
}
