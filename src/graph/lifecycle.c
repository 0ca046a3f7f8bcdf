/* Fading, use and boosts of scores; see lifecycle.h. */
#include "lifecycle.h"

#include <assert.h>
#include <math.h>

static double lifecycle_clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

double lifecycle_now(const struct lifecycle *s, struct instant t)
{
    double days = (double)(t.us - s->decayed_at.us) / (double)DAY_US;
    double v = s->score;

    assert(s->decay_rate >= 0);
    if (!s->is_pinned && days > 0)
        v *= exp(-s->decay_rate * days);
    return v < s->floor ? s->floor : v;
}

void lifecycle_settle(struct lifecycle *s, struct instant t)
{
    if (t.us < s->decayed_at.us) /* another host's clock is ahead: the curve begins there */
        return;
    s->score = lifecycle_now(s, t);
    s->decayed_at = t;
}

/* A use of an earlier day that is told late, or by a host whose clock is behind, is no first use of its day: it moved the score
 * already, or could have. */
static bool is_first_of_day(const struct lifecycle *s, struct instant t)
{
    return t.us / DAY_US > s->last_access_at.us / DAY_US;
}

void lifecycle_touch(struct lifecycle *s, struct instant t)
{
    bool was_set_since = t.us < s->decayed_at.us;

    lifecycle_settle(s, t);
    if (!was_set_since && is_first_of_day(s, t))
        s->score = lifecycle_clamp(s->score + LIFECYCLE_TOUCH * (1 - s->score));
    if (t.us > s->last_access_at.us)
        s->last_access_at = t;
}

void lifecycle_boost(struct lifecycle *s, double amount, struct instant t)
{
    lifecycle_settle(s, t);
    s->score = lifecycle_clamp(s->score + amount);
}

void lifecycle_pin(struct lifecycle *s, bool pinned, struct instant t)
{
    lifecycle_settle(s, t);
    s->is_pinned = pinned;
}

double lifecycle_rate(double half_life_days)
{
    return half_life_days > 0 ? M_LN2 / half_life_days : 0;
}

double lifecycle_round(double score)
{
    return round(score * 1e4) / 1e4;
}
