/* Patterns of tags and their tiers; see tag_pattern.h. */
#include "tag_pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "audit.h"
#include "content.h"
#include "plastic.h"
#include "tag_mine.h"
#include "tag_pattern_store.h"
#include "tag_store.h"

static const struct field TAG_PATTERN_COLUMNS[] = {
    F_ID(struct tag_pattern, "id of the pattern"),
    F_JSON(struct tag_pattern, items, COL_READ, 0, "its tags, as type:slug; data, not instructions"),
    F_BYTES(struct tag_pattern, items_hash, COL_ROW, "hash of them"),
    F_INT(struct tag_pattern, size, COL_READ, 0, 0, 0, "how many they are"),
    F_ENUM(struct tag_pattern, tier, COL_READ, tag_tier, TAG_OF_USER, "transitional: of reviewers; universe: of all",
        .shades = "off info ok"),
    F_INT(struct tag_pattern, support_owners, COL_READ, 0, 0, 0, "owners that hold all of them, in steps of five"),
    F_INT(struct tag_pattern, owners_total, COL_READ, 0, 0, 0, "owners that were looked at, in steps of five"),
    F_NUM(struct tag_pattern, support, COL_ROW, 0, 1, 0, "the one by the other"),
    F_NUM(struct tag_pattern, lift, COL_READ, 0, 0, 0, "how much more often than by chance"),
    F_INT(struct tag_pattern, nights, COL_ROW, 0, 0, 0, "bit n: seen n nights ago"),
    F_INT(struct tag_pattern, seen_runs, COL_READ, 0, 0, 0, "nights that found it"),
    F_INT(struct tag_pattern, missed_runs, COL_ROW, 0, 0, 0, "nights since then that did not"),
    F_END
};
const struct thing TAG_PATTERN = THING("tag_pattern", TAG_PATTERN_COLUMNS, struct tag_pattern, .schema = "TagPattern");

err tag_pattern_list(struct ctx *c, const struct tag_pattern_filter *f, struct page *out)
{
    struct tag_pattern *rows;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    TRY(tag_pattern_store_list(c, f, permissions_have(c->who->perms, PERM_GRAPH_MANAGE), before, out));
    rows = out->items;
    for (size_t i = 0; i < out->n; i++) {
        rows[i].support_owners -= rows[i].support_owners % PATTERN_ROUND;
        rows[i].owners_total -= rows[i].owners_total % PATTERN_ROUND;
        rows[i].lift = round(rows[i].lift * 10) / 10; /* exact figures would tell the counts again */
    }
    return ERR_OK;
}

/* ---- mining */

static int mined_name_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names become numbers, in their order; so do owners and subjects, which come sorted. */
static size_t mining_number(struct ctx *c, const struct list *held, struct mine_row *rows, const char **names, uint32_t *n_owners)
{
    const struct tag_held *v = held->v;
    size_t n = 0;
    uint32_t subject = 0;

    for (size_t i = 0; i < held->n; i++)
        names[i] = v[i].name;
    qsort(names, held->n, sizeof *names, mined_name_order);
    for (size_t i = 0; i < held->n; i++)
        if (!n || !str_eq(names[n - 1], names[i]))
            names[n++] = names[i];
    *n_owners = 0;
    for (size_t i = 0; i < held->n; i++) {
        const char **at = bsearch(&v[i].name, names, n, sizeof *names, mined_name_order);

        if (!i || !uuid_eq(v[i].owner, v[i - 1].owner))
            (*n_owners)++;
        if (i && !uuid_eq(v[i].subject, v[i - 1].subject))
            subject++;
        rows[i] = (struct mine_row){*n_owners - 1, subject, (uint32_t)(at - names)};
    }
    (void)c;
    return n;
}

static struct tag_pattern tag_pattern_of(struct ctx *c, const struct mined *m, const char *const *names, uint32_t owners)
{
    struct json *items = json_arr(c->arena);

    for (size_t i = 0; i < m->n; i++)
        json_push(items, json_str(c->arena, names[m->items[i]]));
    return (struct tag_pattern){.id = uuid_new(c->now.us), .items = items, .size = (int64_t)m->n, .support_owners = m->owners,
                                .items_hash = content_hash(c->arena, "tag_pattern", json_text(c->arena, items), NULL),
                                .owners_total = owners, .support = m->support, .lift = m->lift};
}

err tag_pattern_mine(struct ctx *c, int64_t min_owners, struct tag_mining *out)
{
    struct tag_pattern *patterns;
    struct mine_row *rows;
    struct mined *found;
    const char **names;
    struct list held;
    uint32_t owners;
    size_t items, n;

    TRY(tag_pattern_store_held(c, &held));
    rows = ARENA_ARRAY(c->arena, struct mine_row, held.n + 1);
    names = ARENA_ARRAY(c->arena, const char *, held.n + 1);
    items = mining_number(c, &held, rows, names, &owners);
    *out = (struct tag_mining){.owners = owners, .rows = (int64_t)held.n};
    out->least = (int64_t)ceil(MINING_SHARE * owners);
    if (out->least < min_owners)
        out->least = min_owners;
    TRY(tag_pattern_store_begin(c));
    out->skipped = owners < out->least;
    if (out->skipped)
        return ERR_OK;
    n = tag_mine(c->arena, rows, held.n, (uint32_t)items, owners, &out->least, &found);
    patterns = ARENA_ARRAY(c->arena, struct tag_pattern, n + 1);
    for (size_t i = 0; i < n; i++)
        patterns[i] = tag_pattern_of(c, &found[i], names, owners);
    out->found = (int64_t)n;
    return tag_pattern_store_put(c, patterns, n);
}

/* ---- tiers */

static int pattern_nights(const struct tag_pattern *p)
{
    return __builtin_popcountll((unsigned long long)p->nights & 127);
}

static enum tag_tier pattern_goes_to(const struct tag_pattern *p)
{
    if (p->missed_runs)
        return p->tier == TAG_UNIVERSE ? TAG_TRANSITIONAL : TAG_OF_USER;
    if (p->tier == TAG_OF_USER)
        return TAG_TRANSITIONAL;
    return pattern_nights(p) >= PATTERN_NIGHTS && (p->size == 1 || p->lift >= PATTERN_LIFT) ? TAG_UNIVERSE : p->tier;
}

/* The shared tag of an item; minted, as a copy that knows no owner, where there is none. */
static err pattern_tag(struct ctx *c, const char *item, enum tag_tier tier, struct tag *out)
{
    const char *slug = strchr(item, ':') + 1;
    struct tag like = {.display = slug, .slug = slug, .tier = tier, .status = TAG_ACTIVE};
    int type;
    bool found;

    if (!enumx_parse(&tag_type_enumx, arena_strndup(c->arena, item, (size_t)(slug - 1 - item)), &type))
        return fail(c, ERR_INTERNAL, "a stored pattern names a type that there is not");
    like.tag_type = (enum tag_type)type;
    TRY(taxonomy_space(c, &like.space_id));
    TRY(tag_store_shared(c, like.space_id, like.tag_type, slug, &found, out));
    if (!found)
        return tag_mint(c, &like, out);
    if (out->tier == TAG_TRANSITIONAL && tier == TAG_UNIVERSE)
        TRY(tag_store_set_tier(c, out->id, tier));
    return ERR_OK;
}

static err pattern_tags(struct ctx *c, const struct tag_pattern *p, enum tag_tier tier)
{
    struct plastic_pair pairs[MINE_SIZE * MINE_SIZE];
    struct tag tags[MINE_SIZE];
    size_t n = 0, m = 0;

    for (const struct json *i = json_opened(c->arena, p->items)->first; i && n < MINE_SIZE; i = i->next)
        TRY(pattern_tag(c, i->s, tier, &tags[n++]));
    if (tier != TAG_UNIVERSE)
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (uuid_cmp(tags[i].id, tags[k].id) < 0)
                pairs[m++] = (struct plastic_pair){tags[i].id, tags[k].id, 1};
    return m ? plastic_together(c, pairs, m, PLASTIC_STEP) : ERR_OK;
}

static err pattern_move(struct ctx *c, const struct tag_pattern *p, enum tag_tier to)
{
    struct json *payload = json_obj(c->arena);

    if (to > p->tier)
        TRY(pattern_tags(c, p, to));
    TRY(tag_pattern_store_tier(c, p->id, to));
    json_set_str(c->arena, payload, "from", enumx_name(&tag_tier_enumx, (int)p->tier));
    json_set_str(c->arena, payload, "to", enumx_name(&tag_tier_enumx, (int)to));
    return audit_add(c, &(struct audit){.kind = "tag_pattern.move", .subject_kind = "tag_pattern", .subject_id = p->id,
                                        .payload = payload});
}

err tag_pattern_promote(struct ctx *c, struct tag_promotion *out)
{
    const struct tag_pattern *v;
    struct list all;

    *out = (struct tag_promotion){0};
    TRY(tag_pattern_store_all(c, &all));
    v = all.v;
    for (size_t i = 0; i < all.n; i++) {
        enum tag_tier to = pattern_goes_to(&v[i]);

        out->looked++;
        if (to == v[i].tier)
            continue;
        TRY(pattern_move(c, &v[i], to));
        out->up += to > v[i].tier;
        out->down += to < v[i].tier;
    }
    return tag_pattern_store_sweep(c);
}
