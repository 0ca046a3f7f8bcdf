/* Core blocks: short texts that stand in front of everything an agent recalls. An edit needs the votes of others. */
#ifndef LOCI_CORE_BLOCK_H
#define LOCI_CORE_BLOCK_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "str.h"

#define CORE_KIND(X) X(CORE_IDENTITY, "identity") X(CORE_PERSONA, "persona") X(CORE_COMMITMENT, "commitment") X(CORE_REDLINE, "redline")
ENUMX_DECLARE(core_kind, CORE_KIND);

#define CORE_EDIT_STATE(X) X(CORE_WAITING, "waiting") X(CORE_APPLIED, "applied") X(CORE_STALE, "stale")
ENUMX_DECLARE(core_edit_state, CORE_EDIT_STATE);

#define CORE_CONTENT 8000      /* characters of a block … */
#define CORE_SPACE_TOKENS 2000 /* … and tokens of all blocks of a space */
#define CORE_BLOCKS 20         /* of a space */
#define CORE_VOTES 10

struct core_block {
    struct uuid id, space_id;
    enum core_kind block_kind;
    const char *title, *content, *hash; /* hash: what an edit must name */
    const char *sensitivity;            /* NULL: none */
    int64_t needs_votes, version;
    struct instant created_at, updated_at;
};

struct core_filter {
    struct uuid namespace; /* nil: all that are readable */
};
err core_block_list(struct ctx *c, const struct core_filter *f, struct list *out);
err core_block_get(struct ctx *c, struct uuid id, struct core_block *out);

struct core_new {
    struct uuid namespace;
    enum core_kind block_kind;
    const char *title, *content, *sensitivity;
    int64_t needs_votes;
};
/* By who manages the space. */
err core_block_create(struct ctx *c, const struct core_new *in, struct core_block *out);

struct core_proposal {
    struct uuid id;
    const char *content, *expected_hash;
};
struct core_edit {
    struct uuid id, block_id, editor_id;
    const char *editor_kind, *content;
    enum core_edit_state state;
    struct bytes prior_hash;
    int64_t votes, needs_votes;
    struct instant at, resolved_at;
};
/* Applied at once where no vote is needed; else it waits, and changes nothing. ERR_CONFLICT: the block says something else by now. */
err core_block_propose(struct ctx *c, const struct core_proposal *in, struct core_edit *out);
/* By others than the editor; a redline or a sensitive block needs a person among them. */
err core_edit_vote(struct ctx *c, struct uuid edit_id, struct core_edit *out);
/* Those that wait, of blocks that the caller may write. */
err core_edit_list(struct ctx *c, struct list *out);

#endif
