/* SQL of the tree of keys; see pool_tree_store.h. */
#include "pool_tree_store.h"

#include "db.h"
#include "pool_path.h"

/* The name at a depth is what stands between the prefix and the next dot. Keys are sorted by bytes, names too, but a name with a byte
 * before the dot comes between those of two keys of one folder: hence the group, and the place to go on from is a name. */
#define NAME "SUBSTRING_INDEX(SUBSTRING(e.entry_key, ?), '.', 1)"

static int64_t characters(const char *s)
{
    int64_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

err pool_tree_store_below(struct ctx *c, struct uuid pool, const char *path, const char *after, int64_t limit, struct pool_branch **rows,
                          size_t *n)
{
    const char *prefix = *path ? pool_path_from(c->arena, path) : "";
    struct pool_branch *out = ARENA_ARRAY(c->arena, struct pool_branch, (size_t)limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " NAME " AS name, COUNT(*), CAST(SUM(e.size) AS INTEGER), MAX(e.updated_at), MIN(e.entry_key) FROM pool_entry e"
                " WHERE e.account_id = ? AND e.space_id = ? AND e.deleted_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > ?)",
            IN(characters(prefix) + 1), IN(c->account_id), IN(pool), IN(c->now));
    if (*path)
        sql_add(&s, " AND e.entry_key < ?", IN(pool_path_to(c->arena, path)));
    sql_add(&s, " AND e.entry_key > ? GROUP BY name HAVING name > ? ORDER BY name LIMIT ?",
            IN(arena_printf(c->arena, "%s%s", prefix, after)), IN(after), IN(limit + 1));
    TRY(sql_query(c, &q, &s));
    for (bool found;; k++) {
        struct pool_branch *b = &out[k];

        TRY(db_row(&q, c, &found, OUT(&b->name), OUT(&b->keys), OUT(&b->bytes), OUT(&b->updated_at), OUT(&b->path)));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}
