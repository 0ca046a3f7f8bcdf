/* Edges: typed, weighted relations between two nodes, with two clocks. */
#ifndef LOCI_EDGE_H
#define LOCI_EDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"

#define EDGE_STATUS(X) X(EDGE_ACTIVE, "active") X(EDGE_ARCHIVED, "archived")
ENUMX_DECLARE(edge_status, EDGE_STATUS);

#define EDGE_DIRECTION(X) X(EDGE_EITHER, "any") X(EDGE_OUTWARD, "out") X(EDGE_INWARD, "in")
ENUMX_DECLARE(edge_direction, EDGE_DIRECTION);

/* valid: true in the world. recorded, retired: known to us. */
struct edge {
    struct uuid id, source_id, target_id;
    const char *relation;
    double weight, confidence;
    bool bidirectional;
    enum edge_status status;
    struct instant valid_from, valid_to, recorded_at, retired_at, updated_at;
    const struct json *metadata;
    int64_t version;
};

/* Begin with EDGE_NEW_DEFAULTS. */
struct edge_new {
    struct uuid source_id, target_id;
    const char *relation; /* any case */
    double weight, confidence;
    bool bidirectional;
    struct instant valid_from, valid_to;
    const struct json *metadata; /* NULL: {} */
};
#define EDGE_NEW_DEFAULTS .weight = 1.0, .confidence = 1.0

#define EDGE_SET_WEIGHT 1u
#define EDGE_SET_CONFIDENCE 2u
#define EDGE_SET_VALID_FROM 4u
#define EDGE_SET_VALID_TO 8u
#define EDGE_SET_METADATA 16u /* merged: RFC 7396 */
#define EDGE_SET_STATUS 32u
#define EDGE_SET_BIDIRECTIONAL 64u

struct edge_patch {
    unsigned set;
    int64_t if_version; /* 0 or less: any */
    double weight, confidence;
    bool bidirectional;
    enum edge_status status;
    struct instant valid_from, valid_to;
    const struct json *metadata;
};

struct edge_filter {
    struct uuid node_id;           /* nil: every edge that the caller can see */
    enum edge_direction direction; /* seen from node_id */
    const char *relation;          /* any case; NULL: all */
    bool include_archived;
    struct instant as_of;       /* true in the world at that time; 0: whenever */
    struct instant as_known_at; /* what we knew then; 0: what we know now */
    int64_t limit;
    const char *cursor;
};

/* An edge shows to who can read both its ends; who may write the source's space may change it. Relations that belong to a
 * room are refused here with ERR_CONFLICT; a live (source, target, relation) exists once: ERR_CONFLICT. */
err edge_create(struct ctx *c, const struct edge_new *in, struct edge *out);
/* For the room that a relation belongs to, which has checked all of it: joins the caller's transaction. space_id: of the source. */
err edge_record(struct ctx *c, const struct edge_new *in, size_t n, struct uuid space_id);
/* The same for the part of Loci that a relation belongs to; a free one, too. */
err edge_create_owned(struct ctx *c, const struct edge_new *in, struct edge *out);
/* Very many that need no event of their own: inside the caller's transaction, whose events tell of it; one that is there already stays. */
err edge_put_many(struct ctx *c, const struct edge_new *in, size_t n);
/* … ids: room for n, of those that are made. */
err edge_put_ids(struct ctx *c, const struct edge_new *in, size_t n, struct uuid *ids);
/* Retires the edges of that relation which begin at these nodes, likewise; targets: where they ended, each once. */
err edge_drop_from(struct ctx *c, const struct uuid *sources, size_t n, const char *relation, struct uuids *targets);
/* … all that end at these nodes. */
err edge_drop_ends(struct ctx *c, const struct uuid *targets, size_t n);
/* Live ones that begin or end at one of these nodes, at most max of each side; past the gate: of struct edge. */
err edge_around(struct ctx *c, const struct uuid *nodes, size_t n, size_t max, struct list *out);
/* … these are history, likewise. */
err edge_drop(struct ctx *c, const struct uuid *ids, size_t n);
/* The live ones of a relation that begin at one of these nodes, by source and target; past the gate, for its room. */
err edge_owned_of(struct ctx *c, const char *relation, const struct uuid *sources, size_t n, struct list *out);
/* Inside the room's transaction: these become history, … */
err edge_retire_owned(struct ctx *c, const struct edge *rows, size_t n, struct uuid space_id);
/* … and these get other metadata. */
struct edge_mark {
    const struct edge *was;
    const struct json *metadata;
};
err edge_mark_owned(struct ctx *c, const struct edge_mark *marks, size_t n, struct uuid space_id);
err edge_get(struct ctx *c, struct uuid id, struct edge *out);
err edge_list(struct ctx *c, const struct edge_filter *f, struct page *out);
/* A retired edge does not change: ERR_CONFLICT. */
err edge_update(struct ctx *c, struct uuid id, const struct edge_patch *p, struct edge *out);
/* From now on it is history: still found by id and by as_known_at. */
err edge_retire(struct ctx *c, struct uuid id, int64_t if_version);
/* Both for the part of Loci that the relation belongs to. */
err edge_update_owned(struct ctx *c, struct uuid id, const struct edge_patch *p);
err edge_retire_by_owner(struct ctx *c, struct uuid id);

/* For the room that a relation belongs to, inside its transaction: what is live of it from that node, or from one to the other, is
 * history from now on. */
err edge_retire_of(struct ctx *c, struct uuid source_id, const char *relation);
err edge_retire_between(struct ctx *c, struct uuid source_id, struct uuid target_id, const char *relation);

#endif
