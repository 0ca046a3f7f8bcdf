/* Scans over compact codes of vectors: their layouts, and what every twin must compute. All twins give the same bits. */
#ifndef LOCI_SCAN_H
#define LOCI_SCAN_H

#include <stddef.h>
#include <stdint.h>

/* Rows of a block; one 64-bit word of a filter. */
#define SCAN_BLOCK 64
/* Bytes of the longest 1-bit code. */
#define SCAN_COLUMNS_MAX 512
/* Bytes of tables for one byte of a code: 16 sums for its low four bits, then 16 for its high four. */
#define SCAN_TABLE 32
/* The largest entry of a table; four of them still fit a byte. */
#define SCAN_ENTRY_MAX 60

/* The block of the codes that is looked at as number b: blocks may be listed, in any order, each fetched a little before its
 * turn. */
static inline size_t scan_block(const uint32_t *list, size_t b)
{
    return list ? list[b] : b;
}

/* sums[b · 64 + r] = Σ over j of table[j] at the low four bits of byte j of row r of block b, and at its high four.
 *
 * Byte j of row r of block b stands at codes[(scan_block(list, b) · columns + j) · 64 + r]. columns is even, at most
 * SCAN_COLUMNS_MAX. The blocks whose word in wanted is 0 are not read, and their sums not written; without wanted all are. */
struct scan_bits {
    const uint8_t *codes;
    const uint8_t *tables; /* SCAN_TABLE bytes for each column */
    size_t columns;
    const uint64_t *wanted; /* may be NULL */
    size_t blocks;
    uint16_t *sums;
    const uint32_t *list; /* may be NULL */
};

/* Bit r of picked[b] says that row r of block b is wanted and that
 *     (sums[b · 64 + r] + offset) · factors[scan_block(list, b) · 64 + r] ≥ floor,
 * computed in float in this order. Returns how many bits it set. */
struct scan_pick {
    const uint16_t *sums;
    const float *factors;
    float offset, floor;
    const uint64_t *wanted; /* may be NULL */
    size_t blocks;
    uint64_t *picked;
    const uint32_t *list; /* may be NULL */
};

/* dots[i] = Σ query[j] · codes[rows[i] · columns + j]; exact. columns is a multiple of 64, at most 8 · SCAN_COLUMNS_MAX.
 * Rows should ascend; each is fetched a little before its turn. */
struct scan_i8 {
    const int8_t *query;
    const int8_t *codes;
    size_t columns;
    const uint32_t *rows;
    size_t n;
    int32_t *dots;
};

#endif
