/* A language model's opinion: how well each of some texts answers a query. */
#ifndef LOCI_JUDGE_H
#define LOCI_JUDGE_H

#include "llm.h"
#include "rerank.h"

/* grades[i], −1 to 1, of texts[i] (at most RERANK_DEPTH), in one question; unless it answers LLM_USED_LLM they are not
 * set. purpose: a literal, for the model's metrics. */
enum llm_used judge(struct ctx *c, const char *purpose, const char *query, const struct rerank_text *texts, size_t n,
                    double *grades);

#endif
