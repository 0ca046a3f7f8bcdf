/* Many captures in one transaction, each by itself; see capture.h. */
#include "app.h"
#include "capture.h"
#include "db.h"
#include "task.h"

err capture_promise(struct ctx *c, struct uuid space_id, struct uuid id, int64_t nth)
{
    const char *space = arena_strdup(c->arena, UUID_STR(space_id));
    struct json *payload = json_obj(c->arena);

    if (!c->app->jobs)
        return ERR_OK;
    json_set_str(c->arena, payload, "space_id", space);
    return task_enqueue(c, &(struct task_new){.kind = "consolidate", .payload = payload, .lane = space,
        .idem_key = arena_printf(c->arena, "%s-%lld", UUID_STR(id), (long long)nth)});
}

static void capture_one(struct ctx *c, const struct capture_in *in, struct capture_result *out)
{
    struct captured *receipt = ARENA_NEW(c->arena, struct captured);
    err e = capture(c, in, receipt);

    if (e == ERR_OK) {
        out->receipt = receipt;
        return;
    }
    out->code = err_info(e)->slug;
    out->reason = c->fault.reason;
    out->message = c->fault.fields ? c->fault.fields->detail : c->fault.message;
    ctx_forgive(c);
}

static err capture_opened(struct ctx *c, void *arg)
{
    (void)c;
    (void)arg;
    return ERR_OK;
}

static void capture_all(struct ctx *c, const struct capture_in *in, size_t n, struct capture_result *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct capture_result){.index = (int64_t)i};
        capture_one(c, &in[i], &out[i]);
    }
}

err capture_many(struct ctx *c, const struct capture_in *in, size_t n, struct capture_result *out)
{
    struct db_hold hold = {.opened = capture_opened};
    bool again = true;
    err e = ERR_OK;

    if (c->hold) { /* with an Idempotency-Key the request is one transaction already */
        capture_all(c, in, n, out);
        return ERR_OK;
    }
    while (again) {
        db_hold_begin(c, &hold);
        capture_all(c, in, n, out);
        e = db_hold_end(c, true, &again);
    }
    return e;
}
