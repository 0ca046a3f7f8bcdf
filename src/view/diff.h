/* What became of a text, line by line: for the partial "diff". */
#ifndef LOCI_DIFF_H
#define LOCI_DIFF_H

#include "json.h"

#define DIFF_CELLS (1u << 20) /* lines that differ on one side times those of the other; beyond it they are two blocks */
#define DIFF_ROWS 600         /* lines that are shown */
#define DIFF_AROUND_WORDS 12
#define DIFF_AROUND 3 /* lines that stayed, around each change */

/* {rows: [{is_same | is_gone | is_new: true, text} or {is_gap: true, text}], n_gone, n_new, is_same, is_cut}. Lines are
 * compared whole; what stayed is shown near a change only. */
struct json *model_diff(struct arena *a, const char *before, const char *after);
/* The same word by word, for the partial "diff_words". */
struct json *model_diff_words(struct arena *a, const char *before, const char *after);

#endif
