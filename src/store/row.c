/* Rows by their table of columns; see row.h. */
#include "row.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db_impl.h"
#include "json.h"
#include "strs_json.h"

/* ---- which columns */

static bool is_selected(const struct field *f)
{
    return (f->flags & COL_ROW && !(f->flags & COL_SEALED)) || f->sql;
}

static bool is_written(const struct field *f)
{
    return f->flags & COL_ROW;
}

static bool is_changed(const struct field *f)
{
    return f->flags & COL_ROW && !(f->flags & (COL_KEY | COL_BORN | COL_SEALED));
}

/* ---- holes */

static void add_alias(FILE *out, const struct thing *t)
{
    if (t->alias)
        fprintf(out, "%s.", t->alias);
}

static void add_selected(FILE *out, const struct thing *t)
{
    const char *between = "";

    for (const struct field *f = t->columns; f->type != FT_END; f++) {
        if (!is_selected(f))
            continue;
        fputs(between, out);
        if (!f->sql)
            add_alias(out, t);
        fputs(f->sql ? f->sql : f->name, out);
        between = ", ";
    }
}

static void add_columns(FILE *out, const struct thing *t, bool (*has)(const struct field *f), bool named, const char *behind)
{
    const char *between = "";

    for (const struct field *f = t->columns; f->type != FT_END; f++) {
        if (!has(f))
            continue;
        fprintf(out, "%s%s%s", between, named ? f->name : "", behind);
        between = ", ";
    }
}

static void row_add_table(FILE *out, const struct thing *t)
{
    fputs(t->name, out);
}

static void add_from(FILE *out, const struct thing *t)
{
    fputs(t->from ? t->from : t->name, out);
}

static void row_add_names(FILE *out, const struct thing *t)
{
    add_columns(out, t, is_written, true, "");
}

static void add_marks(FILE *out, const struct thing *t)
{
    add_columns(out, t, is_written, false, "?");
}

static void add_sets(FILE *out, const struct thing *t)
{
    add_columns(out, t, is_changed, true, " = ?");
}

static const struct {
    const char *name;
    void (*fill)(FILE *out, const struct thing *t);
} HOLES[] = {{"*", add_selected}, {".", add_alias}, {"table", row_add_table}, {"from", add_from},
             {"names", row_add_names}, {"marks", add_marks}, {"sets", add_sets}};

/* name: of n bytes, what stands between the braces. */
static void fill_hole(FILE *out, const struct thing *t, const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof HOLES / sizeof *HOLES; i++)
        if (strlen(HOLES[i].name) == n && memcmp(HOLES[i].name, name, n) == 0) {
            HOLES[i].fill(out, t);
            return;
        }
    assert(false && "a hole of no known name");
}

char *row_text(const struct thing *t, const char *sql)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert(out);
    for (const char *p = sql; *p;) {
        size_t plain = strcspn(p, "{"), n;

        fwrite(p, 1, plain, out);
        p += plain;
        if (!*p)
            break;
        n = strcspn(++p, "}");
        fill_hole(out, t, p, n);
        p += n + 1;
    }
    fclose(out);
    return text;
}

/* ---- reading */

static bool comes_as_text(const struct field *f)
{
    return f->type == FT_ENUM || f->type == FT_OBJECT || f->type == FT_JSON || f->type == FT_STRS || f->type == FT_UUIDS;
}

static struct db_out out_of(struct row_reader *r, size_t i)
{
    const struct field *f = r->fields[i];
    struct db_out o = {.nullable = (f->flags & FIELD_NULLABLE) != 0, .was_null = &r->nulls[i]};

    switch (f->type) {
    case FT_INT: o.type = DB_I64, o.size = sizeof(int64_t); break;
    case FT_BOOL: o.type = DB_I64, o.size = sizeof(bool); break;
    case FT_NUM: o.type = DB_DOUBLE; break;
    case FT_UUID: o.type = DB_UUID; break;
    case FT_TIME: o.type = DB_TIME; break;
    case FT_BYTES: o.type = DB_BLOB; break;
    case FT_STR:
    case FT_ENUM:
    case FT_OBJECT:
    case FT_JSON:
    case FT_STRS:
    case FT_UUIDS: o.type = DB_TEXT; break;
    case FT_NUMS:
    case FT_OBJ:
    case FT_LIST:
    case FT_END: assert(false && "a column cannot have this type");
    }
    return o;
}

void row_reader_init(struct row_reader *r, const struct thing *t)
{
    r->thing = t;
    r->n = 0;
    for (const struct field *f = t->columns; f->type != FT_END; f++) {
        if (!is_selected(f))
            continue;
        assert(r->n < ROW_COLUMNS_MAX);
        r->fields[r->n] = f;
        r->outs[r->n] = out_of(r, r->n);
        r->n++;
    }
}

static err set_enum(struct ctx *c, const struct row_reader *r, size_t i, int *member)
{
    const struct field *f = r->fields[i];

    if (r->nulls[i]) {
        *member = (int)f->otherwise;
        return ERR_OK;
    }
    if (!enumx_parse(f->enumx, r->texts[i], member))
        return fail(c, ERR_INTERNAL, "%s.%s is '%s', which is no word of %s", r->thing->name, f->name, r->texts[i], f->enumx->type);
    return ERR_OK;
}

/* What came as text, and what stands for NULL in a number. */
static err set_member(struct ctx *c, const struct row_reader *r, size_t i, void *member)
{
    const struct field *f = r->fields[i];

    if (f->type == FT_ENUM)
        return set_enum(c, r, i, member);
    if (f->type == FT_STRS)
        *(struct strs *)member = strs_from_json(c->arena, r->nulls[i] ? NULL : r->texts[i]);
    else if (f->type == FT_UUIDS)
        *(struct uuids *)member = uuids_from_json(c->arena, r->nulls[i] ? NULL : r->texts[i]);
    else if (f->type == FT_OBJECT || f->type == FT_JSON)
        *(const struct json **)member = r->nulls[i] ? NULL : json_raw(c->arena, r->texts[i]);
    else if (f->type == FT_INT && r->nulls[i])
        *(int64_t *)member = FIELD_NONE;
    else if (f->type == FT_NUM && r->nulls[i])
        *(double *)member = NAN;
    return ERR_OK;
}

err row_read(struct ctx *c, struct db_cursor *q, struct row_reader *r, bool *found, void *row)
{
    for (size_t i = 0; i < r->n; i++)
        r->outs[i].p = comes_as_text(r->fields[i]) ? (void *)&r->texts[i] : (char *)row + r->fields[i]->off;
    TRY(db_row_(c, q, found, r->outs, r->n));
    for (size_t i = 0; *found && i < r->n; i++)
        TRY(set_member(c, r, i, (char *)row + r->fields[i]->off));
    return ERR_OK;
}

err row_query_(struct ctx *c, struct db_cursor *q, const struct thing *t, const char *sql, const struct db_in *in, size_t n_in)
{
    db_cursor_begin(c, q);
    return db_run(c, q, NULL, (struct sql_text){.s = sql, .thing = t}, in, n_in);
}

err row_one_(struct ctx *c, const struct thing *t, bool *found, void *row, const char *sql, const struct db_in *in, size_t n_in)
{
    struct row_reader r;
    scoped_cursor q = {0};

    row_reader_init(&r, t);
    TRY(row_query_(c, &q, t, sql, in, n_in));
    memset(row, 0, t->size);
    return row_read(c, &q, &r, found, row);
}

void row_select_(struct sql *s, struct arena *a, const struct thing *t, const char *sql, const struct db_in *in, size_t n_in)
{
    char *text = row_text(t, sql);

    sql_init(s, a);
    sql_add_(s, text, in, n_in);
    free(text);
}

err row_all(struct ctx *c, const struct thing *t, struct sql *s, size_t max, struct list *out)
{
    char *rows = arena_array(c->arena, max + 1, t->size);
    scoped_cursor q = {0};
    struct row_reader r;
    bool found = true;
    size_t n = 0;

    row_reader_init(&r, t);
    TRY(sql_query(c, &q, s));
    while (n < max) {
        TRY(row_read(c, &q, &r, &found, rows + n * t->size));
        if (!found)
            break;
        n++;
    }
    *out = (struct list){rows, n};
    return ERR_OK;
}

err row_page(struct ctx *c, const struct thing *t, struct sql *s, int64_t limit, struct page *out)
{
    const struct field *key = field_with(t->columns, COL_KEY);
    struct list rows;

    assert(key);
    TRY(row_all(c, t, s, (size_t)limit + 1, &rows));
    page_end(c, out, rows.v, rows.n, limit, t->size, key->off);
    return ERR_OK;
}

err row_list(struct ctx *c, const struct thing *t, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, t, "SELECT {*} FROM {from} WHERE {.}account_id = ? AND {.}id < ? ORDER BY {.}id DESC LIMIT ?",
               IN(c->account_id), IN(before), IN(limit + 1));
    return row_page(c, t, &s, limit, out);
}

/* ---- writing */

static struct db_in json_in(struct arena *a, const struct json *j)
{
    return j ? db_in_text(json_text(a, j)) : (struct db_in){0};
}

static struct db_in in_of(struct arena *a, const struct field *f, const void *row)
{
    const void *p = (const char *)row + f->off;
    bool may_be_null = f->flags & FIELD_NULLABLE;

    switch (f->type) {
    case FT_STR: return may_be_null ? db_opt_text(*(const char *const *)p) : db_in_text(*(const char *const *)p);
    case FT_INT: return may_be_null && *(const int64_t *)p == FIELD_NONE ? (struct db_in){0} : db_in_i64(*(const int64_t *)p);
    case FT_NUM: return isnan(*(const double *)p) ? (struct db_in){0} : db_in_double(*(const double *)p);
    case FT_BOOL: return db_in_bool(*(const bool *)p);
    case FT_ENUM: return db_in_text(enumx_name(f->enumx, *(const int *)p));
    case FT_UUID: return may_be_null ? db_opt_uuid(*(const struct uuid *)p) : db_in_uuid(*(const struct uuid *)p);
    case FT_TIME: return may_be_null ? db_opt_time(*(const struct instant *)p) : db_in_time(*(const struct instant *)p);
    case FT_BYTES: return may_be_null ? db_opt_bytes(*(const struct bytes *)p) : db_in_bytes(*(const struct bytes *)p);
    case FT_OBJECT:
    case FT_JSON: return json_in(a, *(const struct json *const *)p);
    case FT_STRS: return may_be_null && !((const struct strs *)p)->v ? (struct db_in){0} : json_in(a, strs_to_json(a, *(const struct strs *)p));
    case FT_UUIDS: return may_be_null && !((const struct uuids *)p)->v ? (struct db_in){0} : json_in(a, uuids_to_json(a, *(const struct uuids *)p));
    case FT_NUMS:
    case FT_OBJ:
    case FT_LIST:
    case FT_END: break;
    }
    assert(false && "a column cannot have this type");
    return (struct db_in){0};
}

static size_t add_ins(struct arena *a, const struct thing *t, bool (*has)(const struct field *f), const void *row, struct db_in *in)
{
    size_t n = 0;

    for (const struct field *f = t->columns; f->type != FT_END; f++)
        if (has(f)) {
            assert(n < ROW_COLUMNS_MAX);
            in[n++] = in_of(a, f, row);
        }
    return n;
}

err row_insert(struct ctx *c, const struct thing *t, const void *row)
{
    static const char SQL[] = "INSERT INTO {table} (account_id, {names}) VALUES (?, {marks})";
    struct db_in in[ROW_COLUMNS_MAX + 1] = {db_in_uuid(c->account_id)};
    size_t n = 1 + add_ins(c->arena, t, is_written, row, in + 1);

    return db_run(c, NULL, NULL, (struct sql_text){.s = SQL, .thing = t}, in, n);
}

/* The account, the id and, where the thing has one, the version that the row is to have. */
static size_t add_where(struct ctx *c, const struct thing *t, const void *row, int64_t before, struct db_in *in)
{
    const struct field *key = field_with(t->columns, COL_KEY), *version = field_with(t->columns, COL_VERSION);
    size_t n = 0;

    in[n++] = db_in_uuid(c->account_id);
    in[n++] = db_in_uuid(*(const struct uuid *)((const char *)row + key->off));
    if (version)
        in[n++] = db_in_i64(*(const int64_t *)((const char *)row + version->off) - before);
    return n;
}

static bool has_version(const struct thing *t)
{
    return field_with(t->columns, COL_VERSION);
}

err row_get(struct ctx *c, const struct thing *t, struct uuid id, bool *found, void *row)
{
    return row_one(c, t, found, row, "SELECT {*} FROM {from} WHERE {.}account_id = ? AND {.}id = ?", IN(c->account_id), IN(id));
}

err row_update(struct ctx *c, const struct thing *t, const void *row, int64_t *changed)
{
    static const char ANY[] = "UPDATE {table} SET {sets} WHERE account_id = ? AND id = ?",
                      SAME[] = "UPDATE {table} SET {sets} WHERE account_id = ? AND id = ? AND version = ?";
    struct db_in in[ROW_COLUMNS_MAX + 3];
    size_t n = add_ins(c->arena, t, is_changed, row, in);

    n += add_where(c, t, row, 1, in + n);
    return db_run(c, NULL, changed, (struct sql_text){.s = has_version(t) ? SAME : ANY, .thing = t}, in, n);
}

err row_delete(struct ctx *c, const struct thing *t, const void *row, int64_t *changed)
{
    static const char ANY[] = "DELETE FROM {table} WHERE account_id = ? AND id = ?",
                      SAME[] = "DELETE FROM {table} WHERE account_id = ? AND id = ? AND version = ?";
    struct db_in in[3];
    size_t n = add_where(c, t, row, 0, in);

    return db_run(c, NULL, changed, (struct sql_text){.s = has_version(t) ? SAME : ANY, .thing = t}, in, n);
}
