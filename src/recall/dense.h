/* Nearest vectors: parts that hold compact codes of rows, and the search over one or more of them. */
#ifndef LOCI_DENSE_H
#define LOCI_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codes.h"
#include "err.h"
#include "pack.h"
#include "uuid.h"

/* ---- a part: the vectors of one segment, by row number */

/* Rows are appended by one thread; what has been appended may then be searched by many. Nothing is ever removed: a row that
 * is deleted is left out of the filters. */
struct dense_part;

enum dense_keep { DENSE_CODES, DENSE_VECTORS };      /* whether the float32 vectors are held, too */

/* expected: rows for which memory is taken at once; more are possible. The codec must outlive the part. NULL: no memory. */
struct dense_part *dense_part_new(const struct codec *codec, size_t expected, enum dense_keep keep);
void dense_part_free(struct dense_part *p);

/* The next row; vector NULL: a row without one, which no search finds. A vector with a number that is not finite makes such a
 * row, too. false: no memory, and no row. */
bool dense_append(struct dense_part *p, const float *vector);
/* The next row is a copy of another part's, whose codec is the same and which keeps no less. */
bool dense_append_row(struct dense_part *p, const struct dense_part *from, uint32_t row);

/* Forgets the float32 vectors; gives back the memory that rows to come would have taken. Nobody else may hold the part. */
void dense_drop_vectors(struct dense_part *p);
void dense_fit(struct dense_part *p);
/* The other way: room for the float32 vectors of a part that held codes only, to be put there one by one. false: no memory. */
bool dense_hold_vectors(struct dense_part *p);
void dense_put_vector(struct dense_part *p, uint32_t row, const float *vector);
size_t dense_vectors_size(const struct dense_part *p); /* what they take */

enum dense_keep dense_keeps(const struct dense_part *p);
const struct codec *dense_codec(const struct dense_part *p);
size_t dense_rows(const struct dense_part *p);
size_t dense_vectors(const struct dense_part *p); /* rows that have a vector */
bool dense_has(const struct dense_part *p, uint32_t row);
size_t dense_bytes(const struct dense_part *p); /* memory that it holds */

/* ---- cells: rows that are alike are held together, so that a search reads only those near the query */

/* Below so many vectors a part is scanned whole. */
#define DENSE_CELLS_FROM 200000

/* The same rows under the same numbers, held in the order of their cells; no more can be appended. The cells are learned, or
 * have the centres of those of `like`, if that is not NULL and has any. Takes seconds for a million. NULL: no memory. */
struct dense_part *dense_in_cells(const struct dense_part *p, const struct dense_part *like);

size_t dense_cells(const struct dense_part *p); /* 0: it has none */

/* ---- as bytes: see segment_pack.h */

struct dense_pack {
    uint32_t rows, vectors, dim, cells;
    float reach, reach_exact;
};
void dense_pack(const struct dense_part *p, struct dense_pack *meta, struct pack_list *out);
struct dense_part *dense_unpack(const struct codec *codec, const struct dense_pack *meta, struct pack_list *out);

/* ---- searching */

/* A part, and which of its rows may be found. */
struct dense_source {
    const struct dense_part *part;
    const uint64_t *filter; /* row r: bit r % 64 of word r / 64; NULL: every row */
    const struct uuid *ids; /* by row: of equals, the lower id comes first; NULL: the lower source, then row */
};

struct dense_hit {
    uint32_t source, row;
    float score;   /* the cosine */
    bool is_exact; /* by float32; else by codes, a ten-thousandth off */
};

/* Sets vectors[i] to the float32 vector of hits[i], or leaves it NULL where there is none to be had. What it returns, if
 * not ERR_OK, the search returns. */
typedef err dense_fetch(void *arg, const struct dense_hit *hits, size_t n, const float **vectors);

/* A search under a filter that leaves no more rows is so short that it may be sure of its first. */
#define DENSE_NARROW 32768

struct dense_options {
    size_t k;
    bool exact;              /* recall over speed */
    bool rough;              /* speed over recall, for a long list: its first are found as ever, some of its last are not */
    size_t sure;             /* not all of the last are fetched, only where codes cannot tell which are the first so many; or 0 */
    unsigned threads;        /* at most; only large searches take more than one */
    struct helpers *helpers; /* whose they are (errand.h); NULL: the caller does it all */
    dense_fetch *fetch;      /* for rows whose part does not hold vectors; may be NULL */
    void *fetch_arg;
};

/* Rows in and out of each stage. */
struct dense_trace {
    size_t allowed;  /* by the filters, with a vector */
    size_t scanned;  /* by bits */
    size_t rescored; /* by bytes */
    size_t exact;    /* by float32 */
    size_t cells;    /* looked into, where parts have any */
};

struct dense_result {
    struct dense_hit *hits; /* the highest score first; in the arena */
    size_t n;               /* k, or as many as there are */
    struct dense_trace trace;
};

/* The k rows of all sources with the highest cosine. All parts must be of the query's codec. The same rows, ids and query
 * give the same result, however the rows are spread over parts and whatever the number of threads. */
err dense_search(struct arena *a, const struct code_query *q, const struct dense_source *sources, size_t n_sources,
                 const struct dense_options *options, struct dense_result *out);

/* Sets score and is_exact of each hit, whose source and row are given, as a search would; rows without a vector get 0. */
err dense_score(struct arena *a, const struct code_query *q, const struct dense_source *sources,
                const struct dense_options *options, struct dense_hit *hits, size_t n);

/* The same by bytes alone, which touches least memory: for figures over many rows. */
void dense_score_roughly(struct arena *a, const struct code_query *q, const struct dense_source *sources, struct dense_hit *hits, size_t n);

/* The cosine of two rows by their bytes; the parts are of one codec. 0 if either has no vector. */
float dense_between(const struct dense_part *a, uint32_t row_a, const struct dense_part *b, uint32_t row_b);

#endif
