/* Fuzzes the analysis of text: any bytes become terms that are sound, in a number that the bytes bound. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "analyze.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct analyzer *english, *german, *none;
    struct arena *a = arena_new(256 << 20);
    struct text_terms t = {.arena = a};
    unsigned options = size ? data[0] & 3u : 0;

    if (!english) {
        english = analyzer_new("english");
        german = analyzer_new("german");
        none = analyzer_new("none");
    }
    analyze(english, TEXT_BODY, (const char *)data, size, options, &t);
    analyze(german, TEXT_TITLE, (const char *)data, size, options, &t);
    analyze(none, TEXT_TAGS, (const char *)data, size, options, &t);
    assert(t.n <= 3 * (18 * size + 1));
    for (size_t i = 0; i < t.n; i++) {
        assert(t.at[i].length >= 1 && t.at[i].length <= TERM_BYTES);
        assert(t.at[i].field < TEXT_FIELDS && t.at[i].position < t.next[t.at[i].field]);
        assert(t.at[i].hash == term_hash(t.at[i].text, t.at[i].length));
        assert(str_is_utf8(t.at[i].text, t.at[i].length));
    }
    arena_free(a);
    return 0;
}
