/* Whether the language model answers: asked by a person who looks at the settings. */
#ifndef LOCI_LLM_HEALTH_H
#define LOCI_LLM_HEALTH_H

#include "ctx.h"
#include "health.h"

/* For struct app.try_llm: one short question, which costs a few tokens of the account's budget. */
err llm_try(struct ctx *c, struct health_part *p);

#endif
