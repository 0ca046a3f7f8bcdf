/* What recalls of a process share beside the index: analyzers for their queries. */
#ifndef LOCI_RECALL_TOOLS_H
#define LOCI_RECALL_TOOLS_H

struct analyzer;
struct recall_tools;                 /* struct app.recall_tools */

struct recall_tools *recall_tools_new(void);
void recall_tools_free(struct recall_tools *t);

/* An analyzer for the caller alone, until it is given back. */
struct analyzer *recall_tools_analyzer(struct recall_tools *t);
void recall_tools_give_back(struct recall_tools *t, struct analyzer *z);

#endif
