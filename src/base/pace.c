/* A table of accounts behind one lock; see pace.h. */
#include "pace.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "str.h"

#define SLOTS (2 * PACE_ACCOUNTS)
#define SHORTEST_US 32.0
#define PER_OCTAVE 4

struct pace {
    pthread_mutex_t lock;
    struct pace_row rows[PACE_ACCOUNTS];
    size_t n;
    uint16_t slot[SLOTS]; /* 1 + place in rows; 0: empty */
};

struct pace *pace_new(void)
{
    struct pace *p = calloc(1, sizeof *p);

    assert(p);
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void pace_free(struct pace *p)
{
    if (!p)
        return;
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static int pace_bucket_of(int64_t us)
{
    double at = (double)us > SHORTEST_US ? floor(PER_OCTAVE * log2((double)us / SHORTEST_US)) : 0;

    return at < PACE_BUCKETS - 1 ? (int)at : PACE_BUCKETS - 1;
}

double pace_seconds(int bucket)
{
    return SHORTEST_US / 1e6 * exp2((bucket + 0.5) / PER_OCTAVE);
}

/* Where the account is, or would be; there is always an empty slot. */
static size_t pace_slot_of(const struct pace *p, struct uuid id)
{
    size_t i = hash_bytes(&id, sizeof id, 0) % SLOTS;

    while (p->slot[i] && !uuid_eq(p->rows[p->slot[i] - 1].account_id, id))
        i = (i + 1) % SLOTS;
    return i;
}

/* NULL: there are too many. */
static struct pace_row *pace_row_of(struct pace *p, struct uuid id)
{
    size_t i = pace_slot_of(p, id);

    if (!p->slot[i]) {
        if (p->n == PACE_ACCOUNTS)
            return NULL;
        p->rows[p->n] = (struct pace_row){.account_id = id};
        p->slot[i] = (uint16_t)++p->n;
    }
    return &p->rows[p->slot[i] - 1];
}

void pace_note(struct pace *p, struct uuid account_id, enum pace_kind kind, int64_t us)
{
    int bucket = pace_bucket_of(us);
    struct pace_row *row;

    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    row = pace_row_of(p, account_id);
    if (row)
        row->n[kind][bucket]++;
    pthread_mutex_unlock(&p->lock);
}

bool pace_take(struct pace *p, struct pace_row *out)
{
    bool any = false;

    if (!p)
        return false;
    pthread_mutex_lock(&p->lock);
    if (p->n) {
        *out = p->rows[--p->n];
        for (size_t i = 0; i < SLOTS; i++) /* none may stand between an account and its slot: all are put anew */
            p->slot[i] = 0;
        for (size_t i = 0; i < p->n; i++)
            p->slot[pace_slot_of(p, p->rows[i].account_id)] = (uint16_t)(i + 1);
        any = true;
    }
    pthread_mutex_unlock(&p->lock);
    return any;
}
