/* Fuzzes schedules: what is refused names a place in the text, what is taken fires in the future, at minutes that match. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cron.h"

#define FROM_MAX 253402300799000000LL /* 9999-12-31T23:59:59Z */
#define YEAR_US (366 * DAY_US)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_firing(const struct cron *cron, struct instant t, struct instant next)
{
    struct civil c = instant_civil(next);
    bool day = cron->days >> c.day & 1, weekday = cron->weekdays >> c.weekday & 1;

    assert(next.us > t.us);
    if (cron->every_us) {
        assert(next.us - t.us <= cron->every_us && next.us % cron->every_us == 0);
        return;
    }
    assert(next.us - t.us <= (CRON_HORIZON_YEARS + 1) * YEAR_US);
    assert(next.us % (60 * SECOND_US) == 0);
    assert(cron->minutes >> c.minute & 1 && cron->hours >> c.hour & 1 && cron->months >> c.month & 1);
    assert(cron->either_day ? day || weekday : day && weekday);
}

/* The first eight bytes are the instant, the rest is the schedule. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(16 << 20);
    struct instant t, next;
    struct cron_fault why = {0};
    struct cron cron;
    uint64_t from = 0;
    const char *text;

    if (size >= sizeof from) {
        memcpy(&from, data, sizeof from);
        data += sizeof from;
        size -= sizeof from;
    }
    t.us = (int64_t)(from % FROM_MAX);
    text = arena_strndup(a, (const char *)data, size);
    if (!cron_parse(text, t, &cron, &why)) {
        assert(why.message && *why.message && why.position >= 1 && (size_t)why.position <= strlen(text) + 1);
    } else {
        for (int i = 0; i < 5 && cron_next(&cron, t, &next); i++, t = next)
            check_firing(&cron, t, next);
    }
    arena_free(a);
    return 0;
}
