/* Tags: their columns, finding and minting them; see tag.h. */
#include "tag.h"

#include <ctype.h>
#include <string.h>

#include "access.h"
#include "db.h"
#include "node.h"
#include "tag_store.h"
#include "thing.h"
#include "unicode.h"

ENUMX_DEFINE(tag_type, TAG_TYPE);
ENUMX_DEFINE(tag_tier, TAG_TIER);
ENUMX_DEFINE(tag_status, TAG_STATUS);

static const struct field TAG_COLUMNS[] = {
    F_ID(struct tag, "id of the tag: its node"),
    F_UUID(struct tag, space_id, COL_READ, "the taxonomy, or the space whose own tag it is"),
    F_STR(struct tag, display, COL_SHOW | COL_AUDIT, 0, 0, "as it is shown; data, not instructions", .sql = "n.title"),
    F_STR(struct tag, slug, COL_READ | COL_AUDIT, 0, 100, "normal form"),
    F_ENUM(struct tag, tag_type, COL_READ | COL_AUDIT, tag_type, TAG_PLAIN, "what sort of tag"),
    F_ENUM(struct tag, tier, COL_READ | COL_AUDIT, tag_tier, TAG_OF_USER,
        "user: of its space; transitional: of reviewers; universe: of all", .shades = "off info ok"),
    F_ENUM(struct tag, status, COL_SHOW | COL_AUDIT, tag_status, TAG_PENDING, "what became of it", .sql = "n.status",
        .shades = "warn ok bad off off"),
    F_STRS(struct tag, aliases, COL_READ | COL_AUDIT, 64, "other slugs that mean it"),
    F_UUID(struct tag, merged_into, COL_READ | FIELD_NULLABLE, "the tag that took its place"),
    F_INT(struct tag, usage_count, COL_READ, 0, 0, 0, "nodes that were tagged with it"),
    F_INT(struct tag, holder_count, COL_READ, 0, 0, 0, "subjects that met it"),
    F_VERSION(struct tag),
    F_TIMES(struct tag),
    F_END
};
const struct thing TAG = THING("tag", TAG_COLUMNS, struct tag, .schema = "Tag", .alias = "t",
    .from = "tag t JOIN node n ON n.account_id = t.account_id AND n.id = t.id");

err tag_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such tag");
}

/* ---- reading */

/* What waits for review is no secret, but it is in nobody's way either. */
static bool tag_is_shown(const struct ctx *c, const struct tag *t)
{
    return access_may_read(c, t->space_id) &&
           (t->tier != TAG_TRANSITIONAL || permissions_have(c->who->perms, PERM_GRAPH_MANAGE));
}

err tag_get(struct ctx *c, struct uuid id, struct tag *out)
{
    bool found;

    TRY(tag_store_get(c, id, false, &found, out));
    return found && tag_is_shown(c, out) ? ERR_OK : tag_missing(c);
}

err taxonomy_list(struct ctx *c, const struct tag_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return tag_store_list(c, f, permissions_have(c->who->perms, PERM_GRAPH_MANAGE), before, out);
}

/* ---- names */

const char *tag_slug_of(struct arena *a, const char *display)
{
    struct buf b;

    buf_init(&b, a, 64);
    for (const char *p = unicode_fold(a, unicode_nfc(a, display)); *p; p++)
        if (*p == '_' || isspace((unsigned char)*p) || *p == '-') {
            if (b.len && b.data[b.len - 1] != '-')
                buf_putc(&b, '-');
        } else if ((unsigned char)*p >= 32 && *p != 127)
            buf_putc(&b, *p);
    while (b.len && b.data[b.len - 1] == '-')
        b.data[--b.len] = 0;
    return buf_str(&b);
}

static err tag_name_check(struct ctx *c, const char *pointer, const char *display, const char **slug)
{
    *slug = tag_slug_of(c->arena, display);
    if (!**slug || str_code_points(*slug, strlen(*slug)) > TAG_NAME)
        return fail_field(c, pointer, "a tag is 1 to %d characters long", TAG_NAME);
    return ERR_OK;
}

/* ---- minting */

err tag_mint(struct ctx *c, const struct tag *like, struct tag *out)
{
    struct tag t = {.space_id = like->space_id, .display = like->display, .slug = like->slug,
                    .tag_type = like->tag_type, .tier = like->tier, .status = like->status};
    struct node node;
    int64_t n;

    TRY(tag_store_count(c, &n));
    if (n >= TAGS_OF_ACCOUNT)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "an account can have at most %d tags", TAGS_OF_ACCOUNT);
    TRY(thing_begin(c, &TAG, &t));
    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .id = t.id, .space_id = t.space_id,
        .kind = t.tag_type == TAG_CONCEPT ? "super_concept" : "tag", .title = t.display, .by_room = true,
        .status = enumx_name(&tag_status_enumx, (int)t.status)}, &node));
    TRY(thing_insert(c, &TAG, &t));
    *out = t;
    return ERR_OK;
}

/* Where a tag of content in this space lives, and how widely it is known there. */
static err tag_home(struct ctx *c, struct uuid space_id, enum tag_type type, struct uuid taxonomy, struct tag *like)
{
    bool open;

    TRY(tag_store_is_open(c, space_id, &open));
    *like = (struct tag){.tag_type = type, .space_id = open ? taxonomy : space_id, .tier = open ? TAG_UNIVERSE : TAG_OF_USER,
                         .status = open ? TAG_PENDING : TAG_ACTIVE};
    return ERR_OK;
}

static bool tag_has_name(const struct tag *t, const char *slug)
{
    if (str_eq(t->slug, slug))
        return true;
    for (size_t i = 0; i < t->aliases.n; i++)
        if (str_eq(t->aliases.v[i], slug))
            return true;
    return false;
}

/* A shared one goes first; one that was merged away is found by the alias of its successor. */
static const struct tag *tag_among(const struct tag *v, size_t n, const char *slug)
{
    const struct tag *own = NULL;

    for (size_t i = 0; i < n; i++)
        if ((v[i].status == TAG_ACTIVE || v[i].status == TAG_PENDING) && tag_has_name(&v[i], slug)) {
            if (v[i].tier == TAG_UNIVERSE)
                return &v[i];
            own = &v[i];
        }
    return own;
}

static err tag_refused(struct ctx *c, const struct list *known, const char *slug, const struct tag *like)
{
    const struct tag *v = known->v;

    for (size_t i = 0; i < known->n; i++)
        if (uuid_eq(v[i].space_id, like->space_id) && str_eq(v[i].slug, slug) && v[i].tier != TAG_TRANSITIONAL)
            return fail_reason(c, ERR_CONFLICT, "tag_state", "the tag '%s' is %s", slug, enumx_name(&tag_status_enumx, (int)v[i].status));
    return ERR_OK;
}

err tag_of_content(struct ctx *c, struct uuid space_id, enum tag_type type, struct strs names, struct tag *out)
{
    const char **slugs = ARENA_ARRAY(c->arena, const char *, names.n + 1);
    struct uuid taxonomy;
    struct list known;
    struct tag like;

    for (size_t i = 0; i < names.n; i++)
        TRY(tag_name_check(c, arena_printf(c->arena, "/tags/%zu", i), names.v[i], &slugs[i]));
    TRY(taxonomy_space(c, &taxonomy));
    TRY(tag_home(c, space_id, type, taxonomy, &like));
    TRY(tag_store_named(c, (struct uuid[]){taxonomy, like.space_id}, type, (struct strs){slugs, names.n}, &known));
    for (size_t i = 0; i < names.n; i++) {
        const struct tag *t = tag_among(known.v, known.n, slugs[i]);

        if (!t)
            t = tag_among(out, i, slugs[i]);
        if (t) {
            out[i] = *t;
            continue;
        }
        TRY(tag_refused(c, &known, slugs[i], &like));
        like.display = names.v[i];
        like.slug = slugs[i];
        TRY(tag_mint(c, &like, &out[i]));
    }
    return ERR_OK;
}

err tag_categories(struct ctx *c, struct strs *out)
{
    const struct tag *v;
    struct list list;

    TRY(tag_store_categories(c, &list));
    v = list.v;
    *out = (struct strs){ARENA_ARRAY(c->arena, const char *, list.n + 1), 0};
    for (size_t i = 0; i < list.n; i++)
        if (str_is_slug(v[i].display))
            out->v[out->n++] = v[i].display;
    return ERR_OK;
}

static err tag_create_tx(struct ctx *c, const struct tag_new *in, struct tag *out)
{
    struct tag like = {.display = in->display, .tag_type = in->tag_type, .tier = TAG_UNIVERSE, .status = TAG_ACTIVE};

    TRY(tag_name_check(c, "/display", in->display, &like.slug));
    TRY(taxonomy_space(c, &like.space_id));
    return tag_mint(c, &like, out);
}
DB_TX(tag_create, struct tag_new, struct tag)
