/* An account out of a file of lines: whole, or nothing of it. */
#ifndef LOCI_IMPORT_H
#define LOCI_IMPORT_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"

#define IMPORT_MODE(X) X(IMPORT_RESTORE, "restore") X(IMPORT_MERGE, "merge")
ENUMX_DECLARE(import_mode, IMPORT_MODE);

struct import_how {
    enum import_mode mode;          /* restore: the account must be empty, and becomes what the file says */
    bool dry_run;                   /* all of it, and back again */
    bool with_audit;                /* else what the file says of who did what is left out: anybody can write a file */
    bool (*should_stop)(void *arg); /* NULL: never; then ERR_UNAVAILABLE */
    void *stop_arg;
};

struct import_done {
    int64_t lines, added, there; /* there: rows that were in the account already, which stay as they are; or were left out */
    int64_t bad_line;            /* with ERR_INVALID: the first line that cannot be; 0: none */
    struct json *tables;         /* of each: {"added", "there"} */
};

/* Into the caller's account. Ids are kept; what stands there under another id, by its words, keeps that, and what refers to it
 * is changed. The whole file is checked before anything is written, and all is written in one transaction. */
err import_run(struct ctx *c, const char *path, const struct import_how *how, struct import_done *out);

#endif
