/* Finds the links of a Markdown text: one pass over its lines, one over its characters, both linear whatever the text is. Pure. */
#ifndef LOCI_LINK_SCAN_H
#define LOCI_LINK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define LINK_TARGET 255     /* code points of a target */
#define LINK_DISPLAY 200    /* of what is shown instead of it */
#define LINKS_SCANNED 20000 /* links of one text, counted with each repetition; later ones are plain text */

/* What a byte belongs to. */
enum link_area {
    AREA_TEXT,
    AREA_CODE,    /* fenced, indented, or between backticks */
    AREA_HTML,    /* blocks, tags and comments of HTML */
    AREA_LINK,    /* a link, a wikilink, an address */
    AREA_COMMENT, /* %% … %% */
    AREA_FRONT,   /* the front matter, with its fences */
    AREA_ESCAPE,  /* a backslash that escapes the next character */
};

struct wiki_link {
    size_t at, end;             /* bytes of the text, brackets and the ! of an embed included */
    const char *target;         /* trimmed, without .md; "#Heading" of the same page */
    const char *display;        /* NULL: none */
    bool is_embed, is_markdown; /* ![[…]]; [text](Page.md) */
};

struct link_scan {
    const char *text;
    size_t n;
    uint8_t *area; /* of each byte */
    struct wiki_link *links;
    size_t n_links;
    size_t front; /* bytes of the front matter; 0: none */
};

/* text: valid UTF-8 of n bytes, with a NUL behind. */
void link_scan(struct arena *a, const char *text, size_t n, struct link_scan *out);

/* ---- between the two files of the scanner */

/* Marks front matter, code blocks and blocks of HTML. */
void link_scan_blocks(struct link_scan *s);

#endif
