/* Searching contexts. */
#include "entry_calls.h"
#include "entry_search.h"
#include "memory_calls.h"

static const struct field HIT_OUT[] = {
    F_NUM(struct entry_hit, score, 0, 0, 1e9, 0, "score: relevance times lifecycle; hits are sorted by it"),
    F_NUM(struct entry_hit, similarity, 0, -1, 1, -1, "calibrated vector similarity; -1: not compared"),
    F_OBJ(struct entry_hit, entry, 0, ENTRY_OUT, struct entry, "entry"),
    F_END
};

const struct field ENTRY_HITS_OUT[] = {
    F_LIST(struct entry_hits, hits, 0, LIMIT_PAGE, HIT_OUT, struct entry_hit, "best first"),
    F_STRS(struct entry_hits, degraded, 0, 32, "unavailable signals, such as index_loading or embedder"),
    F_END
};

struct search_in {
    const char *id, *query, *model;
    struct nums query_embedding;
    enum search_type search_type;
    struct strs entry_types, memory_types, tags;
    double min_importance, min_score;
    int64_t limit;
};

#define ASKED \
    F_STR(struct search_in, query, 0, 1, ENTRY_QUERY, "query text; optional with query_embedding"), \
    F_NUMS(struct search_in, query_embedding, 0, 1, LIMIT_VECTOR_DIM, "query vector, of the active model"), \
    F_STR(struct search_in, model, 0, 1, LIMIT_NAME, "model of query_embedding"), \
    F_ENUM(struct search_in, search_type, 0, search_type, SEARCH_HYBRID, "mode: vector and words, or one of them"), \
    F_STRS(struct search_in, entry_types, 0, 8, "only entries of these types"), \
    F_STRS(struct search_in, memory_types, 0, 3, "only entries of these memory types; working entries are found only if listed"), \
    F_STRS(struct search_in, tags, 0, RECALLED_TAGS, "only entries with all of these tags"), \
    F_NUM(struct search_in, min_importance, 0, 0, 1, 0, "minimum current importance (after decay)"), \
    F_NUM(struct search_in, min_score, 0, 0, 1, 0, "minimum calibrated similarity of vector hits"), \
    F_INT(struct search_in, limit, 0, 1, LIMIT_PAGE, 10, "maximum number of hits")

static const struct field IN_ONE[] = {
    F_CONTEXT(struct search_in),
    ASKED,
    F_END
};

static const struct field IN_ALL[] = {
    ASKED,
    F_END
};

static err search(struct ctx *c, const void *in, void *out)
{
    const struct search_in *i = in;

    return entry_search(c, &(struct entry_search){
        .context = i->id, .query = i->query, .query_embedding = i->query_embedding, .model = i->model, .search_type = i->search_type, .entry_types = i->entry_types,
        .memory_types = i->memory_types, .tags = i->tags, .min_importance = i->min_importance, .min_score = i->min_score,
        .limit = i->limit}, out);
}

static const struct op ONE = {
    .name = "context.search", .method = "POST", .path = CONTEXTS_PATH "/:id/search", CONTEXT_TAG,
    .summary = "Searches the entries of a context by meaning and words.", .help = "Hits count as used.",
    .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_RECALLS,
    OP_IN(IN_ONE, struct search_in), OP_OUT(ENTRY_HITS_OUT, struct entry_hits), .run = search,
};

static const struct op ALL = {
    .name = "context.search_all", .method = "POST", .path = CONTEXTS_PATH "/search", CONTEXT_TAG,
    .summary = "Searches the entries of all contexts that the caller can read.", .help = "Hits count as used.",
    .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_RECALLS,
    OP_IN(IN_ALL, struct search_in), OP_OUT(ENTRY_HITS_OUT, struct entry_hits), .run = search,
};

const struct op *const entry_search_calls_table[] = {&ONE, &ALL, NULL};
