/* Keyed hashes of what was erased: a receipt that cannot be changed unseen, and a confirmation that fits one closure only. */
#ifndef LOCI_ERASE_SEAL_H
#define LOCI_ERASE_SEAL_H

#include "erase.h"

struct bytes seal_of_content(struct ctx *c, struct bytes content_hash);
/* items: of struct erase_item, all of them in their order. */
struct bytes seal_of_receipt(struct ctx *c, const struct erase_receipt *r, const struct list *items);
/* Bound to what would go, to who asks, and to a time. */
const char *erase_confirm_of(struct ctx *c, const struct derived *d, int64_t until_us);
err erase_check_confirm(struct ctx *c, const char *said, const struct derived *d);

#endif
