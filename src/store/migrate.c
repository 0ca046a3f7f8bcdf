/* Brings the schema up to the files of sql/, and tells when it is not. */
#include "migrate.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <mysqld_error.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "db_impl.h"
#include "migrate_lease.h"
#include "migrate_split.h"

#define CHECKSUM_TEXT 65
#define TABLE_WAIT_S 60 /* how long a change of a table may hold everybody up behind it */

struct migration {
    int64_t version;
    const char *name; /* of the file, without .sql */
    const char *text;
    size_t n;
    char checksum[CHECKSUM_TEXT];
};

struct migrations {
    struct migration *items;
    size_t n, cap;
};

/* What the database says about one version. */
struct record {
    int64_t version;
    const char *name, *checksum;
};

struct records {
    struct record *items;
    size_t n, cap;
};

/* ---- the files */

/* NNNN-some-name.sql */
static bool parse_name(const char *file, int64_t *version)
{
    size_t n = strlen(file), digits = strspn(file, "0123456789");

    if (digits != 4 || file[4] != '-' || n < 10 || strcmp(file + n - 4, ".sql") != 0)
        return false;
    if (strspn(file + 5, "abcdefghijklmnopqrstuvwxyz0123456789-") != n - 9)
        return false;
    *version = strtoll(file, NULL, 10);
    return *version > 0;
}

static err migrate_read_file(struct ctx *c, const char *path, struct migration *m)
{
    FILE *f = fopen(path, "rbe");
    struct buf text;
    char part[8192];
    size_t n;
    bool bad;

    if (!f)
        return fail(c, ERR_INTERNAL, "cannot open %s: %s", path, strerror(errno));
    buf_init(&text, c->arena, 16384);
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        buf_add(&text, part, n);
    bad = ferror(f);
    fclose(f);
    if (bad)
        return fail(c, ERR_INTERNAL, "cannot read %s", path);
    m->text = buf_str(&text);
    m->n = text.len;
    return ERR_OK;
}

static err add_file(struct ctx *c, struct migrations *all, const char *dir, const char *file)
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    struct migration m = {0};

    if (!parse_name(file, &m.version))
        return fail(c, ERR_INTERNAL, "%s/%s: migrations are named NNNN-some-name.sql", dir, file);
    TRY(migrate_read_file(c, arena_printf(c->arena, "%s/%s", dir, file), &m));
    m.name = arena_strndup(c->arena, file, strlen(file) - 4);
    crypto_hash_sha256(digest, (const unsigned char *)m.text, m.n);
    hex_encode(digest, sizeof digest, m.checksum);
    if (all->n == all->cap) {
        size_t cap = all->cap ? all->cap * 2 : 32;
        struct migration *more = ARENA_ARRAY(c->arena, struct migration, cap);

        if (all->n)
            memcpy(more, all->items, all->n * sizeof *more);
        all->items = more;
        all->cap = cap;
    }
    all->items[all->n++] = m;
    return ERR_OK;
}

static int by_version(const void *a, const void *b)
{
    const struct migration *x = a, *y = b;

    return (x->version > y->version) - (x->version < y->version);
}

static err read_dir(struct ctx *c, DIR *d, const char *dir, struct migrations *all)
{
    struct dirent *entry;

    while ((entry = readdir(d))) {
        size_t n = strlen(entry->d_name);

        if (entry->d_name[0] != '.' && n > 4 && strcmp(entry->d_name + n - 4, ".sql") == 0)
            TRY(add_file(c, all, dir, entry->d_name));
    }
    return ERR_OK;
}

static err load_files(struct ctx *c, const char *dir, struct migrations *all)
{
    DIR *d = opendir(dir);
    err e;

    if (!d)
        return fail(c, ERR_INTERNAL, "cannot read the migrations in %s: %s", dir, strerror(errno));
    e = read_dir(c, d, dir, all);
    closedir(d);
    if (e != ERR_OK)
        return e;
    if (!all->n)
        return fail(c, ERR_INTERNAL, "no migrations in %s", dir);
    qsort(all->items, all->n, sizeof *all->items, by_version);
    for (size_t i = 1; i < all->n; i++)
        if (all->items[i].version == all->items[i - 1].version)
            return fail(c, ERR_INTERNAL, "two migrations have one number: %s and %s", all->items[i - 1].name,
                        all->items[i].name);
    return ERR_OK;
}

/* ---- the records */

static err load_records(struct ctx *c, struct records *all)
{
    scoped_cursor q = {0};
    struct record r;
    bool found;

    TRY(db_query(c, &q, "SELECT version, name, checksum FROM schema_migration ORDER BY version"));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&r.version), OUT(&r.name), OUT(&r.checksum)));
        if (!found)
            return ERR_OK;
        if (all->n == all->cap) {
            size_t cap = all->cap ? all->cap * 2 : 32;
            struct record *more = ARENA_ARRAY(c->arena, struct record, cap);

            if (all->n)
                memcpy(more, all->items, all->n * sizeof *more);
            all->items = more;
            all->cap = cap;
        }
        all->items[all->n++] = r;
    }
}

static const struct record *migrate_record_of(const struct records *all, int64_t version)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].version == version)
            return &all->items[i];
    return NULL;
}

/* Every record must have its file, unchanged. */
static err migrate_compare(struct ctx *c, const struct migrations *files, const struct records *records)
{
    size_t matched = 0;

    for (size_t i = 0; i < files->n; i++) {
        const struct migration *m = &files->items[i];
        const struct record *r = migrate_record_of(records, m->version);

        if (!r)
            continue;
        matched++;
        if (strcmp(r->name, m->name) != 0 || strcmp(r->checksum, m->checksum) != 0)
            return fail(
                c, ERR_UNAVAILABLE,
                "migration %s was changed after it was applied: restore the file and write a new migration for the change",
                m->name);
    }
    if (matched < records->n)
        return fail(
            c, ERR_UNAVAILABLE,
            "the database is newer than this program (it has migration %s): install the newer version",
            records->items[records->n - 1].name);
    return ERR_OK;
}

/* ---- applying */

static err fail_step(struct ctx *c, const struct migration *m, const struct sql_piece *piece)
{
    ctx_forgive(c);
    return fail(c, ERR_INTERNAL, "migration %s.sql failed in statement %d (line %d): %s (error %u)", m->name,
                piece->number, piece->line, db_last_error(c), c->db->last_errno);
}

static bool in_transaction(const struct db *db)
{
    return db->on->my && (db->on->my->server_status & SERVER_STATUS_IN_TRANS);
}

struct applying {
    const struct migration *m;
    struct migrate_lease *lease;
};

static err migrate_run_pieces(struct ctx *c, const struct migration *m, struct migrate_lease *lease)
{
    struct sql_splitter split;
    struct sql_piece piece;

    sql_split_begin(&split, m->text, m->n);
    while (sql_split_next(&split, &piece)) {
        TRY(migrate_lease_renew(c, lease));
        /* A change of a table has committed by itself; what follows is together again. */
        if (!in_transaction(c->db))
            TRY(db_run_text(c, "START TRANSACTION", 17));
        if (db_run_text(c, piece.p, piece.n) != ERR_OK)
            return fail_step(c, m, &piece);
    }
    return ERR_OK;
}

static err apply_one(struct ctx *c, void *arg)
{
    const struct applying *a = arg;
    const struct migration *m = a->m;
    int64_t began = clock_monotonic_us();

    TRY(migrate_run_pieces(c, m, a->lease));
    TRY(migrate_lease_renew(c, a->lease)); /* the last statement may have taken too long */
    return db_exec(
        c, NULL,
        "INSERT INTO schema_migration (version, name, checksum, applied_at, ms) VALUES (?, ?, ?, ?, ?)",
        IN(m->version), IN(m->name), IN((const char *)m->checksum), IN(clock_now()),
        IN((clock_monotonic_us() - began) / 1000));
}

static err prepare_session(struct ctx *c)
{
    char sql[96];
    int n = snprintf(sql, sizeof sql, "SET SESSION lock_wait_timeout=%d", TABLE_WAIT_S);
    static const char TABLE[] =
        "CREATE TABLE IF NOT EXISTS schema_migration ("
        "version INT NOT NULL PRIMARY KEY COMMENT 'number at the head of the file name', "
        "name VARCHAR(200) NOT NULL COMMENT 'file name without .sql', "
        "checksum CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of the file', "
        "applied_at DATETIME(6) NOT NULL COMMENT 'when it was applied, UTC', "
        "ms BIGINT NOT NULL COMMENT 'how long that took, in milliseconds'"
        ") ENGINE=InnoDB COMMENT='migrations of sql/ that this schema has seen'";

    TRY(db_run_text(c, sql, (size_t)n));
    return db_run_text(c, TABLE, sizeof TABLE - 1);
}

static err apply_missing(struct ctx *c, struct migrations *files, struct migrate_lease *lease, struct migrate_report *report)
{
    struct records records = {0};

    TRY(prepare_session(c));
    TRY(load_records(c, &records));
    TRY(migrate_compare(c, files, &records));
    for (size_t i = 0; i < files->n; i++) {
        struct migration *m = &files->items[i];

        report->last = m->name;
        if (migrate_record_of(&records, m->version)) {
            report->present++;
            continue;
        }
        TRY(db_tx(c, apply_one, &(struct applying){m, lease}));
        report->applied++;
    }
    return ERR_OK;
}

/* A database that is missing is made, when the user may. */
static err find_schema(struct ctx *c)
{
    err e = db_ping(c);

    if (e == ERR_OK || c->db->last_errno != ER_BAD_DB_ERROR)
        return e;
    ctx_forgive(c);
    c->db->down_until_us = 0;
    if (db_create_schema(c) == ERR_OK)
        return ERR_OK;
    ctx_forgive(c);
    return fail(c, ERR_UNAVAILABLE,
                "database %s does not exist and user %s may not create it: CREATE DATABASE %s "
                "CHARACTER SET utf8mb4, and GRANT ALL on it",
                c->db->conf->db_name, c->db->conf->db_user, c->db->conf->db_name);
}

err migrate_check_alone(struct ctx *c)
{
    scoped_cursor q = {0};
    bool found;
    int64_t n = 0;

    TRY(find_schema(c));
    TRY(db_query(c, &q,
                 "SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.GLOBAL_STATUS "
                 "WHERE VARIABLE_NAME = 'WSREP_CLUSTER_SIZE'"));
    TRY(db_row(&q, c, &found, OUT(&n)));
    if (!found || n < 1)
        return ERR_OK;
    return fail(c, ERR_UNAVAILABLE,
                "this server is a node of a cluster of %lld, where a schema change blocks all nodes: run locictl migrate --on-cluster when "
                "there is little load", (long long)n);
}

err migrate_run(struct ctx *c, const char *sql_dir, struct migrate_report *report)
{
    struct migrations files = {0};
    struct migrate_report done = {0};
    struct migrate_lease lease;
    err e;

    TRY(load_files(c, sql_dir, &files));
    TRY(find_schema(c));
    e = migrate_lease_take(c, &lease);
    if (e == ERR_OK)
        e = apply_missing(c, &files, &lease, &done);
    migrate_lease_end(&lease);
    db_drop(c->db); /* gives up the session's settings */
    if (e == ERR_OK)
        *report = done;
    return e;
}

err migrate_check(struct ctx *c, const char *sql_dir)
{
    struct migrations files = {0};
    struct records records = {0};
    err e;

    TRY(load_files(c, sql_dir, &files));
    e = load_records(c, &records);
    if (e != ERR_OK && c->db->last_errno != ER_NO_SUCH_TABLE && c->db->last_errno != ER_BAD_DB_ERROR)
        return e;
    ctx_forgive(c);
    TRY(migrate_compare(c, &files, &records));
    if (records.n == files.n)
        return ERR_OK;
    return fail(c, ERR_UNAVAILABLE, "the schema lacks %zu of %zu migrations: run locictl migrate",
                files.n - records.n, files.n);
}
