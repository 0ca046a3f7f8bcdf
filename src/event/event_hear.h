/* Hearing at once that an account has new events, for a loop that waits for many things. */
#ifndef LOCI_EVENT_HEAR_H
#define LOCI_EVENT_HEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "uuid.h"

struct config;
struct event_ear;

/* heard: the account's newest event has that number. */
struct event_ear *event_ear_new(const struct config *conf, void (*heard)(void *arg, struct uuid account_id, int64_t newest), void *arg);
void event_ear_free(struct event_ear *e);
/* About once a second: connects where needed, and makes sure that the line lives. */
void event_ear_keep(struct event_ear *e);
/* Takes what has arrived, without waiting. false: something may have been missed since the last time, or nothing can be heard. */
bool event_ear_drain(struct event_ear *e);
/* Readable when there is something to drain; -1: not connected. It changes in event_ear_keep. */
int event_ear_fd(const struct event_ear *e);

#endif
