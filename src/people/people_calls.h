/* The call tables of people, agents and teams; each ends with NULL. */
#ifndef LOCI_PEOPLE_CALLS_H
#define LOCI_PEOPLE_CALLS_H

#include "op.h"

extern const struct op *const user_calls_table[];
extern const struct op *const session_calls_table[];
extern const struct op *const agent_calls_table[];
extern const struct op *const team_calls_table[];
extern const struct op *const role_calls_table[];
extern const struct op *const token_calls_table[];

#endif
