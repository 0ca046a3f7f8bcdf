/* SimHash over words; see simhash.h. */
#include "simhash.h"

#include <stddef.h>

struct counts {
    uint32_t ones[64];
    uint32_t n;
};

/* Letters and digits of ASCII, and all that is not ASCII. */
static inline unsigned fold(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c + 32u;
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80 ? c : 0;
}

static inline uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

static void add_word(struct counts *c, uint64_t h)
{
    for (unsigned i = 0; i < 64; i++)
        c->ones[i] += (uint32_t)(h >> i & 1);
    c->n++;
}

static void add_text(struct counts *c, const char *text)
{
    uint64_t h = 0;

    for (const unsigned char *p = (const unsigned char *)text;; p++) {
        unsigned f = fold(*p);

        if (f) {
            h = (h + f) * 0x9e3779b97f4a7c15u;
            continue;
        }
        if (h)
            add_word(c, mix(h));
        h = 0;
        if (!*p)
            return;
    }
}

uint64_t simhash(const char *title, const char *body)
{
    struct counts c = {{0}, 0};
    uint64_t out = 0;

    add_text(&c, title);
    add_text(&c, body);
    for (unsigned i = 0; i < 64; i++)
        if (2 * (uint64_t)c.ones[i] > c.n)
            out |= 1ull << i;
    return out;
}
