/* A migration file as single statements. */
#ifndef LOCI_MIGRATE_SPLIT_H
#define LOCI_MIGRATE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

struct sql_piece {
    const char *p; /* into the file's text, from the first word on, without the semicolon */
    size_t n;
    int number, line; /* both from 1 */
};

struct sql_splitter {
    const char *at, *end;
    int number, line;
};

void sql_split_begin(struct sql_splitter *s, const char *text, size_t n);
/* Next statement; false at the end. Strings, quoted names and comments may hold semicolons; text that is
 * only comments is no statement. An unclosed string or comment reaches to the end, for the server to
 * complain about. */
bool sql_split_next(struct sql_splitter *s, struct sql_piece *out);

#endif
