/* The parameters of a job in forms, and the form that keeps them; for the pages about jobs. */
#ifndef LOCI_JOB_SETTINGS_HTML_H
#define LOCI_JOB_SETTINGS_HTML_H

#include "job_service.h"
#include "jobs_html.h"

/* A parameter's value as it is typed; set: where it may be set, else as declared. */
const char *param_text(struct ctx *c, const struct job_param *p, const struct json *set);
struct json *param_value(struct ctx *c, const struct job_param *d, const char *text);
/* Those of the form that differ from how they are otherwise. */
struct json *params_typed(struct ctx *c, const struct page_call *p, const struct job *job, const struct json *otherwise);
/* "params": list of {name, value, help}. */
void put_params(struct ctx *c, struct json *m, const struct page_call *p, const struct job *job, const struct json *set);
/* "settings", as job.mustache has it; nothing when there is nothing that the caller may set. */
void put_job_settings(struct ctx *c, struct page_call *p, const struct job_view *v, bool everywhere);

#endif
