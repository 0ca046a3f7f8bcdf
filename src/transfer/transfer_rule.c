/* Rules of columns, by the names that transfer_table.c uses; see transfer_rule.h. */
#include "transfer_rule.h"

#include <math.h>
#include <string.h>

#include "access.h"
#include "access_log.h"
#include "agent.h"
#include "attestation.h"
#include "audience.h"
#include "connector.h"
#include "context.h"
#include "core_block.h"
#include "document.h"
#include "duplicate.h"
#include "edge.h"
#include "entry.h"
#include "episode.h"
#include "fact_claim.h"
#include "finding.h"
#include "goal.h"
#include "grant.h"
#include "intervention.h"
#include "job.h"
#include "json.h"
#include "knowledge.h"
#include "knowledge_base.h"
#include "learning.h"
#include "limit.h"
#include "merge.h"
#include "node_kind.h"
#include "page_link.h"
#include "permission.h"
#include "pool.h"
#include "pool_data.h"
#include "principal.h"
#include "promotion.h"
#include "proposal.h"
#include "relation.h"
#include "role.h"
#include "scratchpad.h"
#include "session_bloom.h"
#include "session_log.h"
#include "short_term.h"
#include "skill_conflict.h"
#include "skill_file.h"
#include "skill_proposal.h"
#include "skill_test.h"
#include "space.h"
#include "tag.h"
#include "user.h"
#include "wiki_page.h"
#include "work.h"

#define COUNT_MAX 9e15      /* what a JSON number of every client can say */
#define STORED_MAX 16777215 /* bytes of a MEDIUMTEXT */

enum rule_kind { RULE_WHOLE, RULE_NUMBER, RULE_CHARS, RULE_BYTES, RULE_BLOB, RULE_JSON, RULE_OBJECT, RULE_ARRAY, RULE_ENUM, RULE_WORDS,
                 RULE_SHAPE };

struct transfer_rule {
    const char *name;
    enum rule_kind kind;
    double min, max; /* of the number, characters or bytes */
    const struct enumx *names;
    const char *words; /* apart by spaces; of a shape: what it is, for people */
    bool (*has_shape)(const char *s);
};

/* ---- shapes */

static bool is_visible(const char *s)
{
    for (; *s; s++)
        if (*s <= ' ' || *s > '~')
            return false;
    return true;
}

static bool is_printable(const char *s)
{
    for (; *s; s++)
        if (*s < ' ' || *s > '~')
            return false;
    return true;
}

static bool transfer_rule_is_plain(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 0x7f)
            return false;
    return true;
}

static bool is_slug64(const char *s)
{
    return str_is_slug(s) && strlen(s) <= 64;
}

/* A day of the calendar, 2026-11-19. */
static bool transfer_rule_is_day(const char *s)
{
    struct instant t;
    char text[32];

    if (strlen(s) != 10)
        return false;
    memcpy(text, s, 10);
    memcpy(text + 10, "T00:00:00Z", sizeof "T00:00:00Z");
    return instant_parse(text, &t);
}

static bool transfer_rule_is_word(const char *s)
{
    return !s[strcspn(s, " \t\r\n")];
}

static bool is_node_kind(const char *s)
{
    return node_kind_find(s) != NULL;
}

static bool is_relation(const char *s)
{
    return relation_find(s) || relation_is_free(s);
}

static bool is_permission(const char *s)
{
    int p;

    return *s && enumx_parse(&permission_enumx, s, &p);
}

/* ---- the rules */

#define WHOLE(name_, min_, max_) {.name = name_, .kind = RULE_WHOLE, .min = min_, .max = max_}
#define NUMBER(name_, min_, max_) {.name = name_, .kind = RULE_NUMBER, .min = min_, .max = max_}
#define CHARS(name_, min_, max_) {.name = name_, .kind = RULE_CHARS, .min = min_, .max = max_}
#define BYTES(name_, max_) {.name = name_, .kind = RULE_BYTES, .max = max_}
#define BLOB(name_, min_, max_) {.name = name_, .kind = RULE_BLOB, .min = min_, .max = max_}
#define JSON(name_, kind_, max_) {.name = name_, .kind = kind_, .max = max_}
#define ENUM(type_) {.name = #type_, .kind = RULE_ENUM, .names = &type_##_enumx}
#define WORDS(name_, words_) {.name = name_, .kind = RULE_WORDS, .words = words_}
#define SHAPE(name_, min_, max_, has_, says_) \
    {.name = name_, .kind = RULE_SHAPE, .min = min_, .max = max_, .has_shape = has_, .words = says_}

static const struct transfer_rule RULES[] = {
    WHOLE("flag", 0, 1), WHOLE("one", 1, 1), WHOLE("version", 1, COUNT_MAX), WHOLE("count", 0, COUNT_MAX),
    WHOLE("change", -COUNT_MAX, COUNT_MAX), WHOLE("rank", -100, 100), WHOLE("few", 0, INT32_MAX), WHOLE("stars", 1, 5),
    WHOLE("dim", 1, LIMIT_VECTOR_DIM),
    WHOLE("ttl", SHORT_TERM_TTL_MIN, SHORT_TERM_TTL_MAX),
    NUMBER("share", 0, 1), NUMBER("likeness", -1, 1), NUMBER("per_day", 0, 1000), NUMBER("surprise", -1e9, 1e9), NUMBER("mass", 0, 1e12),
    CHARS("text255", 0, 255), CHARS("text500", 0, 500), CHARS("page_name", 0, 510),
    CHARS("key", 1, 255), CHARS("title", 0, LIMIT_TITLE), CHARS("description", 0, LIMIT_DESCRIPTION),
    CHARS("reason", 0, LIMIT_REASON), CHARS("note", 0, 65535), CHARS("predicate", 1, 64), CHARS("reference", 1, POOL_REFERENCE),
    CHARS("pool_key", 1, 512), CHARS("language", 1, 35), CHARS("location", 1, CONNECTOR_LOCATION),
    CHARS("text1000", 0, 1000), CHARS("text2000", 0, 2000),
    CHARS("external_id", 1, DOCUMENT_EXTERNAL_ID), CHARS("url", 1, 2048), CHARS("path", 1, 1500), CHARS("norm", 1, 128),
    BYTES("body", LIMIT_PAGE_BODY), BYTES("scratchpad", SCRATCHPAD_MAX),
    BLOB("file_part", 1, 1048576), BYTES("log_text", SESSION_CONTENT), BLOB("bloom", BLOOM_BYTES, BLOOM_BYTES),
    BLOB("hash", 32, 32), BLOB("half_hash", 16, 16), BLOB("signature", 0, 64),
    BLOB("vector", 1, 64 + 4 * LIMIT_VECTOR_DIM),
    SHAPE("name", 1, LIMIT_NAME, transfer_rule_is_plain, "without control characters"),
    SHAPE("slug", 1, LIMIT_SLUG, str_is_slug, "of a-z 0-9 _ . -, beginning with a letter or digit"),
    SHAPE("slug64", 1, 64, is_slug64, "of a-z 0-9 _ . -, beginning with a letter or digit"),
    SHAPE("handle", 1, 150, is_visible, "of visible ASCII"),
    SHAPE("email", 3, LIMIT_EMAIL, str_is_email, "of an e-mail address"),
    SHAPE("word8", 1, 8, is_visible, "of visible ASCII"), SHAPE("word16", 1, 16, is_visible, "of visible ASCII"),
    SHAPE("word24", 1, 24, is_visible, "of visible ASCII"), SHAPE("word32", 0, 32, is_visible, "of visible ASCII"),
    SHAPE("word64", 0, 64, is_visible, "of visible ASCII"), SHAPE("media", 0, 128, is_visible, "of visible ASCII"),
    SHAPE("run_id", 1, POOL_REFERENCE, is_visible, "of visible ASCII"),
    SHAPE("ascii64", 0, 64, is_printable, "of ASCII"), SHAPE("ascii255", 0, 255, is_printable, "of ASCII"),
    SHAPE("ascii128", 1, 128, is_printable, "of ASCII"),
    CHARS("resource_path", 1, SKILL_PATH),
    SHAPE("tag_slug", 1, 100, transfer_rule_is_word, "without white space"),
    SHAPE("day", 10, 10, transfer_rule_is_day, "of a day such as 2026-11-19"),
    SHAPE("node_kind", 1, 32, is_node_kind, "of a kind of node"),
    SHAPE("relation", 1, RELATION_MAX, is_relation, "of a relation: a known one, or a-z 0-9 _"),
    SHAPE("permission", 1, 64, is_permission, "of a permission"),
    JSON("settings", RULE_OBJECT, LIMIT_SETTINGS), JSON("attrs", RULE_OBJECT, LIMIT_ATTRS), JSON("object", RULE_OBJECT, STORED_MAX),
    JSON("entry_object", RULE_OBJECT, ENTRY_METADATA), JSON("array", RULE_ARRAY, LIMIT_ATTRS), JSON("json", RULE_JSON, STORED_MAX),
    JSON("losers", RULE_ARRAY, STORED_MAX),
    JSON("content", RULE_JSON, ENTRY_CONTENT), JSON("short_term", RULE_JSON, SHORT_TERM_VALUE), JSON("pool_value", RULE_JSON, POOL_VALUE),
    ENUM(role_kind), ENUM(user_status), ENUM(agent_status), ENUM(space_kind), ENUM(space_status), ENUM(grantee_kind), ENUM(context_type),
    ENUM(context_scope), ENUM(pool_type), ENUM(pool_scope), ENUM(entry_type), ENUM(memory_type), ENUM(knowledge_type),
    ENUM(knowledge_base_status), ENUM(chunking_strategy), ENUM(document_status), ENUM(document_source), ENUM(query_log), ENUM(extraction),
    ENUM(connector_type), ENUM(sync_frequency), ENUM(connector_status),
    ENUM(audience), ENUM(skill_change_type), ENUM(skill_origin), ENUM(skill_outcome), ENUM(skill_test_status),
        ENUM(skill_proposal_status), ENUM(proposal_type), ENUM(proposal_status), ENUM(urgency), ENUM(intervention_scope),
        ENUM(intervention_category), ENUM(intervention_rule),
    ENUM(tag_type), ENUM(tag_tier),
    ENUM(skill_conflict_type), ENUM(skill_severity), ENUM(skill_conflict_status), ENUM(skill_conflict_method),
    ENUM(knowledge_source), ENUM(learning_category), ENUM(learning_scope), ENUM(learning_method), ENUM(short_term_type),
    ENUM(promote_state), ENUM(merge_rule), ENUM(duplicate_reason), ENUM(duplicate_state), ENUM(finding_class), ENUM(edge_status),
    ENUM(episode_role), ENUM(episode_state), ENUM(fact_modality), ENUM(fact_type), ENUM(fact_veracity), ENUM(attest_stance),
    ENUM(promotion_status), ENUM(core_edit_state),
    ENUM(claim_state), ENUM(work_status), ENUM(goal_type), ENUM(goal_status),
    ENUM(wiki_type), ENUM(wiki_status), ENUM(link_state),
    ENUM(access_action), ENUM(access_type), ENUM(principal_kind),
    WORDS("grant_level", "read write manage"), WORDS("person", "user agent"), WORDS("rule_set", "own"),
    WORDS("actor", "user agent system nobody"),
    WORDS("source_kind", "agent user tool workflow system import"), WORDS("severity", "low medium high critical"),
    WORDS("escalation_type", "stuck error budget_exceeded approval_timeout quality_concern security_issue low_confidence_recall"),
    WORDS("trust_tier", "supervised monitored trusted autonomous"),
    WORDS("feedback_type", "execution_quality proposal_quality communication_quality"),
    WORDS("escalation_status", "open acknowledged in_progress resolved auto_resolved"), WORDS("provider", "builtin http client"),
    WORDS("summary_kind", "template model"), WORDS("model_state", "active building retired"), WORDS("precision", "f32 bf16 int8"),
};

const struct transfer_rule *transfer_rule_find(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++)
        if (strlen(RULES[i].name) == n && memcmp(RULES[i].name, name, n) == 0)
            return &RULES[i];
    return NULL;
}

/* ---- what is broken */

static bool is_between(const struct transfer_rule *r, double x)
{
    return x >= r->min && x <= r->max;
}

static bool is_word(const char *words, const char *s)
{
    size_t n = strlen(s);

    for (const char *at = words; n && (at = strstr(at, s)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static const char *transfer_rule_names_of(struct arena *a, const struct enumx *e)
{
    struct buf b;

    buf_init(&b, a, 128);
    for (size_t i = 0; i < e->n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", e->names[i]);
    return buf_str(&b);
}

static const char *json_broken(struct arena *a, const struct transfer_rule *r, const char *text)
{
    size_t n = strlen(text);
    struct json *j;
    const char *why;

    if ((double)n > r->max)
        return arena_printf(a, "must be at most %.0f bytes of JSON", r->max);
    if (json_parse(a, text, n, &j, &why) != JSON_OK)
        return arena_printf(a, "must be JSON: %s", why);
    if (json_depth(j) > (r->max < STORED_MAX ? JSON_DEPTH_MAX : JSON_DEPTH_MAX + 1)) /* the audit trail has values one level down */
        return arena_printf(a, "must be at most %d levels deep", JSON_DEPTH_MAX);
    if (r->kind == RULE_OBJECT && !json_is(j, JSON_OBJ))
        return "must be a JSON object";
    return r->kind == RULE_ARRAY && !json_is(j, JSON_ARR) ? "must be a JSON array" : NULL;
}

/* NULL, or what the value must be. */
static const char *value_broken(struct arena *a, const struct transfer_rule *r, const struct transfer_value *v)
{
    int any;

    switch (r->kind) {
    case RULE_WHOLE:
        return is_between(r, (double)v->i) ? NULL : arena_printf(a, "must be %.0f to %.0f", r->min, r->max);
    case RULE_NUMBER:
        return is_between(r, v->d) ? NULL : arena_printf(a, "must be %g to %g", r->min, r->max);
    case RULE_CHARS:
        return is_between(r, (double)str_code_points(v->text, strlen(v->text))) ? NULL
            : arena_printf(a, "must be %.0f to %.0f characters long", r->min, r->max);
    case RULE_BYTES:
        return is_between(r, (double)strlen(v->text)) ? NULL : arena_printf(a, "must be at most %.0f bytes long", r->max);
    case RULE_BLOB:
        return is_between(r, (double)v->bytes.n) ? NULL : arena_printf(a, "must be %.0f to %.0f bytes in base64url", r->min, r->max);
    case RULE_SHAPE:
        return is_between(r, (double)str_code_points(v->text, strlen(v->text))) && r->has_shape(v->text) ? NULL
            : arena_printf(a, "must be %.0f to %.0f characters %s", r->min, r->max, r->words);
    case RULE_ENUM:
        return enumx_parse(r->names, v->text, &any) ? NULL : arena_printf(a, "must be one of: %s", transfer_rule_names_of(a, r->names));
    case RULE_WORDS:
        return is_word(r->words, v->text) ? NULL : arena_printf(a, "must be one of: %s", r->words);
    case RULE_JSON:
    case RULE_OBJECT:
    case RULE_ARRAY: break;
    }
    return json_broken(a, r, v->text);
}

const char *transfer_row_broken(struct arena *a, const struct transfer_row *row)
{
    for (size_t i = 0; i < row->table->n_columns; i++) {
        const struct transfer_column *c = &row->table->columns[i];
        const struct transfer_value *v = &row->v[i];
        const char *why = !c->rule || v->is_null || v->is_left_out ? NULL : value_broken(a, c->rule, v);

        if (why)
            return arena_printf(a, "%s: '%s' %s", row->table->name, c->name, why);
    }
    return NULL;
}
