/* Vaults: folders of Markdown as Obsidian, Foam and Logseq keep them, or archives of them, read into pages and written again. */
#ifndef LOCI_VAULT_H
#define LOCI_VAULT_H

#include <stdint.h>

#include "ctx.h"
#include "list.h"
#include "str.h"

#define VAULT_FILES 100000
#define VAULT_DEPTH 32                   /* folders in one another */
#define VAULT_ERRORS 50                  /* that are named */
#define VAULT_ARCHIVE (64 * 1024 * 1024) /* bytes of an archive that is read; a folder has no limit */

struct vault_error {
    const char *path, *message;
};

struct vault_report {
    int64_t created, changed, unchanged, failed; /* pages; failed: files of any kind */
    int64_t files, files_changed;                /* beside pages: all of them, and those that are new or other bytes */
    int64_t others;                              /* neither: they stay where they are */
    int64_t links, pending;                      /* of the pages that were read: targets that are there, and names that nobody has */
    int64_t written;                             /* export: pages and files */
    struct list errors;
};

/* Each file .md below the folder is a page: its name the title, its path kept, aliases and tags of its front matter taken. A file whose
 * path is known becomes a new version of its page. First pages and files, then their links, so that the order does not matter. */
err vault_import(struct ctx *c, const char *dir, struct vault_report *out);
/* The same of a zip archive. */
err vault_import_archive(struct ctx *c, struct bytes zip, struct vault_report *out);
/* All pages of the caller and the files beside them below a folder that is new: what was imported and not changed is byte for byte its
 * file. */
err vault_export(struct ctx *c, const char *dir, struct vault_report *out);
/* The same as a zip archive, written piece by piece. */
err vault_export_archive(struct ctx *c, err (*write)(void *arg, const void *p, size_t n), void *arg, struct vault_report *out);
/* For an answer: {"pages": {"added", …}, "files": …, "links": …, "errors": [{"path", "message"}]}. */
struct json;
struct json *vault_report_json(struct ctx *c, const struct vault_report *r);

#endif
