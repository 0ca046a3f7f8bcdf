/* Prepared statements, kept per connection: literals under their address, built texts under their content. */
#include <assert.h>
#include <ctype.h>
#include <mysqld_error.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "db_impl.h"
#include "row.h"

_Noreturn void stmt_bug(const struct stmt *s, const char *what, size_t at)
{
    fprintf(stderr, "loci: %s (%zu) in: %s\n", what, at, s->sql);
    abort();
}

static size_t db_stmt_bucket_of(struct sql_text t)
{
    uint64_t h = t.n ? hash_bytes(t.s, t.n, 0)
                     : ((uint64_t)(uintptr_t)t.s ^ (uint64_t)(uintptr_t)t.thing << 7) * 0x9e3779b97f4a7c15u >> 32;

    return h % DB_BUCKETS;
}

static struct sql_text db_stmt_text_of(const struct stmt *s)
{
    return s->n ? (struct sql_text){.s = s->sql, .n = s->n} : (struct sql_text){.s = s->literal, .thing = s->thing};
}

static bool db_stmt_is_it(const struct stmt *s, struct sql_text t)
{
    return t.n ? s->n == t.n && memcmp(s->sql, t.s, t.n) == 0 : s->literal == t.s && s->thing == t.thing;
}

static _Atomic size_t n_statements, statement_bytes, connection_bytes;

struct db_memory db_memory(void)
{
    return (struct db_memory){n_statements, statement_bytes, connection_bytes};
}

static size_t root_bytes(const MA_MEM_ROOT *root)
{
    size_t bytes = 0;

    for (const MA_USED_MEM *m = root->free; m; m = m->next)
        bytes += m->size;
    for (const MA_USED_MEM *m = root->used; m; m = m->next)
        bytes += m->size;
    return bytes;
}

static void count_stmt(struct stmt *s, size_t bytes)
{
    statement_bytes += bytes - s->bytes;
    s->bytes = bytes;
}

static void count_now(struct stmt *s)
{
    count_stmt(s, sizeof *s + sizeof *s->st + root_bytes(&s->st->mem_root) + root_bytes(&s->st->result.alloc) +
                      s->n_params * 2 * sizeof *s->params + s->n_cols * (sizeof *s->cols + sizeof *s->binds) + 4096);
}

void db_count_buffer(struct db *db)
{
    size_t bytes = db->on->my ? db->on->my->net.max_packet : 0;

    connection_bytes += bytes - db->on->buffer_bytes;
    db->on->buffer_bytes = bytes;
}

static void stmt_free(struct stmt *s)
{
    count_stmt(s, 0);
    n_statements--;
    if (s->st)
        mysql_stmt_close(s->st);
    if (s->sql != s->literal)
        free((void *)(uintptr_t)s->sql);
    free(s->params);
    free(s->times);
    free(s->cols);
    free(s->binds);
    free(s);
}

/* ---- the caches */

static struct stmt_cache *db_stmt_cache_of(struct db_line *line, struct sql_text t)
{
    return t.n ? &line->built : &line->literals;
}

static void unlink_stmt(struct stmt_cache *cache, struct stmt *s)
{
    struct stmt **at = &cache->bucket[db_stmt_bucket_of(db_stmt_text_of(s))];

    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
    s->kept = false;
    cache->count--;
}

static void drop_stmt(struct stmt_cache *cache, struct stmt *s)
{
    unlink_stmt(cache, s);
    if (!s->busy) /* else its reader closes it */
        stmt_free(s);
}

void stmt_forget(struct db_line *line, struct stmt *s)
{
    if (s->kept)
        drop_stmt(db_stmt_cache_of(line, db_stmt_text_of(s)), s);
    else if (!s->busy)
        stmt_free(s);
}

void stmt_cache_clear(struct stmt_cache *cache, bool all)
{
    for (size_t b = 0; b < DB_BUCKETS; b++) {
        struct stmt *s = cache->bucket[b], *next;

        for (; s; s = next) {
            next = s->chain;
            if (all || !s->busy)
                drop_stmt(cache, s);
        }
    }
}

static void drop_oldest(struct stmt_cache *cache)
{
    struct stmt *oldest = NULL;

    for (size_t b = 0; b < DB_BUCKETS; b++)
        for (struct stmt *s = cache->bucket[b]; s; s = s->chain)
            if (!s->busy && (!oldest || s->used_at < oldest->used_at))
                oldest = s;
    if (oldest)
        drop_stmt(cache, oldest);
}

static void db_stmt_keep(struct stmt_cache *cache, struct stmt *s)
{
    struct stmt **at = &cache->bucket[db_stmt_bucket_of(db_stmt_text_of(s))];

    if (s->n_params > DB_KEEP_PARAMS)
        return;
    if (cache->count >= cache->max)
        drop_oldest(cache);
    s->chain = *at;
    *at = s;
    s->kept = true;
    cache->count++;
}

/* ---- preparing */

bool stmt_is_read(const char *sql)
{
    while (*sql == '(' || isspace((unsigned char)*sql))
        sql++;
    return strncasecmp(sql, "SELECT", 6) == 0 || strncasecmp(sql, "WITH", 4) == 0;
}

void stmt_count_cols(struct stmt *s)
{
    unsigned n = mysql_stmt_field_count(s->st);

    if (s->cols && n == s->n_cols)
        return;
    free(s->cols);
    free(s->binds);
    s->n_cols = n;
    s->cols = calloc(n + 1u, sizeof *s->cols);
    s->binds = calloc(n + 1u, sizeof *s->binds);
    assert(s->cols && s->binds);
}

static void db_stmt_make_room(struct stmt *s)
{
    s->n_params = mysql_stmt_param_count(s->st);
    s->params = calloc(s->n_params + 1, sizeof *s->params);
    assert(s->params);
    stmt_count_cols(s);
}

static struct stmt *stmt_new(struct sql_text t)
{
    struct stmt *s = calloc(1, sizeof *s);

    assert(s);
    s->n = t.n;
    s->literal = t.n ? NULL : t.s;
    s->thing = t.thing;
    s->sql = t.n ? strndup(t.s, t.n) : t.thing ? row_text(t.thing, t.s) : t.s;
    s->is_read = stmt_is_read(t.s);
    n_statements++;
    assert(s->sql);
    return s;
}

static bool db_stmt_prepare(struct db *db, struct stmt *s)
{
    s->st = mysql_stmt_init(db->on->my);
    assert(s->st);
    if (mysql_stmt_prepare(s->st, s->sql, s->n ? s->n : strlen(s->sql)) == 0)
        return true;
    return db_note(db, s->st);
}

struct stmt *stmt_get(struct db *db, struct sql_text t)
{
    struct stmt_cache *cache = db_stmt_cache_of(db->on, t);
    struct stmt *s;

    for (s = cache->bucket[db_stmt_bucket_of(t)]; s; s = s->chain)
        if (db_stmt_is_it(s, t)) {
            s->used_at = ++cache->tick;
            if (!s->busy)
                return s;
            break;
        }
    /* While its rows are being read, a statement of the same text is a second one that is not kept. */
    bool spare = s != NULL;
    s = stmt_new(t);
    if (!db_stmt_prepare(db, s) && db->last_errno == ER_MAX_PREPARED_STMT_COUNT_REACHED) {
        mysql_stmt_close(s->st);
        stmt_cache_clear(&db->on->literals, false);
        stmt_cache_clear(&db->on->built, false);
        db->last_errno = 0;
        db_stmt_prepare(db, s);
    }
    if (mysql_stmt_errno(s->st)) {
        stmt_free(s);
        return NULL;
    }
    db_stmt_make_room(s);
    s->used_at = ++cache->tick;
    if (!spare)
        db_stmt_keep(cache, s);
    return s;
}

void stmt_release(struct stmt *s)
{
    s->busy = false;
    /* The library frees the rows only of a result that it is not at the end of. */
    if (mysql_stmt_num_rows(s->st))
        mysql_stmt_data_seek(s->st, 0);
    mysql_stmt_free_result(s->st);
    count_now(s);
    if (!s->kept)
        stmt_free(s);
}
