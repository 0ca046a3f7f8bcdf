/* Scratchpads of agents; see scratchpad.h. */
#include "scratchpad.h"

#include <string.h>

#include "access.h"
#include "agent.h"
#include "audit.h"
#include "capture.h"
#include "db.h"
#include "match.h"
#include "sanitize_direct.h"
#include "scratchpad_store.h"
#include "space.h"

static err scratchpad_note(struct ctx *c, const char *kind, struct uuid agent_id, int64_t bytes)
{
    struct json *o = json_obj(c->arena);

    json_set_int(c->arena, o, "bytes", bytes);
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "agent", .subject_id = agent_id, .after = o});
}

static bool scratchpad_is_own(const struct ctx *c, struct uuid agent_id)
{
    return c->who->kind == PRINCIPAL_AGENT && uuid_eq(c->who->id, agent_id);
}

/* Another's is not there for whoever may not manage memory. */
static err scratchpad_gate(struct ctx *c, struct uuid agent_id)
{
    struct agent a;

    if (scratchpad_is_own(c, agent_id))
        return ERR_OK;
    if (!permissions_have(c->who->perms, PERM_MEMORY_MANAGE))
        return fail(c, ERR_NOT_FOUND, "no such agent");
    return agent_get(c, agent_id, &a);
}

static err scratchpad_get_it_tx(struct ctx *c, const struct uuid *agent_id, struct scratchpad *out)
{
    TRY(scratchpad_store_get(c, *agent_id, false, out));
    out->bytes = (int64_t)strlen(out->body);
    return scratchpad_is_own(c, *agent_id) ? ERR_OK : scratchpad_note(c, "scratchpad_read", *agent_id, out->bytes);
}
DB_TX_INNER(scratchpad_get_it, struct uuid, struct scratchpad)

err scratchpad_get(struct ctx *c, struct uuid agent_id, struct scratchpad *out)
{
    TRY(scratchpad_gate(c, agent_id));
    return scratchpad_get_it(c, &agent_id, out);
}

/* ---- writing */

static err scratchpad_take(struct ctx *c, const struct scratchpad_text *in, struct scratchpad *out)
{
    TRY(scratchpad_store_make(c, in->id));
    TRY(scratchpad_store_get(c, in->id, true, out));
    return match_version(c, in->if_version, out->version);
}

static err scratchpad_write(struct ctx *c, struct uuid id, const char *body, struct scratchpad *out)
{
    TRY(scratchpad_store_put(c, id, body));
    TRY(scratchpad_note(c, "scratchpad_write", id, (int64_t)strlen(body)));
    TRY(scratchpad_store_get(c, id, false, out));
    out->bytes = (int64_t)strlen(out->body);
    return ERR_OK;
}

static err scratchpad_set_tx(struct ctx *c, const struct scratchpad_text *in, struct scratchpad *out)
{
    const char *text;

    TRY(scratchpad_gate(c, in->id));
    TRY(sanitize_direct(c, in->text, &text, NULL));
    if (strlen(text) > SCRATCHPAD_MAX)
        return fail_field(c, "/text", "a scratchpad can have at most %d bytes", SCRATCHPAD_MAX);
    TRY(scratchpad_take(c, in, out));
    return scratchpad_write(c, in->id, text, out);
}
DB_TX(scratchpad_set, struct scratchpad_text, struct scratchpad)

/* Where the last `keep` bytes begin, at the beginning of a line where there is one in the first half of them. */
static const char *scratchpad_cut(const char *body, size_t keep)
{
    size_t n = strlen(body);
    const char *at = n > keep ? body + n - keep : body, *line;

    while (((unsigned char)*at & 0xc0) == 0x80)
        at++;
    line = at > body && at[-1] != '\n' ? strchr(at, '\n') : NULL;
    return line && (size_t)(line - at) < keep / 2 ? line + 1 : at;
}

/* The beginning of body becomes an episode in the agent's namespace; what stays says so. */
static err scratchpad_archive(struct ctx *c, struct uuid agent_id, const char *body, size_t keep, const char **rest)
{
    const char *at = scratchpad_cut(body, keep);
    struct capture_in in = {.content = arena_strndup(c->arena, body, (size_t)(at - body)), .role = ROLE_ASSISTANT, .trust = 1};
    struct captured made;

    TRY(space_of_agent(c, agent_id, &in.target_namespace));
    TRY(capture(c, &in, &made));
    *rest = arena_printf(c->arena, "[older notes: memory %s]\n%s", UUID_STR(made.episode_id), at);
    return ERR_OK;
}

static err scratchpad_append_tx(struct ctx *c, const struct scratchpad_text *in, struct scratchpad *out)
{
    const char *text, *body;

    TRY(scratchpad_gate(c, in->id));
    TRY(sanitize_direct(c, in->text, &text, NULL));
    if (strlen(text) > SCRATCHPAD_KEEP / 2)
        return fail_field(c, "/text", "at most %d bytes can be appended at once", SCRATCHPAD_KEEP / 2);
    TRY(scratchpad_take(c, in, out));
    body = *out->body ? arena_printf(c->arena, "%s\n%s", out->body, text) : text;
    if (strlen(body) > SCRATCHPAD_MAX)
        TRY(scratchpad_archive(c, in->id, body, SCRATCHPAD_KEEP, &body));
    return scratchpad_write(c, in->id, body, out);
}
DB_TX(scratchpad_append, struct scratchpad_text, struct scratchpad)

static err scratchpad_clear_it_tx(struct ctx *c, const struct uuid *agent_id)
{
    TRY(scratchpad_gate(c, *agent_id));
    TRY(scratchpad_store_delete(c, *agent_id));
    return scratchpad_note(c, "scratchpad_clear", *agent_id, 0);
}
DB_TX_IN_INNER(scratchpad_clear_it, struct uuid)

err scratchpad_clear(struct ctx *c, struct uuid agent_id)
{
    return scratchpad_clear_it(c, &agent_id);
}

/* ---- the job */

static struct instant scratchpad_old_before(const struct ctx *c)
{
    return (struct instant){c->now.us - SCRATCHPAD_OLD_DAYS * DAY_US};
}

err scratchpad_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return scratchpad_store_due(c, scratchpad_old_before(c), above, ids, max, n);
}

err scratchpad_trim(struct ctx *c, int64_t limit, bool dry, int64_t *n)
{
    struct list old;
    const struct scratchpad_old *v;
    struct scratchpad after;
    const char *rest;

    TRY(scratchpad_store_old(c, scratchpad_old_before(c), (size_t)limit, &old));
    v = old.v;
    *n = (int64_t)old.n;
    for (size_t i = 0; i < old.n && !dry; i++) {
        TRY(scratchpad_archive(c, v[i].agent_id, v[i].body, SCRATCHPAD_TRIM, &rest));
        TRY(scratchpad_write(c, v[i].agent_id, rest, &after));
    }
    return ERR_OK;
}
