/* Graphs out of texts: names, and what rules or a model say about them, each with the words that say it. */
#ifndef LOCI_GRAPH_EXTRACT_H
#define LOCI_GRAPH_EXTRACT_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"

#define EXTRACT_TEXT (256 * 1024)
#define EXTRACT_CALLS 50      /* of a model, for one document */
#define EXTRACT_CALLS_NOW 4   /* … while a caller waits; the rest is a task */
#define EXTRACT_RELATIONS 500 /* that an answer shows */
#define EXTRACT_ENTITIES 500

#define EXTRACT_METHOD(X) X(EXTRACT_AUTO, "auto") X(EXTRACT_NAMES, "names") X(EXTRACT_BY_RULES, "rules") X(EXTRACT_BY_LLM, "llm")
ENUMX_DECLARE(extract_method, EXTRACT_METHOD);

struct graph_extract_in {
    const char *text; /* or a document */
    struct uuid document_id, knowledge_base_id;
    const char *source_label;   /* name of the document that the text becomes */
    enum extract_method method; /* auto: what the base has */
    bool dry_run;
};

struct graph_entity_found {
    const char *name, *entity_type;
    struct uuid id; /* nil: a dry run, or it waits for a second text */
    bool created, untrusted;
};

struct graph_relation_found {
    const char *source, *relation, *target, *quote;
    double confidence;
    struct uuid chunk_id, fact_id; /* nil: a dry run */
    bool untrusted;
};

struct graph_extract_out {
    const char *method;
    struct uuid document_id, episode_id; /* what the text became; nil: a dry run, or the other */
    struct list entities, relations;
    int64_t facts, created; /* new ones */
    int64_t merged;         /* entities that were there */
    int64_t chunks, tokens;
    int64_t pending; /* chunks left to a task */
    struct strs degraded;
};
/* Of a text or a document. A text becomes a document of the base, without one an episode of the caller. */
err graph_extract(struct ctx *c, const struct graph_extract_in *in, struct graph_extract_out *out);
/* The task: what of the document's chunks was not read yet, as its base wants it. */
err graph_extract_work(struct ctx *c, struct uuid document_id, enum extract_method method, bool (*should_stop)(void *arg), void *arg);

#endif
