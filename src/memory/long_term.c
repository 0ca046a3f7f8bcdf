/* Entries by key alone; see long_term.h. */
#include "long_term.h"

#include <sodium.h>
#include <string.h>

#include "access_log.h"
#include "long_term_store.h"
#include "node.h"
#include "short_term.h"
#include "str.h"
#include "subject.h"

#define CUT_HASH 8 /* bytes of the hash that stands for what was cut off a key */

static const enum default_context OWN[LONG_TERM_OWN] = {CONTEXT_FACTUAL, CONTEXT_LONG_TERM, CONTEXT_EXPERIENTIAL};

/* The caller was asked whether it may speak for the agent: then its own contexts are open to it, too. */
static err open_own(struct ctx *c, struct uuid agent_id, const char *const handles[LONG_TERM_OWN], const char *slug)
{
    struct context x;

    for (size_t i = 0; i < LONG_TERM_OWN; i++)
        if (str_eq(handles[i], slug))
            return context_ensure(c, agent_id, OWN[i], &x);
    return ERR_OK;
}

const char *long_term_session_key(struct ctx *c, const char *key, const char *session_id)
{
    const char *session = session_id ? session_id : SHORT_TERM_SESSION;
    size_t room = ENTRY_KEY - 1 - str_code_points(session, strlen(session));
    uint8_t hash[CUT_HASH];
    char hex[2 * CUT_HASH + 1];

    if (str_code_points(key, strlen(key)) <= room)
        return arena_printf(c->arena, "%s@%s", key, session);
    crypto_generichash(hash, sizeof hash, (const uint8_t *)key, strlen(key), NULL, 0);
    hex_encode(hash, sizeof hash, hex);
    return arena_printf(c->arena, "%.*s~%s@%s", (int)str_first_bytes(key, room - 1 - 2 * CUT_HASH), key, hex, session);
}

/* merged: one that was merged away with that key. */
static err long_term_find_row(struct ctx *c, const struct long_term_key *k, bool merged, bool *found, struct long_term_place *out)
{
    const char *session_key = long_term_session_key(c, k->key, k->session_id);
    const char *handles[LONG_TERM_OWN];

    for (size_t i = 0; i < LONG_TERM_OWN; i++)
        handles[i] = context_default_handle(c, k->agent_id, OWN[i]);
    TRY(long_term_store_find(c, k->agent_id, handles, k->key, session_key, merged, found, out));
    return *found && !access_may_read(c, out->space_id) ? open_own(c, k->agent_id, handles, out->slug) : ERR_OK;
}

err long_term_find(struct ctx *c, const struct long_term_key *k, bool peek, bool *found, struct entry *out)
{
    struct long_term_place at;

    TRY(subject_require(c, k->agent_id, ACCESS_READ));
    TRY(long_term_find_row(c, k, false, found, &at));
    if (!*found)
        TRY(long_term_find_row(c, k, true, found, &at));
    if (!*found)
        return ERR_OK;
    TRY(entry_get(c, UUID_STR(at.space_id), UUID_STR(at.node_id), out));
    if (!peek)
        node_touch(c, &out->id, 1);
    access_log_read(c, &(struct access_read){.action = LOGGED_READ, .context_id = at.space_id, .entry_id = out->id});
    return ERR_OK;
}

err long_term_open(struct ctx *c, struct uuid agent_id)
{
    const char *handles[LONG_TERM_OWN];
    struct uuid ids[LONG_TERM_OWN];
    size_t n;

    for (size_t i = 0; i < LONG_TERM_OWN; i++)
        handles[i] = context_default_handle(c, agent_id, OWN[i]);
    TRY(long_term_store_own(c, agent_id, handles, ids, &n));
    for (size_t i = 0; i < n; i++)
        space_widen(c, ids[i], ACCESS_READ);
    return ERR_OK;
}

err long_term_put(struct ctx *c, struct uuid agent_id, const struct entry_new *in, struct entry *out)
{
    struct context x;

    TRY(subject_require(c, agent_id, ACCESS_WRITE));
    TRY(context_ensure(c, agent_id, CONTEXT_LONG_TERM, &x));
    return entry_put(c, x.context_id, in, out);
}

err long_term_put_key(struct ctx *c, const struct long_term_key *k, const struct entry_new *in, struct entry *out)
{
    const char *own = long_term_session_key(c, k->key, k->session_id);
    struct entry_new n = *in;
    struct context x;
    struct entry e;
    err r;

    TRY(subject_require(c, k->agent_id, ACCESS_WRITE));
    TRY(context_ensure(c, k->agent_id, CONTEXT_LONG_TERM, &x));
    r = entry_get(c, x.context_id, own, &e);
    if (r != ERR_OK && r != ERR_NOT_FOUND)
        return r;
    n.entry_key = r == ERR_OK && str_eq(e.entry_key, own) ? own : k->key;
    ctx_forgive(c);
    return entry_put(c, x.context_id, &n, out);
}

err long_term_archive(struct ctx *c, const struct long_term_key *k, bool *was_there)
{
    struct long_term_place at;
    struct entry e;

    TRY(subject_require(c, k->agent_id, ACCESS_WRITE));
    TRY(long_term_find_row(c, k, false, was_there, &at));
    return *was_there ? entry_archive(c, UUID_STR(at.space_id), UUID_STR(at.node_id), true, 0, &e) : ERR_OK;
}
