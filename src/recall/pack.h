/* Memory as a list of pieces, written and read as one stream of bytes: how a segment becomes a pack and a pack a segment. */
#ifndef LOCI_PACK_H
#define LOCI_PACK_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PACK_PIECES 48

struct pack_list {
    struct pack_piece {
        void *p;
        size_t n;
    } at[PACK_PIECES];
    size_t n;
};

static inline void pack_add(struct pack_list *l, void *p, size_t n)
{
    assert(l->n < PACK_PIECES);
    l->at[l->n++] = (struct pack_piece){p, n};
}

static inline size_t pack_size(const struct pack_list *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += l->at[i].n;
    return n;
}

/* A place in the stream. */
struct pack_place {
    size_t piece, offset;
};

/* The next n bytes, or what is left of them, from the list into buffer; or the other way. Returns how many. */
static inline size_t pack_move(const struct pack_list *l, struct pack_place *at, void *buffer, size_t n, int to_list)
{
    size_t done = 0;

    while (at->piece < l->n && done < n) {
        const struct pack_piece *piece = &l->at[at->piece];
        size_t k = piece->n - at->offset < n - done ? piece->n - at->offset : n - done;
        unsigned char *mine = (unsigned char *)piece->p + at->offset, *its = (unsigned char *)buffer + done;

        if (k)
            memcpy(to_list ? mine : its, to_list ? its : mine, k);
        done += k;
        at->offset += k;
        if (at->offset == piece->n)
            *at = (struct pack_place){at->piece + 1, 0};
    }
    return done;
}

/* Tells a chunk that was damaged or cut from one that was not. */
static inline uint64_t pack_sum(const void *p, size_t n)
{
    const unsigned char *bytes = p;
    uint64_t sum = n;

    for (size_t i = 0; i < n; i += sizeof sum) {
        uint64_t word = 0;

        memcpy(&word, bytes + i, n - i < sizeof word ? n - i : sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

#endif
