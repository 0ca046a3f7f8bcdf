/* SQL of numbered events; see event_store.h. */
#include "event_store.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"

#define BATCHES_READ 200

/* ---- the relay's row */

static err get_locked(struct ctx *c, bool *found, struct event_stream *s)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT last_seq, published_seq, position, COALESCE(swept_to, position), moved_at, swept_at FROM event_stream "
                         "WHERE account_id = ? FOR UPDATE", IN(c->account_id)));
    return db_row(&q, c, found, OUT(&s->last_seq), OUT(&s->published_seq), OUT(&s->position), OUT(&s->swept_to), OUT(&s->moved_at),
                  OUT(&s->swept_at));
}

err event_store_lock(struct ctx *c, struct uuid begin, struct event_stream *s)
{
    bool found;

    TRY(get_locked(c, &found, s));
    if (found)
        return ERR_OK;
    TRY(db_exec(c, NULL, "INSERT IGNORE INTO event_stream (account_id, position, swept_to, moved_at, swept_at) VALUES (?,?,?,?,?)",
                IN(c->account_id), IN(begin), IN(begin), IN(c->now), IN(c->now)));
    TRY(get_locked(c, &found, s));
    return found ? ERR_OK : fail(c, ERR_CONFLICT, "the account's event stream is being deleted");
}

err event_store_save(struct ctx *c, const struct event_stream *s)
{
    return db_exec(c, NULL, "UPDATE event_stream SET last_seq = ?, published_seq = ?, position = ?, swept_to = ?, moved_at = ?, swept_at = ? "
                            "WHERE account_id = ?", IN(s->last_seq), IN(s->published_seq), IN(s->position), IN(s->swept_to),
                   IN(s->moved_at), IN(s->swept_at), IN(c->account_id));
}

err event_store_published(struct ctx *c, int64_t seq)
{
    return db_exec(c, NULL, "UPDATE event_stream SET published_seq = ? WHERE account_id = ? AND published_seq < ?", IN(seq),
                   IN(c->account_id), IN(seq));
}

err event_store_add_batch(struct ctx *c, int64_t first_seq, const struct uuid *ids, size_t n)
{
    return db_exec(c, NULL, "INSERT INTO event_batch (account_id, first_seq, n, at, ids, low_id, high_id) VALUES (?,?,?,?,?,?,?)",
                   IN(c->account_id), IN(first_seq), IN((int64_t)n), IN(c->now), IN(((struct bytes){ ids, n * sizeof *ids })), IN(ids[0]),
                   IN(ids[n - 1]));
}

/* ---- what happened */

#define AUDIT_COLUMNS "SELECT id, at, kind, subject_kind, subject_id, space_id, payload FROM audit_event "
#define OUTBOX_COLUMNS "SELECT id, at, kind, '', subject_id, space_id, payload FROM outbox "

static err read_source(struct ctx *c, struct db_cursor *q, bool *found, struct event_source *r)
{
    return db_row(q, c, found, OUT(&r->id), OUT(&r->at), OUT(&r->kind), OUT(&r->subject_kind), OUT_OPT(&r->subject_id),
                  OUT_OPT(&r->space_id), OUT_OPT(&r->raw));
}

static err read_sources(struct ctx *c, struct db_cursor *q, size_t max, struct event_source *rows, size_t *n)
{
    struct event_source one;
    bool found = true;

    for (*n = 0; *n < max; (*n)++) {
        one = (struct event_source){0};
        TRY(read_source(c, q, &found, &one));
        if (!found)
            return ERR_OK;
        rows[*n] = one;
    }
    return ERR_OK;
}

err event_store_fresh(struct ctx *c, struct uuid position, size_t max, struct event_mark *rows, size_t *n)
{
    scoped_cursor q = {0};
    int64_t most = (int64_t)max;
    bool found;

    TRY(db_query(c, &q,
                 "(SELECT id, is_news FROM audit_event WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?) UNION ALL "
                 "(SELECT id, 1 FROM outbox WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?) ORDER BY id LIMIT ?",
                 IN(c->account_id), IN(position), IN(most), IN(c->account_id), IN(position), IN(most), IN(most)));
    for (*n = 0; *n < max; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&rows[*n].id), OUT(&rows[*n].is_news)));
        if (!found)
            break;
    }
    return ERR_OK;
}

/* Ids of a statement that has one column, however many. */
static err all_ids(struct ctx *c, struct db_cursor *q, struct uuid **ids, size_t *n)
{
    size_t cap = 256;
    struct uuid *all = ARENA_ARRAY(c->arena, struct uuid, cap), id;
    bool found;

    for (*n = 0;;) {
        TRY(db_row(q, c, &found, OUT(&id)));
        if (!found)
            break;
        if (*n == cap) {
            struct uuid *more = ARENA_ARRAY(c->arena, struct uuid, cap * 2);

            memcpy(more, all, cap * sizeof *all);
            all = more;
            cap *= 2;
        }
        all[(*n)++] = id;
    }
    *ids = all;
    return ERR_OK;
}

static int event_store_by_bytes(const void *a, const void *b)
{
    return uuid_cmp(*(const struct uuid *)a, *(const struct uuid *)b);
}

/* Each table's part by itself: a union of both would be sorted on disk where it is long. */
err event_store_between(struct ctx *c, struct uuid from, struct uuid *to, size_t max, struct uuid **ids, size_t *n)
{
    scoped_cursor trail = {0}, other = {0};
    struct uuid *of_trail, *of_outbox;
    size_t n_trail, n_outbox;

    TRY(db_query(c, &trail, "SELECT id FROM audit_event WHERE account_id = ? AND id > ? AND id <= ? AND is_news ORDER BY id LIMIT ?",
                 IN(c->account_id), IN(from), IN(*to), IN((int64_t)max)));
    TRY(all_ids(c, &trail, &of_trail, &n_trail));
    if (n_trail == max)
        *to = of_trail[max - 1];
    TRY(db_query(c, &other, "SELECT id FROM outbox WHERE account_id = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?", IN(c->account_id),
                 IN(from), IN(*to), IN((int64_t)max)));
    TRY(all_ids(c, &other, &of_outbox, &n_outbox));
    if (n_outbox == max)
        *to = of_outbox[max - 1];
    *ids = ARENA_ARRAY(c->arena, struct uuid, n_trail + n_outbox + 1);
    memcpy(*ids, of_trail, n_trail * sizeof **ids);
    memcpy(*ids + n_trail, of_outbox, n_outbox * sizeof **ids);
    *n = n_trail + n_outbox;
    if (n_outbox)
        qsort(*ids, *n, sizeof **ids, event_store_by_bytes);
    while (*n && uuid_cmp((*ids)[*n - 1], *to) > 0)
        --*n;
    return ERR_OK;
}

err event_store_numbered(struct ctx *c, struct uuid from, struct uuid to, struct uuid **ids, size_t *n)
{
    scoped_cursor q = {0};
    struct bytes some;
    struct buf all;
    bool found;

    buf_init(&all, c->arena, 4096);
    TRY(db_query(c, &q, "SELECT ids FROM event_batch WHERE account_id = ? AND high_id > ? AND low_id <= ?", IN(c->account_id), IN(from),
                 IN(to)));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&some)));
        if (!found)
            break;
        buf_add(&all, some.p, some.n);
    }
    *n = all.len / sizeof **ids;
    *ids = arena_memdup(c->arena, buf_str(&all), *n * sizeof **ids + 1);
    return ERR_OK;
}

static int event_store_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct event_source *)a)->id, ((const struct event_source *)b)->id);
}

err event_store_by_ids(struct ctx *c, const struct uuid *ids, size_t n, struct event_source *rows, size_t *n_rows)
{
    scoped_cursor q = {0};
    struct sql s;

    *n_rows = 0;
    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, AUDIT_COLUMNS "WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " UNION ALL " OUTBOX_COLUMNS "WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_query(c, &q, &s));
    TRY(read_sources(c, &q, n, rows, n_rows));
    qsort(rows, *n_rows, sizeof *rows, event_store_by_id);
    return ERR_OK;
}

/* ---- accounts */

err event_store_due(struct ctx *c, struct instant sweep_before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT a.id FROM account a LEFT JOIN event_stream s ON s.account_id = a.id WHERE a.id > ? AND "
                 "(s.account_id IS NULL OR s.published_seq < s.last_seq OR (s.swept_to < s.position AND s.swept_at < ?) "
                 "OR (SELECT e.id FROM audit_event e WHERE e.account_id = a.id ORDER BY e.id DESC LIMIT 1) > s.position "
                 "OR (SELECT o.id FROM outbox o WHERE o.account_id = a.id ORDER BY o.id DESC LIMIT 1) > s.position) "
                 "ORDER BY a.id LIMIT ?",
                 IN(above), IN(sweep_before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err event_store_waiting(struct ctx *c, int64_t max, int64_t *n)
{
    struct event_stream s = {0};
    int64_t trail, outbox;
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT last_seq, published_seq, position FROM event_stream WHERE account_id = ?", IN(c->account_id)));
    TRY(db_row(&q, c, &found, OUT(&s.last_seq), OUT(&s.published_seq), OUT(&s.position)));
    TRY(db_query(c, &q,
                 "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM audit_event WHERE account_id = ? AND id > ? AND is_news LIMIT ?) a), "
                 "(SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE account_id = ? AND id > ? LIMIT ?) o)",
                 IN(c->account_id), IN(s.position), IN(max), IN(c->account_id), IN(s.position), IN(max)));
    TRY(db_row(&q, c, &found, OUT(&trail), OUT(&outbox)));
    *n = trail + outbox + s.last_seq - s.published_seq;
    return ERR_OK;
}

err event_store_old(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT account_id FROM event_batch WHERE account_id > ? GROUP BY account_id HAVING MIN(at) < ? "
                        "ORDER BY account_id LIMIT ?", IN(above), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err event_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM event_batch WHERE account_id = ? AND at < ? ORDER BY first_seq LIMIT ?", IN(c->account_id),
                   IN(before), IN(limit));
}

/* ---- reading */

err event_store_bounds(struct ctx *c, int64_t *oldest, int64_t *newest)
{
    scoped_cursor q = {0};
    bool found;

    *newest = 0;
    *oldest = 1;
    TRY(db_query(c, &q,
                 "SELECT s.last_seq, COALESCE((SELECT b.first_seq FROM event_batch b WHERE b.account_id = s.account_id "
                 "ORDER BY b.first_seq LIMIT 1), s.last_seq + 1) FROM event_stream s WHERE s.account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(newest), OUT(oldest));
}

/* The ids numbered from `from` on, at most max; none when that number is in no batch. */
static err ids_from(struct ctx *c, int64_t from, size_t max, struct uuid *ids, size_t *n)
{
    scoped_cursor q = {0};
    struct bytes some;
    int64_t first;
    bool found;

    *n = 0;
    TRY(db_query(c, &q,
                 "SELECT first_seq, ids FROM event_batch WHERE account_id = ? AND first_seq >= (SELECT COALESCE(MAX(first_seq), ?) "
                 "FROM event_batch WHERE account_id = ? AND first_seq <= ?) ORDER BY first_seq LIMIT ?",
                 IN(c->account_id), IN(from), IN(c->account_id), IN(from), IN((int64_t)BATCHES_READ)));
    while (*n < max) {
        int64_t skip;

        TRY(db_row(&q, c, &found, OUT(&first), OUT(&some)));
        if (!found)
            break;
        skip = from + (int64_t)*n - first;
        if (skip < 0) /* what is asked for is not kept */
            break;
        for (size_t i = (size_t)skip; i < some.n / sizeof *ids && *n < max; i++)
            memcpy(&ids[(*n)++], (const char *)some.p + i * sizeof *ids, sizeof *ids);
    }
    return ERR_OK;
}

static const struct event_source *event_store_find(const struct event_source *rows, size_t n, struct uuid id)
{
    struct event_source key = {.id = id};

    return n ? bsearch(&key, rows, n, sizeof *rows, event_store_by_id) : NULL;
}

err event_store_read(struct ctx *c, int64_t after, size_t max, struct event_page *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, max + 1);
    struct event_source *rows = ARENA_ARRAY(c->arena, struct event_source, max + 1);
    int64_t oldest, newest;
    size_t n, n_rows;

    *out = (struct event_page){.rows = ARENA_ARRAY(c->arena, struct event, max + 1)};
    TRY(event_store_bounds(c, &oldest, &newest));
    TRY(ids_from(c, after + 1, max, ids, &n));
    TRY(event_store_by_ids(c, ids, n, rows, &n_rows));
    for (size_t i = 0; i < n; i++) {
        const struct event_source *r = event_store_find(rows, n_rows, ids[i]);
        struct event *e = &out->rows[out->n];

        if (!r) /* the trail was cut since: what came before is gone, too */
            break;
        *e = (struct event){ .id = after + 1 + (int64_t)i, .event_id = r->id, .kind = r->kind, .at = r->at,
                             .subject_kind = r->subject_kind, .subject_id = r->subject_id, .space_id = r->space_id };
        event_tell(c, e, r->raw);
        out->n++;
    }
    out->gone = !out->n && after < newest;
    return ERR_OK;
}
