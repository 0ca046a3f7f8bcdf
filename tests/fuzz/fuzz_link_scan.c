/* Fuzzes the scanner of links: what it finds is sound and in order, whatever the text. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "link_scan.h"
#include "str.h"
#include "wiki_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(256 << 20);
    struct wiki_mention mentions[8];
    struct link_scan s;
    char *text;

    if (memchr(data, 0, size) || !str_is_utf8((const char *)data, size)) {
        arena_free(a);
        return 0;
    }
    text = arena_strndup(a, (const char *)data, size);
    link_scan(a, text, size, &s);
    for (size_t i = 0; i < s.n_links; i++) {
        const struct wiki_link *l = &s.links[i];

        assert(l->at < l->end && l->end <= size && (i == 0 || s.links[i - 1].end <= l->at));
        assert(text[l->at] == (l->is_embed ? '!' : '[') && text[l->end - 1] == (l->is_markdown ? ')' : ']'));
        assert(*l->target && str_is_utf8(l->target, strlen(l->target)) && str_code_points(l->target, strlen(l->target)) <= LINK_TARGET);
        assert(!strpbrk(l->target, "\n[]|"));
        wiki_slug_for(a, l->target);
    }
    wiki_excerpt(a, wiki_plain(a, text, &s));
    for (size_t i = wiki_mentions(a, text, &s, "art", mentions, 8); i > 0; i--)
        assert(mentions[i - 1].start < mentions[i - 1].end && mentions[i - 1].end <= size);
    arena_free(a);
    return 0;
}
