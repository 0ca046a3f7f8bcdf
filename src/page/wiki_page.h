/* Pages and articles: texts in Markdown with names, statuses and versions. Each is a node (kind page or article) with a row of its own. */
#ifndef LOCI_WIKI_PAGE_H
#define LOCI_WIKI_PAGE_H

#include "ctx.h"
#include "enumx.h"
#include "field.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define PAGE_TITLE 200
#define ARTICLE_TITLE 255
#define PAGE_ALIASES 20
#define PAGE_METADATA (16 * 1024)
#define PAGE_PATH 500
#define PAGE_LINKS 1000 /* different targets of one text; further links are plain text */
#define PAGE_WORDS_A_MINUTE 200

#define WIKI_TYPE(X) X(WIKI_PAGE, "page") X(WIKI_ARTICLE, "article")
ENUMX_DECLARE(wiki_type, WIKI_TYPE);

/* Drafts and what is in review lie in a space of their own, so that whoever cannot read it sees them nowhere. */
#define WIKI_STATUS(X) X(WIKI_DRAFT, "draft") X(WIKI_REVIEW, "review") X(WIKI_PUBLISHED, "published") X(WIKI_ARCHIVED, "archived")
ENUMX_DECLARE(wiki_status, WIKI_STATUS);

struct wiki_page {
    struct uuid id, space_id;
    const char *ref; /* input: id or slug */
    enum wiki_type type;
    const char *title, *slug, *live_slug, *content;
    enum wiki_status status;
    bool is_public;
    struct instant published_at;
    const char *meta_description, *meta_keywords;
    const struct json *metadata;
    struct strs aliases, tags;
    const char *category_slug, *excerpt; /* excerpt: given, or the first words */
    bool is_featured;
    int64_t sort_order;
    const char *path; /* in the vault that it came from */
    const char *first_words;
    int64_t views_count, word_count, estimated_read_time, ignored_links, links_version;
    struct uuid author_id;
    const char *author_kind;
    int64_t version;
    struct instant created_at, updated_at, deleted_at;
    struct page_marks *marks;     /* what Markdown made of the text, where that was just done */
    bool is_deferred;             /* a new one: its links are extracted later, when others of an import are there */
    const char *rendered_content; /* of answers with one page */
    const struct json *toc, *seo;
    bool rewrite_links;      /* of a change: what links here says the new title */
    int64_t links_rewritten; /* pages that do so now */
};
extern const struct thing PAGE_ROW;                  /* what the table holds */
extern const struct thing PAGE_THING, ARTICLE_THING; /* what callers give and get */
extern const struct thing PAGE_ITEM;                 /* of lists: without the text */

struct wiki_page_change {
    struct thing_change change;
    struct wiki_page to;
};

struct wiki_filter {
    enum wiki_type type;
    int status;            /* -1: any but archived */
    struct uuid author_id; /* nil: any */
    const char *query;     /* part of the title */
    const char *category_slug;
    int is_public; /* -1: either */
    int64_t limit;
    const char *cursor;
};

/* Which page: id or slug. */
struct page_ref {
    const char *id;
    int64_t if_version;
};

/* Newest first, those that the caller may read; items: struct wiki_page. */
err wiki_page_list(struct ctx *c, const struct wiki_filter *f, struct page *out);
/* ref: an id, or a slug (also an old one, which became an alias). ERR_NOT_FOUND: none that the caller may read. */
err wiki_page_find(struct ctx *c, enum wiki_type type, const char *ref, struct wiki_page *out);
/* The same of either type, by id. */
err wiki_page_by_id(struct ctx *c, struct uuid id, struct wiki_page *out);

/* Links of the text are extracted in the same transaction; links elsewhere that wait for one of its names are bound. */
err wiki_page_create(struct ctx *c, enum wiki_type type, const struct wiki_page *in, struct wiki_page *out);
/* A changed title, slug or text makes a version. Old title and slug stay as aliases. */
err wiki_page_update(struct ctx *c, enum wiki_type type, const struct wiki_page_change *ch, struct wiki_page *out);
/* To another status; the same one changes nothing. ERR_CONFLICT where it is not allowed from here. */
err wiki_page_move(struct ctx *c, enum wiki_type type, const struct page_ref *ref, enum wiki_status to, struct wiki_page *out);
err wiki_page_duplicate(struct ctx *c, enum wiki_type type, const struct page_ref *ref, struct wiki_page *out);
/* Out of every read; its names are free, links to it wait for another. */
err wiki_page_delete(struct ctx *c, enum wiki_type type, const struct page_ref *ref);
/* Back again, with its links; ERR_CONFLICT where its slug is taken. */
err wiki_page_restore(struct ctx *c, enum wiki_type type, const struct page_ref *ref, struct wiki_page *out);

/* What an answer with one page says besides its row: HTML for this caller, headings, what search engines are told. */
err wiki_page_present(struct ctx *c, struct wiki_page *p);
/* The same, asked for by its name: counted, unless its author did. */
err wiki_page_view(struct ctx *c, enum wiki_type type, const char *ref, struct wiki_page *out);

/* As a text is kept: LF at line ends; ERR_INVALID for control characters and for what is too long. */
err wiki_clean_text(struct ctx *c, const char **content);

/* ---- categories of articles */

struct article_category {
    struct uuid id;
    const char *slug, *name, *parent_slug;
    int64_t sort_order, version;
    struct instant created_at, updated_at;
};
extern const struct thing ARTICLE_CATEGORY;

/* ---- versions */

struct wiki_version {
    struct uuid id;
    int64_t version;
    const char *title, *content, *author_kind; /* content: NULL in lists */
    struct uuid author_id;
    struct instant updated_at;
    const struct json *diff; /* of one version, where it was asked for */
};
err wiki_version_list(struct ctx *c, enum wiki_type type, const char *ref, int64_t limit, const char *cursor, struct page *out);
/* diff_to: the version it is compared with; 0: none. */
err wiki_version_get(struct ctx *c, enum wiki_type type, const char *ref, int64_t version, int64_t diff_to, struct wiki_version *out);
/* A new version with the old title and text. */
err wiki_version_restore(struct ctx *c, enum wiki_type type, const struct page_ref *ref, int64_t version, struct wiki_page *out);

#endif
