/* A few nodes and edges as a snapshot, for tests of the signals: node i of space s, edges by number. */
#ifndef LOCI_TEST_SMALL_WORLD_H
#define LOCI_TEST_SMALL_WORLD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "json.h"
#include "snapshot.h"

#define WORLD_SPACES 8
#define assert_near(a, b) assert_true(fabs((double)(a) - (b)) < 1e-6)

struct small_world {
    struct arena *arena;
    struct segment_builder *rows;
    struct edge_builder *edges;
    struct snapshot *snapshot;
    unsigned n_edges;
};

static inline struct uuid world_id(unsigned i)
{
    return (struct uuid){{[0] = 1, [13] = (uint8_t)(i >> 16), [14] = (uint8_t)(i >> 8), [15] = (uint8_t)i}};
}

static inline struct uuid world_space(unsigned i)
{
    return (struct uuid){{0x55, (uint8_t)(i + 1)}};
}

static inline struct small_world world_new(void)
{
    return (struct small_world){.arena = arena_new(512u << 20), .rows = segment_builder_new(NULL),
                                .edges = edge_builder_new(), .snapshot = snapshot_new((struct uuid){{0}}, NULL)};
}

static inline void world_free(struct small_world *w)
{
    segment_builder_free(w->rows);
    edge_builder_free(w->edges);
    snapshot_drop(w->snapshot);
    arena_free(w->arena);
}

/* session, speaker NULL: none. */
static inline void world_say(struct small_world *w, unsigned i, unsigned space, const char *title, const char *body,
                             const char *session, unsigned seq, const char *speaker)
{
    struct json *attrs = json_obj(w->arena);

    if (session) {
        json_set_str(w->arena, attrs, "session", session);
        json_set_int(w->arena, attrs, "seq", seq);
    }
    if (speaker)
        json_set_str(w->arena, attrs, "speaker", speaker);
    segment_builder_add(w->rows, &(struct index_row){
        .id = world_id(i), .space_id = world_space(space), .kind = "note", .title = title, .body = body, .attrs = attrs,
        .scores = {.importance = 0.5f, .confidence = 1}, .times = {.created = 1 + i, .known_from = 1 + i}});
}

static inline void world_add(struct small_world *w, unsigned i, unsigned space, const char *title, const char *body,
                             const char *session, unsigned seq)
{
    world_say(w, i, space, title, body, session, seq, NULL);
}

static inline void world_edge(struct small_world *w, unsigned from, unsigned to, float weight, const char *relation)
{
    struct uuid id = world_id(++w->n_edges);

    id.b[0] = 2;
    edge_builder_add(w->edges, &(struct edge_row){.id = id, .source = world_id(from), .target = world_id(to),
                                                  .weight = weight, .confidence = 1, .recorded = 1}, relation);
}

/* What was added since the last time becomes one more segment. */
static inline void world_seal(struct small_world *w)
{
    struct snapshot *next = snapshot_next(w->snapshot, &(struct snapshot_change){.add = segment_build(w->rows),
                                                                                 .add_edges = edge_build(w->edges)});

    snapshot_drop(w->snapshot);
    w->snapshot = next;
}

/* Rows of the spaces whose bits are set. */
static inline struct filter world_filter(struct small_world *w, unsigned spaces)
{
    struct uuid *readable = ARENA_ARRAY(w->arena, struct uuid, WORLD_SPACES);
    struct filter_in in = {.readable = readable, .now = 1000000};
    struct filter f;

    for (unsigned i = 0; i < WORLD_SPACES; i++)
        if (spaces >> i & 1)
            readable[in.n_readable++] = world_space(i);
    filter_make(w->arena, w->snapshot, &in, &f);
    return f;
}

static inline uint32_t world_row(const struct small_world *w, unsigned i)
{
    return snapshot_find(w->snapshot, world_id(i));
}

#endif
