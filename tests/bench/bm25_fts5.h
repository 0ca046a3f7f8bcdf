/* The peer: SQLite's FTS5 over the same texts. */
#ifndef LOCI_BM25_FTS5_H
#define LOCI_BM25_FTS5_H

#include <stddef.h>

struct fts5;

/* In memory, words stemmed as ours are, no texts kept. */
struct fts5 *fts5_build(const char *const *texts, size_t n);
/* The best k of ORDER BY rank (its bm25()) for any of the words; returns how many. */
size_t fts5_search(struct fts5 *f, const char *query, size_t k);
size_t fts5_bytes(struct fts5 *f);
void fts5_free(struct fts5 *f);

#endif
