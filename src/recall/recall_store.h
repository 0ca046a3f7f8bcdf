/* SQL of a recall: the texts of its final candidates; only recall/ includes this. */
#ifndef LOCI_RECALL_STORE_H
#define LOCI_RECALL_STORE_H

#include "recall_impl.h"

/* texts[i] for ids[i], in one statement; found[i]: there is such a node. Bodies are cut after chars code points. */
err recall_store_texts(struct ctx *c, const struct uuid *ids, size_t n, int64_t chars, struct recall_text *texts, bool *found);

#endif
