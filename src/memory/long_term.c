/* Entries by key alone; see long_term.h. */
#include "long_term.h"

#include "access_log.h"
#include "long_term_store.h"
#include "node.h"
#include "str.h"
#include "subject.h"

static const enum default_context OWN[LONG_TERM_OWN] = { CONTEXT_FACTUAL, CONTEXT_LONG_TERM, CONTEXT_EXPERIENTIAL };

/* The caller was asked whether it may speak for the agent: then its own contexts are open to it, too. */
static err open_own(struct ctx *c, struct uuid agent_id, const char *const handles[LONG_TERM_OWN], const char *slug)
{
    struct context x;

    for (size_t i = 0; i < LONG_TERM_OWN; i++)
        if (str_eq(handles[i], slug))
            return context_ensure(c, agent_id, OWN[i], &x);
    return ERR_OK;
}

/* merged: one that was merged away with that key. */
static err find(struct ctx *c, struct uuid agent_id, const char *key, bool merged, bool *found, struct long_term_place *out)
{
    const char *handles[LONG_TERM_OWN];

    for (size_t i = 0; i < LONG_TERM_OWN; i++)
        handles[i] = context_default_handle(c, agent_id, OWN[i]);
    TRY(long_term_store_find(c, handles, key, merged, found, out));
    return *found && !access_may_read(c, out->space_id) ? open_own(c, agent_id, handles, out->slug) : ERR_OK;
}

err long_term_find(struct ctx *c, struct uuid agent_id, const char *key, bool peek, bool *found, struct entry *out)
{
    struct long_term_place at;

    TRY(subject_require(c, agent_id, ACCESS_READ));
    TRY(find(c, agent_id, key, false, found, &at));
    if (!*found)
        TRY(find(c, agent_id, key, true, found, &at));
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
    TRY(long_term_store_own(c, handles, ids, &n));
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

err long_term_archive(struct ctx *c, struct uuid agent_id, const char *key, bool *was_there)
{
    struct long_term_place at;
    struct entry e;

    TRY(subject_require(c, agent_id, ACCESS_WRITE));
    TRY(find(c, agent_id, key, false, was_there, &at));
    return *was_there ? entry_archive(c, UUID_STR(at.space_id), UUID_STR(at.node_id), true, 0, &e) : ERR_OK;
}
