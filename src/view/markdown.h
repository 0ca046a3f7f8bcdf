/* Markdown to HTML by cmark-gfm, which hostile texts cannot stall: its memory and time are limited. */
#ifndef LOCI_MARKDOWN_H
#define LOCI_MARKDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define MARKDOWN_MEMORY (64u * 1024 * 1024) /* that one text may take */
#define MARKDOWN_HTML (4u * 1024 * 1024)    /* bytes of HTML */
#define MARKDOWN_US 1500000                 /* time for one text */
#define MARKDOWN_NESTING 100                /* quotes and lists in one another */

/* GitHub's flavour (tables, strike-through, autolinks, task lists, footnotes) without raw HTML. Tables, autolinks and footnotes are left
 * out of texts with so many of them that they would take too long. In the arena; NULL: the text takes more than the limits. */
const char *markdown_html(struct arena *a, const char *text, size_t n);

#endif
