/* Memories of other systems: what mem0 lists, folders of Markdown, conversations of ChatGPT and Claude; read, and kept as nodes. */
#ifndef LOCI_MEMORIES_H
#define LOCI_MEMORIES_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"

#define MEMORIES_FORMAT(X) X(MEMORIES_MEM0, "mem0") X(MEMORIES_CHAT, "chat") X(MEMORIES_MARKDOWN, "markdown")
ENUMX_DECLARE(memories_format, MEMORIES_FORMAT);

#define MEMORIES_MAX 20000                 /* of one file or folder */
#define MEMORIES_VALUES 1000000            /* of JSON, of one file */
#define MEMORIES_BYTES (16u * 1024 * 1024) /* of one file, or of all texts of a folder */
#define MEMORIES_ERRORS 20                 /* that a report tells of */

struct memory_in {
    const char *key;                 /* which one it is, where it comes from */
    const char *name;                /* that links use; NULL: none */
    const char *kind, *title, *body; /* title NULL: how the body begins */
    struct json *attrs;
    struct instant at; /* since when it holds; 0: unknown */
};

/* A link in the text of one to the name of another. */
struct memory_link {
    size_t from;
    const char *to;
};

struct memories {
    struct memory_in *v;
    struct memory_link *links;
    size_t n, n_links;
};

/* ERR_INVALID says what of the file is not as it should be; ERR_TOO_LARGE. */
err memories_read_json(struct ctx *c, enum memories_format format, const char *text, size_t n, struct memories *out);
/* One file of a folder, by its path in it; front matter and [[links]] are understood. */
err memories_add_markdown(struct ctx *c, struct memories *m, const char *path, const char *text, size_t n);
/* The .md files of a tar archive. */
err memories_read_tar(struct ctx *c, const char *bytes, size_t n, struct memories *out);
/* Whatever the file at path is; a folder, where there is one: its .md files. */
err memories_read(struct ctx *c, enum memories_format format, const char *path, struct memories *out);

struct memories_error {
    const char *key, *message;
};

struct memories_done {
    int64_t read, added, there, failed, links;
    struct list errors; /* struct memories_error */
    bool dry_run;
};

/* As nodes of that space (nil: the calling agent's own), by the caller. Each has an id that follows from where it came from: a
 * second time it is there already. What cannot be kept is told of, and the rest is. */
err memories_keep(struct ctx *c, enum memories_format format, struct uuid space_id, const struct memories *m, bool dry_run,
                  struct memories_done *out);

#endif
