/* How good BM25 is alone, on sets of judged questions. */
#ifndef LOCI_BM25_QUALITY_H
#define LOCI_BM25_QUALITY_H

#include <stddef.h>

/* Folders with corpus.jsonl, queries.jsonl and qrels.tsv, each an account of its own, their questions
   pooled. Prints one line; returns a status for main. */
int bm25_quality(const char *kind, const char *const *folders, size_t n);

#endif
