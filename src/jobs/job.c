/* Jobs as they are declared: finding them, and the parameters they take. */
#include "job.h"

#include <assert.h>
#include <string.h>

#include "slice.h"

ENUMX_DEFINE(run_status, RUN_STATUS);
ENUMX_DEFINE(run_trigger, RUN_TRIGGER);
ENUMX_DEFINE(job_catchup, JOB_CATCHUP);
ENUMX_DEFINE(job_overlap, JOB_OVERLAP);
ENUMX_DEFINE(after_policy, AFTER_POLICY);

const struct job *job_find(const struct job_list *list, const char *name)
{
    for (size_t i = 0; i < list->n_jobs; i++)
        if (strcmp(list->jobs[i]->name, name) == 0)
            return list->jobs[i];
    return NULL;
}

bool job_is_continuous(const char *schedule)
{
    return str_starts(schedule + strspn(schedule, " \t"), "@every");
}

/* ---- parameters */

static const struct job_param *param_find(const struct job *job, const char *name)
{
    for (const struct job_param *p = job->params; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static bool param_fits(const struct job_param *p, const struct json *value)
{
    switch (p->type) {
    case PARAM_BOOL: return value->type == JSON_BOOL;
    case PARAM_INT: return value->type == JSON_INT && json_number(value) >= p->min && json_number(value) <= p->max;
    case PARAM_NUM:
        return (value->type == JSON_INT || value->type == JSON_NUM) && json_number(value) >= p->min && json_number(value) <= p->max;
    }
    return false;
}

const char *job_params_fault(struct arena *a, const struct job *job, const struct json *params)
{
    for (const struct json *m = params ? params->first : NULL; m; m = m->next) {
        const struct job_param *p = param_find(job, m->key);

        if (!p)
            return arena_printf(a, "%s has no parameter '%.64s'", job->name, m->key);
        if (param_fits(p, m))
            continue;
        if (p->type == PARAM_BOOL)
            return arena_printf(a, "%s must be true or false", p->name);
        return arena_printf(a, "%s must be a %snumber from %.15g to %.15g", p->name, p->type == PARAM_INT ? "whole " : "",
                            p->min, p->max);
    }
    return NULL;
}

double slice_param(const struct slice *s, const char *name)
{
    const struct job_param *p = param_find(s->job, name);
    const struct json *v = json_get(s->work->params, name);

    assert(p);
    if (!v || !param_fits(p, v))
        return p->otherwise;
    return p->type == PARAM_BOOL ? v->b : json_number(v);
}
