/* What the readers of formats share: bytes in, Markdown out. They run in the confined child (src/loci-extract.c), trust nothing of
 * what they read, and end by themselves at the limits below. */
#ifndef LOCI_EXTRACT_H
#define LOCI_EXTRACT_H

#include "arena.h"
#include "str.h"

#define EXTRACT_TEXT (32 * 1024 * 1024)       /* bytes of what is found */
#define EXTRACT_INFLATED (256 * 1024 * 1024u) /* bytes of all that is inflated */
#define EXTRACT_ENTRIES 10000                 /* of a zip file */
#define EXTRACT_XML_DEPTH 256
#define EXTRACT_PARTS 100 /* attachments of a mail */

/* Why there is no text: the child's exit code is EXTRACT_EXIT and this. */
enum extract_fault {
    EXTRACT_OK, EXTRACT_NO_TEXT, EXTRACT_ENCRYPTED, EXTRACT_MALFORMED, EXTRACT_TOO_LARGE, EXTRACT_NO_MEMORY, EXTRACT_NO_CAGE,
    EXTRACT_USAGE, EXTRACT_FAULTS
};
#define EXTRACT_EXIT 20

/* A file that was found inside. */
struct extract_part {
    const char *name;
    struct bytes bytes;
};

struct extract {
    struct arena *arena;
    const char *bytes;
    size_t n;
    const char *title, *language, *date; /* NULL: not said */
    struct buf text;
    bool in_row, in_heading; /* a table's row, a heading: blocks inside are spaces */
    bool is_full;            /* EXTRACT_TEXT is reached: the rest is left out, and nothing is given */
    size_t inflated;
    struct extract_part *parts;
    size_t n_parts;
};

/* ---- writing (extract_text.c) */

/* Words: white space becomes one space, none at the beginning of a line. */
void extract_words(struct extract *x, const char *s, size_t n);
/* As it is, such as code. */
void extract_raw(struct extract *x, const char *s, size_t n);
void extract_line(struct extract *x);  /* what follows stands on a new line */
void extract_block(struct extract *x); /* … after a blank one */
void extract_heading(struct extract *x, int level);
void extract_heading_ends(struct extract *x);
void extract_cell(struct extract *x); /* the next cell; the first one begins a row */
void extract_row_ends(struct extract *x);
/* UTF-8 of bytes in a charset: that of a BOM, the declared one (NULL: none), UTF-8 if they are, else windows-1252. */
const char *extract_utf8(struct arena *a, const char *bytes, size_t n, const char *charset, size_t *len);

/* ---- formats */

enum extract_fault extract_html(struct extract *x);
/* The text of a page in the place of the whole input; as_part: without its title, language and date. */
enum extract_fault extract_html_page(struct extract *x, const char *bytes, size_t n, bool as_part);
enum extract_fault extract_docx(struct extract *x);
enum extract_fault extract_odt(struct extract *x);
enum extract_fault extract_epub(struct extract *x);
enum extract_fault extract_pptx(struct extract *x);
enum extract_fault extract_xlsx(struct extract *x);
enum extract_fault extract_eml(struct extract *x);
/* The files of an archive, as parts. */
enum extract_fault extract_files(struct extract *x);

#endif
