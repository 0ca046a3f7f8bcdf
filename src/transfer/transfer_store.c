/* SQL of exports and imports; see transfer_store.h. Names of tables and columns are literals of transfer_table.c. */
#include "transfer_store.h"

#include <assert.h>
#include <string.h>

#include "db.h"

err transfer_store_one_state(struct ctx *c)
{
    return db_exec(c, NULL, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
}

err transfer_store_mark(struct ctx *c, struct uuid *mark)
{
    scoped_cursor q = {0};
    bool found;

    *mark = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT id FROM audit_event WHERE account_id = ? ORDER BY id DESC LIMIT 1", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(mark));
}

err transfer_store_schema(struct ctx *c, const char **name)
{
    scoped_cursor q = {0};
    bool found;

    *name = "";
    TRY(db_query(c, &q, "SELECT name FROM schema_migration ORDER BY version DESC LIMIT 1"));
    return db_row(&q, c, &found, OUT(name));
}

err transfer_store_missing_run(struct ctx *c, const char **run_id)
{
    scoped_cursor q = {0};
    bool found;

    *run_id = NULL;
    TRY(db_query(c, &q,
                 "SELECT p.workflow_run_id FROM pool p LEFT JOIN workflow_run r ON r.account_id = p.account_id AND r.run_id = p.workflow_run_id "
                 "WHERE p.account_id = ? AND p.pool_type IN ('shared_memory', 'tool_cache', 'blackboard', 'result_cache') "
                 "AND p.workflow_run_id IS NOT NULL AND r.run_id IS NULL LIMIT 1",
                 IN(c->account_id)));
    return db_row(&q, c, &found, OUT(run_id));
}

/* ---- names and values */

static void name(struct sql *s, const char *literal)
{
    sql_add(s, "`");
    sql_add_(s, literal, NULL, 0);
    sql_add(s, "`");
}

static struct db_in value_in(enum transfer_type type, const struct transfer_value *v)
{
    if (v->is_null)
        return (struct db_in){.type = DB_NULL};
    switch (type) {
    case TT_ID: return IN(v->uuid);
    case TT_INT: return IN(v->i);
    case TT_NUM: return IN(v->d);
    case TT_TIME: return IN(v->time);
    case TT_BYTES:
    case TT_VECTOR: return IN(v->bytes);
    case TT_TEXT:
    case TT_REF:
    case TT_DAY: break;
    }
    return IN(v->text);
}

static struct db_out value_out(enum transfer_type type, struct transfer_value *v)
{
    switch (type) {
    case TT_ID: return OUT_NULLABLE(&v->uuid, &v->is_null);
    case TT_INT: return OUT_NULLABLE(&v->i, &v->is_null);
    case TT_NUM: return OUT_NULLABLE(&v->d, &v->is_null);
    case TT_TIME: return OUT_NULLABLE(&v->time, &v->is_null);
    case TT_BYTES:
    case TT_VECTOR: return OUT_NULLABLE(&v->bytes, &v->is_null);
    case TT_TEXT:
    case TT_REF:
    case TT_DAY: break;
    }
    return OUT_NULLABLE(&v->text, &v->is_null);
}

bool transfer_value_eq(enum transfer_type type, const struct transfer_value *a, const struct transfer_value *b)
{
    if (a->is_null || b->is_null)
        return a->is_null && b->is_null;
    switch (type) {
    case TT_ID: return uuid_eq(a->uuid, b->uuid);
    case TT_INT: return a->i == b->i;
    case TT_NUM: return a->d == b->d;
    case TT_TIME: return a->time.us == b->time.us;
    case TT_BYTES:
    case TT_VECTOR: return a->bytes.n == b->bytes.n && memcmp(a->bytes.p, b->bytes.p, a->bytes.n) == 0;
    case TT_TEXT:
    case TT_REF:
    case TT_DAY: break;
    }
    return strcmp(a->text, b->text) == 0;
}

static bool is_account(const struct transfer_table *t)
{
    return t->n_key == 0;
}

static void from_account(struct ctx *c, struct sql *s, const struct transfer_table *t)
{
    sql_add(s, " FROM ");
    name(s, t->name);
    if (is_account(t))
        sql_add(s, " WHERE id = ?", IN(c->account_id));
    else
        sql_add(s, " WHERE account_id = ?", IN(c->account_id));
}

static void columns(struct sql *s, const struct transfer_table *t)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        if (i)
            sql_add(s, ", ");
        if (t->columns[i].type == TT_DAY)
            sql_add(s, "CAST(");
        name(s, t->columns[i].name);
        if (t->columns[i].type == TT_DAY)
            sql_add(s, " AS CHAR)");
    }
}

/* ---- reading in the order of the key */

/* " AND k1 >= ? AND (k1 > ? OR (k2 >= ? AND (k2 > ? OR (k3 > ?))))": a range for the server, whatever the number of parts. */
static void transfer_store_behind(struct sql *s, const struct transfer_table *t, const struct transfer_value *after)
{
    size_t open = 0;

    for (size_t i = 0; i < t->n_key; i++) {
        const struct transfer_column *k = &t->columns[t->key[i]];
        const struct db_in in = value_in(k->type, &after[t->key[i]]);
        bool last = i + 1 == t->n_key;

        if (i)
            sql_add(s, " OR (");
        else
            sql_add(s, " AND (");
        open++;
        name(s, k->name);
        if (last) {
            sql_add_(s, " > ?", &in, 1);
            break;
        }
        sql_add_(s, " >= ? AND (", &in, 1);
        open++;
        name(s, k->name);
        sql_add_(s, " > ?", &in, 1);
    }
    while (open--)
        sql_add(s, ")");
}

static void in_order(struct sql *s, const struct transfer_table *t)
{
    for (size_t i = 0; i < t->n_key; i++) {
        if (i)
            sql_add(s, ", ");
        else
            sql_add(s, " ORDER BY ");
        name(s, t->columns[t->key[i]].name);
    }
}

static err transfer_store_read_row(struct ctx *c, struct db_cursor *q, const struct transfer_table *t, struct transfer_row *row,
                                   bool *found)
{
    struct db_out out[TRANSFER_COLUMNS_MAX];

    *row = (struct transfer_row){.table = t, .v = ARENA_ARRAY(c->arena, struct transfer_value, t->n_columns)};
    for (size_t i = 0; i < t->n_columns; i++)
        out[i] = value_out(t->columns[i].type, &row->v[i]);
    return db_row_(c, q, found, out, t->n_columns);
}

err transfer_store_page(struct ctx *c, const struct transfer_table *t, const struct transfer_value *after, int64_t limit,
                        struct transfer_row *rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT ");
    columns(&s, t);
    from_account(c, &s, t);
    if (after)
        transfer_store_behind(&s, t, after);
    in_order(&s, t);
    sql_add(&s, " LIMIT ?", IN(limit));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; (int64_t)*n < limit; ++*n) {
        TRY(transfer_store_read_row(c, &q, t, &rows[*n], &found));
        if (!found)
            break;
    }
    return ERR_OK;
}

/* ---- what is there */

err transfer_store_any(struct ctx *c, const struct transfer_table *t, bool *any)
{
    scoped_cursor q = {0};
    struct sql s;
    int64_t one;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT 1");
    from_account(c, &s, t);
    sql_add(&s, " LIMIT 1");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, any, OUT(&one));
}

/* " AND ((a = ? AND b = ?) OR …)"; rows with a null among them are left out: null is never the same. */
static size_t any_of(struct sql *s, const struct transfer_row *rows, size_t n, const size_t *places, size_t n_places)
{
    size_t asked = 0;

    for (size_t r = 0; r < n; r++) {
        const struct transfer_table *t = rows[r].table;
        bool null = false;

        for (size_t i = 0; i < n_places; i++)
            null |= rows[r].v[places[i]].is_null || rows[r].v[places[i]].is_left_out;
        if (null)
            continue;
        if (asked++)
            sql_add(s, " OR (");
        else
            sql_add(s, " AND ((");
        for (size_t i = 0; i < n_places; i++) {
            const struct db_in in = value_in(t->columns[places[i]].type, &rows[r].v[places[i]]);

            if (i)
                sql_add(s, " AND ");
            name(s, t->columns[places[i]].name);
            sql_add_(s, " = ?", &in, 1);
        }
        sql_add(s, ")");
    }
    if (asked)
        sql_add(s, ")");
    return asked;
}

static bool transfer_store_same(const struct transfer_row *a, const struct transfer_row *b, const size_t *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!transfer_value_eq(a->table->columns[places[i]].type, &a->v[places[i]], &b->v[places[i]]))
            return false;
    return true;
}

/* Calls tell for each of rows that the account has, with what it has: the columns of the places and of the key. */
static err transfer_store_look_up(struct ctx *c, const struct transfer_row *rows, size_t n, const size_t *places, size_t n_places,
                                  void (*tell)(void *arg, size_t i, const struct transfer_row *has), void *arg)
{
    const struct transfer_table *t = rows->table;
    struct transfer_row has;
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT ");
    columns(&s, t);
    from_account(c, &s, t);
    if (!any_of(&s, rows, n, places, n_places))
        return ERR_OK;
    TRY(sql_query(c, &q, &s));
    for (;;) {
        TRY(transfer_store_read_row(c, &q, t, &has, &found));
        if (!found)
            return ERR_OK;
        for (size_t i = 0; i < n; i++)
            if (transfer_store_same(&rows[i], &has, places, n_places))
                tell(arg, i, &has);
    }
}

static void tell_there(void *arg, size_t i, const struct transfer_row *has)
{
    (void)has;
    ((bool *)arg)[i] = true;
}

static void tell_id(void *arg, size_t i, const struct transfer_row *has)
{
    ((struct uuid *)arg)[i] = has->v[has->table->key[0]].uuid;
}

err transfer_store_have_keys(struct ctx *c, const struct transfer_row *rows, size_t n, bool *there)
{
    memset(there, 0, n * sizeof *there);
    return transfer_store_look_up(c, rows, n, rows->table->key, rows->table->n_key, tell_there, there);
}

err transfer_store_have_words(struct ctx *c, const struct transfer_row *rows, size_t n, struct uuid *under)
{
    memset(under, 0, n * sizeof *under);
    return transfer_store_look_up(c, rows, n, rows->table->words, rows->table->n_words, tell_id, under);
}

/* ---- writing */

err transfer_store_clear(struct ctx *c, const struct transfer_table *t)
{
    struct sql s;

    assert(!is_account(t));
    sql_init(&s, c->arena);
    sql_add(&s, "DELETE");
    from_account(c, &s, t);
    return sql_exec(c, NULL, &s);
}

err transfer_store_insert(struct ctx *c, const struct transfer_row *rows, size_t n)
{
    const struct transfer_table *t = rows->table;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO ");
    name(&s, t->name);
    sql_add(&s, " (account_id");
    for (size_t i = 0; i < t->n_columns; i++) {
        sql_add(&s, ", ");
        name(&s, t->columns[i].name);
    }
    sql_add(&s, ") VALUES ");
    for (size_t r = 0; r < n; r++) {
        if (r)
            sql_add(&s, ", ");
        sql_add(&s, "(?", IN(c->account_id));
        for (size_t i = 0; i < t->n_columns; i++) {
            const struct db_in in = value_in(t->columns[i].type, &rows[r].v[i]);

            if (rows[r].v[i].is_left_out)
                sql_add(&s, ", DEFAULT");
            else
                sql_add_(&s, ", ?", &in, 1);
        }
        sql_add(&s, ")");
    }
    return sql_exec(c, NULL, &s);
}

err transfer_store_account(struct ctx *c, const struct transfer_row *row)
{
    struct sql s;

    assert(is_account(row->table));
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE account SET id = id");
    for (size_t i = 0; i < row->table->n_columns; i++) {
        const struct db_in in = value_in(row->table->columns[i].type, &row->v[i]);

        if (row->v[i].is_left_out)
            continue;
        sql_add(&s, ", ");
        name(&s, row->table->columns[i].name);
        sql_add_(&s, " = ?", &in, 1);
    }
    sql_add(&s, " WHERE id = ?", IN(c->account_id));
    return sql_exec(c, NULL, &s);
}
