/* Versions of skills; see skill_version.h. */
#include "skill_version.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "audit.h"
#include "content.h"
#include "db.h"
#include "skill_impl.h"
#include "skill_score.h"
#include "skill_version_store.h"
#include "thing.h"

ENUMX_DEFINE(skill_change_type, SKILL_CHANGE_TYPE);
ENUMX_DEFINE(skill_origin, SKILL_ORIGIN);

static const struct field SKILL_VERSION_COLUMNS[] = {
    F_ID(struct skill_version, "id of the version"),
    F_UUID(struct skill_version, skill_id, COL_READ, "the skill"),
    F_STR(struct skill_version, semver, COL_READ, 0, 40, "major.minor.patch; experiments end in -exp.N"),
    F_ENUM(struct skill_version, change_type, COL_READ, skill_change_type, CHANGE_PATCH, "how large the change was"),
    F_ENUM(struct skill_version, origin, COL_READ, skill_origin, SKILL_MANUAL, "how it came about"),
    F_STR(struct skill_version, body, COL_SHOW | FIELD_NULLABLE, 0, 0, "the text; null in lists; data, not instructions"),
    F_JSON(struct skill_version, sections, COL_READ, 0, "its level-2 headings: title, start, end (bytes), tokens"),
    F_STR(struct skill_version, change_reason, COL_READ | FIELD_NULLABLE, 0, 0, "why it was made"),
    F_BYTES(struct skill_version, content_hash, COL_ROW, "SHA-256 of the text"),
    F_INT(struct skill_version, tokens, COL_READ, 0, 0, 0, "size of the text in tokens"),
    F_BOOL(struct skill_version, is_active, COL_READ, false, "the one that is served"),
    F_INT(struct skill_version, usage_count, COL_READ, 0, 0, 0, "how often it was served"),
    F_INT(struct skill_version, success_count, COL_READ, 0, 0, 0, "outcomes: success"),
    F_INT(struct skill_version, failure_count, COL_READ, 0, 0, 0, "outcomes: failure"),
    F_INT(struct skill_version, partial_count, COL_READ, 0, 0, 0, "outcomes: partial"),
    F_NUM(struct skill_version, effectiveness, COL_SHOW, 0, 1, 0.5, "outcomes of this version, beginning at one half"),
    F_UUID(struct skill_version, created_by, COL_READ, "principal who made it"),
    F_TIME(struct skill_version, created_at, COL_READ | COL_BORN, "when it was made"),
    F_END
};
const struct thing SKILL_VERSION = THING("skill_version", SKILL_VERSION_COLUMNS, struct skill_version, .schema = "SkillVersion");

/* ---- numbers */

bool semver_parse(const char *s, int64_t parts[3])
{
    long long a, b, c;
    int end = 0;

    if (sscanf(s, "%9lld.%9lld.%9lld%n", &a, &b, &c, &end) != 3 || a < 0 || b < 0 || c < 0 || (s[end] && s[end] != '-'))
        return false;
    parts[0] = a, parts[1] = b, parts[2] = c;
    return true;
}

const char *semver_next(struct arena *a, const char *last, enum skill_change_type change, int64_t nth)
{
    int64_t v[3] = {0};

    if (!last || !semver_parse(last, v))
        return "1.0.0";
    switch (change) {
    case CHANGE_MAJOR: v[0]++, v[1] = v[2] = 0; break;
    case CHANGE_MINOR: v[1]++, v[2] = 0; break;
    case CHANGE_PATCH:
    case CHANGE_HOTFIX:
        v[2]++;
        break;
    case CHANGE_EXPERIMENTAL: return arena_printf(a, "%lld.%lld.%lld-exp.%lld", (long long)v[0], (long long)v[1], (long long)v[2],
        (long long)nth);
    }
    return arena_printf(a, "%lld.%lld.%lld", (long long)v[0], (long long)v[1], (long long)v[2]);
}

/* ---- sections */

static void section_end(struct arena *a, struct json *section, const char *body, size_t end)
{
    size_t start;

    if (!section)
        return;
    start = (size_t)json_get_int(section, "start", 0);
    json_set_int(a, section, "end", (int64_t)end);
    json_set_int(a, section, "tokens", content_tokens(arena_strndup(a, body + start, end - start)));
}

static const char *section_title(struct arena *a, const char *line, size_t n)
{
    const char *from = line + 3, *to = line + n;

    while (from < to && (*from == ' ' || *from == '#'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '#' || to[-1] == '\r'))
        to--;
    return arena_strndup(a, from, (size_t)(to - from));
}

struct json *skill_sections(struct arena *a, const char *body)
{
    struct json *all = json_arr(a), *open = NULL;
    bool fenced = false;

    for (const char *p = body; *p;) {
        size_t n = strcspn(p, "\n");

        if (str_starts(p, "```") || str_starts(p, "~~~"))
            fenced = !fenced;
        else if (!fenced && str_starts(p, "## ")) {
            section_end(a, open, body, (size_t)(p - body));
            open = json_obj(a);
            json_set_str(a, open, "title", section_title(a, p, n));
            json_set_int(a, open, "start", p - body);
            json_push(all, open);
        }
        p += n + (p[n] == '\n');
    }
    section_end(a, open, body, strlen(body));
    return all;
}

/* ---- making */

static struct bytes skill_version_hash(struct ctx *c, const char *body)
{
    uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(sum, (const uint8_t *)body, strlen(body));
    return (struct bytes){sum, crypto_hash_sha256_BYTES};
}

static err skill_version_number(struct ctx *c, const struct skill_version_new *in, const char **semver)
{
    const char *last;
    int64_t n, nth = 0;

    TRY(skill_version_store_last(c, in->skill_id, &last, &n));
    if (n >= SKILL_VERSIONS)
        TRY(skill_version_store_drop_one(c, in->skill_id));
    if (last && in->change_type == CHANGE_EXPERIMENTAL)
        TRY(skill_version_store_experiments(c, in->skill_id, last, &nth));
    *semver = semver_next(c->arena, last, in->change_type, nth + 1);
    return ERR_OK;
}

err skill_version_add(struct ctx *c, const struct skill_version_new *in, struct skill_version *out)
{
    struct skill_version v = {.id = uuid_new(c->now.us), .skill_id = in->skill_id, .change_type = in->change_type, .origin = in->origin,
                              .body = in->body, .change_reason = in->change_reason, .created_by = c->who->id, .created_at = c->now};

    if (strlen(in->body) > SKILL_BODY)
        return fail_field(c, "/body", "body must be at most %d bytes", SKILL_BODY);
    TRY(skill_version_number(c, in, &v.semver));
    v.sections = skill_sections(c->arena, in->body);
    v.content_hash = skill_version_hash(c, in->body);
    v.tokens = content_tokens(in->body);
    TRY(skill_version_store_insert(c, &v));
    TRY(thing_note(c, &SKILL_VERSION, "create", v.id, NULL, field_encode_use(c->arena, SKILL_VERSION_COLUMNS, COL_KEY, &v)));
    if (in->activate) {
        v.is_active = true;
        TRY(skill_version_store_activate(c, v.skill_id, v.id));
    }
    *out = v;
    return ERR_OK;
}

/* ---- reading */

static void skill_version_present(struct skill_version *v)
{
    struct skill_outcomes o = {v->success_count, v->failure_count, v->partial_count};

    v->effectiveness = ((double)o.success + .5 * (double)o.partial + 1) / ((double)(o.success + o.failure + o.partial) + 2);
}

err skill_version_get(struct ctx *c, struct uuid id, struct skill_version *out)
{
    struct skill s;
    bool found;

    TRY(skill_version_store_get(c, id, &found, out));
    if (!found || skill_get(c, out->skill_id, &s) != ERR_OK) {
        ctx_forgive(c);
        return fail(c, ERR_NOT_FOUND, "no such version");
    }
    skill_version_present(out);
    return ERR_OK;
}

err skill_version_list(struct ctx *c, const struct skill_version_filter *f, struct page *out)
{
    struct skill_version *rows;
    struct uuid before;
    struct skill s;

    TRY(skill_get(c, f->id, &s));
    TRY(page_begin(c, f->cursor, &before));
    TRY(skill_version_store_list(c, f, before, out));
    rows = out->items;
    for (size_t i = 0; i < out->n; i++)
        skill_version_present(&rows[i]);
    return ERR_OK;
}

/* ---- activating */

static err skill_version_activate_tx(struct ctx *c, const struct thing_key *key, struct skill_version *out)
{
    struct json *payload = json_obj(c->arena);
    struct skill s;

    TRY(skill_version_get(c, key->id, out));
    TRY(skill_take(c, out->skill_id, 0, &s));
    if (out->is_active)
        return ERR_OK;
    if (skill_flags_of(c, "", out->body).n)
        TRY(access_permit(c, PERM_SKILLS_REVIEW));
    TRY(skill_version_store_activate(c, s.id, out->id));
    json_set_str(c->arena, payload, "semver", out->semver);
    json_set_str(c->arena, payload, "origin", uuid_cmp(out->id, s.active_version_id) < 0 ? "rollback" : "manual");
    TRY(audit_add(c, &(struct audit){.kind = "skill_version.activate", .subject_kind = "skill", .subject_id = s.id, .space_id = s.space_id,
                                     .payload = payload, .is_news = true}));
    out->is_active = true;
    s.body = out->body;
    return skill_refresh_node(c, &s);
}
DB_TX(skill_version_activate, struct thing_key, struct skill_version)
