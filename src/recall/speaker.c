/* Finding the one speaker that a query names; see speaker.h. */
#include "speaker.h"

#include "mentions.h"

static uint32_t speaker_speaker_of(const struct snapshot *s, const struct turn *t)
{
    struct row_at at = snapshot_at(s, t->row);

    return at.in->speaker[at.r];
}

static bool is_named(const struct found_names *names, uint32_t speaker)
{
    for (size_t i = 0; i < names->n; i++)
        if (speaker_key(names->at[i].key) == speaker)
            return true;
    return false;
}

/* 0: none, or more than one. */
static uint32_t the_one_named(const struct snapshot *s, const struct found_names *names, const struct turn *turns, size_t n)
{
    uint32_t one = 0, other = 0; /* the last that was looked at and not named: most turns are of few speakers */

    for (size_t i = 0; i < n; i++) {
        uint32_t speaker = speaker_speaker_of(s, &turns[i]);

        if (!speaker || speaker == one || speaker == other)
            continue;
        if (!is_named(names, speaker))
            other = speaker;
        else if (one)
            return 0;
        else
            one = speaker;
    }
    return one;
}

void speaker_favour(struct arena *a, const struct snapshot *s, const char *query, struct turn *turns, size_t n, double by)
{
    struct found_names names = {.arena = a};
    uint32_t one;

    mentions_of_query(&names, query);
    one = the_one_named(s, &names, turns, n);
    for (size_t i = 0; one && i < n; i++)
        if (speaker_speaker_of(s, &turns[i]) == one)
            turns[i].score *= by;
}
