/* Other people's vector indexes, as bench_vector sees them: linked in by tests/bench/vector, or not there. */
#ifndef LOCI_VECTOR_PEERS_H
#define LOCI_VECTOR_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEAK __attribute__((weak))

struct peer;

/* i counts the peers; NULL past the last. n rows of dim at length 1, which must outlive it, and room for `more`. build_effort: what
 * they call efConstruction. What has been built is kept in the folder `cache`, if that is not NULL, with the seconds it took. peer_new itself is NULL where no
 * peers were linked in. */
struct peer *peer_new(size_t i, const float *rows, size_t n, size_t more, size_t dim, size_t build_effort, const char *cache) WEAK;
void peer_free(struct peer *p) WEAK;
const char *peer_name(const struct peer *p) WEAK;
double peer_build_s(const struct peer *p) WEAK;
size_t peer_bytes(const struct peer *p) WEAK;
/* Effort is what the peer calls efSearch or nprobe; false: it has no such knob. */
bool peer_effort(struct peer *p, size_t effort) WEAK;
/* allowed: one bit for each row, or NULL. false: the peer has no filters. */
bool peer_search(struct peer *p, const float *query, size_t k, const uint64_t *allowed, uint32_t *rows) WEAK;
/* false: it cannot. */
bool peer_insert(struct peer *p, const float *row) WEAK;
bool peer_delete(struct peer *p, uint32_t row) WEAK;

#ifdef __cplusplus
}
#endif

#endif
