/* The rows of pages, their names and their versions. */
#ifndef LOCI_WIKI_PAGE_STORE_H
#define LOCI_WIKI_PAGE_STORE_H

#include "wiki_page.h"

/* type -1: either. Deleted ones only where is_deleted. */
err wiki_page_store_get(struct ctx *c, struct uuid id, bool is_deleted, bool *found, struct wiki_page *out);
/* The row and its node, locked until the transaction ends. */
err wiki_page_store_lock(struct ctx *c, struct uuid id, bool is_deleted, bool *found, struct wiki_page *out);
err wiki_page_store_by_slug(struct ctx *c, enum wiki_type type, const char *slug, bool *found, struct wiki_page *out);
/* A page by its path in a vault. */
err wiki_page_store_by_path(struct ctx *c, const char *path, bool *found, struct wiki_page *out);
/* The id of the one that has the alias; nil: none. */
err wiki_page_store_by_alias(struct ctx *c, enum wiki_type type, const char *key, struct uuid *id);
err wiki_page_store_list(struct ctx *c, const struct wiki_filter *f, struct uuids spaces, struct uuid before, struct page *out);
/* Which of "slug", "slug-2" … are taken. */
err wiki_page_store_taken(struct ctx *c, enum wiki_type type, const char *slug, struct strs *out);
/* Those of these ids that lie in one of the spaces, newest change first; items: struct wiki_page of PAGE_ITEM. */
err wiki_page_store_items(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, struct list *out);
/* The same, in any order: for links of a text. is_public: only those that everybody may read without login. */
err wiki_page_store_seen(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, bool is_public, struct list *out);
/* Published and public ones, newest publication first; of PAGE_ITEM. */
err wiki_page_store_public(struct ctx *c, enum wiki_type type, int64_t limit, struct list *out);
err wiki_page_store_has_category(struct ctx *c, const char *slug, bool *found);
err wiki_page_store_set_links(struct ctx *c, struct uuid id, int64_t version, int64_t ignored);

/* Ids of the four spaces by slug; nil where one is not made yet. */
err wiki_space_store_id(struct ctx *c, const char *slug, struct uuid *id);

/* ---- names */

struct wiki_name {
    const char *kind, *key, *name; /* kind: title, slug, alias or path */
};
/* All names of the page become these. */
err wiki_name_store_replace(struct ctx *c, const struct wiki_page *p, const struct wiki_name *names, size_t n);
err wiki_name_store_of(struct ctx *c, struct uuid id, struct wiki_name *names, size_t max, size_t *n);

struct name_hit {
    const char *key, *kind, *name;
    enum wiki_type type;
    struct uuid node_id;
    struct instant created_at;
};
/* Who has one of these keys. */
err wiki_name_store_find(struct ctx *c, const struct strs *keys, struct name_hit **hits, size_t *n);

/* ---- versions */

err wiki_version_store_list(struct ctx *c, struct uuid id, int64_t before, int64_t limit, struct wiki_version **rows, size_t *n);
err wiki_version_store_get(struct ctx *c, struct uuid id, int64_t version, bool *found, struct wiki_version *out);

#endif
