/* Experiences as entries; see experience.h. */
#include "experience.h"

#include "echo.h"
#include "entry_impl.h"
#include "subject.h"

#define IMPORTANCE 0.5
#define IMPORTANCE_FAILED 0.7 /* one learns more from what went wrong */
#define CONFIDENCE 0.5        /* and CONFIDENCE_STEP for each thing that is known of the task */
#define CONFIDENCE_STEP 0.1

static err experience_open_memory(struct ctx *c, struct uuid agent_id, enum access_level level, struct context *out)
{
    struct uuid id;

    TRY(subject_or_self(c, agent_id, level, &id));
    return context_ensure(c, id, CONTEXT_EXPERIENTIAL, out);
}

/* ---- storing */

static bool experience_says(const struct json *task, const char *member)
{
    const struct json *v = task ? json_get(task, member) : NULL;

    return v && v->type != JSON_NULL;
}

static double confidence_of(const struct json *task)
{
    int known = experience_says(task, "task_id") + (experience_says(task, "workflow_run_id") || experience_says(task, "mission_id")) +
                experience_says(task, "duration_ms") + experience_says(task, "from_agent_id");

    return CONFIDENCE + CONFIDENCE_STEP * known;
}

static double importance_of(const struct experience_new *in, double echo_ratio)
{
    double said = in->importance >= 0 ? in->importance : in->outcome == OUTCOME_FAILURE ? IMPORTANCE_FAILED : IMPORTANCE;

    return echo_ratio >= ECHO_DOUBTED ? said / 2 : said;
}

static struct entry_new experience_entry_of(struct ctx *c, const struct experience_new *in, double echo_ratio)
{
    struct json *metadata = json_obj(c->arena);

    if (echo_ratio >= ECHO_DOUBTED)
        json_set(c->arena, metadata, "echo_ratio", json_num(c->arena, lifecycle_round(echo_ratio)));
    return (struct entry_new){
        .entry_type = ENTRY_OBSERVATION, .memory_type = MEMORY_EXPERIENTIAL, .content = in->content, .source_type = in->source_type, .source_id = in->source_id,
        .context_tags = in->tags, .task_context = in->task_context, .metadata = metadata, .outcome = in->outcome,
        .importance_score = importance_of(in, echo_ratio), .confidence_score = confidence_of(in->task_context),
        .decay_rate = EXPERIENCE_DECAY};
}

err experience_store(struct ctx *c, const struct experience_new *in, struct experience_made *out)
{
    struct entry_row said = {0};
    struct echo echo = {0};
    struct entry_new n;
    struct context x;

    *out = (struct experience_made){0};
    if (in->force)
        TRY(access_permit(c, PERM_MEMORY_MANAGE));
    TRY(experience_open_memory(c, in->agent_id, ACCESS_WRITE, &x));
    TRY(entry_take_content(c, in->content, NULL, &said));
    if (!in->force)
        TRY(echo_of(c, said.entry.content_text, x.id, &echo));
    out->echo_ratio = lifecycle_round(echo.ratio);
    if (echo.ratio >= ECHO_REFUSED) {
        out->reason = "echo";
        out->of = echo.of;
        return ERR_OK;
    }
    n = experience_entry_of(c, in, echo.ratio);
    TRY(entry_put(c, x.context_id, &n, &out->experience));
    out->stored = true;
    return ERR_OK;
}

/* ---- finding */

err experience_list(struct ctx *c, struct uuid agent_id, const struct entry_filter *f, struct page *out)
{
    struct context x;

    TRY(experience_open_memory(c, agent_id, ACCESS_READ, &x));
    return entry_list(c, x.context_id, f, out);
}

err experience_search(struct ctx *c, const struct experience_query *in, struct entry_hits *out)
{
    struct context x;

    TRY(experience_open_memory(c, in->agent_id, ACCESS_READ, &x));
    return entry_search(c, &(struct entry_search){
        .context = x.context_id, .query = in->query, .tags = in->tags, .outcome = in->outcome,
        .min_importance = in->min_importance, .min_score = in->min_score, .limit = in->limit}, out);
}

err experience_reinforce(struct ctx *c, struct uuid agent_id, const char *id, double amount, struct entry *out)
{
    struct context x;

    TRY(experience_open_memory(c, agent_id, ACCESS_WRITE, &x));
    return entry_boost(c, x.context_id, id, amount, out);
}
