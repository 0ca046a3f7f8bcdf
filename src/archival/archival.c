/* Texts about subjects: read, made again, edited, published; see archival.h. */
#include "archival.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "archival_impl.h"
#include "archival_store.h"
#include "audit.h"
#include "db.h"
#include "node.h"
#include "space.h"

ENUMX_DEFINE(archival_section, ARCHIVAL_SECTION);
ENUMX_DEFINE(archival_state, ARCHIVAL_STATE);

/* ---- subjects */

static err archival_missing(struct ctx *c)
{
    ctx_forgive(c);
    return fail(c, ERR_NOT_FOUND, "no such subject");
}

static err archival_home_of(struct ctx *c, struct uuid id, enum access_level level, struct archival_home *out)
{
    struct node_brief node;
    struct agent agent;
    err e = agent_get(c, id, &agent);

    *out = (struct archival_home){.subject_id = id, .is_agent = e == ERR_OK};
    if (e == ERR_OK)
        TRY(space_of_agent(c, id, &out->space_id));
    else if (e != ERR_NOT_FOUND)
        return e;
    else {
        ctx_forgive(c);
        TRY(node_briefs(c, &id, 1, &node));
        out->space_id = node.space_id;
    }
    if (uuid_is_nil(out->space_id) || !access_may_read(c, out->space_id))
        return archival_missing(c);
    return access_require(c, out->space_id, level);
}

/* ---- reading */

static err archival_texts_of(struct ctx *c, struct uuid id, bool all, struct archival_texts *out)
{
    struct archival_home home;

    TRY(archival_home_of(c, id, ACCESS_READ, &home));
    out->subject_id = id;
    return archival_store_of(c, id, all, false, &out->sections);
}

err archival_get(struct ctx *c, const struct archival_ref *in, struct archival_texts *out)
{
    return archival_texts_of(c, in->subject_id, false, out);
}

err archival_history(struct ctx *c, const struct archival_ref *in, struct archival_texts *out)
{
    return archival_texts_of(c, in->subject_id, true, out);
}

err archival_published(struct ctx *c, struct uuid subject_id, struct list *out)
{
    struct archival_texts all;
    struct archival *v;
    size_t n = 0;

    TRY(archival_texts_of(c, subject_id, false, &all));
    v = all.sections.v;
    for (size_t i = 0; i < all.sections.n; i++)
        if (v[i].state == ARCHIVAL_PUBLISHED)
            v[n++] = v[i];
    *out = (struct list){v, n};
    return ERR_OK;
}

/* ---- changing */

static const struct archival *archival_find(const struct list *have, enum archival_section section, enum archival_state state)
{
    const struct archival *v = have->v;

    for (size_t i = 0; i < have->n; i++)
        if (v[i].section == section && v[i].state == state)
            return &v[i];
    return NULL;
}

/* Before and after are named by their ids; no text, for the trail keeps what is erased elsewhere. */
static err archival_note(struct ctx *c, const char *verb, const struct archival *before, const struct archival *after)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "section", enumx_name(&archival_section_enumx, (int)after->section));
    json_set_str(c->arena, o, "state", enumx_name(&archival_state_enumx, (int)after->state));
    json_set_int(c->arena, o, "version", after->version);
    json_set_int(c->arena, o, "before_version", before ? before->version : 0);
    return audit_add(c, &(struct audit){.kind = arena_printf(c->arena, "archival.%s", verb), .subject_kind = "archival",
                                        .subject_id = after->subject_id, .space_id = after->space_id, .payload = o, .is_news = true});
}

static err archival_put(struct ctx *c, const char *verb, const struct archival *before, struct archival *a)
{
    a->id = uuid_new(c->now.us);
    a->created_by = c->who->id;
    a->created_at = c->now;
    if (before && a->state == ARCHIVAL_PUBLISHED)
        TRY(archival_store_state(c, before, ARCHIVAL_SUPERSEDED));
    TRY(archival_store_insert(c, a));
    return archival_note(c, verb, before, a);
}

static err archival_refresh_section(struct ctx *c, const struct archival_home *home, const struct list *have, enum archival_section section,
                                    const struct archival_made *made, struct archival_refreshed *out)
{
    const struct archival *now = archival_find(have, section, ARCHIVAL_PUBLISHED), *draft = archival_find(have, section, ARCHIVAL_DRAFT);
    const struct archival *known = draft ? draft : now;
    struct archival a = {.subject_id = home->subject_id, .space_id = home->space_id, .section = section, .sources_hash = made->hash,
                         .version = now ? now->version + 1 : 1, .lines = {(void *)(uintptr_t)made->lines, made->n}};

    if ((!known && !made->n) || (known && memcmp(known->sources_hash.p, made->hash.p, made->hash.n) == 0)) {
        out->unchanged++;
        return ERR_OK;
    }
    a.state = now && now->edited ? ARCHIVAL_DRAFT : ARCHIVAL_PUBLISHED;
    out->published += a.state == ARCHIVAL_PUBLISHED;
    out->drafts += a.state == ARCHIVAL_DRAFT;
    if (draft)
        TRY(archival_store_drop(c, draft->id));
    return archival_put(c, "refresh", now, &a);
}

static err archival_refresh_tx(struct ctx *c, const struct archival_ref *in, struct archival_refreshed *out)
{
    struct archival_made *made = ARENA_ARRAY(c->arena, struct archival_made, ARCHIVAL_SECTIONS);
    struct archival_home home;
    struct list have;

    *out = (struct archival_refreshed){.subject_id = in->subject_id};
    TRY(archival_home_of(c, in->subject_id, ACCESS_WRITE, &home));
    TRY(archival_store_of(c, in->subject_id, false, true, &have));
    TRY(archival_collect(c, &home, made));
    for (int i = 0; i < ARCHIVAL_SECTIONS; i++)
        TRY(archival_refresh_section(c, &home, &have, (enum archival_section)i, &made[i], out));
    return ERR_OK;
}
DB_TX(archival_refresh, struct archival_ref, struct archival_refreshed)

/* The source of a line that stood in one of these texts; nil: a person wrote it. */
static struct uuid archival_source_of(const struct list *have, enum archival_section section, const char *text)
{
    const struct archival *v = have->v;

    for (size_t i = 0; i < have->n; i++) {
        const struct archival_line *lines = v[i].lines.v;

        for (size_t k = 0; v[i].section == section && k < v[i].lines.n; k++)
            if (str_eq(lines[k].text, text))
                return lines[k].source_id;
    }
    return (struct uuid){{0}};
}

static err archival_cut(struct ctx *c, const struct list *have, const struct archival_edit *in, struct archival *out)
{
    struct archival_line *lines = ARENA_ARRAY(c->arena, struct archival_line, ARCHIVAL_LINES);

    out->lines = (struct list){lines, 0};
    for (const char *p = in->text; *p; p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        const char *text = arena_strndup(c->arena, p, n && p[n - 1] == '\r' ? n - 1 : n);

        p += n;
        if (!*text)
            continue;
        if (out->lines.n == ARCHIVAL_LINES)
            return fail_field(c, "/text", "a section has at most %d lines", ARCHIVAL_LINES);
        lines[out->lines.n++] = (struct archival_line){archival_source_of(have, in->section, text), text};
    }
    return ERR_OK;
}

/* What is published in that section now, if the caller means that version. */
static err archival_take(struct ctx *c, const struct archival_edit *in, struct archival_home *home, struct list *have,
                         const struct archival **now)
{
    int64_t wanted = in->if_version ? in->if_version : c->if_match > 0 ? c->if_match : 0;

    TRY(archival_home_of(c, in->subject_id, ACCESS_WRITE, home));
    TRY(archival_store_of(c, in->subject_id, true, true, have));
    *now = archival_find(have, in->section, ARCHIVAL_PUBLISHED);
    if (wanted && wanted != (*now ? (*now)->version : 0))
        return fail(c, ERR_PRECONDITION, "the section has version %lld", (long long)(*now ? (*now)->version : 0));
    return ERR_OK;
}

static err archival_edit_tx(struct ctx *c, const struct archival_edit *in, struct archival *out)
{
    struct archival_home home;
    const struct archival *now;
    struct list have;

    TRY(archival_take(c, in, &home, &have, &now));
    *out = (struct archival){.subject_id = in->subject_id, .space_id = home.space_id, .section = in->section, .state = ARCHIVAL_PUBLISHED,
                             .edited = true, .version = now ? now->version + 1 : 1, .text = in->text};
    TRY(archival_cut(c, &have, in, out));
    out->sources_hash = now ? now->sources_hash : archival_hash(c->arena, NULL, 0);
    return archival_put(c, "edit", now, out);
}
DB_TX(archival_edit, struct archival_edit, struct archival)

static err archival_publish_tx(struct ctx *c, const struct archival_edit *in, struct archival *out)
{
    const struct archival *now, *draft;
    struct archival_home home;
    struct list have;

    TRY(archival_take(c, in, &home, &have, &now));
    draft = archival_find(&have, in->section, ARCHIVAL_DRAFT);
    if (!draft)
        return fail(c, ERR_NOT_FOUND, "the section has no draft");
    if (now)
        TRY(archival_store_state(c, now, ARCHIVAL_SUPERSEDED));
    *out = *draft;
    out->state = ARCHIVAL_PUBLISHED;
    out->version = now ? now->version + 1 : 1;
    TRY(archival_store_state(c, out, ARCHIVAL_PUBLISHED));
    return archival_note(c, "publish", now, out);
}
DB_TX(archival_publish, struct archival_edit, struct archival)

/* ---- for the job */

err archival_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return archival_store_accounts(c, above, ids, max, n);
}

err archival_subjects(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    return archival_store_subjects(c, behind, limit, out);
}
