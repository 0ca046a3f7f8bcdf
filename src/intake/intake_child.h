/* One run of loci-extract: bytes go in, records come out. */
#ifndef LOCI_INTAKE_CHILD_H
#define LOCI_INTAKE_CHILD_H

#include "ctx.h"
#include "str.h"

#define INTAKE_WALL_S 60

struct child_answer {
    int status; /* as waitpid() has it */
    bool is_late, is_too_large;
    struct buf out;
    char errors[2048]; /* the beginning of what it says on fd 2 */
};

/* args: of loci-extract, without its name; ended by NULL. */
err intake_child_run(struct ctx *c, const char *const *args, struct bytes in, struct child_answer *out);
/* Where loci-extract is. */
const char *intake_program(struct ctx *c);

#endif
