/* Evaluation sets of a knowledge base: questions with what should be found, run mode by mode, and compared with the run before. */
#ifndef LOCI_EVALUATION_H
#define LOCI_EVALUATION_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define EVALUATION_CASES 1000 /* of a base */
#define EVALUATION_TEXT 2000
#define EVALUATION_CSV (1024 * 1024)
#define EVALUATION_DEPTH 20 /* results that are looked at */
#define EVALUATION_MISSED 100

#define EVALUATION_STATUS(X) X(EVALUATION_RUNNING, "running") X(EVALUATION_DONE, "done") X(EVALUATION_FAILED, "failed")
ENUMX_DECLARE(evaluation_status, EVALUATION_STATUS);

struct evaluation_case {
    struct uuid id, knowledge_base_id;
    const char *name, *question;
    struct uuid expected_document_id, expected_chunk_id; /* one of these … */
    const char *expected_text;                           /* … or this */
    struct uuid created_by;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing EVALUATION_CASE;

struct evaluation_run {
    struct uuid id, knowledge_base_id;
    const char *name; /* NULL: all sets */
    enum evaluation_status status;
    int64_t cases;
    const struct json *results, *failed_cases;
    const char *error;
    struct uuid created_by;
    struct instant finished_at;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing EVALUATION_RUN;

struct evaluation_filter {
    struct uuid knowledge_base_id;
    const char *name; /* NULL: all sets */
    int64_t limit;
    const char *cursor;
};
/* Of a base that the caller may read, newest first. */
err evaluation_case_list(struct ctx *c, const struct evaluation_filter *f, struct page *out);
/* Whoever writes the base adds, deletes and runs. */
err evaluation_case_create(struct ctx *c, const struct evaluation_case *in, struct evaluation_case *out);
err evaluation_case_delete(struct ctx *c, const struct thing_key *key);

struct evaluation_import {
    struct uuid knowledge_base_id;
    const char *name, *csv;
};
struct evaluation_imported {
    int64_t added;
};
/* Lines of question, document id or external_id, text; a first line of these names is left out. All or none. */
err evaluation_import(struct ctx *c, const struct evaluation_import *in, struct evaluation_imported *out);

struct evaluation_query {
    struct uuid query_id; /* of the record of queries: one's own */
};
/* A question that was put becomes a case: what it found best is expected. */
err evaluation_from_query(struct ctx *c, const struct evaluation_query *in, struct evaluation_case *out);

struct evaluation_ask {
    struct uuid knowledge_base_id;
    const char *name;
};
/* Promises a run. */
err evaluation_start(struct ctx *c, const struct evaluation_ask *in, struct evaluation_run *out);
err evaluation_run_list(struct ctx *c, const struct evaluation_filter *f, struct page *out);

/* ---- the task */

err evaluation_work(struct ctx *c, struct uuid run_id, bool (*should_stop)(void *arg), void *arg);
err evaluation_gave_up(struct ctx *c, struct uuid run_id, const char *why);

#endif
