/* Waiting until nothing is left to do; see settle.h. */
#include "settle.h"

#include <string.h>
#include <time.h>

#include "access.h"
#include "account.h"
#include "app.h"
#include "db.h"
#include "job_service.h"
#include "kv_feed.h"
#include "settle_store.h"
#include "wake.h"

#define ACCOUNTS_MAX 1000
#define QUESTIONS_MAX 64           /* heard at once; who is left out asks again */
#define ANSWERS_US (2 * SECOND_US) /* a process that has said nothing for so long counts as one that holds something */
#define PAUSE_FIRST_US 10000
#define PAUSE_MAX_US 100000
#define PAUSE_LOOKS 4 /* times as long as the look took: who waits must not take the time of what is waited for */

ENUMX_DEFINE(settle_part, SETTLE_PART);

/* ---- what a process holds in memory */

struct question {
    struct uuid id, account_id;
};

struct questions {
    struct question v[QUESTIONS_MAX];
    size_t n;
};

/* "QUESTION ACCOUNT". Runs under the lock of the feed: it only takes note. */
static void note_question(void *arg, const char *message)
{
    struct questions *all = arg;
    char id[UUID_TEXT];
    struct question *q = &all->v[all->n];

    if (all->n == QUESTIONS_MAX || strlen(message) != 2 * UUID_TEXT - 1)
        return;
    memcpy(id, message, UUID_TEXT - 1);
    id[UUID_TEXT - 1] = 0;
    all->n += uuid_parse(id, &q->id) && uuid_parse(message + UUID_TEXT, &q->account_id);
}

struct kv_feed *settle_feed_new(const struct config *conf)
{
    return kv_feed_new(conf, SETTLE_CHANNEL);
}

void settle_feed_free(struct kv_feed *f)
{
    kv_feed_free(f);
}

int settle_feed_fd(const struct app *app)
{
    return app->settle_feed ? kv_feed_fd(app->settle_feed) : -1;
}

void settle_hear(struct ctx *c)
{
    struct questions all = {.n = 0};

    if (!c->app->settle_feed)
        return;
    kv_feed_drain(c->app->settle_feed, note_question, &all);
    for (size_t i = 0; i < all.n; i++)
        if (settle_store_answer(c, all.v[i].id, c->app->settle_own(c, all.v[i].account_id)) != ERR_OK)
            ctx_forgive(c);
}

void settle_tick(struct ctx *c)
{
    settle_hear(c);
    if (c->app->settle_feed)
        kv_feed_keep(c->app->settle_feed);
}

/* *silent: processes that did not answer, or could not write; *held: what the others hold of the relay's work. */
static err ask_processes(struct ctx *c, struct uuid account_id, int64_t *silent, int64_t *held)
{
    struct uuid question = uuid_new(clock_now().us);
    int64_t until = clock_monotonic_us() + ANSWERS_US, left = 0;

    *held = 0;
    TRY(settle_store_ask(c, question, account_id, silent));
    while (*silent && clock_monotonic_us() < until) {
        bool got;

        TRY(ctx_check_deadline(c));
        TRY(settle_store_await(c, question, &got, &left));
        if (got && left < 0)
            return ERR_OK;
        *silent -= got;
        *held += got ? left : 0;
    }
    return ERR_OK;
}

/* ---- what the database knows */

struct settling {
    const struct settle_wish *wish;
    bool parts[SETTLE_PARTS];
    struct uuid account_id; /* nil: all */
    struct uuid *ids;       /* of the accounts */
    size_t n;
};

/* As the account's system, without changing who the caller is. */
static err add_of_account(struct ctx *c, struct uuid account_id, err (*count)(struct ctx *, int64_t *), int64_t *sum)
{
    struct ctx side = *c;
    int64_t n = 0;
    err e = access_as_system(&side, account_id, "settled");

    if (e == ERR_OK)
        e = count(&side, &n);
    c->fault = side.fault;
    *sum += n;
    return e;
}

static err add_of_accounts(struct ctx *c, const struct settling *s, err (*count)(struct ctx *, int64_t *), int64_t *sum)
{
    for (size_t i = 0; count && i < s->n; i++) {
        TRY(ctx_check_deadline(c));
        TRY(add_of_account(c, s->ids[i], count, sum));
    }
    return ERR_OK;
}

static err settle_any_vector(struct ctx *c, int64_t *n)
{
    return c->app->vectors_waiting(c, 1, n);
}

static err settle_all_vectors(struct ctx *c, int64_t *n)
{
    return c->app->vectors_waiting(c, VECTORS_COUNTED, n);
}

/* Uses come first, since writing them makes work for the others. How many there are is asked for at the end only: counting takes the time
 * of what is waited for. */
static err look_once(struct ctx *c, const struct settling *s, bool is_last, struct settle_state *out)
{
    struct instant now;

    *out = (struct settle_state){0};
    if (s->parts[SETTLE_USES] || s->parts[SETTLE_RELAY])
        TRY(ask_processes(c, s->account_id, &out->uses, &out->relay));
    if (s->parts[SETTLE_RELAY])
        TRY(add_of_accounts(c, s, c->app->events_waiting, &out->relay));
    if (s->parts[SETTLE_VECTORS] && c->app->vectors_waiting)
        TRY(add_of_accounts(c, s, is_last ? settle_all_vectors : settle_any_vector, &out->vectors));
    if (s->parts[SETTLE_QUEUE]) {
        TRY(jobs_now(c, &now));
        TRY(settle_store_tasks(c, s->account_id, &s->wish->kinds, now, &out->queue, &out->later));
    }
    if (s->parts[SETTLE_RUNS])
        TRY(settle_store_runs(c, s->account_id, &out->runs));
    if (!s->parts[SETTLE_RELAY])
        out->relay = 0;
    out->settled = !(out->relay || out->vectors || out->uses || out->queue || out->runs);
    return ERR_OK;
}

/* ---- waiting */

static err read_parts(struct ctx *c, struct settling *s)
{
    const struct strs *names = &s->wish->parts;

    for (int i = 0; i < SETTLE_PARTS; i++)
        s->parts[i] = names->n == 0;
    for (size_t i = 0; i < names->n; i++) {
        int part;

        if (!enumx_parse(&settle_part_enumx, names->v[i], &part))
            return fail_field(c, "/parts", "'%s' is none of relay, vectors, uses, queue and runs", names->v[i]);
        s->parts[part] = true;
    }
    return ERR_OK;
}

static err read_accounts(struct ctx *c, struct settling *s)
{
    struct account a;

    s->ids = ARENA_ARRAY(c->arena, struct uuid, ACCOUNTS_MAX + 1);
    if (s->wish->account) {
        TRY(account_by_slug(c, s->wish->account, &a));
        s->ids[s->n++] = s->account_id = a.id;
        return ERR_OK;
    }
    TRY(settle_store_accounts(c, s->ids, ACCOUNTS_MAX + 1, &s->n));
    return s->n <= ACCOUNTS_MAX ? ERR_OK : fail_field(c, "/account", "there are more than %d accounts: name one", ACCOUNTS_MAX);
}

/* Who waits gets an answer, even where a request may take less time than that. */
static int64_t ends_us(const struct ctx *c, int64_t wait_s)
{
    int64_t until = clock_monotonic_us() + wait_s * SECOND_US, last = c->deadline_us - ANSWERS_US - SECOND_US;

    return c->deadline_us && last < until ? last : until;
}

static void settle_pause(int64_t pause_us, int64_t looked_us)
{
    int64_t us = looked_us * PAUSE_LOOKS > pause_us ? looked_us * PAUSE_LOOKS : pause_us;

    us = us < SECOND_US ? us : SECOND_US - 1;
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* Twice in a row: between two counts work may have gone from a part that was not counted yet to one that was. The parts have no event in
 * common that could be waited for. */
err settle_wait(struct ctx *c, const struct settle_wish *w, struct settle_state *out)
{
    struct settling s = {.wish = w};
    int64_t until = ends_us(c, w->wait_s), pause_us = PAUSE_FIRST_US;
    bool was_settled = false;

    TRY(read_parts(c, &s));
    TRY(read_accounts(c, &s));
    wake_now(c);
    for (;;) {
        int64_t began = clock_monotonic_us();
        bool is_last = began >= until;

        TRY(look_once(c, &s, is_last, out));
        if ((out->settled && was_settled) || (!out->settled && is_last))
            return ERR_OK;
        was_settled = out->settled;
        if (was_settled)
            continue;
        settle_pause(pause_us, clock_monotonic_us() - began);
        pause_us = pause_us * 2 < PAUSE_MAX_US ? pause_us * 2 : PAUSE_MAX_US;
    }
}
