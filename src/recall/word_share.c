/* Words of a query in texts at hand; see word_share.h. */
#include "word_share.h"

#include <string.h>

#include "app.h"
#include "language.h"
#include "recall_tools.h"
#include "word_match.h"

#define SCRATCH_BYTES ((size_t)512 * 1024 * 1024) /* far more than the words of one text take */

void word_shares(struct ctx *c, const char *query, struct word_share *texts, size_t n)
{
    struct analyzer *z = recall_tools_analyzer(c->app->recall_tools, LANGUAGE_ENGLISH);
    struct query_words *q = query_words(c->arena, z, query, strlen(query));
    struct arena *scratch = arena_new(SCRATCH_BYTES);

    for (size_t i = 0; i < n; i++) {
        texts[i].share = q->n ? (double)word_match(q, scratch, z, texts[i].title, texts[i].body).coverage : 0;
        arena_reset(scratch);
    }
    arena_free(scratch);
    recall_tools_give_back(c->app->recall_tools, LANGUAGE_ENGLISH, z);
}
