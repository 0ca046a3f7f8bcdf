/* /.well-known/agent-skills: the skills of an account for installers, version 0.2.0 of the discovery format. With a token, or below
 * /p/:account for everybody where the account's setting public_skills says so. */
#ifndef LOCI_SKILLS_SITE_H
#define LOCI_SKILLS_SITE_H

#include "router.h"

void skills_site_add_routes(struct router *r, struct arena *a);

#endif
