/* The spaces of pages; see wiki_space.h. */
#include "wiki_space.h"

#include <string.h>

#include "db.h"
#include "principal.h"
#include "str.h"
#include "wiki_page_store.h"

struct wiki_space {
    const char *slug, *name, *description;
    bool is_draft;
};

static const struct wiki_space SPACES[] = {
    {"pages", "Pages", "published pages", false},
    {"page-drafts", "Page drafts", "pages that are not published", true},
    {"articles", "Articles", "published articles of the knowledge base", false},
    {"article-drafts", "Article drafts", "articles that are not published", true},
};

static const struct wiki_space *space_for(enum wiki_type type, enum wiki_status status)
{
    bool is_draft = status == WIKI_DRAFT || status == WIKI_REVIEW;

    return &SPACES[(type == WIKI_ARTICLE ? 2 : 0) + is_draft];
}

/* ---- making */

/* Whom the first grants name, and what an agent or a person of that role may do. */
struct first_grant {
    enum grantee_kind kind;
    const char *id;
    enum access_level level, of_drafts;
};

static const struct first_grant GRANTS[] = {
    {GRANTEE_EVERYONE, "", ACCESS_READ, ACCESS_NONE},      {GRANTEE_ROLE, "owner", ACCESS_MANAGE, ACCESS_MANAGE},
    {GRANTEE_ROLE, "admin", ACCESS_MANAGE, ACCESS_MANAGE}, {GRANTEE_ROLE, "editor", ACCESS_MANAGE, ACCESS_MANAGE},
    {GRANTEE_ROLE, "trusted", ACCESS_WRITE, ACCESS_WRITE}, {GRANTEE_ROLE, "reviewer", ACCESS_READ, ACCESS_READ},
};

static err wiki_space_make(struct ctx *c, const struct wiki_space *w)
{
    struct uuid id = {{0}};

    TRY(space_make(c, &(struct space){.kind = SPACE_PAGES, .slug = w->slug, .name = w->name, .description = w->description}, &id));
    for (size_t i = 0; i < sizeof GRANTS / sizeof *GRANTS; i++) {
        enum access_level level = w->is_draft ? GRANTS[i].of_drafts : GRANTS[i].level;

        if (level != ACCESS_NONE)
            TRY(grant_make(c, &(struct grant){.space_id = id, .grantee_kind = GRANTS[i].kind, .grantee_id = GRANTS[i].id, .level = level}));
    }
    return ERR_OK;
}

static err wiki_spaces_make(struct ctx *c, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++)
        TRY(wiki_space_make(c, &SPACES[i]));
    return access_changed(c);
}

/* What the first grants give this caller, whose access set is older than the spaces. */
static enum access_level level_of_caller(const struct ctx *c, bool is_draft)
{
    enum access_level best = is_draft ? ACCESS_NONE : ACCESS_READ;

    if (c->who->kind == PRINCIPAL_SYSTEM)
        return ACCESS_MANAGE;
    for (size_t i = 1; i < sizeof GRANTS / sizeof *GRANTS; i++) {
        enum access_level level = is_draft ? GRANTS[i].of_drafts : GRANTS[i].level;

        if (str_eq(c->who->role, GRANTS[i].id) && level > best)
            best = level;
    }
    return best;
}

static err wiki_spaces_begin(struct ctx *c)
{
    struct uuid id;
    err e = db_tx(c, wiki_spaces_make, NULL);

    if (e == ERR_CONFLICT)
        ctx_forgive(c); /* another request made them */
    else if (e != ERR_OK)
        return e;
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++) {
        enum access_level level = level_of_caller(c, SPACES[i].is_draft);

        TRY(wiki_space_store_id(c, SPACES[i].slug, &id));
        if (level != ACCESS_NONE && !uuid_is_nil(id))
            space_widen(c, id, level);
    }
    return ERR_OK;
}

err wiki_space_of(struct ctx *c, enum wiki_type type, enum wiki_status status, struct uuid *id)
{
    const char *slug = space_for(type, status)->slug;
    struct space s;

    if (space_by_slug(c, SPACE_PAGES, slug, &s) == ERR_OK) { /* also one that another request made just now */
        *id = s.id;
        return ERR_OK;
    }
    ctx_forgive(c);
    TRY(wiki_space_store_id(c, slug, id));
    if (!uuid_is_nil(*id))
        return ERR_OK; /* the gate says why not */
    TRY(wiki_spaces_begin(c));
    TRY(wiki_space_store_id(c, slug, id));
    return uuid_is_nil(*id) ? fail(c, ERR_CONFLICT, "the space '%s' is being made; try again", slug) : ERR_OK;
}

struct uuids wiki_spaces_readable(struct ctx *c)
{
    return access_spaces_of(c, SPACE_PAGES);
}

/* ---- the room */

/* The four are there as long as the account is; who may use them is decided by grants. */
static err pages_may(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    (void)before, (void)after;
    if (deed == SPACE_ARCHIVES || deed == SPACE_DELETES || deed == SPACE_UPDATES)
        return fail_reason(c, ERR_CONFLICT, "protected", "spaces of pages stay as they are; grants decide who may use them");
    return ERR_OK;
}

const struct space_room PAGES_ROOM = {
    .kind = SPACE_PAGES, .calls = "/api/v1/pages", .create = PERM_CONTENT_MANAGE, .update = PERM_CONTENT_MANAGE,
        .remove = PERM_CONTENT_MANAGE,
    .govern = PERM_CONTENT_MANAGE, .keeps_nodes = true, .may = pages_may,
};
