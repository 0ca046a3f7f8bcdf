/* Nodes changed many at a time: by rooms that keep a history of their own (the keys of a pool), and by jobs. */
#ifndef LOCI_NODE_MANY_H
#define LOCI_NODE_MANY_H

#include "node.h"

/* Makes those that are not there, and gives the others (by id) their new content in place: no old state is kept; scores, uses
 * and pin stay. One statement, inside the caller's transaction, whose own events tell of it. The gate is asked. Their vectors are
 * not made at once, because they change often: see struct app.embed_later. */
err node_put_many(struct ctx *c, const struct node_new *in, size_t n);
enum node_wish_what { NODE_WISH_PATCH, NODE_WISH_ARCHIVE, NODE_WISH_FORGET, NODE_WISH_REVIVE };
/* One change of one node: what node_update, node_archive and node_forget do, or both node_restore and node_unarchive at once. */
struct node_wish {
    struct uuid id;
    enum node_wish_what what;
    struct node_patch patch; /* of NODE_WISH_PATCH; if_version counts for all of them */
    struct node out;         /* the node afterwards */
};
/* Changes of different nodes, by a few statements, inside the caller's transaction; the gate is asked. All or none. */
err node_change_many(struct ctx *c, struct node_wish *w, size_t n);
/* Out of every read from the commit on, until node_put_many brings one back; likewise. */
err node_drop_many(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n);
/* Nodes of one kind from one space into another, with their old states, whatever their status; the gate is asked about both. Edges and
 * vectors stay. */
err node_move_many(struct ctx *c, const char *kind, struct uuid from, struct uuid to, const struct uuid *ids, size_t n);
/* Those of a space, the first max of them, past the gate. */
err node_ids_of_space(struct ctx *c, struct uuid space_id, struct uuid *ids, size_t max, size_t *n);
/* Rows for good, with their vectors and edges, past the gate: for jobs. */
err node_purge_many(struct ctx *c, const struct uuid *ids, size_t n);

/* Another text in place of the one that it has, of which nothing stays: no older state, no vector. Past the gate. */
err node_reword(struct ctx *c, struct uuid id, const char *body, const struct json *attrs);

/* ---- past the gate, inside the caller's transaction: for jobs */

/* Archives those among ids that are neither pinned, archived, forgotten nor old versions, each with an event that carries the
 * reason; done (room for n) gets their ids. */
err node_archive_many(struct ctx *c, const struct uuid *ids, size_t n, const char *reason, struct uuid *done, size_t *n_done);
/* The same guard; they get a word of their kind as status. */
err node_status_many(struct ctx *c, const struct uuid *ids, size_t n, const char *status, const char *reason, struct uuid *done,
                     size_t *n_done);
/* Writes down the importance of now, of nodes of one kind: the curve stays the same. Pinned ones are left alone. */
err node_settle_many(struct ctx *c, const char *kind, const struct uuid *ids, size_t n);

#endif
