/* Operations on observations. */
#include "observation.h"
#include "watch_calls.h"

#define TAG .tag = "oversight"
#define OBSERVATIONS "/api/v1/ai/observations"

static const struct field OBSERVATION_FILTER[] = {
    F_UUID(struct observation_filter, agent_id, FIELD_NULLABLE, "only of this agent"),
    F_ENUM(struct observation_filter, sensor_type, FIELD_UNSAID, sensor_type, -1, "only of this sensor"),
    F_ENUM(struct observation_filter, severity, FIELD_UNSAID, observation_severity, -1, "only of this severity"),
    F_ENUM(struct observation_filter, status, 0, observation_wanted, OBSERVED_OPEN, "open, processed, expired or any"),
    F_PAGE(struct observation_filter),
    F_END
};

OP_CALL(OBSERVATION_LIST, struct observation_filter, struct page, observation_list(c, in, out),
        .name = "observation.list", .method = "GET", .path = OBSERVATIONS, .tool = "list_observations", TAG,
        .summary = "Lists what sensors and clients saw of agents, newest first.",
        .help = "An agent sees its own and those of members of teams that it leads.", .perm = PERM_OVERSIGHT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(OBSERVATION_FILTER, struct observation_filter),
        OP_GIVE(OBSERVATION, struct observation));

OP_CALL(OBSERVATION_CREATE, struct observation, struct observation, observation_create(c, in, out),
        .name = "observation.create", .method = "POST", .path = OBSERVATIONS, .tool = "create_observation", TAG,
        .summary = "Reports something that an agent should know.",
        .help = "The same subject is one observation while it is open: it is counted up. Of more than 100 new ones of an agent in an hour "
                "only the number is kept.",
        .perm = PERM_OVERSIGHT_WRITE, .flags = OP_CREATES | OP_FINDS | OP_ETAG, OP_MAKE(OBSERVATION, struct observation),
        OP_GIVE(OBSERVATION, struct observation));

OP_CALL(OBSERVATION_GET, struct thing_key, struct observation, observation_get(c, in->id, out),
        .name = "observation.get", .method = "GET", .path = OBSERVATIONS "/:id", TAG, .summary = "Returns one observation.",
        .perm = PERM_OVERSIGHT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(OBSERVATION),
        OP_GIVE(OBSERVATION, struct observation));

static const struct field PROCESS_IN[] = {
    F_UUID(struct observation_done, id, FIELD_REQUIRED, "the observation"),
    F_STR(struct observation_done, note, FIELD_NULLABLE, 1, OBSERVATION_NOTE, "what was done about it"),
    F_END
};

OP_CALL(OBSERVATION_PROCESS, struct observation_done, struct observation, observation_process(c, in, out),
        .name = "observation.process", .method = "POST", .path = OBSERVATIONS "/:id/process", TAG,
        .summary = "Marks an observation as processed; the same is not raised again for 15 minutes.", .perm = PERM_OVERSIGHT_WRITE,
        OP_IN(PROCESS_IN, struct observation_done), OP_GIVE(OBSERVATION, struct observation));

const struct op *const observation_calls_table[] = {&OBSERVATION_LIST, &OBSERVATION_CREATE, &OBSERVATION_GET, &OBSERVATION_PROCESS, NULL};
