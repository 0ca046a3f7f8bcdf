/* The SQL of names. */
#include "named_store.h"

#include "db.h"
#include "space.h"

err named_store_spaces(struct ctx *c, const char *slug, struct named_row *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    const char *kind;
    bool found;

    *n = 0;
    /* The kinds are named so that the unique key (account, kind, slug) serves: one probe a kind. */
    TRY(db_query(c, &q, "SELECT id, kind FROM space WHERE account_id = ? AND kind IN ('namespace', 'context', 'knowledge_base', 'domain',"
                 " 'pool', 'pages', 'skills', 'taxonomy') AND slug = ?", IN(c->account_id), IN(slug)));
    while (*n < max) {
        TRY(db_row(&q, c, &found, OUT(&rows[*n].id), OUT(&kind)));
        if (!found)
            break;
        if (!enumx_parse(&space_kind_enumx, kind, &rows[*n].kind))
            return fail(c, ERR_INTERNAL, "space kind '%s' is unknown", kind);
        (*n)++;
    }
    return ERR_OK;
}
