/* The task that reads a document for facts: {"id", "method"}; document_work promises it. */
#include "graph_extract_job.h"

#include "graph_extract.h"

static bool graph_extract_should_stop(void *w)
{
    return task_should_stop(w);
}

static err graph_extract_task(struct ctx *c, struct task_work *w)
{
    const char *id = json_get_str(w->tasks[0].payload, "id"), *name = json_get_str(w->tasks[0].payload, "method");
    struct uuid document_id;
    int method;

    if (!id || !uuid_parse(id, &document_id) || !name || !enumx_parse(&extract_method_enumx, name, &method))
        return fail(c, ERR_INVALID, "the task names no document or no method");
    return graph_extract_work(c, document_id, (enum extract_method)method, graph_extract_should_stop, w);
}

const struct task_kind graph_extract_kind = {
    .name = "graph_extract", .priority = 3, .lease_s = 120, .max_attempts = 5, .parallel = 1, .batch = 1, .run = graph_extract_task,
};
