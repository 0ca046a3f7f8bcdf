/* Changing shared knowledge: its text, its audience, what others say of it; see knowledge.h. */
#include <string.h>

#include "access.h"
#include "audit.h"
#include "content.h"
#include "db.h"
#include "echo.h"
#include "knowledge_impl.h"
#include "match.h"
#include "node.h"
#include "row.h"
#include "str.h"
#include "tags.h"
#include "thing.h"

struct change {
    struct uuid id;
    const struct knowledge_change *asked;
    enum audience level;
    struct uuid team_id;
    int64_t rating, if_version;
    bool content_changed, archived;
};

/* Locks the row, so that two changes of one entry follow each other, and reads it as it is then. */
static err knowledge_change_take(struct ctx *c, struct uuid id, struct knowledge *k)
{
    bool found;

    TRY(knowledge_store_lock(c, id, &found));
    TRY(knowledge_read(c, id, k));
    return k->archived_at.us ? fail(c, ERR_CONFLICT, "it is archived; unarchive it before changing it")
                             : ERR_OK;
}

static err taken(struct ctx *c, err e, struct uuid id)
{
    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return knowledge_duplicate(c, id, 1);
}

/* Writes the row by the text and the space that it has now. */
static err knowledge_change_write(struct ctx *c, struct knowledge *k)
{
    struct uuid other;
    int64_t changed;

    knowledge_judge(c, k);
    TRY(knowledge_store_release(c, k->live_key));
    TRY(knowledge_store_equal(c, k->text_hash, &k->space_id, 1, &other));
    return taken(c, row_update(c, &KNOWLEDGE, k, &changed), other);
}

/* ---- update */

static err apply_text(struct ctx *c, struct change *h, struct knowledge *k)
{
    const struct knowledge_change *ch = h->asked;
    struct node_patch n = {.set = NODE_SET_TITLE | NODE_SET_BODY | NODE_SET_ATTRS, .if_version = ch->change.if_version};
    struct knowledge to = *k;
    struct node after;

    TRY(thing_apply(c, &KNOWLEDGE, ch, &to));
    k->title = to.title;
    k->content = to.content;
    k->content_type = to.content_type;
    if (changes(ch, tags))
        TRY(tags_clean(c, "/tags", to.tags, &k->tags));
    n.title = k->title;
    n.body = k->content;
    n.attrs = knowledge_attrs(c, k);
    TRY(node_update(c, h->id, &n, &after));
    h->content_changed = after.changed;
    return ERR_OK;
}

static err move(struct ctx *c, struct knowledge *k, enum audience level, struct uuid team_id)
{
    struct uuid space_id;

    TRY(audience_space(c, level, team_id, &space_id));
    if (!uuid_eq(space_id, k->space_id))
        TRY(node_move(c, k->id, space_id, 0, NULL));
    k->space_id = space_id;
    k->access_level = level;
    return ERR_OK;
}

static err apply_level(struct ctx *c, const struct change *h, struct knowledge *k)
{
    const struct knowledge *to = &h->asked->to;

    if (!changes(h->asked, access_level) || to->access_level == k->access_level)
        return uuid_is_nil(to->team_id)
                   ? ERR_OK
                   : fail_field(c, "/team_id", "team_id is allowed only when access_level changes to team");
    if (to->access_level > k->access_level)
        return fail_field(c, "/access_level", "use the promote call to give it a wider audience");
    TRY(access_require(c, k->space_id, ACCESS_MANAGE));
    return move(c, k, to->access_level, to->team_id);
}

static err knowledge_change_update_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    struct knowledge k;

    TRY(knowledge_change_take(c, h->id, &k));
    TRY(match_version(c, h->asked->change.if_version, k.version));
    TRY(access_require(c, k.space_id, ACCESS_WRITE));
    TRY(apply_text(c, h, &k));
    TRY(apply_level(c, h, &k));
    return knowledge_change_write(c, &k);
}

err knowledge_update(struct ctx *c, const struct knowledge_change *ch, struct knowledge *out)
{
    struct change h = {.id = ch->to.id, .asked = ch};

    TRY(db_tx(c, knowledge_change_update_body, &h));
    TRY(knowledge_read(c, h.id, out));
    out->changed = h.content_changed;
    return ERR_OK;
}

/* ---- promote */

static err knowledge_change_say(struct ctx *c, const struct knowledge *k, const char *verb, const char *name,
                                struct json *value)
{
    struct json *after = json_obj(c->arena);

    json_set(c->arena, after, name, value);
    return audit_add(c, &(struct audit){ .kind = verb,
                                         .subject_kind = "node",
                                         .subject_id = k->id,
                                         .space_id = k->space_id,
                                         .after = after,
                                         .is_news = true });
}

static const struct json *provenance(struct ctx *c, const struct knowledge *k)
{
    struct json *patch = json_obj(c->arena);

    json_set_str(c->arena, patch, "promoted_at", instant_text(c->now, arena_alloc(c->arena, INSTANT_TEXT)));
    json_set_str(c->arena, patch, "promoted_from", enumx_name(&audience_enumx, (int)k->access_level));
    return json_merge_patch(c->arena, json_opened(c->arena, k->provenance), patch);
}

static err knowledge_change_promote_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    struct knowledge k;

    TRY(knowledge_change_take(c, h->id, &k));
    if (h->level <= k.access_level)
        return fail_field(c, "/access_level", "it is %s already; promote needs a wider audience",
                          enumx_name(&audience_enumx, (int)k.access_level));
    if (k.echo_ratio >= ECHO_DOUBTED)
        return fail_reason(c, ERR_CONFLICT, "echo", "much of it repeats text that recall returned to its author");
    k.provenance = provenance(c, &k);
    TRY(move(c, &k, h->level, h->team_id));
    TRY(knowledge_change_write(c, &k));
    return knowledge_change_say(c, &k, "knowledge.promote", "access_level",
                                json_str(c->arena, enumx_name(&audience_enumx, (int)k.access_level)));
}

err knowledge_promote(struct ctx *c, struct uuid id, enum audience level, struct uuid team_id,
                      struct knowledge *out)
{
    struct change h = {.id = id, .level = level, .team_id = team_id};

    TRY(audience_check(c, level, team_id));
    TRY(db_tx(c, knowledge_change_promote_body, &h));
    return knowledge_read(c, id, out);
}

/* ---- rate */

static err rate_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    struct knowledge k;
    int64_t before;

    TRY(knowledge_change_take(c, h->id, &k));
    if (uuid_eq(k.creator_id, c->who->id) || uuid_eq(k.author_id, c->who->id))
        return fail(c, ERR_INVALID, "you cannot rate your own knowledge");
    TRY(knowledge_store_rating(c, h->id, c->who->id, &before));
    if (before == h->rating)
        return ERR_OK;
    TRY(knowledge_store_rate(c, h->id, c->who->id, h->rating));
    k.rating_sum += h->rating - before;
    k.rating_count += before == 0;
    TRY(knowledge_change_write(c, &k));
    return knowledge_change_say(c, &k, "knowledge.rate", "rating", json_int(c->arena, h->rating));
}

err knowledge_rate(struct ctx *c, struct uuid id, int64_t rating, struct knowledge *out)
{
    struct change h = {.id = id, .rating = rating};

    TRY(db_tx(c, rate_body, &h));
    return knowledge_read(c, id, out);
}

/* ---- archive */

static err knowledge_change_archive_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    struct knowledge k;
    bool found;

    TRY(knowledge_store_lock(c, h->id, &found));
    TRY(knowledge_read(c, h->id, &k));
    if (!h->archived) {
        TRY(node_unarchive(c, h->id, h->if_version, NULL));
        return knowledge_change_write(c, &k);
    }
    TRY(node_archive(c, h->id, h->if_version, NULL));
    return knowledge_store_release(c, content_hash(c->arena, UUID_STR(k.space_id), k.content, NULL));
}

err knowledge_archive(struct ctx *c, struct uuid id, bool archived, int64_t if_version, struct knowledge *out)
{
    struct change h = {.id = id, .archived = archived, .if_version = if_version};

    TRY(db_tx(c, knowledge_change_archive_body, &h));
    return knowledge_read(c, id, out);
}
