/* What scanner, parser and renderer of mustache templates share; nobody else includes this. */
#ifndef LOCI_MUSTACHE_IMPL_H
#define LOCI_MUSTACHE_IMPL_H

#include <stdint.h>

#include "mustache.h"

/* ---- what the scanner gives to the parser ---- */

enum token_kind {
    T_TEXT,          /* at most one line, its newline included */
    T_VALUE, T_RAW, T_PARTIAL,
    T_SECTION, T_INVERTED, T_PARENT, T_BLOCK,
    T_CLOSE,
    T_QUIET          /* comments and changes of the delimiters */
};

struct token {
    enum token_kind kind;
    uint32_t n;    /* bytes at p */
    const char *p; /* the text, or the tag's name */
    int line;
    uint32_t peer; /* opening tags: the index of the closing one, and the other way round */
    uint32_t row;  /* set by the parser */
};

struct tokens {
    struct token *items;
    uint32_t n, cap;
};

/* tokens live in tmp and point into text; *why lives in keep. */
bool mustache_scan(struct arena *tmp, struct arena *keep, const char *file, const char *text, size_t n,
                   struct tokens *out, const char **why);

/* ---- what the parser gives to the renderer ---- */

enum op_kind { OP_TEXT, OP_VALUE, OP_RAW, OP_PARTIAL, OP_SECTION, OP_INVERTED, OP_PARENT, OP_BLOCK };

struct op {
    enum op_kind kind;
    uint32_t end;     /* index behind the body of a section, parent or block */
    const char *text; /* OP_TEXT: the bytes. Else the name; of a value its parts, a NUL behind each */
    uint32_t len;     /* OP_TEXT: bytes; values and sections: number of parts, 0 is "." */
    uint32_t indent_len;
    const char *indent;            /* partial, parent, block: what goes before each of its lines */
    const struct mustache *target; /* partial, parent: set by mustache_link; NULL renders nothing */
    int line;
    bool whole_line; /* a block that is all of its line: its content brings or gets a newline */
};

struct mustache {
    const struct mustache_set *set;
    const char *name, *file;
    struct op *ops;
    uint32_t n;
    struct mustache *next;
};

struct mustache_set {
    struct arena *arena;
    const char *raw_suffix;
    size_t max_steps, max_bytes;
    struct mustache *first;
};

/* Fills t->ops from the tokens. */
bool mustache_compile(struct arena *tmp, struct mustache_set *set, struct mustache *t, struct tokens *tokens,
                      const char **why);

#endif
