/* Looking at the queue and mending it; see task_service.h. */
#include "task_service.h"

#include <string.h>

#include "audit.h"
#include "db.h"
#include "stats_store.h"
#include "task_store.h"
#include "wake.h"

/* ---- looking */

static bool looks_secret(const char *key)
{
    static const char *const WORDS[] = {"secret", "token", "password", "authorization", "cookie", "api_key"};

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcasestr(key, WORDS[i]))
            return true;
    return false;
}

static struct json *masked(struct arena *a, const struct json *j)
{
    struct json *copy;

    if (j->type != JSON_OBJ && j->type != JSON_ARR)
        return arena_memdup(a, j, sizeof *j);
    copy = json_new(a, j->type);
    for (const struct json *m = j->first; m; m = m->next) {
        if (j->type == JSON_ARR)
            json_push(copy, masked(a, m));
        else
            json_set(a, copy, m->key, looks_secret(m->key) ? json_str(a, "********") : masked(a, m));
    }
    return copy;
}

static struct task_filter task_service_filter_of(const struct task_query *q)
{
    return (struct task_filter){.status = q->status, .kind = q->kind, .older_than = q->older_than,
                                .everywhere = q->everywhere, .limit = q->limit};
}

err task_page(struct ctx *c, const struct task_query *q, struct page *out)
{
    struct task_filter f = task_service_filter_of(q);
    struct task_row *rows;
    size_t n;

    f.limit = q->limit + 1;
    rows = ARENA_ARRAY(c->arena, struct task_row, (size_t)f.limit);
    TRY(page_begin(c, q->cursor, &f.before));
    TRY(task_store_list(c, &f, rows, &n));
    for (size_t i = 0; i < n; i++)
        rows[i].payload = masked(c->arena, rows[i].payload);
    PAGE_END(c, out, rows, n, q->limit, struct task_row, id);
    return ERR_OK;
}

err task_get(struct ctx *c, struct uuid id, bool everywhere, struct task_row *out)
{
    bool found;

    TRY(task_store_get(c, id, everywhere, out, &found));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such task");
    out->payload = masked(c->arena, out->payload);
    return ERR_OK;
}

err task_overview(struct ctx *c, bool everywhere, struct task_summary **out, size_t *n)
{
    return task_store_summary(c, everywhere, out, n);
}

err scheduler_list(struct ctx *c, struct scheduler_row **out, size_t *n)
{
    return scheduler_store_list(c, out, n);
}

/* ---- mending */

struct mending {
    struct task_filter f;
    struct uuid id;     /* nil: all of the filter */
    const char *reason; /* NULL: retry */
    struct instant now;
    int64_t n;
};

static err mend_body(struct ctx *c, void *arg)
{
    struct mending *m = arg;
    struct json *payload = json_obj(c->arena);
    struct audit a = {.kind = m->reason ? "task.discard" : "task.retry", .subject_kind = "task", .subject_id = m->id,
                      .payload = payload};

    if (m->reason)
        TRY(task_store_discard(c, &m->f, m->id, m->reason, m->now, &m->n));
    else
        TRY(task_store_retry(c, &m->f, m->id, m->now, &m->n));
    if (m->n == 0)
        return ERR_OK;
    if (m->reason)
        json_set_str(c->arena, payload, "reason", m->reason);
    if (m->f.kind)
        json_set_str(c->arena, payload, "kind", m->f.kind);
    json_set_int(c->arena, payload, "tasks", m->n);
    TRY(audit_add(c, &a));
    if (!m->reason)
        wake_after_tx(c);
    return ERR_OK;
}

static err mend_one(struct ctx *c, struct uuid id, bool everywhere, const char *reason, struct instant now)
{
    struct mending m = {.f = {.everywhere = everywhere, .limit = 1}, .id = id, .reason = reason, .now = now};
    struct task_row row;

    TRY(task_get(c, id, everywhere, &row));
    TRY(db_tx(c, mend_body, &m));
    return m.n ? ERR_OK
               : fail(c, ERR_CONFLICT, "the task is %s, not dead", enumx_name(&task_status_enumx, (int)row.status));
}

err task_retry(struct ctx *c, struct uuid id, bool everywhere, struct instant now)
{
    return mend_one(c, id, everywhere, NULL, now);
}

err task_discard(struct ctx *c, struct uuid id, bool everywhere, const char *reason, struct instant now)
{
    return mend_one(c, id, everywhere, reason, now);
}

err task_bulk(struct ctx *c, const struct task_query *q, const char *reason, struct instant now, int64_t *n)
{
    struct mending m = {.f = task_service_filter_of(q), .reason = reason, .now = now};

    if (m.f.limit < 1 || m.f.limit > LIMIT_TASK_BULK)
        m.f.limit = LIMIT_TASK_BULK;
    TRY(db_tx(c, mend_body, &m));
    *n = m.n;
    return ERR_OK;
}
