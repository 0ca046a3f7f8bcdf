/* Retention policies: their members, ranges and defaults in one table; see retention.h. */
#include "retention.h"

#include <string.h>

#include "context.h"
#include "staleness.h"

ENUMX_DEFINE(eviction, EVICTION);
ENUMX_DEFINE(dedup, DEDUP);

struct member {
    const char *name;
    enum json_type type; /* JSON_INT with a range, JSON_NUM of 0 to 1, JSON_BOOL, JSON_STR of an enum, JSON_OBJ */
    double min, max;
    const struct enumx *words;
    const struct member *members;
};

static const struct member ROT[] = {
    {.name = "enabled", .type = JSON_BOOL},
    {.name = "review_at", .type = JSON_NUM, .max = 1},
    {.name = "archive_at", .type = JSON_NUM, .max = 1},
    {0},
};

static const struct member POLICY[] = {
    {.name = "max_entries", .type = JSON_INT, .min = 1, .max = CONTEXT_ENTRIES},
    {.name = "max_size_bytes", .type = JSON_INT, .min = 1, .max = CONTEXT_BYTES},
    {.name = "max_age_days", .type = JSON_INT, .min = 1, .max = 36500},
    {.name = "ttl_seconds", .type = JSON_INT, .min = 60, .max = 3153600000},
    {.name = "archive_before_delete", .type = JSON_BOOL},
    {.name = "eviction", .type = JSON_STR, .words = &eviction_enumx},
    {.name = "rot", .type = JSON_OBJ, .members = ROT},
    {.name = "dedup", .type = JSON_STR, .words = &dedup_enumx},
    {0},
};

static const char *retention_names_of(struct ctx *c, const struct member *table)
{
    struct buf b;

    buf_init(&b, c->arena, 128);
    for (const struct member *m = table; m->name; m++)
        buf_printf(&b, "%s%s", m == table ? "" : ", ", m->name);
    return buf_str(&b);
}

static const char *retention_words_of(struct ctx *c, const struct enumx *e)
{
    struct buf b;

    buf_init(&b, c->arena, 64);
    for (size_t i = 0; i < e->n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", e->names[i]);
    return buf_str(&b);
}

static err check_value(struct ctx *c, const char *at, const struct member *m, const struct json *v)
{
    int word;

    if (m->type == JSON_INT && (v->type != JSON_INT || json_number(v) < m->min || json_number(v) > m->max))
        return fail_field(c, at, "%s must be a whole number, %.0f to %.0f", m->name, m->min, m->max);
    if (m->type == JSON_NUM && ((v->type != JSON_NUM && v->type != JSON_INT) || json_number(v) < m->min || json_number(v) > m->max))
        return fail_field(c, at, "%s must be a number, %g to %g", m->name, m->min, m->max);
    if (m->type == JSON_BOOL && v->type != JSON_BOOL)
        return fail_field(c, at, "%s must be true or false", m->name);
    if (m->type == JSON_STR && (v->type != JSON_STR || !enumx_parse(m->words, v->s, &word)))
        return fail_field(c, at, "%s must be one of: %s", m->name, retention_words_of(c, m->words));
    if (m->type == JSON_OBJ && v->type != JSON_OBJ)
        return fail_field(c, at, "%s must be an object", m->name);
    return ERR_OK;
}

static err check_members(struct ctx *c, const char *at, const struct member *table, const struct json *j)
{
    for (const struct json *v = j->first; v; v = v->next) {
        const char *here = arena_printf(c->arena, "%s/%s", at, v->key);
        const struct member *m = table;

        while (m->name && strcmp(m->name, v->key) != 0)
            m++;
        if (!m->name)
            return fail_field(c, here, "unknown member '%s'; there are %s", v->key, retention_names_of(c, table));
        TRY(check_value(c, here, m, v));
        if (m->members)
            TRY(check_members(c, here, m->members, v));
    }
    return ERR_OK;
}

err retention_check(struct ctx *c, const struct json *policy)
{
    return check_members(c, "/retention_policy", POLICY, policy);
}

static double retention_number(const struct json *obj, const char *key, double otherwise)
{
    const struct json *v = json_get(obj, key);

    return v ? json_number(v) : otherwise;
}

static struct rot_policy read_rot(const struct json *rot)
{
    if (!rot)
        return (struct rot_policy){true, STALE_REVIEW, STALE_ARCHIVE};
    return (struct rot_policy){json_get_bool(rot, "enabled", true), retention_number(rot, "review_at", STALE_REVIEW),
                               retention_number(rot, "archive_at", STALE_ARCHIVE)};
}

void retention_read(const struct json *policy, struct retention *out)
{
    const char *word = json_get_str(policy, "eviction"), *dedup_word = json_get_str(policy, "dedup");
    int eviction = EVICT_RELEVANCE, dedup = DEDUP_MERGE;

    if (word)
        enumx_parse(&eviction_enumx, word, &eviction);
    if (dedup_word)
        enumx_parse(&dedup_enumx, dedup_word, &dedup);
    *out = (struct retention){
        .max_entries = json_get_int(policy, "max_entries", CONTEXT_ENTRIES),
        .max_size_bytes = json_get_int(policy, "max_size_bytes", CONTEXT_BYTES),
        .max_age_days = json_get_int(policy, "max_age_days", 0), .ttl_seconds = json_get_int(policy, "ttl_seconds", 0),
        .archive_before_delete = json_get_bool(policy, "archive_before_delete", true), .eviction = (enum eviction)eviction,
        .rot = read_rot(json_get(policy, "rot")), .dedup = (enum dedup)dedup};
}
