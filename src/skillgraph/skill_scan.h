/* The rules of a scan: what is wrong between skills that were read in one pass. Pure functions of what was read,
    but for the list they add to. */
#ifndef LOCI_SKILL_SCAN_H
#define LOCI_SKILL_SCAN_H

#include "near_pairs.h"
#include "skill_conflict_store.h"

struct skill_scan_work {
    struct ctx *c;
    const struct skill_scanned *skills; /* by id */
    size_t n_skills;
    const struct skill_scan_edge *edges;
    size_t n_edges;
    const struct near_pair *pairs; /* of active skills, similarity from SCAN_NEAR on */
    size_t n_pairs;
    struct skill_conflict *found;
    size_t n, cap;
};
#define SCAN_NEAR 0.70
#define SCAN_FOUND 20000

const struct skill_scanned *skill_scan_find(const struct skill_scan_work *w, struct uuid id);
/* b NULL: of one skill. edge nil: of none. */
void skill_scan_add(struct skill_scan_work *w, const struct skill_scanned *a, const struct skill_scanned *b,
                    const struct skill_conflict *what);

void skill_scan_overlaps(struct skill_scan_work *w);
void skill_scan_contradictions(struct skill_scan_work *w);
void skill_scan_dependencies(struct skill_scan_work *w);
void skill_scan_cycles(struct skill_scan_work *w);
void skill_scan_versions(struct skill_scan_work *w);
void skill_scan_names(struct skill_scan_work *w);

/* "always use tabs" and "never use tabs": the same words with another sign. */
bool skill_rules_contradict(struct arena *a, const char *x, const char *y);

#endif
