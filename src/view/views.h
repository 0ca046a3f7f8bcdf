/* The templates of the pages: loaded and checked at start, shared by all threads, rendered from JSON trees. */
#ifndef LOCI_VIEWS_H
#define LOCI_VIEWS_H

#include "err.h"
#include "json.h"

struct views;

/* Reads every .mustache file below data_dir/templates; its name is its path without the ending ("partials/nav"). A
 * broken template, or one that names a partial which does not exist, gives NULL and *why = "file:line: what is wrong".
 * Values are always escaped; only names that end in _html may be printed raw. What indents a line is left out, but for
 * the insides of <pre> and <textarea>. Counts have endings (words.h). */
struct views *views_load(struct arena *a, const char *data_dir, const char **why);
/* Of the files below data_dir/static when the views were loaded: statics.h. */
const char *views_static_mark(const struct views *v);
bool views_has(const struct views *v, const char *name);
/* Appends the page to out. ERR_INTERNAL: no such template, or it grows past every bound. */
err views_render(const struct views *v, const char *name, const struct json *model, struct buf *out);

#endif
