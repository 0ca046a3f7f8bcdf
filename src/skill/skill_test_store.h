/* SQL of A/B tests. */
#ifndef LOCI_SKILL_TEST_STORE_H
#define LOCI_SKILL_TEST_STORE_H

#include "skill_test.h"

err skill_test_store_insert(struct ctx *c, const struct skill_test *t);
/* Locked. */
err skill_test_store_get(struct ctx *c, struct uuid id, bool *found, struct skill_test *out);
err skill_test_store_last(struct ctx *c, struct uuid skill_id, bool *found, struct skill_test *out);
/* Running ones of these skills. */
err skill_test_store_running(struct ctx *c, const struct uuid *skills, size_t n, struct list *out);
err skill_test_store_save(struct ctx *c, const struct skill_test *t);

#endif
