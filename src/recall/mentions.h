/* Mentions: the names in a text, such as "Marie Curie", "E4402" or what stands in quotes. */
#ifndef LOCI_MENTIONS_H
#define LOCI_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define MENTION_BYTES 128 /* of a name; a longer one is none */
#define MENTION_WORDS 8
#define MENTIONS_MAX 512 /* names of one text; what comes later is left out */

enum mention_flag {
    MENTION_IN_TITLE = 1,
    MENTION_QUOTED = 2,
    MENTION_CAPITAL = 4,
    MENTION_IDENTIFIER = 8,      /* with digits, dots, underscores, or capitals inside */
    MENTION_PHRASE = 16,         /* of several words */
    MENTION_WEAK = 32,           /* found as the one capital word at the start of sentences only: any word may stand there */
};

struct found_name {
    const char *name; /* folded: lower case, one space between words */
    uint64_t key;     /* of name */
    unsigned flags, times;
};

/* Begins as {.arena = …}. In the order in which they stand first. */
struct found_names {
    struct arena *arena;
    struct found_name *at;
    uint16_t *slots; /* where a key is, plus one */
    size_t n, cap;
};

/* Adds the names in text; one that is there already counts up. */
void mentions_find(struct found_names *out, const char *text, bool is_title);
/* The whole title of a node is a name, if it is not too long for one. */
void mentions_title(struct found_names *out, const char *title);
/* What a query may mean: all its runs of up to MENTION_WORDS words that neither begin nor end with a stop word, however
 * they are written; flags say how they are. */
void mentions_of_query(struct found_names *out, const char *query);

uint64_t mention_key(const char *folded, size_t n);

#endif
