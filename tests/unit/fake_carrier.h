/* A carrier for exchanges that lives in memory: variables and body in, the whole answer out. */
#ifndef LOCI_TEST_FAKE_CARRIER_H
#define LOCI_TEST_FAKE_CARRIER_H

#include <assert.h>
#include <string.h>

#include "exchange.h"

struct fake_carrier {
    const char *vars[32][2]; /* name and value; ended by NULL */
    const char *body;
    size_t body_len, taken;
    char answer[65536];
    size_t answer_len;
};

static const char *fake_param(struct exchange *x, const char *name)
{
    struct fake_carrier *f = x->carrier;

    for (int i = 0; i < 32 && f->vars[i][0]; i++)
        if (strcmp(f->vars[i][0], name) == 0)
            return f->vars[i][1];
    return NULL;
}

static ssize_t fake_read(struct exchange *x, char *buf, size_t n)
{
    struct fake_carrier *f = x->carrier;

    if (n > f->body_len - f->taken)
        n = f->body_len - f->taken;
    if (n)
        memcpy(buf, f->body + f->taken, n);
    f->taken += n;
    return (ssize_t)n;
}

static bool fake_write(struct exchange *x, const char *p, size_t n)
{
    struct fake_carrier *f = x->carrier;

    if (n >= sizeof f->answer - f->answer_len)
        return false;
    if (n)
        memcpy(f->answer + f->answer_len, p, n);
    f->answer_len += n;
    f->answer[f->answer_len] = 0;
    return true;
}

/* For fuzzing: the input cut at NULs into the variables of these names, each in memory of exactly its size so that ASan sees a byte
 * read too many; what is left is the body. The caller frees copies[n_names], which begins as NULLs. */
static inline void fake_take_apart(const uint8_t *data, size_t size, struct fake_carrier *f, const char *const *names, size_t n_names,
                                   char **copies)
{
    const char *p = (const char *)data, *end = p + size;

    for (size_t i = 0; i < n_names && p < end; i++) {
        const char *nul = memchr(p, 0, (size_t)(end - p)), *stop = nul ? nul : end;

        copies[i] = strndup(p, (size_t)(stop - p));
        assert(copies[i]);
        f->vars[i][0] = names[i];
        f->vars[i][1] = copies[i];
        p = nul ? nul + 1 : end;
    }
    f->body = p;
    f->body_len = (size_t)(end - p);
}

static const struct exchange_io FAKE_IO = {fake_param, fake_read, fake_write, NULL};

#endif
