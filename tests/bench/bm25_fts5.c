/* SQLite's FTS5; see bm25_fts5.h. Any fault of it ends the bench. */
#include "bm25_fts5.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stopwords.h"

struct fts5 {
    sqlite3 *db;
    sqlite3_stmt *search;
};

static void must(struct fts5 *f, int result)
{
    if (result == SQLITE_OK || result == SQLITE_DONE)
        return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(f->db));
    exit(1);
}

static void run(struct fts5 *f, const char *sql)
{
    must(f, sqlite3_exec(f->db, sql, NULL, NULL, NULL));
}

struct fts5 *fts5_build(const char *const *texts, size_t n)
{
    struct fts5 *f = calloc(1, sizeof *f);
    sqlite3_stmt *insert;

    must(f, sqlite3_open(":memory:", &f->db));
    run(f, "CREATE VIRTUAL TABLE t USING fts5(body, content='', tokenize='porter unicode61')");
    run(f, "BEGIN");
    must(f, sqlite3_prepare_v2(f->db, "INSERT INTO t (rowid, body) VALUES (?, ?)", -1, &insert, NULL));
    for (size_t i = 0; i < n; i++) {
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i + 1);
        sqlite3_bind_text(insert, 2, texts[i], -1, SQLITE_STATIC);
        must(f, sqlite3_step(insert));
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    run(f, "COMMIT");
    run(f, "INSERT INTO t (t) VALUES ('optimize')");
    must(f, sqlite3_prepare_v2(f->db, "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", -1, &f->search, NULL));
    return f;
}

/* "one" OR "two": the words that are no stop words. */
static void match_of(const char *query, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    while (*query) {
        char word[100];
        size_t n = 0;

        for (; isalnum((unsigned char)*query) || (unsigned char)*query >= 0x80; query++)
            if (n < sizeof word - 1)
                word[n++] = (char)tolower((unsigned char)*query);
        word[n] = '\0';
        if (n && !stopwords_has(word, n) && used + n + 10 < size)
            used += (size_t)snprintf(out + used, size - used, "%s\"%s\"", used ? " OR " : "", word);
        query += n == 0;
    }
}

size_t fts5_search(struct fts5 *f, const char *query, size_t k)
{
    char match[8192];
    size_t n = 0;
    int step;

    match_of(query, match, sizeof match);
    if (!*match)
        return 0;
    sqlite3_bind_text(f->search, 1, match, -1, SQLITE_STATIC);
    sqlite3_bind_int64(f->search, 2, (sqlite3_int64)k);
    while ((step = sqlite3_step(f->search)) == SQLITE_ROW)
        n++;
    must(f, step);
    sqlite3_reset(f->search);
    return n;
}

size_t fts5_bytes(struct fts5 *f)
{
    sqlite3_stmt *q;
    size_t n;

    must(f, sqlite3_prepare_v2(f->db, "SELECT SUM(LENGTH(block)) FROM t_data", -1, &q, NULL));
    sqlite3_step(q);
    n = (size_t)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

void fts5_free(struct fts5 *f)
{
    sqlite3_finalize(f->search);
    sqlite3_close(f->db);
    free(f);
}
