/* How far a writer is trusted: from the credential only, never from what a request says. */
#ifndef LOCI_VOICE_H
#define LOCI_VOICE_H

#include "ctx.h"
#include "enumx.h"

#define EPISODE_ROLE(X) \
    X(ROLE_USER, "user") X(ROLE_ASSISTANT, "assistant") X(ROLE_TOOL, "tool") X(ROLE_SYSTEM, "system") X(ROLE_EVENT, "event")
ENUMX_DECLARE(episode_role, EPISODE_ROLE);

/* Of the caller, by kind and role. */
double trust_base(const struct ctx *c);
/* Of what the caller says in that part. */
double trust_of_role(const struct ctx *c, enum episode_role role);
/* Voices in the order of what they count: the user's word is 3, an assistant's 2, an event's 1, a tool's 0. */
int trust_voice_rank(enum episode_role role);
/* The part that a direct record counts as: a person's user, an agent's assistant. */
enum episode_role trust_direct_role(const struct ctx *c);

#endif
