/* The recall loop's guard: what a principal was just shown is no new memory when it writes it down again. */
#ifndef LOCI_ECHO_H
#define LOCI_ECHO_H

#include "ctx.h"

#define ECHO_REFUSED 0.8 /* from here on it is not stored */
#define ECHO_DOUBTED 0.5 /* from here on it counts half, until it is verified */

struct echo {
    double ratio;   /* characters in sentences that were served, of all */
    struct uuid of; /* the node that most of them came from */
};
/* Only sources in that space, in another of the same owner, or in `global` count: to pass what is private on to a team is no
 * echo. Where ratio reaches ECHO_REFUSED, the source has been used. Without Redis there is no guard. */
err echo_of(struct ctx *c, const char *text, struct uuid space_id, struct echo *out);
/* The same of what an agent wrote before, whoever asks now. */
err echo_of_agent(struct ctx *c, struct uuid agent_id, const char *text, struct uuid space_id, struct echo *out);

#endif
