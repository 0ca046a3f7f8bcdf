/* What reading and writing a vault share; nobody else includes this. */
#ifndef LOCI_VAULT_IMPL_H
#define LOCI_VAULT_IMPL_H

#include "vault.h"

#define VAULT_CRLF "crlf" /* in a page's metadata as "newline": its file had such line ends */

void vault_report_begin(struct ctx *c, struct vault_report *r);
void vault_fault(struct ctx *c, struct vault_report *r, const char *path, const char *message);

#endif
