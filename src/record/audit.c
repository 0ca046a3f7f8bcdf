/* The audit trail; see audit.h. */
#include "audit.h"

#include <assert.h>

#include "app.h"
#include "audit_store.h"
#include "db.h"
#include "log.h"
#include "outbox.h"
#include "principal.h"

/* The system has no id: its events name the job or command in their payload. */
static const struct json *audit_payload_of(struct ctx *c, const struct json *given)
{
    struct json *p;

    if (!c->who || c->who->kind != PRINCIPAL_SYSTEM || !c->who->name)
        return given;
    p = json_obj(c->arena);
    json_set_str(c->arena, p, "actor", c->who->name);
    return given ? json_merge_patch(c->arena, p, given) : p;
}

struct audit_event audit_event_of(struct ctx *c, const struct audit *a)
{
    return (struct audit_event){
        .id = uuid_new(c->now.us), .at = c->now, .kind = a->kind, .subject_kind = a->subject_kind,
        .actor_kind = c->who ? enumx_name(&principal_kind_enumx, (int)c->who->kind) : "nobody",
        .actor_id = c->who ? c->who->id : (struct uuid){{0}},
        .subject_id = a->subject_id, .space_id = a->space_id,
        .request_id = c->request_id ? c->request_id : "", .ip = c->ip ? c->ip : "",
        .before = a->before, .after = a->after, .payload = audit_payload_of(c, a->payload), .is_news = a->is_news};
}

err audit_add(struct ctx *c, const struct audit *a)
{
    struct audit_event e = audit_event_of(c, a);

    assert(db_in_tx(c));
    if (a->is_news)
        outbox_made_news(c);
    return audit_store_insert(c, &e);
}

err audit_add_many(struct ctx *c, const struct audit *a, size_t n)
{
    struct audit_event *e = ARENA_ARRAY(c->arena, struct audit_event, n + 1);

    assert(db_in_tx(c));
    for (size_t i = 0; i < n; i++) {
        e[i] = audit_event_of(c, &a[i]);
        if (a[i].is_news)
            outbox_made_news(c);
    }
    return n ? audit_store_insert_many(c, e, n) : ERR_OK;
}

static err insert_body(struct ctx *c, void *arg)
{
    return audit_store_insert(c, arg);
}

/* The refusal itself is the answer the caller gets, so its fault is put back; and the idempotency record of a change that
 * is not made must not join this transaction. */
static void write_refusal(struct ctx *c, void *event)
{
    struct fault fault = c->fault;
    err (*before_commit)(struct ctx *, void *) = c->before_commit;
    struct db_hold *hold = c->hold;
    err r;

    c->before_commit = NULL;
    c->hold = NULL;
    ctx_forgive(c);
    r = db_tx(c, insert_body, event);
    c->before_commit = before_commit;
    c->hold = hold;
    c->fault = fault;
    if (r != ERR_OK && c->app && c->app->log)
        log_say(c->app->log, LOG_ERROR, "a refusal (%s) could not be written to the audit trail: %s",
                ((const struct audit_event *)event)->kind, err_info(r)->slug);
}

void audit_refusal(struct ctx *c, const char *kind, const char *subject_kind, struct uuid subject_id, const char *why)
{
    struct json *payload = json_obj(c->arena);
    struct audit_event *e = ARENA_NEW(c->arena, struct audit_event);

    if (uuid_is_nil(c->account_id)) /* nobody's refusals are in the log */
        return;
    json_set_str(c->arena, payload, "why", why);
    *e = audit_event_of(c, &(struct audit){.kind = kind, .subject_kind = subject_kind, .subject_id = subject_id, .payload = payload});
    if (db_in_tx(c))
        ctx_after_tx(c, write_refusal, e);
    else
        write_refusal(c, e);
}

err audit_list(struct ctx *c, const struct audit_filter *f, struct page *out)
{
    struct audit_event *rows;
    struct uuid before;
    size_t n;

    TRY(page_begin(c, f->cursor, &before));
    TRY(audit_store_list(c, f, before, &rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct audit_event, id);
    return ERR_OK;
}

err audit_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return audit_store_purge(c, older_than, limit, n);
}
