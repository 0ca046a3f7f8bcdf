/* Texts that should not lie about in a memory: keys and passwords, and sentences that talk to the model that reads them. */
#ifndef LOCI_SUSPECT_H
#define LOCI_SUSPECT_H

#include <stdbool.h>

/* The beginning of a key as the common services write them, a private key, a password in an address or after its name. */
bool suspect_secret(const char *text);
/* Tells its reader to forget what it was told, to be somebody else, or to say what it was told. */
bool suspect_instruction(const char *text);

#endif
