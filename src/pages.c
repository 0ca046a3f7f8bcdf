/* Every table of pages that a room declares stands here once; the navigation has this order. */
#include "pages.h"

#include "graph_pages.h"

const struct page_row *const *pages_all(void)
{
    static const struct page_row *const TABLES[] = {
        overview_pages, NULL,
    };

    return TABLES;
}
