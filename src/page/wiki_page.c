/* Finding and reading pages, their names, checks and old states; see wiki_page.h. Changes are in wiki_page_save.c. */
#include "wiki_page.h"

#include <string.h>

#include "access.h"
#include "diff.h"
#include "limit.h"
#include "match.h"
#include "page_render.h"
#include "str.h"
#include "wiki_page_impl.h"
#include "wiki_space.h"
#include "wiki_text.h"

#define SUFFIXES_OF_PATH 16

err wiki_page_missing(struct ctx *c, enum wiki_type type)
{
    return fail(c, ERR_NOT_FOUND, "no such %s", enumx_name(&wiki_type_enumx, (int)type));
}

/* ---- reading */

err wiki_page_list(struct ctx *c, const struct wiki_filter *f, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    return wiki_page_store_list(c, f, wiki_spaces_readable(c), before, out);
}

static err page_by_alias(struct ctx *c, enum wiki_type type, const char *ref, bool *found, struct wiki_page *out)
{
    struct uuid id;

    TRY(wiki_page_store_by_alias(c, type, wiki_name_key(c->arena, ref), &id));
    return uuid_is_nil(id) ? ERR_OK : wiki_page_store_get(c, id, false, found, out);
}

err wiki_page_find(struct ctx *c, enum wiki_type type, const char *ref, struct wiki_page *out)
{
    struct uuid id;
    bool found = false;

    if (uuid_parse(ref, &id))
        TRY(wiki_page_store_get(c, id, false, &found, out));
    if (!found)
        TRY(wiki_page_store_by_slug(c, type, ref, &found, out));
    if (!found)
        TRY(page_by_alias(c, type, ref, &found, out));
    return found && out->type == type && access_may_read(c, out->space_id) ? ERR_OK : wiki_page_missing(c, type);
}

err wiki_page_by_id(struct ctx *c, struct uuid id, struct wiki_page *out)
{
    bool found;

    TRY(wiki_page_store_get(c, id, false, &found, out));
    return found && access_may_read(c, out->space_id) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such page");
}

err wiki_page_take(struct ctx *c, enum wiki_type type, const struct page_ref *ref, struct wiki_page *out)
{
    bool found = false;
    struct uuid id;

    if (uuid_parse(ref->id, &id))
        TRY(wiki_page_store_lock(c, id, false, &found, out));
    if (!found) { /* by its slug */
        TRY(wiki_page_find(c, type, ref->id, out));
        TRY(wiki_page_store_lock(c, out->id, false, &found, out));
    }
    if (!found || out->type != type || !access_may_read(c, out->space_id))
        return wiki_page_missing(c, type);
    TRY(access_require(c, out->space_id, ACCESS_WRITE));
    return match_version(c, ref->if_version, out->version);
}

/* ---- names */

static void name_add(struct ctx *c, struct wiki_name *names, size_t *n, const char *kind, const char *name)
{
    const char *key = wiki_name_key(c->arena, name);

    if (*key && *n < WIKI_NAMES)
        names[(*n)++] = (struct wiki_name){kind, key, name};
}

/* "a/b/T.md" is named "a/b/T" and "b/T", and "T" where that is not its title. */
static void names_of_path(struct ctx *c, const char *path, struct wiki_name *names, size_t *n)
{
    const char *at = path;
    size_t k = strlen(path);

    if (k > 3 && strcasecmp(path + k - 3, ".md") == 0)
        at = arena_strndup(c->arena, path, k - 3);
    for (int i = 0; at && *at && i < SUFFIXES_OF_PATH; i++) {
        name_add(c, names, n, "path", at);
        at = strchr(at, '/');
        at = at ? at + 1 : NULL;
    }
}

size_t wiki_page_names(struct ctx *c, const struct wiki_page *p, struct wiki_name *names)
{
    size_t n = 0;

    if (p->deleted_at.us || p->status == WIKI_ARCHIVED)
        return 0;
    name_add(c, names, &n, "title", p->title);
    name_add(c, names, &n, "slug", p->slug);
    for (size_t i = 0; i < p->aliases.n; i++)
        name_add(c, names, &n, "alias", p->aliases.v[i]);
    if (p->path)
        names_of_path(c, p->path, names, &n);
    return n;
}

err wiki_check_slug(struct ctx *c, const char *slug)
{
    const char *right = wiki_slugify(c->arena, slug);

    if (strcmp(slug, right) == 0 && *slug)
        return ERR_OK;
    return fail_field(c, "/slug", "a slug is lower-case letters, digits and single hyphens: '%s'", *right ? right : "page");
}

static bool is_taken(const struct strs *taken, const char *slug)
{
    for (size_t i = 0; i < taken->n; i++)
        if (strcmp(taken->v[i], slug) == 0)
            return true;
    return false;
}

err wiki_free_slug(struct ctx *c, enum wiki_type type, const char *title, const char **slug)
{
    const char *base = wiki_slug_for(c->arena, title);
    struct strs taken;

    if (strlen(base) > WIKI_SLUG - 9)
        base = arena_strndup(c->arena, base, WIKI_SLUG - 9);
    TRY(wiki_page_store_taken(c, type, base, &taken));
    *slug = base;
    for (int i = 2; i < 100 && is_taken(&taken, *slug); i++)
        *slug = arena_printf(c->arena, "%s-%d", base, i);
    if (is_taken(&taken, *slug)) {
        const char *id = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)));

        *slug = arena_printf(c->arena, "%s-%s", base, id + 28);
    }
    return ERR_OK;
}

/* ---- checks */

err wiki_clean_text(struct ctx *c, const char **content)
{
    const char *from = *content;
    char *clean, *to;

    if (strlen(from) > LIMIT_PAGE_BODY)
        return fail_field(c, "/content", "content must be at most %d bytes long", LIMIT_PAGE_BODY);
    clean = to = arena_strdup(c->arena, from);
    for (; *from; from++) {
        if (*from == '\r' && from[1] == '\n')
            continue;
        if ((unsigned char)*from < ' ' && *from != '\n' && *from != '\t')
            return fail_field(c, "/content", "content has a control character (%02x) at byte %zu", *from, (size_t)(from - *content));
        *to++ = *from;
    }
    *to = 0;
    *content = clean;
    return ERR_OK;
}

static bool may_move(enum wiki_type type, enum wiki_status from, enum wiki_status to)
{
    if (type == WIKI_PAGE)
        return (from == WIKI_DRAFT || from == WIKI_PUBLISHED) && (to == WIKI_DRAFT || to == WIKI_PUBLISHED);
    switch (from) {
    case WIKI_DRAFT: return to == WIKI_REVIEW || to == WIKI_PUBLISHED;
    case WIKI_REVIEW: return to == WIKI_DRAFT || to == WIKI_PUBLISHED;
    case WIKI_PUBLISHED: return to == WIKI_ARCHIVED || to == WIKI_DRAFT;
    case WIKI_ARCHIVED: return to == WIKI_PUBLISHED;
    }
    return false;
}

err wiki_check_status(struct ctx *c, enum wiki_type type, enum wiki_status from, enum wiki_status to)
{
    if (from == to)
        return ERR_OK;
    if (!may_move(type, from, to))
        return fail_reason(c, ERR_CONFLICT, "page_state", "a %s %s cannot become %s", enumx_name(&wiki_status_enumx, (int)from),
                           enumx_name(&wiki_type_enumx, (int)type), enumx_name(&wiki_status_enumx, (int)to));
    return to == WIKI_PUBLISHED || from == WIKI_PUBLISHED || from == WIKI_ARCHIVED ? access_permit(c, PERM_CONTENT_PUBLISH) : ERR_OK;
}

void wiki_page_measure(struct ctx *c, struct wiki_page *p)
{
    const char *plain = wiki_plain(c->arena, p->content, &p->marks->scan);

    p->first_words = wiki_excerpt(c->arena, plain);
    p->word_count = wiki_words(plain);
}

const struct json *wiki_page_attrs(struct ctx *c, const struct wiki_page *p)
{
    struct json *o = json_obj(c->arena), *tags;

    json_set_str(c->arena, o, "content_type", enumx_name(&wiki_type_enumx, (int)p->type));
    json_set_str(c->arena, o, "content_id", arena_strdup(c->arena, UUID_STR(p->id)));
    json_set_str(c->arena, o, "slug", p->slug);
    tags = json_set(c->arena, o, "tags", json_arr(c->arena));
    for (size_t i = 0; i < p->tags.n; i++)
        json_push(tags, json_str(c->arena, p->tags.v[i]));
    return o;
}

/* ---- old states: versions of the node */

#define NEWEST INT64_MAX

static err version_missing(struct ctx *c, int64_t version)
{
    return fail(c, ERR_NOT_FOUND, "no version %lld", (long long)version);
}

err wiki_version_list(struct ctx *c, enum wiki_type type, const char *ref, int64_t limit, const char *cursor, struct page *out)
{
    int64_t before = NEWEST;
    struct wiki_version *rows;
    struct wiki_page p;
    size_t n;

    TRY(wiki_page_find(c, type, ref, &p));
    if (cursor && *cursor && !str_to_i64(cursor, &before))
        return fail_field(c, "/cursor", "the cursor is not one of this list");
    TRY(wiki_version_store_list(c, p.id, before, limit, &rows, &n));
    *out = (struct page){.items = rows, .n = n, .has_more = n > (size_t)limit};
    if (out->has_more) {
        out->n = (size_t)limit;
        out->next_cursor = arena_printf(c->arena, "%lld", (long long)rows[limit - 1].version);
    }
    return ERR_OK;
}

static err wiki_version_version_of(struct ctx *c, struct uuid id, int64_t version, struct wiki_version *out)
{
    bool found;

    *out = (struct wiki_version){0};
    TRY(wiki_version_store_get(c, id, version, &found, out));
    return found ? ERR_OK : version_missing(c, version);
}

err wiki_version_get(struct ctx *c, enum wiki_type type, const char *ref, int64_t version, int64_t diff_to, struct wiki_version *out)
{
    struct wiki_version other;
    struct wiki_page p;

    TRY(wiki_page_find(c, type, ref, &p));
    TRY(wiki_version_version_of(c, p.id, version, out));
    if (diff_to <= 0)
        return ERR_OK;
    TRY(wiki_version_version_of(c, p.id, diff_to, &other));
    out->diff = model_diff(c->arena, out->content, other.content);
    return ERR_OK;
}

err wiki_version_restore(struct ctx *c, enum wiki_type type, const struct page_ref *ref, int64_t version, struct wiki_page *out)
{
    struct wiki_page_change ch = {.change.if_version = ref->if_version, .to.ref = ref->id};
    struct wiki_version old;

    TRY(wiki_version_get(c, type, ref->id, version, 0, &old));
    change_to(&ch, title, old.title);
    change_to(&ch, content, old.content);
    return wiki_page_update(c, type, &ch, out);
}
