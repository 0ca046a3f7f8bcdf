/* Public keys of agents: Ed25519, by which what an agent signed can be told from what was put into its mouth. */
#include <sodium.h>
#include <string.h>

#include "agent_store.h"
#include "audit.h"
#include "db.h"
#include "input_check.h"
#include "json.h"

static err agent_key_note(struct ctx *c, const char *kind, const struct agent_key *k)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "key_id", arena_strdup(c->arena, UUID_STR(k->id)));
    json_set_str(c->arena, payload, "name", k->name);
    json_set_str(c->arena, payload, "public_key", k->public_key);
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "agent", .subject_id = k->agent_id,
                                        .payload = payload});
}

/* Base64url or hex; the bytes must be a point of the curve, or nothing could ever be verified with them. */
static err read_key(struct ctx *c, const char *text, struct bytes *out)
{
    uint8_t *raw = arena_alloc(c->arena, AGENT_KEY_BYTES);

    if (text && strlen(text) == 2 * AGENT_KEY_BYTES && hex_decode(text, 2 * AGENT_KEY_BYTES, raw))
        *out = (struct bytes){raw, AGENT_KEY_BYTES};
    else if (!text || !b64url_decode(c->arena, text, out) || out->n != AGENT_KEY_BYTES)
        return fail_field(c, "/public_key", "an Ed25519 public key is 32 bytes, as base64url or hex");
    return crypto_core_ed25519_is_valid_point(out->p) ? ERR_OK
                                                      : fail_field(c, "/public_key", "not an Ed25519 public key");
}

static err agent_key_add_body(struct ctx *c, void *arg)
{
    const struct agent_key *k = arg;
    int64_t n;
    err e;

    TRY(agent_key_store_count(c, k->agent_id, &n));
    if (n >= LIMIT_AGENT_KEYS)
        return fail(c, ERR_CONFLICT, "an agent has at most %d keys; revoke one first", LIMIT_AGENT_KEYS);
    e = agent_key_store_insert(c, k);
    if (e != ERR_OK && db_was_duplicate(c)) {
        ctx_forgive(c);
        return fail(c, ERR_CONFLICT, "the agent has or had this key already");
    }
    TRY(e);
    return agent_key_note(c, "agent.key_add", k);
}

err agent_key_add(struct ctx *c, struct uuid agent_id, const struct agent_key_new *in, struct agent_key *out)
{
    struct agent_key k = {.agent_id = agent_id, .name = in->name, .valid_from = in->valid_from,
                          .valid_to = in->valid_to, .created_at = c->now};
    struct agent a;

    TRY(agent_get(c, agent_id, &a));
    TRY(check_name(c, "/name", k.name));
    TRY(read_key(c, in->public_key, &k.key));
    if (!k.valid_from.us)
        k.valid_from = c->now;
    if (k.valid_to.us && k.valid_to.us <= k.valid_from.us)
        return fail_field(c, "/valid_to", "valid_to is before valid_from");
    k.public_key = b64url_encode(c->arena, k.key.p, k.key.n);
    k.id = uuid_new(c->now.us);
    TRY(db_tx(c, agent_key_add_body, &k));
    *out = k;
    return ERR_OK;
}

err agent_key_list(struct ctx *c, struct uuid agent_id, int64_t limit, const char *cursor, struct page *out)
{
    struct uuid before;
    struct agent_key *rows;
    struct agent a;
    size_t n;

    TRY(agent_get(c, agent_id, &a));
    TRY(page_begin(c, cursor, &before));
    TRY(agent_key_store_list(c, agent_id, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct agent_key, id);
    return ERR_OK;
}

static err agent_key_revoke_body(struct ctx *c, void *arg)
{
    const struct agent_key *k = arg;
    int64_t changed;
    bool found;

    TRY(agent_key_store_revoke(c, k->agent_id, k->id, &found, &changed));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such key");
    return changed ? agent_key_note(c, "agent.key_revoke", k) : ERR_OK;
}

err agent_key_revoke(struct ctx *c, struct uuid agent_id, struct uuid key_id)
{
    struct agent_key k = {.agent_id = agent_id, .id = key_id};

    return db_tx(c, agent_key_revoke_body, &k);
}
