/* The call table: each operation is declared once; REST, MCP, OpenAPI, the docs page and the tests read the same row. */
#ifndef LOCI_OP_H
#define LOCI_OP_H

#include <stdbool.h>
#include <stddef.h>

#include "access.h"
#include "ctx.h"
#include "field.h"
#include "limit.h"
#include "page.h"
#include "thing_table.h"

#define OP_READONLY 1u         /* changes nothing; GET, or POST for searches */
#define OP_IDEMPOTENT 2u       /* doing it twice is doing it once */
#define OP_DESTRUCTIVE 4u      /* takes something away */
#define OP_LIST 8u             /* out is struct page; the out table describes one item */
#define OP_CREATES 16u         /* 201 with Location: made_at or the path of the call, "/", id */
#define OP_FINDS 1048576u      /* OP_CREATES: 200 where it was there, as `created` or `duplicate_of` of out says */
#define OP_ACCEPTED 32u        /* 202 with Location: /api/v1/job_runs/<id>; out has an id */
#define OP_ETAG 64u            /* out has `version` (and perhaps `revision`, which is added to it): ETag, If-None-Match */
#define OP_MATCH 128u          /* heeds If-Match: ctx.if_match, and if_version of in, which callers without headers may give */
#define OP_NEEDS_MATCH 256u    /* … and refuses without it (428) */
#define OP_OPERATOR 512u       /* only users with the operator flag */
#define OP_STREAM 1024u        /* the answer is written piece by piece: stream, not run */
#define OP_UPLOAD 2048u        /* the body is a file: `upload` of struct ctx's call, not JSON; in comes from path and query */
#define OP_GIVEN 4096u         /* in begins with struct given */
#define OP_NO_BODY 8192u       /* 204: nothing to answer (out is NULL) */
#define OP_OPEN 16384u         /* whoever is authenticated may call it (perm is PERM_NONE on purpose) */
#define OP_CONFIRM 32768u      /* cannot be undone: an MCP client asks its user, or says the last part of the path twice */
#define OP_OWNER 524288u       /* the agent that owns the thing needs the permission in its token, not in its role: the service asks */
#define OP_IF_VERSION 2097152u /* OP_MATCH with OP_KEY or OP_CHANGE: callers without headers give if_version */
#define OP_RECALLS 65536u      /* looks for memories by what they say: counted for the overview, with how long it took */
#define OP_PORTIONS 131072u    /* so much work that it takes several transactions, also under an Idempotency-Key; done again, it goes on */
#define OP_ONCE 262144u        /* OP_PORTIONS: done again, it would double what was done */

/* Where a streaming operation writes; media is set before the first byte. */
struct sink {
    err (*write)(struct sink *s, const char *p, size_t n);
    const char *media;    /* "text/csv" … */
    const char *filename; /* NULL: shown in place */
};

/* A body that was streamed to disk. */
struct upload {
    const char *path; /* unlinked when the request ends */
    const char *media;
    const char *name; /* what the sender calls it; NULL: not said */
    size_t size;
};

/* What a file is called, in letters that every header takes. */
const char *sink_name(struct ctx *c, const char *name);

struct op {
    const char *name;          /* "node.create": unique; metrics, logs and operationId */
    const char *method, *path; /* "/api/v1/nodes/:id": ":x" is field x of in */
    const char *old_path;      /* answers there, too, but is not documented there: same parameters in the same order; or NULL */
    const char *made_at;       /* OP_CREATES: what is made is found below this, if not below the path of the call; or NULL */
    const char *tool;          /* MCP tool name, or NULL */
    const char *tag;           /* group in the documents: "nodes" */
    const char *summary;       /* one line */
    const char *help;          /* more, or NULL */
    enum permission perm;
    unsigned flags;
    const struct field *in; /* NULL: takes nothing */
    size_t in_size;
    const struct field *out; /* NULL: answers nothing */
    size_t out_size;
    const char *out_named;             /* "TABLE:struct type" of out */
    const char *also;                  /* another media type of the answer, for who accepts it: "text/event-stream"; or NULL */
    const char *media;                 /* OP_STREAM: what it writes; OP_UPLOAD: what it takes, words separated by a space; else NULL (JSON) */
    const struct thing *takes, *gives; /* in and out are cut out of these at start (op_table_new), or NULL */
    unsigned use;                      /* of takes: COL_CREATE, COL_PATCH or COL_KEY */
    size_t in_at;                      /* where the row begins in the input */
    err (*run)(struct ctx *c, const void *in, void *out);
    err (*stream)(struct ctx *c, const void *in, struct sink *out);
    err (*take)(struct ctx *c, const void *in, const struct upload *file, void *out);
};

#define OP_IN(table, type) .in = (table), .in_size = sizeof(type)
#define OP_OUT(table, type) .out = (table), .out_size = sizeof(type), .out_named = #table ":" #type

/* What takes one row of a thing: the whole of it (OP_MAKE: struct x), a change (OP_CHANGE: struct x_change) or its id (OP_KEY: struct
 * thing_key); what lists them and has no filter (OP_PAGE: struct thing_page); and what answers one (OP_GIVE) or, with OP_LIST, a page
 * of them. If-Match becomes if_version. */
extern const struct field THING_PAGE[];
#define OP_MAKE(thing_, type) .takes = &(thing_), .use = COL_CREATE, .in_size = sizeof(type)
#define OP_CHANGE(thing_, type) \
    .takes = &(thing_), .use = COL_PATCH, .in_at = offsetof(type, to) + 0 * offsetof(type, change.given), \
    .in_size = sizeof(type) + 0 * sizeof(struct { \
        _Static_assert(sizeof(type) <= sizeof(struct given) * 8, "too large for struct given"); int unused_; })
#define OP_KEY(thing_) .takes = &(thing_), .use = COL_KEY, .in_size = sizeof(struct thing_key)
#define OP_PAGE .in = THING_PAGE, .in_size = sizeof(struct thing_page)
#define OP_GIVE(thing_, type) .gives = &(thing_), .out_size = sizeof(type), .out_named = #thing_ ":" #type

/* An operation and its handler in one: call is an expression of c, in and out, whose types the compiler checks. */
#define OP_CALL(NAME, in_type, out_type, call, ...) \
    static err NAME##_run(struct ctx *c, const void *in_, void *out_) \
    { \
        const in_type *in = in_; \
        out_type *out = out_; \
        (void)in, (void)out; \
        return call; \
    } \
    static const struct op NAME = {.run = NAME##_run, __VA_ARGS__}

/* Every *_calls.c exports `const struct op *const <file>_table[]`, ended by NULL; src/calls.c lists them. */
struct op_table {
    const struct op *const *ops;
    size_t n;
};

/* What an operation answers besides the columns that are shown: COL_MADE, COL_LISTED, COL_CHANGED; 0: nothing. */
unsigned op_answers(const struct op *op);
/* The table of the program: the rows of these tables, with what they take and give cut out of their things. In the arena. */
struct op_table op_table_new(struct arena *a, const struct op *const *const *tables, size_t n);

#endif
