/* Sections: the list of readers that a document has, and the space that stands for it; see section.h. */
#include "section.h"

#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "grant.h"
#include "knowledge_base_store.h"
#include "space.h"

/* ---- a list */

struct section_row {
    enum grantee_kind kind;
    const char *id;
    enum access_level level;
};

struct section_rows {
    struct section_row *v;
    size_t n;
};

static const struct section_member {
    const char *key;
    enum grantee_kind kind;
} SECTION_MEMBERS[] = {{"users", GRANTEE_USER}, {"agents", GRANTEE_AGENT}, {"teams", GRANTEE_TEAM}, {"roles", GRANTEE_ROLE}};
#define MEMBERS (sizeof SECTION_MEMBERS / sizeof *SECTION_MEMBERS)
#define ROWS_MAX (2 * MEMBERS * SECTION_IDS)

static int section_row_order(const void *a, const void *b)
{
    const struct section_row *x = a, *y = b;
    int by_id = strcmp(x->id, y->id);

    return x->kind != y->kind ? (int)x->kind - (int)y->kind : by_id;
}

/* Write includes read. */
static void section_row_add(struct section_rows *rows, struct section_row r)
{
    for (size_t i = 0; i < rows->n; i++)
        if (!section_row_order(&rows->v[i], &r)) {
            rows->v[i].level = rows->v[i].level > r.level ? rows->v[i].level : r.level;
            return;
        }
    rows->v[rows->n++] = r;
}

static err section_take_ids(struct ctx *c, const char *at, const struct json *list, struct section_row r, struct section_rows *rows)
{
    size_t i = 0;

    if (list->type != JSON_ARR || list->len > SECTION_IDS)
        return fail_field(c, at, "must be a list of at most %d", SECTION_IDS);
    for (const struct json *k = list->first; k; k = k->next, i++) {
        const char *place = arena_printf(c->arena, "%s/%zu", at, i);
        struct uuid id;
        bool yes = false;

        if (k->type == JSON_STR)
            r.id = r.kind != GRANTEE_ROLE && uuid_parse(k->s, &id) ? arena_strdup(c->arena, UUID_STR(id)) : k->s;
        if (k->type == JSON_STR)
            TRY(grant_can_be_to(c, r.kind, r.id, &yes));
        if (!yes)
            return fail_field(c, place, "no such %s in this account", enumx_name(&grantee_kind_enumx, (int)r.kind));
        section_row_add(rows, r);
    }
    return ERR_OK;
}

static err section_take_level(struct ctx *c, const struct json *of, enum access_level level, struct section_rows *rows)
{
    const char *at = arena_printf(c->arena, "/access/%s", of->key);

    if (of->type != JSON_OBJ)
        return fail_field(c, at, "must be an object of users, agents, teams and roles");
    for (const struct json *m = of->first; m; m = m->next) {
        const char *place = arena_printf(c->arena, "%s/%s", at, m->key);
        size_t k = 0;

        while (k < MEMBERS && !str_eq(SECTION_MEMBERS[k].key, m->key))
            k++;
        if (k == MEMBERS)
            return fail_field(c, place, "unknown member; there are users, agents, teams and roles");
        TRY(section_take_ids(c, place, m, (struct section_row){SECTION_MEMBERS[k].kind, NULL, level}, rows));
    }
    return ERR_OK;
}

static err section_parse(struct ctx *c, const struct json *access, struct section_rows *rows)
{
    *rows = (struct section_rows){ARENA_ARRAY(c->arena, struct section_row, ROWS_MAX), 0};
    for (const struct json *m = access->first; m; m = m->next) {
        if (!str_eq(m->key, "read") && !str_eq(m->key, "write"))
            return fail_field(c, arena_printf(c->arena, "/access/%s", m->key), "unknown member; there are read and write");
        TRY(section_take_level(c, m, str_eq(m->key, "read") ? ACCESS_READ : ACCESS_WRITE, rows));
    }
    if (rows->n)
        qsort(rows->v, rows->n, sizeof *rows->v, section_row_order);
    return ERR_OK;
}

static struct bytes section_hash(struct ctx *c, const struct section_rows *rows)
{
    struct buf b;

    buf_init(&b, c->arena, 256);
    for (size_t i = 0; i < rows->n; i++)
        buf_printf(&b, "%d %s %d\n", (int)rows->v[i].kind, rows->v[i].id, (int)rows->v[i].level);
    return content_hash(c->arena, "section", buf_str(&b), NULL);
}

/* ---- its space */

static err section_make(struct ctx *c, struct uuid base_id, const struct section_rows *rows, struct bytes hash, struct uuid *id)
{
    struct space s = {.kind = SPACE_KNOWLEDGE_BASE, .name = "Section", .parent_id = base_id, .is_section = true,
                      .description = "documents of the base above it with readers of their own"};
    int64_t n;

    TRY(section_store_count(c, base_id, &n));
    if (n >= SECTIONS_OF_BASE)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a knowledge base can have at most %d lists of readers", SECTIONS_OF_BASE);
    *id = (struct uuid){0};
    TRY(space_make(c, &s, id));
    for (size_t i = 0; i < rows->n; i++)
        TRY(grant_make(c, &(struct grant){.space_id = *id, .grantee_kind = rows->v[i].kind, .grantee_id = rows->v[i].id,
                                          .level = rows->v[i].level}));
    TRY(section_store_insert(c, base_id, *id, hash));
    return access_changed(c);
}

err section_space(struct ctx *c, struct uuid base_id, const struct json *access, struct uuid *space_id)
{
    struct section_rows rows;
    struct bytes hash;
    struct uuid id;
    bool found;

    if (access) {
        TRY(section_parse(c, access, &rows));
        hash = section_hash(c, &rows);
        TRY(section_store_find(c, base_id, hash, &found, &id));
        if (!found)
            TRY(section_make(c, base_id, &rows, hash, &id));
        space_widen(c, id, ACCESS_WRITE);
    }
    *space_id = access ? id : base_id;
    return ERR_OK;
}

static struct json *section_part(struct arena *a, struct json *of, const char *key)
{
    struct json *there = json_get(of, key);

    return there ? there : json_set(a, of, key, json_obj(a));
}

err section_list(struct ctx *c, struct uuid base_id, struct uuid space_id, const struct json **access)
{
    struct json *o = json_obj(c->arena);
    struct grant *g;
    size_t n;

    *access = NULL;
    if (uuid_eq(base_id, space_id))
        return ERR_OK;
    TRY(grants_of(c, space_id, &g, &n));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < MEMBERS; k++) {
            struct json *list, *level;

            if (SECTION_MEMBERS[k].kind != g[i].grantee_kind)
                continue;
            level = section_part(c->arena, o, g[i].level == ACCESS_READ ? "read" : "write");
            list = json_get(level, SECTION_MEMBERS[k].key);
            list = list ? list : json_set(c->arena, level, SECTION_MEMBERS[k].key, json_arr(c->arena));
            json_push(list, json_str(c->arena, g[i].grantee_id));
        }
    *access = o;
    return ERR_OK;
}

err section_settle(struct ctx *c, struct uuid space_id)
{
    int64_t changed;

    TRY(section_store_settle(c, space_id, &changed));
    return changed ? access_changed(c) : ERR_OK;
}

/* ---- what they hold */

err section_counts(struct ctx *c, struct knowledge_base *bases, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    const struct section_sum *v;
    struct list sums;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (!access_may_read(c, bases[i].id))
            bases[i].document_count = bases[i].chunk_count = bases[i].total_tokens = bases[i].storage_bytes = 0;
    for (size_t i = 0; i < c->access->n; i++)
        if (!uuid_is_nil(c->access->spaces[i].section_of))
            ids[k++] = c->access->spaces[i].space_id;
    if (!k || !n)
        return ERR_OK;
    TRY(section_store_sums(c, (struct uuids){ids, k}, &sums));
    v = sums.v;
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < sums.n; s++)
            if (uuid_eq(v[s].knowledge_base_id, bases[i].id)) {
                bases[i].document_count += v[s].counts.documents;
                bases[i].chunk_count += v[s].counts.chunks;
                bases[i].total_tokens += v[s].counts.tokens;
                bases[i].storage_bytes += v[s].counts.bytes;
            }
    return ERR_OK;
}
