/* The call table of the room; ends with NULL. */
#ifndef LOCI_NOTE_CALLS_H
#define LOCI_NOTE_CALLS_H

#include "op.h"

extern const struct op *const note_calls_table[];

#endif
