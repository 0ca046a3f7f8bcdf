/* Exports and imports of vaults: pages and the files beside them as a zip archive, as far as the one who asked may. */
#ifndef LOCI_TRANSFER_VAULT_H
#define LOCI_TRANSFER_VAULT_H

#include "transfer.h"

/* They fill bytes, lines (files) and report. */
err transfer_vault_export(struct ctx *c, struct transfer *t);
err transfer_vault_import(struct ctx *c, struct transfer *t);

#endif
