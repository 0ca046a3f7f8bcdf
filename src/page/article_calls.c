/* Operations on articles of the knowledge base and their categories. */
#include "page_calls.h"
#include "thing.h"
#include "wiki_text.h"

#define ARTICLES "/api/v1/kb/articles"
#define CATEGORIES "/api/v1/kb/categories"
#define TAG .tag = "articles"
#define GIVES OP_GIVE(ARTICLE_THING, struct wiki_page)

static const struct field ARTICLE_FILTER[] = {
    F_ENUM(struct wiki_filter, status, FIELD_NULLABLE, wiki_status, -1, "only articles with this status; default: all but archived ones"),
    F_STR(struct wiki_filter, category_slug, 0, 1, LIMIT_SLUG, "only articles of this category"),
    F_STR(struct wiki_filter, query, 0, 1, WIKI_NAME, "only articles whose title contains this"),
    F_PAGE(struct wiki_filter),
    F_END
};

static err articles_listed(struct ctx *c, const struct wiki_filter *in, struct page *out)
{
    struct wiki_filter f = *in;

    f.type = WIKI_ARTICLE;
    f.is_public = -1;
    return wiki_page_list(c, &f, out);
}

OP_CALL(ARTICLE_LIST, struct wiki_filter, struct page, articles_listed(c, in, out), .name = "article.list", .method = "GET",
    .path = ARTICLES,
        .tool = "list_kb_articles", TAG, .summary = "Lists articles that you can read, newest first.", .perm = PERM_CONTENT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(ARTICLE_FILTER, struct wiki_filter), OP_GIVE(PAGE_ITEM, struct wiki_page));

static err article_created(struct ctx *c, const struct wiki_page *in, struct wiki_page *out)
{
    TRY(wiki_page_create(c, WIKI_ARTICLE, in, out));
    return wiki_page_present(c, out);
}

static err article_updated(struct ctx *c, const struct wiki_page_change *in, struct wiki_page *out)
{
    TRY(wiki_page_update(c, WIKI_ARTICLE, in, out));
    return wiki_page_present(c, out);
}

static err article_moved(struct ctx *c, const struct page_ref *in, enum wiki_status to, struct wiki_page *out)
{
    TRY(wiki_page_move(c, WIKI_ARTICLE, in, to, out));
    return wiki_page_present(c, out);
}

OP_CALL(ARTICLE_GET, struct page_ref, struct wiki_page, wiki_page_view(c, WIKI_ARTICLE, in->id, out), .name = "article.get",
        .method = "GET", .path = ARTICLES "/:id", .tool = "get_kb_article", TAG,
        .summary = "Returns one article with its text, by id or slug.",
        .perm = PERM_CONTENT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_IN(PAGE_REF_IN, struct page_ref), GIVES);
OP_CALL(ARTICLE_CREATE, struct wiki_page, struct wiki_page, article_created(c, in, out), .name = "article.create", .method = "POST",
        .path = ARTICLES, .tool = "create_kb_article", TAG, .summary = "Creates an article in a category of the knowledge base.",
        .perm = PERM_CONTENT_WRITE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(ARTICLE_THING, struct wiki_page), GIVES);
OP_CALL(ARTICLE_UPDATE, struct wiki_page_change, struct wiki_page, article_updated(c, in, out), .name = "article.update", .method = "PATCH",
        .path = ARTICLES "/:id", .tool = "update_kb_article", TAG,
            .summary = "Changes an article; a new title, slug or text makes a version.",
        .perm = PERM_CONTENT_WRITE, .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_CHANGE(ARTICLE_THING, struct wiki_page_change), GIVES);
OP_CALL(ARTICLE_DELETE, struct page_ref, void, wiki_page_delete(c, WIKI_ARTICLE, in), .name = "article.delete", .method = "DELETE",
        .path = ARTICLES "/:id", TAG, .summary = "Deletes an article; links to it wait for another one of its name.",
        .perm = PERM_CONTENT_WRITE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY | OP_CONFIRM, OP_IN(PAGE_REF_IN, struct page_ref));

#define ARTICLE_MOVE(NAME, verb, say, to, perm_) \
    OP_CALL(NAME, struct page_ref, struct wiki_page, article_moved(c, in, to, out), .name = "article." verb, .method = "POST", \
            .path = ARTICLES "/:id/" verb, TAG, .summary = say, .perm = perm_, .flags = OP_ETAG | OP_MATCH, \
            OP_IN(PAGE_REF_IN, struct page_ref), GIVES)

ARTICLE_MOVE(ARTICLE_SUBMIT, "submit", "Submits a draft for review.", WIKI_REVIEW, PERM_CONTENT_WRITE);
ARTICLE_MOVE(ARTICLE_PUBLISH, "publish", "Publishes an article.", WIKI_PUBLISHED, PERM_CONTENT_PUBLISH);
ARTICLE_MOVE(ARTICLE_UNPUBLISH, "unpublish", "Makes an article a draft again.", WIKI_DRAFT, PERM_CONTENT_PUBLISH);
ARTICLE_MOVE(ARTICLE_ARCHIVE, "archive", "Archives a published article: out of lists, recall and links.", WIKI_ARCHIVED,
    PERM_CONTENT_PUBLISH);

/* ---- categories */

OP_CALL(CATEGORY_LIST, struct thing_page, struct page, thing_list(c, &ARTICLE_CATEGORY, in, out), .name = "article_category.list",
        .method = "GET", .path = CATEGORIES, TAG, .summary = "Lists the categories of articles, newest first.", .perm = PERM_CONTENT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_GIVE(ARTICLE_CATEGORY, struct article_category));
OP_CALL(CATEGORY_CREATE, struct article_category, struct article_category, thing_create(c, &ARTICLE_CATEGORY, in, out),
        .name = "article_category.create", .method = "POST", .path = CATEGORIES, TAG, .summary = "Creates a category of articles.",
        .perm = PERM_CONTENT_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(ARTICLE_CATEGORY, struct article_category),
        OP_GIVE(ARTICLE_CATEGORY, struct article_category));

const struct op *const article_calls_table[] = {&ARTICLE_LIST, &ARTICLE_GET, &ARTICLE_CREATE, &ARTICLE_UPDATE, &ARTICLE_DELETE,
    &ARTICLE_SUBMIT,
                                                &ARTICLE_PUBLISH, &ARTICLE_UNPUBLISH, &ARTICLE_ARCHIVE, &CATEGORY_LIST,
                                                    &CATEGORY_CREATE, NULL};
