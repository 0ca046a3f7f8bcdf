/* Reads that the access log shall hold: gathered in the process, written in batches; see access_log.h. */
#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "access_log_impl.h"
#include "app.h"
#include "db.h"
#include "metrics.h"
#include "str.h"

#define WAITING 8192 /* notes; at a second's pace more reads than one process answers */
#define BATCH 500
#define QUERY_BYTES 512 /* of a query whose text is kept */
#define HASH_HEX 65

/* A read with its own copies of texts. */
struct note {
    struct access_row row;
    char request_id[REQUEST_ID_MAX + 1], ip[46], user_agent[USER_AGENT_MAX + 1], error[ACCESS_ERROR + 1];
    char query[QUERY_BYTES + 1], query_hash[HASH_HEX]; /* one of them, or none */
    int64_t hits;
};

struct access_reads {
    pthread_mutex_t lock;
    struct arena *arena;
    struct note *notes;
    size_t n;
};

static const struct metric DROPPED = {"loci_access_log_dropped_total", METRIC_COUNTER,
                                      "reads of contexts missing in the access log because the buffer was full"};

struct access_reads *access_reads_new(void)
{
    struct arena *a = arena_new(WAITING * sizeof(struct note) + 65536);
    struct access_reads *r = ARENA_NEW(a, struct access_reads);

    r->arena = a;
    r->notes = ARENA_ARRAY(a, struct note, WAITING);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void access_reads_free(struct access_reads *r)
{
    if (!r)
        return;
    pthread_mutex_destroy(&r->lock);
    arena_free(r->arena);
}

/* ---- noting */

/* As much of the text as fits, cut between characters. */
static void access_reads_copy(char *to, size_t size, const char *text)
{
    size_t n = strnlen(text, size - 1);

    while (n && text[n] && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    memcpy(to, text, n);
    to[n] = 0;
}

/* With the installation's secret: short queries cannot be guessed from their hashes. */
static void hash_query(const struct ctx *c, const char *query, char hex[HASH_HEX])
{
    uint8_t hash[32];

    crypto_generichash(hash, sizeof hash, (const uint8_t *)query, strlen(query), c->app->secret, SECRET_BYTES);
    hex_encode(hash, sizeof hash, hex);
}

static void access_reads_fill(const struct ctx *c, const struct access_read *r, struct note *n)
{
    memset(n, 0, sizeof *n);
    n->row = access_row_of(c, r->action, r->context_id, r->entry_id);
    n->row.success = !r->refused;
    n->hits = r->hits;
    access_reads_copy(n->request_id, sizeof n->request_id, n->row.request_id);
    access_reads_copy(n->ip, sizeof n->ip, n->row.ip);
    access_reads_copy(n->user_agent, sizeof n->user_agent, n->row.user_agent);
    if (r->refused)
        access_reads_copy(n->error, sizeof n->error, r->refused);
    if (r->query && r->keeps_query)
        access_reads_copy(n->query, sizeof n->query, r->query);
    else if (r->query)
        hash_query(c, r->query, n->query_hash);
}

static void access_reads_dropped(struct ctx *c, size_t n)
{
    if (n && c->app->metrics)
        metrics_add(c->app->metrics, &DROPPED, "", (double)n);
}

/* Returns how many did not fit. */
static size_t access_reads_add(struct access_reads *all, const struct note *notes, size_t n)
{
    size_t taken;

    pthread_mutex_lock(&all->lock);
    taken = n < WAITING - all->n ? n : WAITING - all->n;
    memcpy(all->notes + all->n, notes, taken * sizeof *notes);
    all->n += taken;
    pthread_mutex_unlock(&all->lock);
    return n - taken;
}

void access_log_read(struct ctx *c, const struct access_read *r)
{
    struct access_reads *all = c->app ? c->app->access_reads : NULL;
    struct note n;

    if (!all)
        return;
    access_reads_fill(c, r, &n);
    access_reads_dropped(c, access_reads_add(all, &n, 1));
}

void access_log_refusal(struct ctx *c, enum access_action action, struct uuid context_id, const char *why)
{
    access_log_read(c, &(struct access_read){.action = action, .context_id = context_id, .refused = why});
}

/* ---- flushing */

static const struct json *access_reads_metadata_of(struct ctx *c, const struct note *n)
{
    struct json *j;

    if (!n->query[0] && !n->query_hash[0])
        return NULL;
    j = json_obj(c->arena);
    if (n->query[0])
        json_set_str(c->arena, j, "query", n->query);
    else
        json_set_str(c->arena, j, "query_hash", n->query_hash);
    json_set_int(c->arena, j, "hits", n->hits);
    return j;
}

struct batch {
    const struct note *notes;
    size_t n;
};

static err access_reads_flush_body(struct ctx *c, void *arg)
{
    const struct batch *b = arg;
    struct access_row *rows = ARENA_ARRAY(c->arena, struct access_row, b->n);

    for (size_t i = 0; i < b->n; i++) {
        const struct note *n = &b->notes[i];

        rows[i] = n->row;
        rows[i].request_id = n->request_id;
        rows[i].ip = n->ip;
        rows[i].user_agent = n->user_agent;
        rows[i].error_message = n->error[0] ? n->error : NULL;
        rows[i].metadata = access_reads_metadata_of(c, n);
    }
    TRY(access_log_store_insert(c, rows, b->n));
    return access_log_store_count(c, rows, b->n);
}

static struct note *access_reads_take_all(struct ctx *c, struct access_reads *all, size_t *n)
{
    struct note *notes;

    pthread_mutex_lock(&all->lock);
    notes = arena_memdup(c->arena, all->notes, all->n * sizeof *notes);
    *n = all->n;
    all->n = 0;
    pthread_mutex_unlock(&all->lock);
    return notes;
}

err access_log_flush(struct ctx *c)
{
    struct access_reads *all = c->app ? c->app->access_reads : NULL;
    struct note *notes;
    size_t n, done = 0;
    err e = ERR_OK;

    if (!all)
        return ERR_OK;
    notes = access_reads_take_all(c, all, &n);
    while (done < n && e == ERR_OK) {
        struct batch b = {notes + done, n - done < BATCH ? n - done : BATCH};

        e = db_tx(c, access_reads_flush_body, &b);
        if (e == ERR_OK)
            done += b.n;
    }
    access_reads_dropped(c, access_reads_add(all, notes + done, n - done));
    return e;
}
