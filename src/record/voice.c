/* Trust by credential; see voice.h. */
#include "voice.h"

#include <string.h>

#include "principal.h"

ENUMX_DEFINE(episode_role, EPISODE_ROLE);

static double trust_of_person(const char *role)
{
    if (strcmp(role, "owner") == 0 || strcmp(role, "admin") == 0)
        return 0.90;
    return strcmp(role, "viewer") == 0 ? 0.60 : 0.80;
}

/* What it proved lifts it above its role; a fall takes it below. */
static double trust_of_agent(const char *role, const char *tier)
{
    double by_role = strcmp(role, "trusted") == 0 ? 0.70 : strcmp(role, "readonly") == 0 ? 0.40 : 0.55;
    double by_tier = !tier ? by_role : strcmp(tier, "autonomous") == 0 ? 0.80 : strcmp(tier, "trusted") == 0 ? 0.70 : 0.55;

    if (tier && strcmp(tier, "supervised") == 0)
        return 0.40;
    return by_tier > by_role ? by_tier : by_role;
}

double trust_base(const struct ctx *c)
{
    const char *role = c->who->role ? c->who->role : "";

    switch (c->who->kind) {
    case PRINCIPAL_USER:
        return trust_of_person(role);
    case PRINCIPAL_AGENT:
        return trust_of_agent(role, c->who->tier);
    case PRINCIPAL_SYSTEM: break;
    }
    return 0.50;
}

double trust_of_role(const struct ctx *c, enum episode_role role)
{
    static const double FACTORS[] = {[ROLE_USER] = 1.0, [ROLE_ASSISTANT] = 0.9, [ROLE_TOOL] = 0.7, [ROLE_SYSTEM] = 0.7, [ROLE_EVENT] = 0.8};

    return trust_base(c) * FACTORS[role];
}

int trust_voice_rank(enum episode_role role)
{
    static const int RANKS[] = {[ROLE_USER] = 3, [ROLE_ASSISTANT] = 2, [ROLE_TOOL] = 0, [ROLE_SYSTEM] = 0, [ROLE_EVENT] = 1};

    return RANKS[role];
}

enum episode_role trust_direct_role(const struct ctx *c)
{
    return c->who->kind == PRINCIPAL_USER ? ROLE_USER : ROLE_ASSISTANT;
}
