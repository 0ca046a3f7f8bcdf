/* Reading the files of an npm package that brings a model. */
#ifndef LOCI_PACKAGE_FILE_H
#define LOCI_PACKAGE_FILE_H

#include <stdint.h>

#include "ctx.h"
#include "model_layout.h"

/* Appends the file to buffer, of whose room *used bytes are taken. */
err package_read(struct ctx *c, const char *path, uint8_t *buffer, size_t room, size_t *used);

/* ERR_INVALID: this is not what the package has, by its SHA-256. what, such as "the weights"; package: its name and version. */
err package_check(struct ctx *c, const char *package, const char *what, const uint8_t *p, size_t n,
                  const uint8_t expected[MODEL_HASH]);

#endif
