/* Erasing: memories and all that stands on them alone leave no trace but a receipt. */
#ifndef LOCI_ERASE_H
#define LOCI_ERASE_H

#include "ctx.h"
#include "derived.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define ERASE_STATE(X) X(ERASE_HIDDEN, "hidden") X(ERASE_DONE, "done")
ENUMX_DECLARE(erase_state, ERASE_STATE);

#define ERASE_NODES 100    /* asked for at once */
#define ERASE_REASON 500   /* characters */
#define ERASE_AT_ONCE 2000 /* erased in the call's transaction; of more, all is hidden and a task erases it */
#define ERASE_SLICE 1000   /* of the task, each in a transaction */
#define ERASE_CONFIRM_S (15 * 60)

struct erase_in {
    struct uuids node_ids;
    struct uuid entity_id; /* or one entity with its facts … */
    bool include_episodes; /* … and the episodes that mention it */
    const char *reason;
    bool dry_run;
    const char *confirm; /* of the dry run */
};

struct erase_receipt {
    struct uuid id;
    enum erase_state state;
    const char *reason, *actor_kind;
    struct uuid actor_id;
    int64_t nodes, spared;
    const struct json *counts, *left_over;
    struct instant at, done_at;
    struct bytes seal;
};
extern const struct thing ERASE_RECEIPT;

struct erase_out {
    bool dry_run;
    const char *confirm; /* of a dry run */
    struct instant confirm_until;
    struct uuid receipt_id; /* nil: a dry run */
    enum erase_state state;
    int64_t nodes, spared;
    const struct json *counts;
};

/* Needs manage on every space that is touched: else ERR_CONFLICT with counts only. */
err erase_run(struct ctx *c, const struct erase_in *in, struct erase_out *out);
/* The rest of one that was too large for a transaction; more: not at its end. */
err erase_go_on(struct ctx *c, struct uuid receipt_id, bool *more);

struct erase_item {
    struct uuid node_id, space_id;
    const char *kind;
    struct bytes seal;
    const char *seal_hex;
};
struct erase_shown {
    const struct erase_receipt *receipt;
    struct list items;          /* of struct erase_item, the first ERASE_SLICE */
    bool is_genuine;            /* the seal fits */
    const struct json *remains; /* where deleted bytes may be, and until when */
};
err erase_get(struct ctx *c, struct uuid id, struct erase_shown *out);
err erase_list(struct ctx *c, const struct thing_page *in, struct page *out);

#endif
