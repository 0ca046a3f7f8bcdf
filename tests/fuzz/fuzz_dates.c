/* Fuzzes words about time and the routes of a query: any text, at any moment, in any zone, is a span that does not end
   before it begins, or none, and weights from 0 to 1. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "dates.h"
#include "route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOMENT 4 /* bytes before the text: day since 1970, part of it, quarters of an hour east */

static void check_span(const char *text, int64_t now, const struct zone *zone)
{
    struct time_span s = {1, 1}, again = {1, 1};
    bool found = dates_find(text, now, zone, &s);

    assert(found == dates_find(text, now, zone, &again) && s.from == again.from && s.to == again.to);
    if (!found)
        assert(s.from == 1 && s.to == 1);
    else
        assert(!s.from || !s.to || s.from < s.to);
}

static void check_routes(const char *text, bool has_date)
{
    double weight[ROUTES], newest = route_recency(text);

    route_query(text, has_date, (unsigned)(strlen(text) % 5), weight);
    for (size_t i = 0; i < ROUTES; i++)
        assert(weight[i] >= 0 && weight[i] <= 1);
    assert(newest >= 0 && newest < 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(1u << 20);
    char *text = arena_alloc(a, size + 1);
    int64_t now = 0;
    struct zone zone = {0};

    if (size >= MOMENT) {
        now = (data[0] + 256 * data[1]) * DAY_US + data[2] * 300 * SECOND_US;
        zone.offset = ((int)data[3] % 113 - 56) * 900;
        data += MOMENT;
        size -= MOMENT;
    }
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    check_span(text, now, &zone);
    check_routes(text, size & 1);
    if (zone_find(a, text, &zone))
        check_span("yesterday", now, &zone);
    arena_free(a);
    return 0;
}
