/* Ed25519 over what is captured; see capture_sign.h. The bytes: docs/decisions/0060. */
#include "capture_sign.h"

#include <sodium.h>
#include <string.h>

#include "agent.h"
#include "audit.h"
#include "enumx.h"
#include "episode_store.h"
#include "str.h"

#define KEYS_LOOKED_AT 200
#define SIGNED_MAX 8192

/* ---- the bytes */

static void sign_number(struct buf *b, uint64_t n, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--) {
        char one = (char)(n >> (8 * i));

        buf_add(b, &one, 1);
    }
}

static void sign_field(struct buf *b, const void *p, size_t n)
{
    sign_number(b, n, 4);
    buf_add(b, p, n);
}

static void sign_text(struct buf *b, const char *text)
{
    sign_field(b, text ? text : "", text ? strlen(text) : 0);
}

static void sign_uuid(struct buf *b, struct uuid id)
{
    sign_text(b, uuid_is_nil(id) ? "" : UUID_STR(id));
}

static void signed_bytes(struct ctx *c, const struct capture_in *in, const struct space *space, struct instant at, struct buf *b)
{
    uint8_t hash[crypto_hash_sha256_BYTES];

    buf_init(b, c->arena, SIGNED_MAX);
    crypto_hash_sha256(hash, (const uint8_t *)in->content, strlen(in->content));
    sign_number(b, 1, 1);
    sign_text(b, "loci.provenance.v1");
    sign_uuid(b, c->account_id);
    sign_uuid(b, in->id);
    sign_uuid(b, c->who->id);
    sign_text(b, space->slug);
    sign_text(b, enumx_name(&episode_role_enumx, (int)in->role));
    sign_field(b, hash, sizeof hash);
    sign_text(b, in->session_id);
    sign_uuid(b, in->supersedes);
    sign_number(b, (uint64_t)(at.us / 1000), 8);
}

/* ---- who signed */

static err key_of_signer(struct ctx *c, struct uuid key_id, struct instant at, const struct agent_key **out)
{
    const struct agent_key *k;
    struct page page;

    *out = NULL;
    if (c->who->kind != PRINCIPAL_AGENT)
        return ERR_OK;
    TRY(agent_key_list(c, c->who->id, KEYS_LOOKED_AT, NULL, &page));
    k = page.items;
    for (size_t i = 0; i < page.n; i++)
        if (uuid_eq(k[i].id, key_id) && !k[i].revoked_at.us && k[i].valid_from.us <= at.us + SIGN_SKEW_US &&
            (!k[i].valid_to.us || k[i].valid_to.us > at.us))
            *out = &k[i];
    return ERR_OK;
}

/* Why it is refused; NULL: it is genuine. */
static err judge_signature(struct ctx *c, const struct capture_in *in, const struct space *space, struct instant at, const char **why)
{
    const struct agent_key *key;
    struct bytes signature;
    struct buf b;
    bool used;

    *why = "an id, a key or a signature is missing";
    if (uuid_is_nil(in->id) || uuid_is_nil(in->key_id) || !in->signature)
        return ERR_OK;
    *why = "the id is not a UUIDv7"; /* ids ascend with time, here and in the database */
    if (in->id.b[6] >> 4 != 7)
        return ERR_OK;
    *why = "captured_at is not near the time now";
    if (!in->captured_at.us || at.us < c->now.us - SIGN_SKEW_US || at.us > c->now.us + SIGN_SKEW_US)
        return ERR_OK;
    TRY(episode_store_is_used(c, in->id, &used));
    *why = "the id was used before";
    if (used)
        return ERR_OK;
    TRY(key_of_signer(c, in->key_id, at, &key));
    *why = "the key is not known, revoked, or not valid then";
    if (!key)
        return ERR_OK;
    signed_bytes(c, in, space, at, &b);
    *why = "the signature does not fit";
    if (b64url_decode(c->arena, in->signature, &signature) && signature.n == crypto_sign_BYTES &&
        crypto_sign_verify_detached(signature.p, (const uint8_t *)buf_str(&b), b.len, key->key.p) == 0)
        *why = NULL;
    return ERR_OK;
}

err capture_check_signature(struct ctx *c, const struct capture_in *in, const struct space *space, struct instant at, bool *is_signed)
{
    const char *mode = json_get_str(json_opened(c->arena, space->settings), "signed_writes"), *why;
    bool claims_it = in->signature || !uuid_is_nil(in->key_id) || !uuid_is_nil(in->id);

    *is_signed = false;
    if (str_eq(mode, "off") || (!claims_it && !str_eq(mode, "require")))
        return ERR_OK;
    TRY(judge_signature(c, in, space, at, &why));
    *is_signed = !why;
    if (*is_signed)
        return ERR_OK;
    audit_refusal(c, "invalid_signature", "space", space->id, why);
    return fail_reason(c, ERR_INVALID, "invalid_signature", "the capture is not signed as it must be");
}
