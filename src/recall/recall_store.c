/* SQL of a recall; see recall_store.h. */
#include "recall_store.h"

#include "db.h"

static size_t place_of(const struct uuid *ids, size_t n, struct uuid id)
{
    size_t i = 0;

    while (i < n && !uuid_eq(ids[i], id))
        i++;
    return i;
}

err recall_store_texts(struct ctx *c, const struct uuid *ids, size_t n, int64_t chars, struct recall_text *texts, bool *found)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, space_id, title, LEFT(body, ?), CHAR_LENGTH(body) > ?, attrs, status, superseded_by, "
                "status = 'forgotten' OR forgotten_at IS NOT NULL FROM node WHERE account_id = ?",
            IN(chars), IN(chars), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (;;) {
        struct recall_text t = {0};
        const char *attrs = NULL;
        struct uuid id;
        size_t i;
        bool more;

        TRY(db_row(&q, c, &more, OUT(&id), OUT(&t.space_id), OUT(&t.title), OUT(&t.body), OUT(&t.body_cut), OUT(&attrs),
                   OUT(&t.status), OUT_OPT(&t.superseded_by), OUT(&t.is_forgotten)));
        if (!more)
            return ERR_OK;
        i = place_of(ids, n, id);
        if (i < n) {
            t.attrs = json_raw(c->arena, attrs);
            texts[i] = t;
            found[i] = true;
        }
    }
}
