/* SQL of the junk audit; only junk.c includes this. */
#ifndef LOCI_JUNK_STORE_H
#define LOCI_JUNK_STORE_H

#include "junk.h"
#include "junk_look.h"

err junk_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err junk_store_next_space(struct ctx *c, struct uuid after, bool *found, struct uuid *id);
err junk_store_scan(struct ctx *c, struct uuid space_id, struct uuid after, size_t max, struct junk_row *rows, size_t *n);
/* Memories of the space whose text another one of their kind had first. */
err junk_store_copies(struct ctx *c, struct uuid space_id, struct finding **rows, size_t *n);
/* Counts today's findings for the curve. */
err junk_store_census(struct ctx *c);

err junk_store_days(struct ctx *c, struct junk_day *days, size_t max, size_t *n);
err junk_store_classes(struct ctx *c, const char *day, int64_t found[FINDING_CLASSES]);
err junk_store_samples(struct ctx *c, struct junk_class *classes);
err junk_store_spaces(struct ctx *c, const char *day, struct junk_space *rows, size_t max, size_t *n);
err junk_store_items(struct ctx *c, const struct junk_filter *f, struct uuid before, struct junk_item *rows, size_t *n);
err junk_store_to_clean(struct ctx *c, const bool classes[FINDING_CLASSES], const struct uuids *only, size_t max, struct uuid *ids,
                        size_t *n);

/* Counts as junk; of memory_finding f. */
#define IS_JUNK "(f.class IN ('exact_copy','echo','low_entropy','too_short') OR (f.class = 'stale' AND f.value >= 0.9))"
/* Rows m of short-term memory that could not be promoted, in the namespaces s of their agents. */
#define FAILED \
    "JOIN space s ON s.account_id = m.account_id AND s.owner_agent_id = m.agent_id AND s.kind = 'namespace' AND s.deleted_at IS NULL " \
    "WHERE m.account_id = ? AND m.promote_state = 'failed'"
/* Was anything archived with that reason, from `from` on in an hour? */
err junk_store_has_cleaned(struct ctx *c, const char *reason, struct instant from, bool *yes);
/* Archived with that reason from `from` on, in an hour; still away. */
err junk_store_cleaned(struct ctx *c, const char *reason, struct instant from, struct uuid after, struct uuid *ids, struct uuid *spaces, size_t max,
                       size_t *n);

#endif
