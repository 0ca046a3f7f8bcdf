/* How often a test repeats itself: less where valgrind or a sanitizer looks at the code, and not at the numbers. */
#ifndef LOCI_TESTS_SLOW_H
#define LOCI_TESTS_SLOW_H

#include <stdlib.h>
#include <string.h>

/* ./check says in LOCI_SLOW who watches: "sanitize" or "valgrind". */
static inline int slow_times(int usual, int sanitized, int valgrind)
{
    const char *slow = getenv("LOCI_SLOW");

    return !slow ? usual : strcmp(slow, "valgrind") == 0 ? valgrind : sanitized;
}

#endif
