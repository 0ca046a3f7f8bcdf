/* What the files of shared knowledge share; nobody else includes this. */
#ifndef LOCI_KNOWLEDGE_IMPL_H
#define LOCI_KNOWLEDGE_IMPL_H

#include "knowledge.h"
#include "knowledge_store.h"

/* What it is selected from. */
#define KNOWLEDGE_FROM \
    "knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id" \
    " JOIN space s ON s.account_id = n.account_id AND s.id = n.space_id" \
    " LEFT JOIN node_use u ON u.account_id = k.account_id AND u.node_id = k.id"

/* Hashes of its text in its space, structure and quality as they are now. */
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
