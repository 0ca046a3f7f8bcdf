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

#define ASKED \
    F_STR(struct entry_search, query, 0, 1, ENTRY_QUERY, "query text; optional with query_embedding"), \
    F_NUMS(struct entry_search, query_embedding, 0, 1, LIMIT_VECTOR_DIM, "query vector, of the active model"), \
    F_STR(struct entry_search, model, 0, 1, LIMIT_NAME, "model of query_embedding"), \
    F_ENUM(struct entry_search, search_type, 0, search_type, SEARCH_HYBRID, "mode: vector and words, or one of them"), \
    F_STRS(struct entry_search, entry_types, 0, 8, "only entries of these types"), \
    F_STRS(struct entry_search, memory_types, 0, 3, "only entries of these memory types; working entries are found only if listed"), \
    F_STRS(struct entry_search, tags, 0, RECALLED_TAGS, "only entries with all of these tags"), \
    F_NUM(struct entry_search, min_importance, 0, 0, 1, 0, "minimum current importance (after decay)"), \
    F_NUM(struct entry_search, min_score, 0, 0, 1, 0, "minimum calibrated similarity of vector hits"), \
    F_INT(struct entry_search, limit, 0, 1, LIMIT_PAGE, 10, "maximum number of hits")

static const struct field IN_ONE[] = {
    F_STR_AS("id", struct entry_search, context, FIELD_REQUIRED, 1, CONTEXT_HANDLE, "id of the context, or its handle"),
    ASKED,
    F_END
};

static const struct field IN_ALL[] = {
    ASKED,
    F_END
};

OP_CALL(ONE, struct entry_search, struct entry_hits, entry_search(c, in, out),
        .name = "context.search", .method = "POST", .path = CONTEXTS_PATH "/:id/search", CONTEXT_TAG,
        .summary = "Searches the entries of a context by meaning and words.", .help = "Hits count as used.",
        .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_RECALLS,
        OP_IN(IN_ONE, struct entry_search), OP_OUT(ENTRY_HITS_OUT, struct entry_hits));

OP_CALL(ALL, struct entry_search, struct entry_hits, entry_search(c, in, out),
        .name = "context.search_all", .method = "POST", .path = CONTEXTS_PATH "/search", CONTEXT_TAG,
        .summary = "Searches the entries of all contexts that the caller can read.", .help = "Hits count as used.",
        .perm = PERM_CONTEXT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_RECALLS,
        OP_IN(IN_ALL, struct entry_search), OP_OUT(ENTRY_HITS_OUT, struct entry_hits));

const struct op *const entry_search_calls_table[] = {&ONE, &ALL, NULL};
