/* What the two files of operations on agents share. */
#ifndef LOCI_AGENT_CALLS_H
#define LOCI_AGENT_CALLS_H

#include "op.h"

struct agent_by_id {
    struct uuid id;
};
extern const struct field AGENT_BY_ID[];

extern const struct op AGENT_ROLES_GET, AGENT_ROLES_SET, AGENT_KEY_LIST, AGENT_KEY_ADD, AGENT_KEY_REVOKE;

#endif
