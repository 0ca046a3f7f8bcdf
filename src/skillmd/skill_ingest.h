/* Folders of Markdown become skills, and skills folders. */
#ifndef LOCI_SKILL_INGEST_H
#define LOCI_SKILL_INGEST_H

#include "skill_file.h"
#include "skill_resource.h"

#define INGEST_FILES 500
#define INGEST_SOURCE 255

/* A file as it is sent: text, or any bytes as base64url. */
struct ingest_file {
    const char *path, *content, *base64;
    struct bytes bytes; /* of either */
};

struct skill_ingest {
    struct list files;    /* of struct ingest_file */
    const char *source;   /* what names the folder: the same name again is the same folder */
    struct uuid space_id; /* nil: the account's skills */
    bool dry_run, prune, create_categories;
};

struct ingest_fault {
    const char *path, *code, *message;
    int64_t line; /* 0: of no line */
};

struct skill_ingested {
    int64_t created, updated, unchanged, deprecated, resources, edges;
    struct list failed; /* of struct ingest_fault */
    struct strs categories_created, flagged;
};
/* Each file in a transaction of its own; a bad one stops no other. */
err skill_ingest(struct ctx *c, const struct skill_ingest *in, struct skill_ingested *out);

struct skill_exported {
    struct uuid id;
    const char *path, *content;
    struct bytes digest;
    struct list files; /* of struct skill_resource, besides it */
};
err skill_export(struct ctx *c, const char *ref, struct skill_exported *out);

#endif
