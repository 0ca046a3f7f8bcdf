/* The rest of an erasure, slice by slice: {"receipt_id"}. A crash leaves a whole number of slices. */
#include "erase_job.h"

#include "erase.h"

static err erase_task(struct ctx *c, struct task_work *w)
{
    const char *text = json_get_str(w->tasks[0].payload, "receipt_id");
    struct uuid id;
    bool more;

    if (!text || !uuid_parse(text, &id))
        return fail(c, ERR_INVALID, "the task names no receipt");
    TRY(erase_go_on(c, id, &more));
    if (more) /* a slice takes much memory: the next one begins with none */
        w->outcome = TASK_BEHIND;
    return ERR_OK;
}

const struct task_kind erase_kind = {
    .name = "erase", .priority = 4, .lease_s = 300, .max_attempts = 20, .parallel = 1, .batch = 1, .flags = TASK_FORGET, .run = erase_task,
};
