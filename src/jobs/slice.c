/* Batches, each in its own transaction with cursor, counts and proof of the lease; see slice.h. */
#include "slice.h"

#include <assert.h>
#include <string.h>

#include "account.h"
#include "db.h"
#include "outbox.h"

#define EVENT_US (2 * SECOND_US) /* progress is told no more often */
#define ENOUGH_ROWS 100          /* after which a slice of mostly failing rows is given up */

/* What a batch was doing when it failed. */
struct batch {
    struct slice_work *w;
    struct instant now;
    struct slice_row *rows;
    size_t n_rows;
    bool in_rows;  /* the selection was done */
    bool lost;     /* the lease is not ours any more */
    bool dry_done; /* a dry run's batch came through, and is rolled back on purpose */
};

void slice_count(struct slice *s, const char *name, int64_t n)
{
    struct slice_work *w = s->work;
    struct json *m = json_get(w->counts, name);

    if (m)
        *m = (struct json){.type = JSON_INT, .i = m->i + n, .key = m->key, .next = m->next};
    else
        json_set_int(w->batch_arena, w->counts, name, n);
}

static void slice_note(struct slice_work *w, const char *id, const char *key, const char *what)
{
    struct json *row;

    if (w->n_notes + w->notes->len >= LIMIT_NOTES)
        return;
    row = json_obj(w->batch_arena);
    json_set_str(w->batch_arena, row, "id", arena_strdup(w->batch_arena, id));
    json_set_str(w->batch_arena, row, key, arena_strdup(w->batch_arena, what));
    json_push(w->notes, row);
}

void slice_would(struct slice *s, const char *id, const char *what)
{
    slice_note(s->work, id, "would", what);
}

void slice_failed(struct slice *s, const char *id, const char *why)
{
    s->failed++;
    slice_note(s->work, id, "error", why);
}

/* ---- one batch */

/* Also before a repetition: nothing of the attempt before may count. */
static void begin_batch(struct batch *b)
{
    struct slice_work *w = b->w;
    struct slice *s = &w->s;

    s->scanned = s->changed = s->failed = s->skipped = s->scanned_told = s->changed_told = 0;
    s->more = false;
    s->cursor = w->saved.cursor;
    s->watermark = w->saved.watermark;
    s->extra = w->saved.extra;
    s->limit = w->limit;
    w->counts = json_obj(w->batch_arena);
    w->notes = json_arr(w->batch_arena);
    b->in_rows = false;
    b->n_rows = 0;
}

static err do_rows(struct ctx *c, struct batch *b)
{
    struct slice *s = &b->w->s;

    b->rows = ARENA_ARRAY(c->arena, struct slice_row, (size_t)s->limit);
    TRY(s->job->select(c, s, b->rows, &b->n_rows));
    assert(b->n_rows <= (size_t)s->limit);
    if (b->n_rows == 0)
        return ERR_OK;
    b->in_rows = true;
    TRY(s->job->apply(c, s, b->rows, b->n_rows));
    b->in_rows = false;
    s->scanned = (int64_t)b->n_rows;
    s->more = (int64_t)b->n_rows == s->limit;
    s->cursor = b->rows[b->n_rows - 1].cursor;
    return ERR_OK;
}

static bool same_bytes(struct bytes a, struct bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static err save_state(struct ctx *c, struct batch *b)
{
    struct slice_work *w = b->w;
    struct job_state now = {w->s.more ? w->s.cursor : (struct bytes){0}, w->s.watermark, w->s.extra};

    assert(now.cursor.n <= LIMIT_CURSOR_BYTES);
    if (!w->uses_state ||
        (same_bytes(now.cursor, w->saved.cursor) && now.watermark.us == w->saved.watermark.us &&
         json_equal(now.extra, w->saved.extra)))
        return ERR_OK;
    return state_store_put(c, w->s.account_id, w->s.job->name, &now, b->now);
}

static err save_sums(struct ctx *c, struct batch *b)
{
    struct slice *s = &b->w->s;
    struct run_delta d = {s->scanned - s->scanned_told, s->changed - s->changed_told, s->failed, s->skipped,
                          b->w->counts, b->w->notes};

    if (!(d.scanned | d.changed | d.failed | d.skipped) && !d.counts->len && !d.notes->len)
        return ERR_OK;
    return run_store_add(c, b->w->run_row, &d, b->now);
}

/* Last in each transaction: from here to the commit the lease cannot be taken away. */
static err prove_lease_of(struct ctx *c, struct slice_work *w, bool *lost)
{
    bool held;

    if (uuid_is_nil(w->task_id))
        TRY(job_store_holds(c, w->s.job->name, w->lease->token, &held));
    else
        TRY(task_store_holds(c, w->task_id, w->lease->token, &held));
    *lost = !held;
    return held ? ERR_OK : fail(c, ERR_CONFLICT, "the lease was lost; another worker has taken over");
}

static err prove_lease(struct ctx *c, struct batch *b)
{
    return prove_lease_of(c, b->w, &b->lost);
}

struct uuid slice_behind(const struct slice *s)
{
    struct uuid id = {{0}};

    if (s->cursor.n == sizeof id)
        memcpy(&id, s->cursor.p, sizeof id);
    return id;
}

void slice_go_on(struct ctx *c, struct slice *s, struct uuid id)
{
    s->cursor = (struct bytes){arena_memdup(c->arena, &id, sizeof id), sizeof id};
}

struct slice_row slice_row_of(struct ctx *c, const struct uuid *id, void *data)
{
    return (struct slice_row){{id, sizeof *id}, arena_strdup(c->arena, UUID_STR(*id)), data};
}

err slice_batch(struct ctx *c, struct slice *s, err (*run)(struct ctx *c, int64_t limit, int64_t *n), const char *name)
{
    int64_t n;

    TRY(run(c, s->limit, &n));
    s->scanned += n;
    s->changed += n;
    s->more |= n == s->limit;
    if (n)
        slice_count(s, name, n);
    return ERR_OK;
}

err slice_count_now(struct ctx *c, struct slice *s, int64_t scanned, const char *name)
{
    struct slice_work *w = s->work;
    struct json *counts = json_obj(c->arena);
    bool lost = false;
    err e;

    assert(db_in_tx(c) && w->s.job->flags & JOB_OUTSIDE);
    json_set_int(c->arena, counts, name, 1);
    TRY(run_store_add(c, w->run_row, &(struct run_delta){.scanned = scanned, .changed = 1, .counts = counts}, c->now));
    e = prove_lease_of(c, w, &lost);
    if (lost)
        atomic_store(&w->lease->lost, true);
    return e;
}

static err tell_progress(struct ctx *c, struct batch *b)
{
    struct slice_work *w = b->w;
    int64_t now = clock_monotonic_us();
    struct json *payload;

    if (now - w->event_at < EVENT_US || uuid_is_nil(w->s.account_id) || uuid_is_nil(w->task_id))
        return ERR_OK;
    w->event_at = now;
    payload = json_obj(c->arena);
    json_set_str(c->arena, payload, "job", w->s.job->name);
    json_set_int(c->arena, payload, "scanned", w->scanned + w->s.scanned);
    return outbox_add(c, "job.progress", w->s.run_id, (struct uuid){0}, payload);
}

/* Nothing of an account under legal hold is deleted by a job; what has expired stays invisible all the same. */
static err purge_unless_held(struct ctx *c, struct slice *s)
{
    bool held;

    TRY(account_is_held(c, &held));
    if (!held)
        return s->job->purge(c, s);
    slice_count(s, "held", 1);
    s->skipped++;
    return ERR_OK;
}

static err do_step(struct ctx *c, struct slice *s)
{
    if (s->job->step)
        TRY(s->job->step(c, s));
    return s->job->purge ? purge_unless_held(c, s) : ERR_OK;
}

static err work_body(struct ctx *c, void *arg)
{
    struct batch *b = arg;
    struct slice *s = &b->w->s;

    begin_batch(b);
    TRY(s->job->select ? do_rows(c, b) : do_step(c, s));
    if (s->dry) {
        b->dry_done = true;
        return fail(c, ERR_CONFLICT, "a dry run changes nothing");
    }
    TRY(save_state(c, b));
    TRY(save_sums(c, b));
    TRY(tell_progress(c, b));
    return prove_lease(c, b);
}

static err sums_body(struct ctx *c, void *arg)
{
    TRY(save_sums(c, arg));
    return prove_lease(c, arg);
}

/* The work is done already, and may be done again: only its record is written here. */
static err record_body(struct ctx *c, void *arg)
{
    TRY(save_state(c, arg));
    TRY(save_sums(c, arg));
    return prove_lease(c, arg);
}

static err run_outside(struct ctx *c, struct batch *b)
{
    begin_batch(b);
    TRY(do_step(c, &b->w->s));
    return db_tx(c, b->w->s.dry ? sums_body : record_body, b);
}

static err slice_run_batch(struct ctx *c, struct batch *b)
{
    err e;

    if (b->w->s.job->flags & JOB_OUTSIDE)
        return run_outside(c, b);
    e = db_tx(c, work_body, b);
    if (!b->dry_done)
        return e;
    ctx_forgive(c);
    return db_tx(c, sums_body, b);
}

/* ---- a row that cannot be done */

/* The batch was down to one row: it is counted, named, and passed over. */
static err skip_row(struct ctx *c, struct batch *b)
{
    struct slice *s = &b->w->s;
    struct slice_row row = b->rows[0];
    const char *error = arena_strdup(c->arena, c->fault.message);

    ctx_forgive(c);
    begin_batch(b);
    s->scanned = s->failed = 1;
    s->more = true;
    s->cursor = row.cursor;
    slice_note(b->w, row.id ? row.id : "", "error", error);
    return db_tx(c, s->dry ? sums_body : record_body, b);
}

/* ---- the loop */

static bool passes(err e)
{
    return e == ERR_UNAVAILABLE || e == ERR_DEADLINE || e == ERR_RATE || e == ERR_PROVIDER;
}

/* What the batch did is committed: it counts, and lasts beyond the batch's arena. */
static void slice_keep(struct slice_work *w, struct arena *lasting)
{
    struct slice *s = &w->s;

    w->scanned += s->scanned;
    w->changed += s->changed;
    w->failed += s->failed;
    w->n_notes += w->notes->len;
    if (!s->more)
        w->saved.cursor = (struct bytes){0};
    else if (!same_bytes(s->cursor, w->saved.cursor))
        w->saved.cursor = (struct bytes){arena_memdup(lasting, s->cursor.p, s->cursor.n), s->cursor.n};
    w->saved.watermark = s->watermark;
    if (s->extra != w->saved.extra) {
        const char *text = json_text(w->batch_arena, s->extra), *why;
        struct json *copy;

        if (json_parse(lasting, text, strlen(text), &copy, &why) == JSON_OK)
            w->saved.extra = copy;
    }
}

/* *end is set when the slice is over with it; else the next batch is smaller, or behind the row. */
static err after_failure(struct ctx *c, struct batch *b, err e, struct arena *lasting, enum slice_end *end, bool *over)
{
    struct slice_work *w = b->w;

    *over = true;
    arena_excuse(c->arena); /* what the batch had made is dropped */
    if (b->lost || atomic_load(&w->lease->lost)) {
        *end = SLICE_LEASE_LOST;
        ctx_forgive(c);
        return ERR_OK;
    }
    if (passes(e))
        return e;
    if (!b->in_rows) {
        w->error = arena_strdup(lasting, c->fault.message);
        *end = SLICE_FAILED;
        ctx_forgive(c);
        return ERR_OK;
    }
    *over = false;
    if (b->n_rows > 1) {
        w->limit = (int64_t)b->n_rows / 2;
        ctx_forgive(c);
        return ERR_OK;
    }
    e = skip_row(c, b);
    if (e == ERR_OK) {
        slice_keep(w, lasting);
        return ERR_OK;
    }
    *over = true;
    if (!b->lost)
        return e;
    *end = SLICE_LEASE_LOST;
    ctx_forgive(c);
    return ERR_OK;
}

static int64_t full_batch(const struct slice_work *w)
{
    const struct job *job = w->s.job;
    int64_t n = job->batch ? job->batch : JOB_BATCH;

    return job->bound && job->bound - w->scanned < n ? job->bound - w->scanned : n;
}

/* Asked between two batches. */
static err slice_ask(struct ctx *c, struct slice_work *w, enum slice_end *end, bool *over)
{
    const struct job *job = w->s.job;
    struct run_questions q = {0};

    *over = true;
    if (atomic_load(&w->lease->lost))
        *end = SLICE_LEASE_LOST;
    else if (atomic_load(&w->engine->stopping))
        *end = SLICE_STOP;
    else if (w->scanned >= ENOUGH_ROWS && w->failed * 2 > w->scanned)
        *end = SLICE_FAILED;
    else if (job->bound && w->scanned >= job->bound)
        *end = SLICE_BOUND;
    else if (w->run_ends_at.us && engine_now(w->engine).us >= w->run_ends_at.us)
        *end = SLICE_RUN_BOX;
    else if (clock_monotonic_us() >= w->turn_ends_us)
        *end = w->s.dry ? SLICE_RUN_BOX : SLICE_TURN;
    else
        *over = false;
    if (*over || uuid_is_nil(w->task_id))
        return ERR_OK;
    TRY(run_store_ask(c, w->run_row, &q));
    if (q.cancelled)
        *end = SLICE_CANCELLED;
    *over = q.cancelled;
    return ERR_OK;
}

/* One batch and what follows from it; the batch's arena is current. */
static err do_batch(struct ctx *c, struct slice_work *w, struct arena *lasting, enum slice_end *end, bool *over)
{
    struct batch b = {.w = w, .now = engine_now(w->engine)};
    err e;

    c->now = b.now;
    e = slice_run_batch(c, &b);
    if (e == ERR_OK) {
        slice_keep(w, lasting);
        w->limit = w->limit * 2 < full_batch(w) ? w->limit * 2 : full_batch(w);
        /* a dry step is rolled back, so a second one would find the same rows */
        *over = !w->s.more || (w->s.dry && !w->s.job->select);
        *end = w->s.more ? SLICE_BOUND : SLICE_DONE;
    } else {
        TRY(after_failure(c, &b, e, lasting, end, over));
    }
    return *over ? ERR_OK : slice_ask(c, w, end, over);
}

err slice_loop(struct ctx *c, struct slice_work *w, enum slice_end *end)
{
    struct arena *lasting = c->arena;
    struct access *access = c->access;
    bool over = false;
    err e = ERR_OK;

    w->limit = full_batch(w);
    while (e == ERR_OK && !over) {
        c->arena = w->batch_arena;
        e = do_batch(c, w, lasting, end, &over);
        c->fault.message = arena_strdup(lasting, c->fault.message);
        c->arena = lasting;
        c->access = access;     /* a space that the batch made was added to it in the batch's arena, as were … */
        c->fault.fields = NULL; /* … these */
        c->tx_after = NULL;
        arena_reset(w->batch_arena);
    }
    return e;
}

err slice_open(struct ctx *c, struct slice_work *w)
{
    w->s.work = w;
    w->uses_state = w->s.job->select || w->s.job->flags & JOB_STATE;
    w->event_at = clock_monotonic_us();
    w->saved.extra = json_obj(c->arena);
    if (w->uses_state)
        TRY(state_store_get(c, w->s.account_id, w->s.job->name, &w->saved));
    return ERR_OK;
}

enum run_status slice_status(const struct slice_work *w, enum slice_end end, const char **reason)
{
    *reason = NULL;
    if (end == SLICE_CANCELLED) {
        *reason = "cancelled";
        return RUN_CANCELLED;
    }
    if (w->failed * 2 > w->scanned) {
        *reason = "failed_rows";
        return RUN_FAILED;
    }
    if (end == SLICE_FAILED)
        return RUN_FAILED;
    if (end == SLICE_BOUND || end == SLICE_RUN_BOX) {
        *reason = end == SLICE_BOUND ? "bound" : "time_box";
        return RUN_PARTIAL;
    }
    if (w->failed) {
        *reason = "failed_rows";
        return RUN_PARTIAL;
    }
    return RUN_SUCCEEDED;
}
