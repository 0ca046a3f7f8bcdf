/* What is directly below a path of a pool; see pool_tree.h. */
#include "pool_tree.h"

#include "pool_entry_store.h"
#include "pool_path.h"
#include "pool_tree_store.h"

/* No row is below another: the one key of a name that ends with it is the name itself. */
static bool pool_tree_is_key(const struct pool_branch *b, const char *whole)
{
    return b->keys == 1 && str_eq(b->path, whole);
}

/* The rows of the keys among them, in one statement. */
static err pool_tree_add_entries(struct ctx *c, struct uuid pool, struct pool_branch *rows, size_t n, struct strs names)
{
    struct pool_entry *entries;
    size_t found, j = 0;

    if (!names.n)
        return ERR_OK;
    TRY(pool_entry_store_read(c, pool, names, NULL, &entries, &found));
    for (size_t i = 0; i < n && j < found; i++)
        if (str_eq(rows[i].path, entries[j].key))
            rows[i].entry = &entries[j++];
    return ERR_OK;
}

err pool_branches(struct ctx *c, const char *ref, const char *path, int64_t limit, const char *cursor, struct page *out)
{
    struct strs names = {ARENA_ARRAY(c->arena, const char *, (size_t)limit + 1), 0};
    struct pool_branch *rows;
    const char *after;
    struct pool_path taken;
    struct space s;
    size_t n;

    if (path)
        TRY(pool_path_parse(c, "/folder", path, &taken));
    TRY(page_begin_name(c, cursor, &after));
    TRY(pool_find(c, ref, &s));
    TRY(pool_tree_store_below(c, s.id, path ? path : "", after, limit, &rows, &n));
    PAGE_END_NAME(c, out, rows, n, limit, struct pool_branch, name);
    for (size_t i = 0; i < out->n; i++) {
        const char *whole = path ? arena_printf(c->arena, "%s.%s", path, rows[i].name) : rows[i].name;

        if (pool_tree_is_key(&rows[i], whole))
            names.v[names.n++] = whole;
        else
            rows[i].path = whole;
    }
    return pool_tree_add_entries(c, s.id, rows, out->n, names);
}
