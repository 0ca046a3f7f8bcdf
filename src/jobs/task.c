/* Promising tasks, in the transaction of the change that needs them; see task.h. */
#include "task.h"

#include <assert.h>
#include <string.h>

#include "app.h"
#include "job.h"
#include "task_store.h"
#include "wake.h"

#define PER_STATEMENT 500

ENUMX_DEFINE(task_status, TASK_STATUS);

const struct task_kind *task_kind_find(const struct job_list *list, const char *name)
{
    for (size_t i = 0; i < list->n_kinds; i++)
        if (strcmp(list->kinds[i]->name, name) == 0)
            return list->kinds[i];
    return NULL;
}

/* A few of one kind, with their accounts filled in. */
static err enqueue_some(struct ctx *c, const struct task_kind *kind, const struct task_new *t, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n);
    bool full;
    err e;

    for (size_t i = 0; i < n; i++) {
        assert(strcmp(t[i].kind, kind->name) == 0 && strlen(t[i].idem_key) <= LIMIT_TASK_KEY);
        ids[i] = uuid_new(c->now.us);
    }
    TRY(task_store_add(c, kind, t, ids, n, (struct instant){0}, &full));
    if (!full || kind->flags & TASK_SWEPT)
        return ERR_OK;
    e = fail(c, ERR_RATE, "the queue '%s' is full; try again later", kind->name);
    c->fault.retry_after_s = 60;
    return e;
}

err task_enqueue_many(struct ctx *c, const struct task_new *t, size_t n)
{
    const struct task_kind *kind;
    struct task_new *own;

    if (n == 0)
        return ERR_OK;
    kind = task_kind_find(c->app->jobs, t->kind);
    assert(kind);
    own = ARENA_ARRAY(c->arena, struct task_new, n);
    memcpy(own, t, n * sizeof *own);
    for (size_t i = 0; i < n; i++)
        if (uuid_is_nil(own[i].account_id))
            own[i].account_id = c->account_id;
    for (size_t i = 0; i < n; i += PER_STATEMENT)
        TRY(enqueue_some(c, kind, own + i, n - i < PER_STATEMENT ? n - i : PER_STATEMENT));
    wake_after_tx(c);
    return ERR_OK;
}

err task_enqueue(struct ctx *c, const struct task_new *t)
{
    return task_enqueue_many(c, t, 1);
}
