/* Communities of names, and records of queries that go after their time; see rag_job.h. */
#include "rag_job.h"

#include "community.h"
#include "rag.h"

static err rag_job_purge(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(rag_purge(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n == s->limit;
    if (n)
        slice_count(s, "deleted", n);
    return ERR_OK;
}

const struct job rag_cleanup_job = {
    .name = "rag_cleanup", .description = "deletes the records of queries to knowledge bases after 90 days", .schedule = "@daily",
    .bound = 100000, .batch = 5000, .flags = JOB_DRY_RUN, .due = rag_purge_due, .purge = rag_job_purge,
};

#define SPACES_AT_ONCE 4

static err graph_communities_step(struct ctx *c, struct slice *s)
{
    struct uuid spaces[SPACES_AT_ONCE];
    size_t n;

    TRY(community_due_spaces(c, spaces, SPACES_AT_ONCE, &n));
    for (size_t i = 0; i < n; i++) {
        struct community_rebuild r;

        TRY(community_rebuild(c, spaces[i], false, s->dry, &r));
        s->scanned += r.names;
        s->changed += r.made + r.changed + r.removed;
        slice_count(s, "communities", r.found);
    }
    s->more = n == SPACES_AT_ONCE && !s->dry;
    return ERR_OK;
}

const struct job graph_communities_job = {
    .name = "graph_communities", .description = "finds which names of a space belong together, and writes their summaries",
    .schedule = "15 * * * *", .bound = 5000000, .batch = 100000, .slice_box_s = 600, .flags = JOB_DRY_RUN, .due = community_due,
    .step = graph_communities_step,
};
