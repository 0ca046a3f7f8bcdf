/* Who is calling: read from the credential, never from the request's content. */
#ifndef LOCI_PRINCIPAL_H
#define LOCI_PRINCIPAL_H

#include <stdbool.h>

#include "clock.h"
#include "enumx.h"
#include "permission.h"
#include "uuid.h"

#define PRINCIPAL_KIND(X) X(PRINCIPAL_USER, "user") X(PRINCIPAL_AGENT, "agent") X(PRINCIPAL_SYSTEM, "system")
ENUMX_DECLARE(principal_kind, PRINCIPAL_KIND);

/* Which tools a client is shown that comes with the token: those an agent works well with, or every one it may call. */
#define TOOLSET(X) X(TOOLSET_FULL, "full") X(TOOLSET_CORE, "core")
ENUMX_DECLARE(toolset, TOOLSET);

struct principal {
    enum principal_kind kind;
    struct uuid id; /* of the user or agent; nil for the system */
    struct uuid account_id;
    struct uuid token_id; /* nil when it came by session */
    const char *account_slug, *account_name;
    const char *name;  /* of the person or agent; "job:<name>" for the system */
    const char *email; /* people only */
    const char *role;
    const char *tier;   /* of trust, of an agent that has risen, fallen or was pinned; else NULL: its role speaks for it */
    permissions perms;  /* role ∩ token scopes */
    permissions scopes; /* of the token alone: all when it has none, or came by session */
    bool is_operator;
    enum toolset toolset; /* of the token */
    const char *session;  /* key of the browser session, or NULL */
    const char *csrf;     /* token that changes made by a browser must carry, or NULL */
};

#endif
