/* A subscription to the relay's announcements; see event_hear.h. */
#include "event_hear.h"

#include <string.h>

#include "event_store.h"
#include "kv_feed.h"

struct event_ear {
    struct arena *arena; /* of this */
    struct kv_feed *feed;
    uint64_t subscription; /* of the last drain */
    void (*heard)(void *arg, struct uuid account_id, int64_t newest);
    void *arg;
};

struct event_ear *event_ear_new(const struct config *conf, void (*heard)(void *arg, struct uuid account_id, int64_t newest), void *arg)
{
    struct arena *a = arena_new(4096);
    struct event_ear *e = ARENA_NEW(a, struct event_ear);

    *e = (struct event_ear){.arena = a, .feed = kv_feed_new(conf, EVENT_CHANNEL), .heard = heard, .arg = arg};
    return e;
}

void event_ear_free(struct event_ear *e)
{
    if (!e)
        return;
    kv_feed_free(e->feed);
    arena_free(e->arena);
}

void event_ear_keep(struct event_ear *e)
{
    kv_feed_keep(e->feed);
}

int event_ear_fd(const struct event_ear *e)
{
    return kv_feed_fd(e->feed);
}

/* "ACCOUNT NUMBER" */
static void event_hear(void *arg, const char *message)
{
    struct event_ear *e = arg;
    char id[UUID_TEXT];
    struct uuid account_id;
    int64_t newest;

    if (strlen(message) < UUID_TEXT || message[UUID_TEXT - 1] != ' ')
        return;
    memcpy(id, message, UUID_TEXT - 1);
    id[UUID_TEXT - 1] = 0;
    if (uuid_parse(id, &account_id) && str_to_i64(message + UUID_TEXT, &newest))
        e->heard(e->arg, account_id, newest);
}

bool event_ear_drain(struct event_ear *e)
{
    uint64_t before = e->subscription;

    e->subscription = kv_feed_drain(e->feed, event_hear, e);
    return e->subscription && e->subscription == before;
}
