/* The way of a text into an episode; see capture.h. */
#include "capture.h"

#include <sodium.h>
#include <string.h>

#include "access.h"
#include "account.h"
#include "app.h"
#include "audit.h"
#include "capture_sign.h"
#include "db.h"
#include "episode_store.h"
#include "inert.h"
#include "limit.h"
#include "node.h"
#include "sanitize.h"
#include "sentences.h"
#include "served.h"
#include "simhash.h"
#include "space.h"
#include "strs_json.h"
#include "tagging.h"
#include "thing.h"

#define CLOCK_AHEAD_US (5 * 60 * SECOND_US)
#define NEAR_BITS 3
#define NEAR_WORDS 8
#define SIMHASH_KEPT ((1ULL << 52) - 1) /* bits that every client of an export can say */

/* A capture on its way. */
struct capturing {
    const struct capture_in *in;
    struct sanitized clean;
    struct bytes text_hash, submitted_hash;
    struct instant at;
    struct uuid space_id, id;
    struct space space;
    bool is_signed;
    double trust, echo_ratio;
    const struct json *echoes;
    int64_t simhash;
    struct captured *out;
};

static struct bytes capture_hash(struct ctx *c, const char *text, size_t n)
{
    uint8_t *hash = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(hash, (const uint8_t *)text, n);
    return (struct bytes){hash, crypto_hash_sha256_BYTES};
}

/* ---- refusals */

static bool is_all_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n\f\v")];
}

static err capture_check_role(struct ctx *c, const struct capture_in *in)
{
    if (in->role != ROLE_SYSTEM)
        return ERR_OK;
    audit_refusal(c, "capture_rejected", "space", (struct uuid){{0}}, "role system");
    return fail_reason(c, ERR_INVALID, "role_system", "role system cannot be captured; use user, assistant, tool or event");
}

static err capture_check_clock(struct ctx *c, struct capturing *k)
{
    k->at = k->in->captured_at.us ? k->in->captured_at : c->now;
    if (k->at.us >= 0 && k->at.us <= c->now.us + CLOCK_AHEAD_US)
        return ERR_OK;
    audit_refusal(c, "clock_skew_rejected", "space", (struct uuid){{0}}, "captured_at is out of range");
    return fail_reason(c, ERR_INVALID, "clock_skew", "captured_at must lie between 1970 and five minutes from now");
}

/* What settings say of a kind: {"sanitize": {"email": "flag"}}. Words that are not known redact. */
static void take_policy(const struct json *settings, struct sanitize_policy *p)
{
    const struct json *said = json_get(settings, "sanitize");

    for (int kind = 0; said && kind < SANITIZE_MARKER; kind++) {
        const char *word = json_get_str(said, enumx_name(&sanitize_kind_enumx, kind));
        int action;

        if (word && enumx_parse(&sanitize_action_enumx, word, &action))
            p->of[kind] = (enum sanitize_action)action;
    }
}

/* The account's, then the space's; a secret is never let off, and only the account may have it flagged. */
static err capture_policy(struct ctx *c, struct capturing *k, struct sanitize_policy *p)
{
    struct account account;
    enum sanitize_action secret;

    TRY(account_get(c, &account));
    take_policy(json_opened(c->arena, account.settings), p);
    secret = p->of[SANITIZE_SECRET] == SANITIZE_FLAG ? SANITIZE_FLAG : SANITIZE_REDACT;
    take_policy(json_opened(c->arena, k->space.settings), p);
    p->of[SANITIZE_SECRET] = secret;
    return ERR_OK;
}

/* What cannot be judged is refused. */
static err clean_content(struct ctx *c, struct capturing *k)
{
    const char *text = k->in->content;
    struct sanitize_policy policy = {0};

    if (strlen(text) > LIMIT_NODE_BODY)
        return fail(c, ERR_TOO_LARGE, "content has more than %d bytes; split it", LIMIT_NODE_BODY);
    TRY(capture_policy(c, k, &policy));
    k->clean = sanitize(c->arena, text, strlen(text), &policy);
    if (k->clean.verdict == SANITIZE_CLEAN && k->clean.n <= LIMIT_NODE_BODY)
        return ERR_OK;
    audit_refusal(c, "residue_rejected", "space", (struct uuid){{0}}, enumx_name(&sanitize_verdict_enumx, (int)k->clean.verdict));
    if (k->clean.verdict == SANITIZE_RESIDUE)
        return fail_reason(c, ERR_INVALID, "residue_only", "nothing is left of the content once injection markers are taken out");
    return fail_reason(c, ERR_INVALID, "sanitize_failed", "the content cannot be cleaned");
}

static err capture_check_place(struct ctx *c, struct capturing *k)
{
    err e;

    k->space_id = k->in->target_namespace;
    if (uuid_is_nil(k->space_id))
        TRY(space_own(c, &k->space_id));
    e = access_require(c, k->space_id, ACCESS_WRITE);
    if (e == ERR_OK) {
        const struct space *s = &k->space;

        TRY(space_get(c, k->space_id, &k->space));
        if (str_eq(s->slug, "global") && s->kind == SPACE_NAMESPACE && !access_may_manage(c, s->id))
            e = fail(c, ERR_FORBIDDEN, "only who manages the global namespace may capture into it");
        else if (s->kind != SPACE_NAMESPACE && s->kind != SPACE_CONTEXT && s->kind != SPACE_DOMAIN)
            return fail_field(c, "/target_namespace", "a space of kind %s takes no captures", enumx_name(&space_kind_enumx, (int)s->kind));
    }
    if (e == ERR_FORBIDDEN || e == ERR_NOT_FOUND)
        audit_refusal(c, "namespace_denied", "space", e == ERR_FORBIDDEN ? k->space_id : (struct uuid){{0}}, "no right to capture there");
    return e;
}

static err refuse_hint(struct ctx *c, const char *why)
{
    err e;

    audit_refusal(c, "supersedes_rejected", "node", (struct uuid){{0}}, why); /* the id may be another account's */
    e = fail_field(c, "/supersedes", "supersedes names no episode that this one could replace");
    c->fault.reason = "invalid_supersedes";
    return e;
}

/* What it is to replace; *space_id: where that is, nil: nothing is. */
static err capture_check_hint(struct ctx *c, const struct capture_in *in, struct uuid *space_id)
{
    struct episode old = {0};
    err e = uuid_is_nil(in->supersedes) ? ERR_OK : episode_get(c, in->supersedes, &old);

    *space_id = old.space_id;
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return refuse_hint(c, "no such episode");
}

/* ---- what is known of the text before it is stored */

static size_t capture_words(const char *text)
{
    size_t n = 0;
    bool inside = false;

    for (; *text; text++) {
        bool blank = strchr(" \t\r\n", *text) != NULL;

        n += !blank && !inside;
        inside = !blank;
    }
    return n;
}

/* Sentences that recall had just shown to the caller: they are stored, and make no claims. */
static void note_echoes(struct ctx *c, struct capturing *k)
{
    struct served_sentence *served;
    struct json *spans = json_arr(c->arena);
    size_t n, i = 0, len, all = 0, echoed = 0;

    if (c->who->kind == PRINCIPAL_SYSTEM)
        return;
    served_find(c, c->who->id, k->clean.text, &served, &n);
    for (const char *p = sentence_next(k->clean.text, &len); p && i < n; p = sentence_next(p + len, &len), i++) {
        struct json *span = json_arr(c->arena);

        all += served[i].chars;
        if (uuid_is_nil(served[i].node_id))
            continue;
        echoed += served[i].chars;
        json_push(span, json_int(c->arena, p - k->clean.text));
        json_push(span, json_int(c->arena, p - k->clean.text + (int64_t)len));
        json_push(spans, span);
    }
    k->echo_ratio = all ? (double)echoed / (double)all : 0;
    k->echoes = spans->first ? spans : NULL;
}

static void report_hits(struct ctx *c, struct capturing *k)
{
    struct capture_redaction *r = ARENA_ARRAY(c->arena, struct capture_redaction, k->clean.n_hits + 1);
    const char **flags = ARENA_ARRAY(c->arena, const char *, k->clean.n_hits + 1);
    size_t n = 0, n_flags = 0;

    for (size_t i = 0; i < k->clean.n_hits; i++) {
        const struct sanitize_hit *h = &k->clean.hits[i];
        bool known = h->kind != SANITIZE_MARKER;

        if (h->cut)
            r[n++] = (struct capture_redaction){h->id, enumx_name(&sanitize_kind_enumx, (int)h->kind), (int64_t)h->start, (int64_t)h->end};
        for (size_t j = 0; j < n_flags && !known; j++)
            known = str_eq(flags[j], h->id);
        if (!known)
            flags[n_flags++] = h->id;
    }
    k->out->redactions = (struct list){r, n};
    k->out->injection_flags = (struct strs){flags, n_flags};
    k->out->injection_score = k->clean.injection_score;
    k->out->quarantined = k->clean.quarantined;
}

/* ---- storing */

static const struct json *capture_origin(struct ctx *c, const struct capturing *k)
{
    struct json *o = json_obj(c->arena);

    if (k->in->model_family)
        json_set_str(c->arena, o, "model_family", k->in->model_family);
    if (k->in->model_version)
        json_set_str(c->arena, o, "model_version", k->in->model_version);
    json_set_str(c->arena, o, "request_id", c->request_id ? c->request_id : "");
    json_set_int(c->arena, o, "redactions", (int64_t)k->out->redactions.n);
    json_set(c->arena, o, "injection_flags", strs_to_json(c->arena, k->out->injection_flags));
    if (k->echoes)
        json_set(c->arena, o, "echoes", json_raw(c->arena, json_text(c->arena, k->echoes)));
    return o;
}

static const struct json *capture_labels(struct ctx *c, const struct capture_in *in)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "role", enumx_name(&episode_role_enumx, (int)in->role));
    if (in->session_id)
        json_set_str(c->arena, o, "session_id", in->session_id);
    if (in->scope.n)
        json_set(c->arena, o, "scope", strs_to_json(c->arena, in->scope));
    if (in->tags.n)
        json_set(c->arena, o, "tags", strs_to_json(c->arena, in->tags));
    return o;
}

static err store_cuts(struct ctx *c, const struct capturing *k)
{
    struct episode_cut *cuts = ARENA_ARRAY(c->arena, struct episode_cut, k->clean.n_hits + 1);
    size_t n = 0;

    for (size_t i = 0; i < k->clean.n_hits; i++) {
        const struct sanitize_hit *h = &k->clean.hits[i];

        if (!h->cut)
            continue;
        cuts[n] = (struct episode_cut){.pattern_id = h->id, .kind = enumx_name(&sanitize_kind_enumx, (int)h->kind),
            .start = (int64_t)h->start,
                                       .end = (int64_t)h->end};
        if (h->kind == SANITIZE_MARKER)
            cuts[n].cut_text = arena_strndup(c->arena, k->in->content + h->start, h->end - h->start);
        n++;
    }
    return episode_store_cuts(c, k->id, cuts, n);
}

static err insert_episode(struct ctx *c, const struct capturing *k)
{
    struct episode e = {
        .id = k->id, .space_id = k->space_id, .role = k->in->role, .captured_at = k->at, .created_at = c->now,
        .session_id = k->in->session_id, .tz = k->in->tz, .text_hash = k->text_hash, .submitted_hash = k->submitted_hash,
        .simhash = k->simhash, .consolidation_state = EPISODE_RAW, .near_distance = FIELD_NONE, .injection_score = k->clean.injection_score,
        .echo_ratio = k->echo_ratio, .supersedes_hint = k->in->supersedes, .occurrences = 1, .origin = capture_origin(c, k)};

    if (k->out->near) {
        e.near_of = k->out->near->id;
        e.near_distance = k->out->near->distance;
    }
    return thing_insert(c, &EPISODE, &e);
}

/* Its tags become tags of the taxonomy; what is no tag, or was refused as one, stays a word of its labels. */
static err capture_tag(struct ctx *c, const struct capturing *k)
{
    const char **names = ARENA_ARRAY(c->arena, const char *, TAGS_AT_ONCE);
    struct tagging in = {.node_id = k->id, .tags = {names, 0}};
    struct tagged tagged;
    err e;

    for (size_t i = 0; i < k->in->tags.n && in.tags.n < TAGS_AT_ONCE && !k->clean.quarantined; i++)
        if (*tag_slug_of(c->arena, k->in->tags.v[i]) && str_code_points(k->in->tags.v[i], strlen(k->in->tags.v[i])) <= TAG_NAME)
            names[in.tags.n++] = k->in->tags.v[i];
    e = in.tags.n ? tag_content(c, &in, &tagged) : ERR_OK;
    if (e == ERR_INVALID || e == ERR_CONFLICT)
        ctx_forgive(c);
    return e == ERR_INVALID || e == ERR_CONFLICT ? ERR_OK : e;
}

static err capture_store_new(struct ctx *c, const struct capturing *k)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .id = k->id, .space_id = k->space_id, .kind = "episode", .body = k->clean.text,
                         .attrs = capture_labels(c, k->in), .status = k->clean.quarantined ? EPISODE_QUARANTINED : NODE_ACTIVE,
                         .source_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind)};
    struct node made;

    n.trust = k->trust;
    TRY(node_create(c, &n, &made));
    TRY(insert_episode(c, k));
    TRY(store_cuts(c, k));
    TRY(capture_tag(c, k));
    return episode_store_provenance(c, &(struct provenance){
        k->id, k->in->model_family, k->in->model_version, k->trust, k->is_signed ? k->in->key_id : (struct uuid){{0}},
        k->is_signed ? k->in->signature : NULL});
}

static err capture_store_again(struct ctx *c, struct capturing *k, struct uuid there)
{
    struct episode_occurrence o = {.role = k->in->role, .captured_at = k->at, .session_id = k->in->session_id,
                                   .author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .author_id = c->who->id,
                                   .trust = k->trust};

    k->out->episode_id = there;
    k->out->verdict = EPISODE_EXACT_DUPLICATE;
    k->out->near = NULL;
    return episode_store_again(c, there, &o, &k->out->occurrence);
}

static err note_capture(struct ctx *c, const struct capturing *k)
{
    struct json *said = json_obj(c->arena);
    char hex[2 * crypto_hash_sha256_BYTES + 1];

    hex_encode(k->text_hash.p, k->text_hash.n, hex);
    json_set_str(c->arena, said, "verdict", enumx_name(&episode_verdict_enumx, (int)k->out->verdict));
    json_set_str(c->arena, said, "content_hash", arena_strdup(c->arena, hex));
    json_set_int(c->arena, said, "redactions", (int64_t)k->out->redactions.n);
    return audit_add(c, &(struct audit){.kind = "capture", .subject_kind = "node", .subject_id = k->id, .space_id = k->space_id,
        .after = said,
                                        .is_news = true});
}

static err capture_find_near(struct ctx *c, struct capturing *k)
{
    struct capture_near *near = ARENA_NEW(c->arena, struct capture_near);

    if (!k->simhash)
        return ERR_OK;
    TRY(episode_store_near(c, k->space_id, k->simhash, NEAR_BITS, &near->id, &near->distance));
    near->by = "simhash";
    if (uuid_is_nil(near->id))
        return ERR_OK;
    k->out->near = near;
    k->out->verdict = EPISODE_NEAR_DUPLICATE;
    return ERR_OK;
}

static err capture_body(struct ctx *c, void *arg)
{
    struct capturing *k = arg;
    struct episode there;
    struct uuid whose;
    bool live;

    k->out->verdict = EPISODE_NEW;
    k->out->near = NULL;
    TRY(episode_store_claim_text(c, k->space_id, k->text_hash, k->id, &whose));
    if (!uuid_eq(whose, k->id)) {
        TRY(episode_store_get(c, whose, &live, &there));
        if (live) {
            TRY(capture_store_again(c, k, whose));
            return capture_promise(c, k->space_id, whose, k->out->occurrence);
        }
        TRY(episode_store_give_text(c, k->space_id, k->text_hash, k->id));
    }
    k->out->episode_id = k->id;
    k->out->occurrence = 1;
    TRY(capture_find_near(c, k));
    TRY(capture_store_new(c, k));
    TRY(note_capture(c, k));
    return k->clean.quarantined ? ERR_OK : capture_promise(c, k->space_id, k->id, 1);
}

err capture(struct ctx *c, const struct capture_in *in, struct captured *out)
{
    struct capturing k = {.in = in, .out = out};
    struct uuid hinted;

    *out = (struct captured){.embedding = c->app->embed ? "queued" : "off", .supersedes = in->supersedes};
    TRY(capture_check_role(c, in));
    if (is_all_blank(in->content))
        return fail_field(c, "/content", "content is blank");
    TRY(capture_check_clock(c, &k));
    TRY(capture_check_hint(c, in, &hinted));
    TRY(capture_check_place(c, &k));
    TRY(clean_content(c, &k));
    TRY(capture_check_signature(c, in, &k.space, k.at, &k.is_signed));
    if (!uuid_is_nil(hinted) && !uuid_eq(hinted, k.space_id))
        return refuse_hint(c, "it lies in another space");
    k.id = k.is_signed ? in->id : uuid_new(c->now.us);
    k.text_hash = capture_hash(c, k.clean.text, k.clean.n);
    if (k.clean.n != strlen(in->content) || memcmp(k.clean.text, in->content, k.clean.n) != 0)
        k.submitted_hash = capture_hash(c, in->content, strlen(in->content));
    k.trust = trust_of_role(c, in->role);
    k.trust = in->trust < k.trust ? in->trust : k.trust;
    if (capture_words(k.clean.text) >= NEAR_WORDS)
        k.simhash = (int64_t)(simhash("", k.clean.text) & SIMHASH_KEPT);
    note_echoes(c, &k);
    report_hits(c, &k);
    TRY(db_tx(c, capture_body, &k));
    out->namespace = k.space_id;
    out->trust = k.trust;
    out->echo_ratio = k.echo_ratio;
    return ERR_OK;
}
