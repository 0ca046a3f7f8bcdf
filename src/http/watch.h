/* The routes that watch over the service: /livez /healthz /readyz /metrics, and the OpenAPI document. */
#ifndef LOCI_WATCH_H
#define LOCI_WATCH_H

#include "router.h"

void watch_add_routes(struct router *r);

#endif
