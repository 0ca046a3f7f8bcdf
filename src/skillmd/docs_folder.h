/* The registry as a folder on the disk: written beside the old one, then put in its place. */
#ifndef LOCI_DOCS_FOLDER_H
#define LOCI_DOCS_FOLDER_H

#include <stdbool.h>

#include "ctx.h"
#include "str.h"

/* Folders of the path are made below dir; the file must not be there. */
bool folder_put(int dir, const char *path, struct bytes b);
/* The account's registry as dir/name: what is there is replaced as a whole, unless it is the same. */
err docs_folder_write(struct ctx *c, const char *dir, const char *name, int64_t *files, bool *changed);

#endif
