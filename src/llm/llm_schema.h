/* Whether an answer has the shape that was asked for: the part of JSON Schema that llm.h names. */
#ifndef LOCI_LLM_SCHEMA_H
#define LOCI_LLM_SCHEMA_H

#include "json.h"

/* NULL: value fits. Else what is wrong and where, in the arena. */
const char *llm_schema_fault(struct arena *a, const struct json *schema, const struct json *value);

#endif
