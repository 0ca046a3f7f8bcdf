/* What recalls of a process share beside the index: analyzers for their queries. */
#ifndef LOCI_RECALL_TOOLS_H
#define LOCI_RECALL_TOOLS_H

#include <stdint.h>

struct analyzer;
struct recall_tools; /* struct app.recall_tools */

struct recall_tools *recall_tools_new(void);
void recall_tools_free(struct recall_tools *t);

/* An analyzer of that language (see language.h) for the caller alone, until it is given back. */
struct analyzer *recall_tools_analyzer(struct recall_tools *t, uint8_t language);
void recall_tools_give_back(struct recall_tools *t, uint8_t language, struct analyzer *z);

#endif
