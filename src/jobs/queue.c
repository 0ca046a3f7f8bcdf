/* Whose turn it is, claiming their tasks, doing them, and what becomes of those that fail. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "db.h"
#include "engine.h"
#include "jobs_own.h"
#include "stats_store.h"

#define MAP_FRESH_US SECOND_US   /* the map is read once a second … */
#define MAP_HOT_US 50000         /* … and sooner after work … */
#define MAP_SHARE 10             /* … but reading it takes no more than a tenth of the time, however many accounts wait */
#define AGE_US (600 * SECOND_US) /* waiting this long makes a task one priority more urgent … */
#define AGED_PRIORITY 3          /* … up to this: an old backlog catches up with fresh work, it does not overtake the urgent */
#define RETRY_FIRST_S 5
#define RETRY_CAP_S 3600
#define RETRY_AFTER_MAX_S 86400
#define LAPSES_MAX 3
#define TAKE_BACK_MAX 100

/* ---- the map of what waits */

static void adopt(struct engine *e, const struct task_group *groups, size_t n)
{
    size_t kept = 0;

    free(e->map);
    e->map = calloc(n + 1, sizeof *e->map);
    assert(e->map);
    for (size_t i = 0; i < n; i++) {
        const struct task_kind *kind = task_kind_find(e->list, groups[i].kind);

        if (!kind) /* of a newer program that shares the database */
            continue;
        e->map[kept] = groups[i];
        e->map[kept++].kind = kind->name;
    }
    e->n_map = kept;
}

/* Whether the map is to be read now; if so it counts as read, and the others go on with the old one meanwhile. */
static bool take_reading(struct engine *e, int64_t now)
{
    int64_t wait = e->map_old ? 0 : e->map_hot ? MAP_HOT_US : MAP_FRESH_US;
    bool stale;

    if (wait < MAP_SHARE * e->map_cost_us)
        wait = MAP_SHARE * e->map_cost_us;
    stale = !e->map_at || now - e->map_at >= wait;
    if (stale) {
        e->map_hot = e->map_hot && e->map_old;
        e->map_old = false;
        e->map_at = now;
    }
    return stale;
}

err queue_refresh(struct engine *e, struct ctx *c)
{
    int64_t now = clock_monotonic_us();
    struct task_group *groups;
    bool stale;
    size_t n;

    pthread_mutex_lock(&e->lock);
    stale = take_reading(e, now);
    pthread_mutex_unlock(&e->lock);
    if (!stale)
        return ERR_OK;
    TRY(task_store_map(c, engine_now(e), &groups, &n));
    pthread_mutex_lock(&e->lock);
    adopt(e, groups, n);
    e->map_cost_us = clock_monotonic_us() - now;
    pthread_mutex_unlock(&e->lock);
    return ERR_OK;
}

void queue_stir(struct engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->map_old = true;
    e->map_hot = true;
    pthread_cond_broadcast(&e->wake);
    pthread_mutex_unlock(&e->lock);
}

static int64_t *served_at(struct engine *e, struct uuid account)
{
    size_t i = hash_bytes(&account, sizeof account, 0) % SERVED_SLOTS;

    if (!uuid_eq(e->served[i].account, account)) { /* two accounts in one place: the older is forgotten */
        e->served[i].account = account;
        e->served[i].at = 0;
    }
    return &e->served[i].at;
}

static int64_t urgency(const struct task_group *g, struct instant now)
{
    int64_t aged = g->priority - (now.us - g->oldest.us) / AGE_US;

    if (aged < AGED_PRIORITY)
        aged = AGED_PRIORITY;
    return g->priority < aged ? g->priority : aged;
}

struct candidate {
    const struct task_group *group;
    int64_t urgency, served;
};

static bool goes_before(const struct candidate *a, const struct candidate *b)
{
    if (!b->group || a->urgency != b->urgency)
        return !b->group || a->urgency < b->urgency;
    if (a->served != b->served)
        return a->served < b->served;
    return a->group->oldest.us < b->group->oldest.us;
}

static enum turn queue_turn_of(const struct engine *e, const struct task_group *g)
{
    const struct task_kind *kind = task_kind_find(e->list, g->kind);

    return kind->flags & TASK_SWEPT ? TURN_SWEPT : g->priority < kind->priority ? TURN_ASKED : TURN_ANY;
}

/* The most urgent group; of equals the account served least recently, then the one that waits longest. What a sweep found
 * may be a backlog of any length, and people may go on asking: either gets every other turn while anything else waits. */
static bool queue_choose(struct engine *e, bool urgent_only, struct task_group *out)
{
    struct instant now = engine_now(e);
    struct candidate best = {0}, other = {0};

    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < e->n_map; i++) {
        const struct task_group *g = &e->map[i];
        struct candidate x = {g, urgency(g, now), *served_at(e, g->account_id)};

        if (urgent_only && g->priority > URGENT_PRIORITY)
            continue;
        if (goes_before(&x, &best))
            best = x;
        if (e->last_turn != TURN_ANY && queue_turn_of(e, g) != e->last_turn && goes_before(&x, &other))
            other = x;
    }
    if (other.group)
        best = other;
    if (best.group)
        *out = *best.group;
    pthread_mutex_unlock(&e->lock);
    return best.group != NULL;
}

/* Nothing more is to be had there, until the map is read again. */
static void drop_group(struct engine *e, const struct task_group *g)
{
    pthread_mutex_lock(&e->lock);
    for (size_t i = 0; i < e->n_map; i++)
        if (e->map[i].kind == g->kind && e->map[i].priority == g->priority && uuid_eq(e->map[i].account_id, g->account_id)) {
            e->map[i] = e->map[--e->n_map];
            break;
        }
    pthread_mutex_unlock(&e->lock);
}

/* Finding the accounts of a run is a moment's work, and its slices wait for it: that is no turn. */
static void was_served(struct engine *e, const struct task_group *g)
{
    pthread_mutex_lock(&e->lock);
    *served_at(e, g->account_id) = clock_monotonic_us();
    if (g->kind != run_kind.name)
        e->last_turn = queue_turn_of(e, g);
    e->map_hot = true;
    pthread_mutex_unlock(&e->lock);
}

/* ---- claiming */

struct claiming {
    struct task_claim claim;
    struct task *tasks;
    size_t n;
};

static err claim_body(struct ctx *c, void *arg)
{
    struct claiming *k = arg;

    return task_store_claim(c, &k->claim, k->tasks, &k->n);
}

/* A place that another scheduler was quicker to take is no error. */
static err queue_claim(struct engine *e, struct ctx *c, struct claiming *k, const struct task_group *g)
{
    const struct task_kind *kind = task_kind_find(e->list, g->kind);
    struct instant now = engine_now(e);
    err result;

    *k = (struct claiming){.claim = {kind, g->priority, g->account_id, e->id, uuid_new(now.us), now,
                                     {now.us + kind->lease_s * SECOND_US}}};
    k->tasks = ARENA_ARRAY(c->arena, struct task, (size_t)(kind->batch > 1 ? kind->batch : 1));
    result = db_tx(c, claim_body, k);
    if (result == ERR_CONFLICT) {
        ctx_forgive(c);
        k->n = 0;
        return ERR_OK;
    }
    return result;
}

/* ---- failing */

static bool queue_is_transient(err code)
{
    return code == ERR_UNAVAILABLE || code == ERR_PROVIDER || code == ERR_DEADLINE || code == ERR_CONFLICT ||
           code == ERR_INTERNAL || code == ERR_RATE;
}

static int64_t jittered(int64_t us)
{
    uint32_t r = 0;

    if (getrandom(&r, sizeof r, 0) != sizeof r)
        r = (uint32_t)clock_monotonic_us();
    return us / 2 + us / 1000 * (int64_t)(r % 1001);
}

static struct task_failure queue_judge(const struct task_work *w, const struct task *t, err code, const char *error,
                                       int retry_after_s, struct instant now)
{
    int64_t cap_s = w->kind->retry_cap_s ? w->kind->retry_cap_s : RETRY_CAP_S, wait_s = RETRY_FIRST_S;
    bool patient = retry_after_s > 0 && (code == ERR_RATE || code == ERR_PROVIDER || code == ERR_UNAVAILABLE);
    struct task_failure f = {.error = error ? error : err_info(code)->meaning, .counted = !patient};

    if (patient) {
        f.run_at.us = now.us + (retry_after_s < RETRY_AFTER_MAX_S ? retry_after_s : RETRY_AFTER_MAX_S) * SECOND_US;
        return f;
    }
    f.dead = !queue_is_transient(code) || t->attempts >= w->kind->max_attempts;
    for (int i = 1; i < t->attempts && wait_s < cap_s; i++)
        wait_s *= 2;
    f.run_at.us = now.us + jittered((wait_s < cap_s ? wait_s : cap_s) * SECOND_US);
    return f;
}

struct failing {
    struct engine *e;
    struct task_work *w;
    const struct task *t;
    struct task_failure f;
};

static err fail_body(struct ctx *c, void *arg)
{
    struct failing *x = arg;
    bool held;

    TRY(task_store_failed(c, x->t, x->w->lease->token, &x->f, engine_now(x->e), &held));
    if (held && x->f.dead && x->w->kind->died)
        TRY(x->w->kind->died(c, x->t, x->f.error));
    return ERR_OK;
}

static err end_failed(struct engine *e, struct ctx *c, struct task_work *w, const struct task *t, err code,
                      const char *error, int retry_after_s)
{
    struct failing x = {e, w, t, queue_judge(w, t, code, error, retry_after_s, engine_now(e))};

    stat_add(e, x.f.dead ? STAT_DEAD : STAT_RETRIES, w->kind->name, "", 1);
    return db_tx(c, fail_body, &x);
}

/* ---- ending */

static err end_done(struct engine *e, struct ctx *c, struct task_work *w)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->n);
    size_t n = 0;
    int64_t rows;

    for (size_t i = 0; i < w->n; i++)
        if (w->tasks[i].result == ERR_OK)
            ids[n++] = w->tasks[i].id;
    return n ? task_store_done(c, w->kind, ids, n, w->lease->token, engine_now(e), &rows) : ERR_OK;
}

static err release_all(struct engine *e, struct ctx *c, struct task_work *w, bool behind)
{
    bool held;

    for (size_t i = 0; i < w->n; i++)
        TRY(task_store_release(c, w->tasks[i].id, w->lease->token, behind, engine_now(e), &held));
    return ERR_OK;
}

/* result: as the handler returned; what it left in c->fault tells why. */
static err queue_end(struct engine *e, struct ctx *c, struct task_work *w, err result)
{
    struct fault fault = c->fault;

    ctx_forgive(c);
    arena_excuse(c->arena);
    if (w->outcome == TASK_FINISHED || atomic_load(&w->lease->lost))
        return ERR_OK;
    if (w->outcome == TASK_BEHIND)
        return release_all(e, c, w, true);
    if (result != ERR_OK && atomic_load(&e->stopping) && queue_is_transient(result))
        return release_all(e, c, w, false);
    if (result == ERR_OK)
        TRY(end_done(e, c, w));
    for (size_t i = 0; i < w->n; i++) {
        const struct task *t = &w->tasks[i];

        if (t->result != ERR_OK)
            TRY(end_failed(e, c, w, t, t->result, t->error, t->retry_after_s));
        else if (result != ERR_OK)
            TRY(end_failed(e, c, w, t, result, fault.message, fault.retry_after_s));
    }
    return ERR_OK;
}

/* ---- doing */

/* What is too large together is done one by one: only the task that is too large by itself fails. */
static err do_alone(struct engine *e, struct ctx *c, const struct task_work *all)
{
    struct arena_mark mark = arena_mark(c->arena);

    for (size_t i = 0; i < all->n; i++) {
        struct task_work w = *all;

        w.tasks += i;
        w.n = 1;
        w.tasks->result = ERR_OK;
        TRY(queue_end(e, c, &w, w.kind->run(c, &w)));
        arena_rewind(c->arena, mark);
    }
    return ERR_OK;
}

static err do_claimed(struct engine *e, struct ctx *c, struct task_work *w)
{
    struct arena_mark mark = arena_mark(c->arena);
    struct task_work before = *w;
    err result = w->kind->run(c, w);

    assert(!db_in_tx(c));
    if (result != ERR_TOO_LARGE || w->n == 1)
        return queue_end(e, c, w, result);
    ctx_forgive(c);
    arena_rewind(c->arena, mark);
    return do_alone(e, c, &before);
}

static err do_tasks(struct engine *e, struct ctx *c, struct claiming *k)
{
    struct task_work w = {.kind = k->claim.kind, .tasks = k->tasks, .n = k->n, .engine = e};
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, k->n);
    struct lease lease = {.ids = ids, .n = k->n, .token = k->claim.token, .lease_s = k->claim.kind->lease_s};
    int64_t began = clock_monotonic_us();
    err result;

    for (size_t i = 0; i < k->n; i++)
        ids[i] = k->tasks[i].id;
    w.lease = &lease;
    lease_begin(e, &lease);
    atomic_fetch_add(&e->running, 1);
    result = ERR_OK;
    if (!(w.kind->flags & TASK_OWN_NAME))
        result = engine_become(e, c, k->claim.account_id, arena_printf(c->arena, "task:%s", w.kind->name));
    result = result == ERR_OK ? do_claimed(e, c, &w) : queue_end(e, c, &w, result);
    atomic_fetch_sub(&e->running, 1);
    lease_end(e, &lease);
    stat_add(e, STAT_TASK_SECONDS, w.kind->name, "", (double)(clock_monotonic_us() - began) / SECOND_US);
    stat_add(e, STAT_TASK_COUNT, w.kind->name, "", 1);
    return result;
}

err queue_work(struct engine *e, struct ctx *c, bool urgent_only, bool *did)
{
    struct task_group g;
    struct claiming k;

    *did = false;
    TRY(queue_refresh(e, c));
    while (!atomic_load(&e->stopping) && queue_choose(e, urgent_only, &g)) {
        TRY(queue_claim(e, c, &k, &g));
        if (k.n < (size_t)(k.claim.kind->batch > 1 ? k.claim.kind->batch : 1))
            drop_group(e, &g);
        if (k.n == 0)
            continue;
        was_served(e, &g);
        *did = true;
        return do_tasks(e, c, &k);
    }
    return ERR_OK;
}

/* ---- taking back what nobody works on any more */

struct taking {
    const struct job_list *list;
    struct instant now;
    int64_t n;
};

static err queue_take_back_body(struct ctx *c, void *arg)
{
    struct taking *x = arg;
    struct task_lapsed *rows = ARENA_ARRAY(c->arena, struct task_lapsed, TAKE_BACK_MAX);
    size_t n;

    TRY(task_store_lapsed(c, x->now, rows, TAKE_BACK_MAX, &n));
    for (size_t i = 0; i < n; i++) {
        const struct task_kind *kind = task_kind_find(x->list, rows[i].kind);
        bool poison = rows[i].lapses + 1 >= LAPSES_MAX, dead = poison || rows[i].task.attempts >= rows[i].max_attempts;
        const char *why = poison ? "suspected_poison: its lease was lost three times in a row" : "its lease was lost";

        TRY(task_store_take_back(c, &rows[i], dead, why, x->now));
        if (dead && kind && kind->died)
            TRY(kind->died(c, &rows[i].task, why));
    }
    x->n = (int64_t)n;
    return ERR_OK;
}

err queue_take_back(struct ctx *c, const struct job_list *list, struct instant now, int64_t *n)
{
    struct taking x = {.list = list, .now = now};

    TRY(db_tx(c, queue_take_back_body, &x));
    *n = x.n;
    return ERR_OK;
}
