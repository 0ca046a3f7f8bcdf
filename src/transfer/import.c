/* Reading an account from lines; see import.h. */
#include "import.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "audit.h"
#include "changes.h"
#include "db.h"
#include "limit.h"
#include "lines.h"
#include "node.h"
#include "portion.h"
#include "role.h"
#include "transfer_line.h"
#include "transfer_map.h"
#include "transfer_rule.h"
#include "transfer_store.h"

ENUMX_DEFINE(import_mode, IMPORT_MODE);

#define BATCH_ROWS 200
#define BATCH_BYTES (2 * 1024 * 1024) /* of the lines of one statement; a longer line goes alone */

/* Made with an account or with its people; an account without anything else is empty. */
static const char *const OF_EMPTY[] = {"account", "user", "space", "space_grant", "audit_event", "access_log"};
/* Cleared before the file's own come in. */
static const char *const CLEARED[] = {"space_grant", "space"};

struct work {
    const char *path;
    const struct import_how *how;
    const struct transfer_tables *tables;
    struct import_done *done;
    int64_t *added, *there; /* of each table */
    /* The batch: rows of one table, in memory of its own. */
    struct ctx part;
    struct transfer_row rows[BATCH_ROWS];
    size_t n, bytes;
    struct transfer_map map;
    struct ctx map_part;
    const struct transfer_table *table; /* that rows are read of */
    bool table_was_empty;
    struct role *roles; /* those there are, and those of the file as they come */
    size_t n_roles;
    const char *missing_run; /* NULL: none is */
    bool is_trial;           /* the dry run has come to its end */
};

/* ---- lines */

static err import_bad_line(struct ctx *c, struct work *w, int64_t line, const char *why)
{
    w->done->bad_line = line;
    return fail(c, ERR_INVALID, "line %lld: %s", (long long)line, why);
}

static err open_file(struct ctx *c, const struct work *w, struct lines *l)
{
    return lines_open(l, c->arena, w->path, TRANSFER_LINE_MAX) ? ERR_OK : fail(c, ERR_INTERNAL, "the file cannot be read: %s",
                                                                               strerror(errno));
}

static bool import_is_over(const struct work *w)
{
    return w->how->should_stop && w->how->should_stop(w->how->stop_arg);
}

/* Each line: checked, in order, and counted. What rows refer to is checked by MariaDB. */
struct reading {
    struct transfer_chain chain;
    size_t table; /* the last one's place; */
    bool has_head, has_end;
    int64_t *counts;
};

static const char *import_note_end(struct arena *a, const struct work *w, struct reading *r, const struct json *counts)
{
    r->has_end = true;
    for (size_t i = 0; i < w->tables->n; i++)
        if (json_get_int(counts, w->tables->v[i].name, 0) != r->counts[i])
            return arena_printf(a, "the file declares %lld rows of '%s' but contains %lld",
                                (long long)json_get_int(counts, w->tables->v[i].name, 0), w->tables->v[i].name, (long long)r->counts[i]);
    return NULL;
}

static const char *note_line(struct arena *a, const struct work *w, struct reading *r, const struct transfer_line *line)
{
    size_t table;

    if (line->kind == TRANSFER_HEAD) {
        if (r->has_head)
            return "the file has two headers";
        r->has_head = true;
        return NULL;
    }
    if (!r->has_head)
        return "the file does not begin with the line of an export of Loci";
    if (r->has_end)
        return "data after the end line";
    if (line->kind == TRANSFER_END)
        return import_note_end(a, w, r, line->counts);
    table = (size_t)(line->row.table - w->tables->v);
    if (table < r->table)
        return arena_printf(a, "rows of '%s' are out of order", line->row.table->name);
    r->table = table;
    r->counts[table]++;
    return NULL;
}

/* Hands each line to take(): NULL, or what is wrong with it. */
static err each_line(struct ctx *c, struct work *w, struct ctx *part,
                     err (*take)(struct ctx *c, struct work *w, struct reading *r, struct transfer_line *line))
{
    struct reading r = {.counts = ARENA_ARRAY(c->arena, int64_t, w->tables->n)};
    struct transfer_line line;
    const char *text, *why;
    struct lines l;
    bool too_long;
    size_t n;

    TRY(open_file(c, w, &l));
    while (lines_next(&l, &text, &n, &too_long)) {
        if (too_long)
            return import_bad_line(c, w, l.number, "it is longer than any line of an export");
        why = transfer_line_read(part->arena, w->tables, &r.chain, text, n, &line);
        if (!why)
            why = note_line(part->arena, w, &r, &line);
        if (why)
            return import_bad_line(c, w, l.number, why);
        line.row.line = l.number;
        w->done->lines = l.number;
        TRY(take(c, w, &r, &line));
    }
    return r.has_end ? ERR_OK : import_bad_line(c, w, l.number + 1, "the file is incomplete: lines are missing");
}

/* ---- the first reading changes nothing */

#define ROLES_MAX (2 * LIMIT_ACCOUNT_ROLES + 50)

static const struct transfer_value *import_value_of(const struct transfer_row *row, const char *column)
{
    size_t at;

    assert(transfer_column_find(row->table, column, &at));
    return &row->v[at];
}

static bool has_role(const struct work *w, const char *name, enum role_kind kind)
{
    for (size_t i = 0; i < w->n_roles; i++)
        if (w->roles[i].kind == kind && strcmp(w->roles[i].name, name) == 0)
            return true;
    return false;
}

static err note_role(struct ctx *c, struct work *w, const struct transfer_row *row)
{
    const struct transfer_value *name = import_value_of(row, "name"), *kind = import_value_of(row, "kind");
    int k;

    if (kind->is_left_out || !enumx_parse(&role_kind_enumx, kind->text, &k) || has_role(w, name->text, (enum role_kind)k))
        return ERR_OK;
    if (w->n_roles == ROLES_MAX)
        return import_bad_line(c, w, row->line, arena_printf(c->arena, "role: an account has at most %d of its own", LIMIT_ACCOUNT_ROLES));
    w->roles[w->n_roles++] = (struct role){.name = arena_strdup(c->arena, name->text), .kind = (enum role_kind)k};
    return ERR_OK;
}

static err check_values(struct ctx *c, struct work *w, const struct transfer_row *row)
{
    const char *why = transfer_row_broken(w->part.arena, row);

    return why ? import_bad_line(c, w, row->line, why) : ERR_OK;
}

/* Who has a role that there is not could do nothing, and nothing could be done about it. */
static err check_role(struct ctx *c, struct work *w, const struct transfer_row *row)
{
    const char *table = row->table->name;
    bool of_user = strcmp(table, "user") == 0;
    const struct transfer_value *role;

    if (strcmp(table, "role") == 0)
        return note_role(c, w, row);
    if (!of_user && strcmp(table, "agent") != 0)
        return ERR_OK;
    role = import_value_of(row, "role");
    if (role->is_left_out || has_role(w, role->text, of_user ? ROLE_OF_USER : ROLE_OF_AGENT))
        return ERR_OK;
    return import_bad_line(c, w, row->line, arena_printf(c->arena, "%s: 'role' must be a role of %ss; '%s' is neither in the account nor in the file", table,
                                                         table, role->text));
}

static err import_read_roles(struct ctx *c, struct work *w)
{
    struct role *there;
    size_t n;

    TRY(role_list(c, &there, &n));
    w->roles = ARENA_ARRAY(c->arena, struct role, ROLES_MAX);
    for (size_t i = 0; i < n && i < ROLES_MAX; i++)
        w->roles[w->n_roles++] = there[i];
    return ERR_OK;
}

static err only_look(struct ctx *c, struct work *w, struct reading *r, struct transfer_line *line)
{
    (void)r;
    if (line->kind == TRANSFER_ROW) {
        TRY(check_values(c, w, &line->row));
        TRY(check_role(c, w, &line->row));
    }
    if (line->row.line % BATCH_ROWS == 0 || line->row.size > BATCH_BYTES / BATCH_ROWS)
        portion_next(&w->part);
    return import_is_over(w) ? fail(c, ERR_UNAVAILABLE, "the import was interrupted; it starts again later") : ERR_OK;
}

/* ---- rows */

static err import_refused(struct ctx *c, struct work *w, const struct transfer_row *row, err e)
{
    const char *why = e == ERR_CONFLICT ? "the account has a different record in its place"
                                        : "it refers to a record that is neither in the file nor in the account";

    if (e != ERR_CONFLICT && e != ERR_INTERNAL && e != ERR_INVALID)
        return portion_end(c, &w->part, e);
    return import_bad_line(c, w, row->line, arena_printf(c->arena, "%s: %s", row->table->name, why));
}

static err put_in_place(struct work *w, const struct transfer_row *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(w->part.arena, struct uuid, n + 1);

    TRY(transfer_store_insert(&w->part, rows, n));
    if (!str_eq(w->table->name, "node"))
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].v[w->table->key[0]].uuid;
    return node_find_by_content(&w->part, ids, n);
}

/* All at once, or one by one until it shows which cannot be. */
static err import_insert(struct ctx *c, struct work *w, const struct transfer_row *rows, size_t n)
{
    err e = n ? put_in_place(w, rows, n) : ERR_OK;

    if (e == ERR_OK || !db_in_tx(c) || (e != ERR_CONFLICT && e != ERR_INTERNAL && e != ERR_INVALID))
        return portion_end(c, &w->part, e);
    for (size_t i = 0; i < n; i++) {
        ctx_forgive(&w->part);
        e = put_in_place(w, &rows[i], 1);
        if (e != ERR_OK)
            return import_refused(c, w, &rows[i], e);
    }
    return ERR_OK;
}

/* Leaves those that the account has not, and notes under which ids it has others. */
static err leave_new(struct ctx *c, struct work *w, size_t *left)
{
    bool *there = ARENA_ARRAY(w->part.arena, bool, w->n);
    struct uuid *under = ARENA_ARRAY(w->part.arena, struct uuid, w->n);
    const struct transfer_table *t = w->table;
    size_t n = 0;

    TRY(portion_end(c, &w->part, transfer_store_have_keys(&w->part, w->rows, w->n, there)));
    if (t->n_words)
        TRY(portion_end(c, &w->part, transfer_store_have_words(&w->part, w->rows, w->n, under)));
    for (size_t i = 0; i < w->n; i++) {
        if (!there[i] && !uuid_is_nil(under[i]))
            transfer_map_add(&w->map, w->rows[i].v[t->key[0]].uuid, under[i]);
        else if (!there[i])
            w->rows[n++] = w->rows[i];
    }
    *left = n;
    return ERR_OK;
}

static err set_account(struct ctx *c, struct work *w)
{
    size_t table = (size_t)(w->table - w->tables->v);

    err e = w->how->mode == IMPORT_RESTORE ? transfer_store_account(&w->part, &w->rows[0]) : ERR_OK;

    if (e != ERR_OK)
        return import_refused(c, w, &w->rows[0], e);
    if (w->how->mode == IMPORT_RESTORE)
        w->added[table] += 1;
    else
        w->there[table] += 1;
    return ERR_OK;
}

static err import_flush(struct ctx *c, struct work *w)
{
    size_t left = w->n, table;

    if (!w->n)
        return ERR_OK;
    table = (size_t)(w->table - w->tables->v);
    if (!w->table->n_key) {
        TRY(set_account(c, w));
    } else {
        for (size_t i = 0; i < w->n; i++)
            transfer_map_row(&w->map, w->part.arena, &w->rows[i]);
        if (!w->table_was_empty)
            TRY(leave_new(c, w, &left));
        TRY(import_insert(c, w, w->rows, left));
        w->added[table] += (int64_t)left;
        w->there[table] += (int64_t)(w->n - left);
    }
    w->n = w->bytes = 0;
    return import_is_over(w) ? fail(c, ERR_UNAVAILABLE, "the import was interrupted; it starts again later") : ERR_OK;
}

static err begin_table(struct ctx *c, struct work *w, const struct transfer_table *t)
{
    bool any;

    TRY(import_flush(c, w));
    w->table = t;
    TRY(transfer_store_any(c, t, &any));
    w->table_was_empty = !any;
    return ERR_OK;
}

static err import_take_line(struct ctx *c, struct work *w, struct reading *r, struct transfer_line *line)
{
    (void)r;
    if (line->kind != TRANSFER_ROW)
        return import_flush(c, w);
    if (w->table != line->row.table)
        TRY(begin_table(c, w, line->row.table));
    if (w->table->part == TRANSFER_AUDIT && !w->how->with_audit) {
        w->there[w->table - w->tables->v]++;
        portion_next(&w->part);
        return ERR_OK;
    }
    w->rows[w->n++] = line->row;
    w->bytes += line->row.size;
    if (w->n < BATCH_ROWS && w->bytes < BATCH_BYTES)
        return ERR_OK;
    TRY(import_flush(c, w));
    portion_next(&w->part);
    return ERR_OK;
}

/* ---- the account before and after */

static bool import_is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static err make_empty(struct ctx *c, const struct work *w)
{
    bool any;

    for (size_t i = 0; i < w->tables->n; i++) {
        if (import_is_among(w->tables->v[i].name, OF_EMPTY, sizeof OF_EMPTY / sizeof *OF_EMPTY))
            continue;
        TRY(transfer_store_any(c, &w->tables->v[i], &any));
        if (any)
            return fail(c, ERR_INVALID, "the account is not empty: it has rows of '%s'; use mode merge, or create another account",
                        w->tables->v[i].name);
    }
    for (size_t i = 0; i < sizeof CLEARED / sizeof *CLEARED; i++)
        TRY(transfer_store_clear(c, transfer_table_find(w->tables, CLEARED[i])));
    return ERR_OK;
}

static void sum_up(struct ctx *c, const struct work *w)
{
    struct import_done *d = w->done;

    d->tables = json_obj(c->arena);
    d->added = d->there = 0;
    for (size_t i = 0; i < w->tables->n; i++) {
        struct json *row;

        if (!w->added[i] && !w->there[i])
            continue;
        row = json_set(c->arena, d->tables, w->tables->v[i].name, json_obj(c->arena));
        json_set_int(c->arena, row, "added", w->added[i]);
        json_set_int(c->arena, row, "there", w->there[i]);
        d->added += w->added[i];
        d->there += w->there[i];
    }
}

static err find_run(struct ctx *c, struct work *w, struct reading *r, struct transfer_line *line)
{
    const struct transfer_value *v;

    (void)r;
    if (line->kind == TRANSFER_ROW && strcmp(line->row.table->name, "pool") == 0) {
        v = import_value_of(&line->row, "workflow_run_id");
        if (!v->is_null && !v->is_left_out && strcmp(v->text, w->missing_run) == 0)
            return import_bad_line(c, w, line->row.line, arena_printf(c->arena, "pool: 'workflow_run_id' must be a run; '%s' is neither in the "
                                                                         "account nor in the file",
                                                                      w->missing_run));
    }
    portion_next(&w->part);
    return ERR_OK;
}

/* Runs come behind the pools that were made for them. */
static err check_runs(struct ctx *c, struct work *w)
{
    TRY(transfer_store_missing_run(c, &w->missing_run));
    if (!w->missing_run)
        return ERR_OK;
    TRY(each_line(c, w, &w->part, find_run));
    return fail(c, ERR_INTERNAL, "a pool of this account belongs to the run '%s', which is not there", w->missing_run);
}

/* Whatever is held of the account's rows in memory, here and elsewhere, is no longer true. */
static err import_tell(struct ctx *c, const struct work *w)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "mode", enumx_name(&import_mode_enumx, (int)w->how->mode));
    json_set_int(c->arena, payload, "added", w->done->added);
    json_set_int(c->arena, payload, "there", w->done->there);
    TRY(audit_add(c, &(struct audit){.kind = "account.import", .subject_kind = "account", .subject_id = c->account_id,
                                     .payload = payload}));
    TRY(access_changed(c));
    if (c->app->nodes_erased)
        TRY(c->app->nodes_erased(c));
    return changes_of_account(c, c->account_id);
}

static void begin_again(struct ctx *c, struct work *w)
{
    w->n = w->bytes = 0;
    w->table = NULL;
    w->added = ARENA_ARRAY(c->arena, int64_t, w->tables->n);
    w->there = ARENA_ARRAY(c->arena, int64_t, w->tables->n);
    portion_next(&w->part);
    portion_next(&w->map_part);
    w->map = (struct transfer_map){.arena = w->map_part.arena};
}

static err import_write_all(struct ctx *c, void *arg)
{
    struct work *w = arg;

    begin_again(c, w);
    if (w->how->mode == IMPORT_RESTORE)
        TRY(make_empty(c, w));
    TRY(each_line(c, w, &w->part, import_take_line));
    TRY(check_runs(c, w));
    sum_up(c, w);
    if (w->how->dry_run) {
        w->is_trial = true;
        return fail(c, ERR_INVALID, "dry run");
    }
    return import_tell(c, w);
}

err import_run(struct ctx *c, const char *path, const struct import_how *how, struct import_done *out)
{
    struct work *w = ARENA_NEW(c->arena, struct work);
    err e;

    *out = (struct import_done){0};
    w->path = path;
    w->how = how;
    w->done = out;
    w->tables = transfer_tables_read(c->arena);
    portion_begin(c, &w->part);
    portion_begin(c, &w->map_part);
    TRY(import_read_roles(c, w));
    TRY(each_line(c, w, &w->part, only_look));
    portion_next(&w->part);
    e = db_tx(c, import_write_all, w);
    if (e == ERR_OK || !w->is_trial)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}
