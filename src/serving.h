/* What a program holds that runs operations for others: the recall index, caches, threads behind the requests. */
#ifndef LOCI_SERVING_H
#define LOCI_SERVING_H

#include "start.h"

/* stays: it serves many requests. A program that ends with its one request starts no threads; what it wrote the jobs find. */
void serving_begin(struct program *p, bool stays);
/* Housekeeping, about once a second. */
void serving_tick(struct ctx *c);
/* Writes what waits and frees everything; ends the program with code where a thread waits for a server that is away. */
void serving_end(struct program *p, int code);

#endif
