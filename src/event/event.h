/* Events: what others may hear of an account's changes, numbered without gaps, and who may hear what. */
#ifndef LOCI_EVENT_H
#define LOCI_EVENT_H

#include <stdbool.h>

#include "ctx.h"
#include "json.h"
#include "list.h"

#define LIMIT_EVENT_KINDS 32   /* of a filter */
#define LIMIT_EVENT_KIND 64    /* characters of a kind */
#define LIMIT_EVENT_SPACES 100 /* of a filter */
#define EVENT_PAGE 500         /* events that are read at once */

struct event {
    int64_t id;           /* its number in the account */
    struct uuid event_id; /* its own, which stays the same wherever it goes */
    const char *kind;
    struct instant at;
    const char *subject_kind; /* NULL where there is none */
    struct uuid subject_id, space_id;
    const struct json *payload; /* what everybody may hear who may read the space */
    const char *text;           /* all that as JSON; what comes from Redis has only this, id, kind and space_id: event_open */
};

struct event_page {
    struct event *rows;
    size_t n;
    bool gone; /* what follows `after` is no longer kept */
};

/* Where the account's stream begins and ends: numbers of the oldest event that is kept (newest + 1: none is) and of the newest. */
err event_bounds(struct ctx *c, int64_t *oldest, int64_t *newest);
/* The events behind number `after`, at most max, without a gap; no access check: see event_audible. newest: as far as the
 * caller knows, which decides whether Redis, which may have lost some, is believed that there is nothing. */
err event_read(struct ctx *c, int64_t after, int64_t newest, size_t max, struct event_page *out);
/* For the next minute somebody listens to the account's events: until then they are put into Redis, else they are only numbered. */
err event_listen(struct ctx *c);
/* Fills in what an event from Redis lacks. */
err event_open(struct ctx *c, struct event *e);

/* ---- who hears it */

struct event_filter {
    struct strs kinds;   /* n 0: all; "node.*" is all that begin with it */
    struct uuids spaces; /* n 0: all, and what belongs to no space */
};

/* Does the filter let it pass? */
bool event_matches(const struct event_filter *f, const char *kind, struct uuid space_id);
/* May the caller hear of it: his permissions, and what he may read now. */
bool event_audible(const struct ctx *c, const char *kind, struct uuid space_id);
/* The kinds are well-formed, and each space is one the caller may read. */
err event_filter_check(struct ctx *c, const struct event_filter *f);

/* ---- for callers */

struct event_wish {
    int64_t after; /* -1: behind the newest */
    int64_t wait;  /* seconds; whoever cannot wait answers at once */
    union {
        struct event_filter filter;
        struct {
            struct strs kinds;
            struct uuids spaces;
        };
    };
    int64_t limit;
};

struct event_answer {
    struct list events;           /* of struct event */
    int64_t last_id;              /* where to go on: nothing before it is left for this caller */
    int64_t oldest_id, newest_id; /* what is kept of the account */
    bool reset;                   /* what follows `after` is no longer kept, or never was: read anew, then go on from last_id */
};

/* What the caller may hear of what he wishes, as it is now. Looks at a bounded number of events: last_id may be further on than
 * the last event, and there may be more. */
err event_list(struct ctx *c, const struct event_wish *w, struct event_answer *out);

/* ---- making them, for the relay */

/* Sets payload, as far as it may be told, and text. raw: what was written with the change, NULL for nothing. */
void event_tell(struct ctx *c, struct event *e, const char *raw);

#endif
