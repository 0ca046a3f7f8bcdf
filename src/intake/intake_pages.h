/* Texts of pages, as pdftotext writes them: form feeds between pages, headers and footers again and again. */
#ifndef LOCI_INTAKE_PAGES_H
#define LOCI_INTAKE_PAGES_H

#include "str.h"

/* Without the lines that open or close at least 60 % of at least five pages; digits in them are equal. *pages: how many. */
const char *intake_pages_clean(struct arena *a, const char *text, size_t *n, int64_t *pages);

#endif
