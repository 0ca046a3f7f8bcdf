/* Reading facts out of what was said; see consolidate.h. */
#include "consolidate.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "app.h"
#include "audit.h"
#include "capture.h"
#include "consolidate_store.h"
#include "db.h"
#include "edge.h"
#include "episode.h"
#include "fact_put.h"
#include "rule_set.h"
#include "space.h"
#include "user.h"

#define RULE_TRUST 0.9 /* of what a rule reads, of the trust in who said it */
#define BACK_OFF_US (5 * SECOND_US)
#define BACK_OFF_MAX_US (3600 * SECOND_US)
#define SPACES_AT_ONCE 1000

/* ---- who says I */

/* The person or agent behind it; "User" where an agent passes on what a person said. Nobody: NULL. */
static err consolidate_speaker(struct ctx *c, const struct consolidate_item *i, enum episode_role role, const char **name)
{
    struct agent agent;
    struct user user;
    err e = ERR_OK;

    *name = NULL;
    if (role == ROLE_USER && strcmp(i->author_kind, "user") == 0) {
        e = user_get(c, i->author_id, &user);
        *name = e == ERR_OK ? user.name : NULL;
    } else if (role == ROLE_USER)
        *name = "User";
    else if (role == ROLE_ASSISTANT && strcmp(i->author_kind, "agent") == 0) {
        e = agent_get(c, i->author_id, &agent);
        *name = e == ERR_OK ? agent.name : NULL;
    }
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

/* ---- one item */

struct consolidating {
    struct consolidate_item item;
    enum episode_role role;
    struct extracted found;
    const char *rule_set;
    int64_t facts;
};

/* Sentences that recall had just shown to the writer are no evidence. */
static bool is_echo(const struct json *origin, const struct extract_claim *k)
{
    const struct json *spans = json_get(origin, "echoes");

    for (const struct json *s = json_is(spans, JSON_ARR) ? spans->first : NULL; s; s = s->next) {
        const struct json *from = s->first, *to = from ? from->next : NULL;

        if (json_is(from, JSON_INT) && json_is(to, JSON_INT) && (int64_t)k->start < to->i && (int64_t)k->end > from->i)
            return true;
    }
    return false;
}

static err mention(struct ctx *c, const struct consolidating *k, struct uuid entity)
{
    struct edge_new e = {EDGE_NEW_DEFAULTS, .source_id = k->item.id, .target_id = entity, .relation = "MENTIONS"};

    TRY(edge_retire_between(c, k->item.id, entity, "MENTIONS"));
    return edge_record(c, &e, 1, k->item.space_id);
}

static err put_claim(struct ctx *c, struct consolidating *k, const struct extract_claim *x)
{
    struct fact_saying say = {
        FACT_SAYING_DEFAULTS, .space_id = k->item.space_id, .subject = x->subject, .predicate = x->predicate,
        .object = json_str(c->arena, x->object), .statement = x->statement, .negative = x->negative,
        .modality = (enum fact_modality)x->modality, .at = {x->at}, .until = {x->until}, .source_id = k->item.id,
        .span_start = (int64_t)x->start, .span_end = (int64_t)x->end, .author_kind = k->item.author_kind, .author_id = k->item.author_id,
        .role = k->role, .veracity = FACT_INFERRED, .rule_id = x->rule_id};
    struct fact_said said;

    say.occurrence_seq = k->item.seq;
    say.confidence = x->confidence;
    say.trust = k->item.trust * RULE_TRUST;
    TRY(fact_put(c, &say, &said));
    k->facts += !said.was_there;
    return said.was_there ? ERR_OK : mention(c, k, said.subject_id);
}

static err consolidate_body(struct ctx *c, void *arg)
{
    struct consolidating *k = arg;
    struct json *o = json_obj(c->arena);
    bool mine;

    k->facts = 0;
    TRY(consolidate_store_lock(c, &k->item, &mine));
    if (!mine)
        return ERR_OK;
    for (size_t i = 0; i < k->found.n; i++)
        if (!is_echo(k->item.origin, &k->found.claims[i]))
            TRY(put_claim(c, k, &k->found.claims[i]));
    TRY(consolidate_store_done(c, &k->item, k->rule_set));
    json_set_int(c->arena, o, "facts", k->facts);
    json_set_int(c->arena, o, "occurrence", k->item.seq);
    return audit_add(c, &(struct audit){.kind = "canonicalize", .subject_kind = "node", .subject_id = k->item.id,
        .space_id = k->item.space_id,
                                        .after = o});
}

static err failed_body(struct ctx *c, void *arg)
{
    const struct consolidate_item *i = arg;
    int64_t wait = BACK_OFF_US;
    struct json *o = json_obj(c->arena);

    for (int64_t k = 0; k < i->attempts && wait < BACK_OFF_MAX_US; k++)
        wait *= 2;
    wait = wait > BACK_OFF_MAX_US ? BACK_OFF_MAX_US : wait;
    json_set_int(c->arena, o, "attempts", i->attempts + 1);
    TRY(consolidate_store_failed(c, i, i->attempts + 1 >= CONSOLIDATE_ATTEMPTS, (struct instant){c->now.us + wait}, i->body));
    return audit_add(c, &(struct audit){.kind = "consolidation_failed", .subject_kind = "node", .subject_id = i->id,
        .space_id = i->space_id,
                                        .after = o});
}

/* It waits longer each time; others go on. What is over with the server or the time is not its fault. */
static err consolidate_give_up(struct ctx *c, const struct consolidate_item *i, err e)
{
    struct consolidate_item failed = *i;

    if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE || i->seq > 1)
        return e;
    failed.body = c->fault.message ? c->fault.message : err_info(e)->meaning;
    if (strlen(failed.body) > 400)
        failed.body = arena_strndup(c->arena, failed.body, 400);
    ctx_forgive(c);
    return db_tx(c, failed_body, &failed);
}

/* By these rules, called so. */
struct reading {
    struct extract_rules *rules;
    const char *name;
};

static err consolidate_item(struct ctx *c, const struct reading *by, const struct consolidate_item *item, struct consolidated *out)
{
    struct consolidating k = {.item = *item, .rule_set = by->name};
    struct extract_context x = {.captured_at = item->at.us};
    int role;
    bool mine;
    err e;

    TRY(consolidate_store_claim(c, item, &mine));
    if (!mine)
        return ERR_OK;
    k.role = enumx_parse(&episode_role_enumx, item->role_name, &role) ? (enum episode_role)role : ROLE_EVENT;
    TRY(consolidate_speaker(c, item, k.role, &x.speaker));
    k.found = extract(c->arena, by->rules, item->body, strlen(item->body), &x);
    e = db_tx(c, consolidate_body, &k);
    out->failed += e != ERR_OK;
    if (e != ERR_OK)
        return consolidate_give_up(c, item, e);
    out->items++;
    out->facts += k.facts;
    out->unclear += (int64_t)k.found.unclear;
    return ERR_OK;
}

err consolidate_space(struct ctx *c, struct uuid space_id, struct consolidated *out, bool *more)
{
    struct reading by = {0};
    struct list items;

    *out = (struct consolidated){.space_id = space_id};
    TRY(access_require(c, space_id, ACCESS_WRITE));
    TRY(consolidate_store_items(c, space_id, CONSOLIDATE_AT_ONCE, &items));
    *more = items.n == CONSOLIDATE_AT_ONCE;
    if (!items.n)
        return ERR_OK;
    TRY(rule_set_load(c, &by.rules, &by.name));
    for (size_t i = 0; i < items.n; i++)
        TRY(consolidate_item(c, &by, (const struct consolidate_item *)items.v + i, out));
    return ERR_OK;
}

/* ---- work that waits */

err consolidate_waiting(struct ctx *c, size_t max, struct uuids *out)
{
    return consolidate_store_spaces(c, max, out);
}

err consolidate_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return consolidate_store_accounts(c, above, ids, max, n);
}

err consolidate_sweep(struct ctx *c, int64_t max, int64_t *n)
{
    struct uuids spaces;

    TRY(consolidate_waiting(c, (size_t)(max < SPACES_AT_ONCE ? max : SPACES_AT_ONCE), &spaces));
    for (size_t i = 0; i < spaces.n; i++)
        TRY(capture_promise(c, spaces.v[i], spaces.v[i], c->now.us / (60 * SECOND_US)));
    *n = (int64_t)spaces.n;
    return ERR_OK;
}

err consolidation_status(struct ctx *c, struct uuid space_id, struct consolidation_status *out)
{
    struct uuids spaces;
    struct uuid id = space_id;
    struct reading by;

    if (uuid_is_nil(id) && c->who->kind == PRINCIPAL_AGENT)
        TRY(space_own(c, &id));
    TRY(rule_set_load(c, &by.rules, &by.name));
    *out = (struct consolidation_status){.space_id = id, .rule_set = by.name};
    TRY(access_spaces_in(c, id, &spaces));
    return consolidate_store_status(c, spaces, out);
}
