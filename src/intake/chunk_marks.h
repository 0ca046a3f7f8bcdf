/* Where a text may be cut, and how good each place is: made once in one pass, for all chunkers. */
#ifndef LOCI_CHUNK_MARKS_H
#define LOCI_CHUNK_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"

/* From worst to best. CUT_NONE: within a character, or in white space that goes with what stands before it. */
enum cut_rank { CUT_NONE, CUT_CHARACTER, CUT_WORD, CUT_CLAUSE, CUT_SENTENCE, CUT_LINE, CUT_BLANK, CUT_HEADING };

struct chunk_heading {
    size_t at;        /* of its line */
    int level;        /* 1 to 6 */
    const char *path; /* "Guide › Install" */
};

struct chunk_marks {
    const char *text;
    size_t n;
    uint8_t *rank; /* of a cut before each byte */
    struct chunk_heading *headings;
    size_t n_headings;
};

#define CHUNK_HEADINGS 20000 /* of one text; further ones are plain lines */

/* Of valid UTF-8. is_markdown: headings, fences and tables mean something. */
void chunk_marks_make(struct ctx *c, const char *text, size_t n, bool is_markdown, struct chunk_marks *out);
/* Where the text is so many characters further, at most `to`. */
size_t chunk_forward(const struct chunk_marks *m, size_t from, size_t to, int64_t characters);
size_t chunk_back(const struct chunk_marks *m, size_t from, size_t down_to, int64_t characters);
/* Without the white space at its ends. */
void chunk_trim(const struct chunk_marks *m, size_t *start, size_t *end);

#endif
