/* Vaults: folders of Markdown as Obsidian, Foam and Logseq keep them, read into pages and written again. */
#ifndef LOCI_VAULT_H
#define LOCI_VAULT_H

#include <stdint.h>

#include "ctx.h"
#include "list.h"

#define VAULT_FILES 100000
#define VAULT_DEPTH 32  /* folders in one another */
#define VAULT_ERRORS 50 /* that are named */

struct vault_error {
    const char *path, *message;
};

struct vault_report {
    int64_t created, changed, unchanged, failed;
    int64_t others;         /* files that are no Markdown: they stay where they are */
    int64_t links, pending; /* of the pages that were read: targets that are there, and names that nobody has */
    int64_t written;        /* export */
    struct list errors;
};

/* Each file .md below the folder is a page: its name the title, its path kept, aliases and tags of its front matter taken. A file whose
 * path is known becomes a new version of its page. First the pages, then their links, so that the order does not matter. */
err vault_import(struct ctx *c, const char *dir, struct vault_report *out);
/* All pages of the caller as files below a folder that is new: a page that was imported and not changed is byte for byte its file. */
err vault_export(struct ctx *c, const char *dir, struct vault_report *out);

#endif
