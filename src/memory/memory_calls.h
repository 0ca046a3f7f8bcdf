/* The call tables of memory; each ends with NULL. */
#ifndef LOCI_MEMORY_CALLS_H
#define LOCI_MEMORY_CALLS_H

#include "op.h"

extern const struct op *const context_calls_table[];
extern const struct op *const short_term_calls_table[];
extern const struct op *const tiered_calls_table[], *const tiered_more_calls_table[];
extern const struct op *const context_grant_calls_table[];
extern const struct op *const context_snapshot_calls_table[];
extern const struct op *const access_log_calls_table[];
extern const struct op *const context_copy_calls_table[], *const context_export_calls_table[], *const context_import_calls_table[];
extern const struct op *const archive_calls_table[];
extern const struct op *const entry_bulk_calls_table[];
extern const struct op *const entry_calls_table[];
extern const struct op *const junk_calls_table[];
extern const struct op *const knowledge_calls_table[];
extern const struct op *const entry_search_calls_table[];
extern const struct op *const learning_calls_table[];
extern const struct op *const learning_review_calls_table[];
extern const struct op *const merge_calls_table[];
extern const struct op *const experience_calls_table[], *const agent_fact_calls_table[], *const agent_fact_many_calls_table[], *const private_calls_table[];
extern const struct op *const working_calls_table[], *const working_more_calls_table[];
extern const struct op *const pool_calls_table[], *const pool_data_calls_table[], *const pool_snapshot_calls_table[], *const workflow_calls_table[];

#endif
