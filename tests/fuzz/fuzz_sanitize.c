/* Fuzzes the sanitiser: what it lets pass is UTF-8, hits lie in the text, and doing it again finds nothing more to cut. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "sanitize.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(256u << 20);
    struct sanitized s = sanitize(a, (const char *)data, size, NULL), again;

    if (s.verdict == SANITIZE_CLEAN) {
        assert(str_is_utf8(s.text, s.n) && strlen(s.text) == s.n);
        for (size_t i = 0; i < s.n_hits; i++)
            assert(s.hits[i].start < s.hits[i].end && s.hits[i].end <= size);
        again = sanitize(a, s.text, s.n, NULL);
        assert(again.verdict != SANITIZE_MALFORMED && again.verdict != SANITIZE_UNSETTLED);
        for (size_t i = 0; i < again.n_hits; i++)
            assert(!again.hits[i].cut);
        assert(again.n == s.n && memcmp(again.text, s.text, s.n) == 0);
    }
    arena_free(a);
    return 0;
}
