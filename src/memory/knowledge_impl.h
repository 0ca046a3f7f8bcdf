/* What the files of shared knowledge share; nobody else includes this. */
#ifndef LOCI_KNOWLEDGE_IMPL_H
#define LOCI_KNOWLEDGE_IMPL_H

#include "knowledge.h"
#include "knowledge_store.h"

/* Of a text in a space. */
struct knowledge_key knowledge_key(struct ctx *c, struct uuid space_id, const char *content);
/* Computes structure and quality as they are now. */
void knowledge_judge(struct ctx *c, struct knowledge *k);
/* Fills what is computed for an answer, and cuts the content to KNOWLEDGE_SHOWN characters unless it is wanted whole. */
void knowledge_present(struct ctx *c, struct knowledge *k, bool whole);
/* With its whole content; ERR_NOT_FOUND for what is not there or not for this caller. */
err knowledge_read(struct ctx *c, struct uuid id, struct knowledge *out);
/* ERR_CONFLICT `duplicate`, with the one that is there. */
err knowledge_duplicate(struct ctx *c, struct uuid existing, double similarity);
/* attrs of the node: tags and content_type, by which recalls filter. */
const struct json *knowledge_attrs(struct ctx *c, const struct knowledge *k);

#endif
