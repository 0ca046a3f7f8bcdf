/* Cases of evaluation sets; see evaluation.h. evaluation_run.c asks them. */
#include "evaluation.h"

#include <string.h>

#include "access.h"
#include "db.h"
#include "document.h"
#include "evaluation_store.h"
#include "knowledge_base.h"
#include "limit.h"
#include "match.h"
#include "rag.h"
#include "task.h"
#include "thing.h"

#define CSV_CELLS 3
#define CASE_SET "default"

ENUMX_DEFINE(evaluation_status, EVALUATION_STATUS);

static const struct field EVALUATION_CASE_COLUMNS[] = {
    F_ID(struct evaluation_case, "id of the case"),
    F_UUID(struct evaluation_case, knowledge_base_id, COL_ONCE | FIELD_REQUIRED, "knowledge base that is asked"),
    F_STR(struct evaluation_case, name, COL_ONCE, 1, LIMIT_NAME, "set that it belongs to; default: default", .label = "Set"),
    F_STR(struct evaluation_case, question, COL_ONCE | FIELD_REQUIRED, 1, RAG_QUERY, "what is asked", .label = "Question"),
    F_UUID(struct evaluation_case, expected_document_id, COL_ONCE | FIELD_NULLABLE, "document that should be found",
           .label = "Id of the document that answers"),
    F_UUID(struct evaluation_case, expected_chunk_id, COL_ONCE | FIELD_NULLABLE, "or chunk"),
    F_STR(struct evaluation_case, expected_text, COL_ONCE | FIELD_NULLABLE, 1, EVALUATION_TEXT, "or words of a chunk that should be found",
          .label = "Or words of a text that answers"),
    F_UUID(struct evaluation_case, created_by, COL_READ, "principal who added it"),
    F_VERSION(struct evaluation_case),
    F_TIMES(struct evaluation_case),
    F_END
};
const struct thing EVALUATION_CASE = THING("evaluation_case", EVALUATION_CASE_COLUMNS, struct evaluation_case, .schema = "EvaluationCase");

static const struct field EVALUATION_RUN_COLUMNS[] = {
    F_ID(struct evaluation_run, "id of the run"),
    F_UUID(struct evaluation_run, knowledge_base_id, COL_READ, "knowledge base that is asked"),
    F_STR(struct evaluation_run, name, COL_READ | FIELD_NULLABLE, 1, LIMIT_NAME, "set that is run; null: all"),
    F_ENUM(struct evaluation_run, status, COL_LATER, evaluation_status, EVALUATION_RUNNING, "running, done or failed",
           .shades = "info ok bad"),
    F_INT(struct evaluation_run, cases, COL_ROW | COL_SHOW, 0, 9e15, 0, "questions that were asked"),
    F_JSON(struct evaluation_run, results, COL_ROW | COL_SHOW, 0,
           "by mode: recall_at_5, recall_at_10, mrr, ndcg_at_10, median_ms, and change: recall_at_5 against the run before"),
    F_JSON(struct evaluation_run, failed_cases, COL_ROW | COL_SHOW, 0, "ids of cases whose answer was not in the first ten of hybrid"),
    F_STR(struct evaluation_run, error, COL_ROW | COL_SHOW | FIELD_NULLABLE, 0, 500, "why it failed"),
    F_UUID(struct evaluation_run, created_by, COL_READ, "principal who asked for it"),
    F_TIME(struct evaluation_run, finished_at, COL_ROW | COL_SHOW | FIELD_NULLABLE, "when it was done"),
    F_VERSION(struct evaluation_run),
    F_TIMES(struct evaluation_run),
    F_END
};
const struct thing EVALUATION_RUN = THING("evaluation_run", EVALUATION_RUN_COLUMNS, struct evaluation_run, .schema = "EvaluationRun");

/* ---- reading */

static err evaluation_may_read(struct ctx *c, struct uuid base)
{
    struct uuids out;

    return knowledge_base_readable(c, (struct uuids){&base, 1}, &out);
}

static err evaluation_may_write(struct ctx *c, struct uuid base)
{
    TRY(evaluation_may_read(c, base));
    return access_require(c, base, ACCESS_WRITE);
}

err evaluation_case_list(struct ctx *c, const struct evaluation_filter *f, struct page *out)
{
    struct uuid before;

    TRY(evaluation_may_read(c, f->knowledge_base_id));
    TRY(page_begin(c, f->cursor, &before));
    return evaluation_store_cases(c, f, before, out);
}

err evaluation_run_list(struct ctx *c, const struct evaluation_filter *f, struct page *out)
{
    struct uuid before;

    TRY(evaluation_may_read(c, f->knowledge_base_id));
    TRY(page_begin(c, f->cursor, &before));
    return evaluation_store_runs(c, f, before, out);
}

/* ---- cases */

static err evaluation_check(struct ctx *c, const struct evaluation_case *e)
{
    int n = !uuid_is_nil(e->expected_document_id) + !uuid_is_nil(e->expected_chunk_id) + (e->expected_text != NULL);
    struct document d;
    struct chunk_view k;

    if (n != 1)
        return fail_field(c, "/expected_document_id", "give one of expected_document_id, expected_chunk_id and expected_text");
    if (!uuid_is_nil(e->expected_document_id)) {
        TRY(document_get(c, e->expected_document_id, &d));
        return uuid_eq(d.knowledge_base_id, e->knowledge_base_id)
                   ? ERR_OK : fail_field(c, "/expected_document_id", "the document is not in this base");
    }
    if (uuid_is_nil(e->expected_chunk_id))
        return ERR_OK;
    TRY(chunk_get(c, e->expected_chunk_id, 0, &k));
    return uuid_eq(k.chunk.knowledge_base_id, e->knowledge_base_id)
               ? ERR_OK : fail_field(c, "/expected_chunk_id", "the chunk is not in this base");
}

static err evaluation_case_create_tx(struct ctx *c, const struct evaluation_case *in, struct evaluation_case *out)
{
    int64_t n;

    TRY(evaluation_may_write(c, in->knowledge_base_id));
    TRY(evaluation_store_count(c, in->knowledge_base_id, &n));
    if (n >= EVALUATION_CASES)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a knowledge base can have at most %d cases", EVALUATION_CASES);
    *out = *in;
    if (!out->name)
        out->name = CASE_SET;
    TRY(thing_begin(c, &EVALUATION_CASE, out));
    TRY(evaluation_check(c, out));
    out->created_by = c->who->id;
    return thing_insert(c, &EVALUATION_CASE, out);
}
DB_TX(evaluation_case_create, struct evaluation_case, struct evaluation_case)

static err evaluation_case_delete_tx(struct ctx *c, const struct thing_key *key)
{
    struct evaluation_case e;

    TRY(thing_get(c, &EVALUATION_CASE, key->id, &e));
    if (!access_may_read(c, e.knowledge_base_id))
        return fail(c, ERR_NOT_FOUND, "no such evaluation_case");
    TRY(evaluation_may_write(c, e.knowledge_base_id));
    TRY(match_version(c, key->if_version, e.version));
    return thing_remove(c, &EVALUATION_CASE, &e, key->if_version);
}
DB_TX_IN(evaluation_case_delete, struct thing_key)

/* ---- from CSV */

/* The next cell of a line, unquoted; *p stands behind it. */
static const char *csv_next(struct ctx *c, const char **p)
{
    const char *at = *p;
    bool is_quoted = *at == '"';
    struct buf b;

    buf_init(&b, c->arena, EVALUATION_CSV);
    for (at += is_quoted; *at; at++) {
        if (is_quoted && *at == '"' && at[1] != '"') {
            at++;
            break;
        }
        if (!is_quoted && strchr(",\r\n", *at))
            break;
        at += is_quoted && *at == '"';
        buf_printf(&b, "%c", *at);
    }
    at += strcspn(at, ",\r\n");
    *p = at;
    return buf_str(&b);
}

static err csv_case(struct ctx *c, const struct evaluation_import *in, const char *const *cell, int64_t line)
{
    struct evaluation_case e = {.knowledge_base_id = in->knowledge_base_id, .name = in->name, .question = cell[0]}, made;
    bool found = true;

    if (*cell[1] && !uuid_parse(cell[1], &e.expected_document_id))
        TRY(evaluation_store_document(c, in->knowledge_base_id, cell[1], &found, &e.expected_document_id));
    if (!found)
        return fail_field(c, "/csv", "line %lld: no document '%.100s' in this base", (long long)line, cell[1]);
    if (*cell[2])
        e.expected_text = cell[2];
    return evaluation_case_create(c, &e, &made);
}

static err evaluation_import_tx(struct ctx *c, const struct evaluation_import *in, struct evaluation_imported *out)
{
    int64_t line = 1;

    *out = (struct evaluation_imported){0};
    TRY(evaluation_may_write(c, in->knowledge_base_id));
    for (const char *p = in->csv; *p; line++) {
        const char *cell[CSV_CELLS] = {"", "", ""};
        bool is_head;

        for (size_t i = 0;; i++) {
            const char *text = csv_next(c, &p);

            if (i < CSV_CELLS)
                cell[i] = text;
            if (*p != ',')
                break;
            p++;
        }
        p += *p == '\r';
        p += *p == '\n';
        is_head = line == 1 && str_eq(cell[0], "question");
        if (is_head || !*cell[0])
            continue;
        TRY(csv_case(c, in, cell, line));
        out->added++;
    }
    return out->added ? ERR_OK : fail_field(c, "/csv", "there is no line with a question");
}
DB_TX(evaluation_import, struct evaluation_import, struct evaluation_imported)

/* ---- from the record of queries */

/* What stood first among the merged results. */
static bool evaluation_best(struct ctx *c, const struct rag_query_view *v, struct uuid *chunk)
{
    const struct hybrid_search_result *s = v->searches.v;
    const struct json *list = v->searches.n ? json_opened(c->arena, s->merged_results) : NULL;
    const char *id = list && list->first ? json_get_str(list->first, "id") : NULL;

    return id && uuid_parse(id, chunk);
}

err evaluation_from_query(struct ctx *c, const struct evaluation_query *in, struct evaluation_case *out)
{
    struct rag_query_view v;
    struct chunk_view k;
    struct uuid chunk;

    TRY(rag_query_get(c, in->query_id, &v));
    if (!v.query.query_text)
        return fail(c, ERR_CONFLICT, "the base keeps no words of its queries");
    if (!evaluation_best(c, &v, &chunk))
        return fail(c, ERR_CONFLICT, "the query found nothing");
    TRY(chunk_get(c, chunk, 0, &k));
    return evaluation_case_create(c, &(struct evaluation_case){.knowledge_base_id = k.chunk.knowledge_base_id,
        .question = v.query.query_text, .expected_document_id = k.chunk.document_id}, out);
}
