/* SimHash over words; see simhash.h. */
#include "simhash.h"

#include <stddef.h>

/* How often each bit was set, in binary: bit i of digits[k] is digit k of the count of bit i. */
#define DIGITS 32
struct counts {
    uint64_t digits[DIGITS];
    uint32_t n;
};

/* Letters and digits of ASCII, and all that is not ASCII. */
static inline unsigned simhash_fold(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c + 32u;
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80 ? c : 0;
}

static inline uint64_t simhash_mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

static void add_word(struct counts *c, uint64_t h)
{
    for (unsigned k = 0; h; k++) {
        uint64_t carry = c->digits[k] & h;

        c->digits[k] ^= h;
        h = carry;
    }
    c->n++;
}

static void simhash_add_text(struct counts *c, const char *text)
{
    uint64_t h = 0;

    for (const unsigned char *p = (const unsigned char *)text;; p++) {
        unsigned f = simhash_fold(*p);

        if (f) {
            h = (h + f) * 0x9e3779b97f4a7c15u;
            continue;
        }
        if (h)
            add_word(c, simhash_mix(h));
        h = 0;
        if (!*p)
            return;
    }
}

/* The bits whose count is above `than`. */
static uint64_t counted_above(const struct counts *c, uint32_t than)
{
    uint64_t above = 0, equal = UINT64_MAX;

    for (unsigned k = DIGITS; k--;) {
        if (than >> k & 1) {
            equal &= c->digits[k];
        } else {
            above |= equal & c->digits[k];
            equal &= ~c->digits[k];
        }
    }
    return above;
}

uint64_t simhash(const char *title, const char *body)
{
    struct counts c = {{0}, 0};

    simhash_add_text(&c, title);
    simhash_add_text(&c, body);
    return counted_above(&c, c.n / 2);
}
