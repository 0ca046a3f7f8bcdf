/* Names and words of pages: the key that titles are compared by, slugs, and what a text says without its marks. Pure functions. */
#ifndef LOCI_WIKI_TEXT_H
#define LOCI_WIKI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "link_scan.h"

#define WIKI_SLUG 150    /* characters of a slug */
#define WIKI_NAME 255    /* code points of a title, an alias or a link's target */
#define WIKI_EXCERPT 200 /* code points of an excerpt */

/* NFC, without case, runs of white space as one space, none at the ends: equal keys are one name. */
const char *wiki_name_key(struct arena *a, const char *name);
/* [a-z0-9] and single hyphens, at most WIKI_SLUG; "" where nothing of the title is left. */
const char *wiki_slugify(struct arena *a, const char *title);
/* The same, or a name made of the title's hash: never empty. */
const char *wiki_slug_for(struct arena *a, const char *title);
/* How a link's target is looked up as a slug by the rule that came first: lower case, only [a-z0-9 -], spaces to hyphens. */
const char *wiki_slug_of_target(struct arena *a, const char *target);

/* What a reader sees of the text: no marks, no front matter, no HTML; of a link its display text. */
const char *wiki_plain(struct arena *a, const char *text, const struct link_scan *scan);
/* The first characters of a plain text, cut at a word. */
const char *wiki_excerpt(struct arena *a, const char *plain);
int64_t wiki_words(const char *plain);

/* Where the name stands in the text as whole words, in any case, outside code, links, HTML and comments. */
struct wiki_mention {
    size_t start, end; /* bytes */
};
/* At most max of them into out; name: a key (wiki_name_key). */
size_t wiki_mentions(struct arena *a, const char *text, const struct link_scan *scan, const char *name, struct wiki_mention *out,
    size_t max);

#endif
