/* Fuzzes what is done to a stored text before it is served: any bytes stay inert, within their limits, and the fence stands. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "content.h"
#include "entropy.h"
#include "grade.h"
#include "inert.h"
#include "render.h"
#include "sentences.h"
#include "served.h"
#include "snippet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No tag opens or closes, nothing controls a terminal. */
static void check_inert(const char *text)
{
    assert(str_is_utf8(text, strlen(text)));
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        assert(*p != '<' && *p != '>' && (*p >= ' ' || *p == '\n' || *p == '\t') && *p != 0x7f);
}

static void check_cuts(struct arena *a, const struct query_words *q, struct analyzer *z, const char *text, size_t max)
{
    const char *inert = inert_text(a, text), *few = inert_cut_tokens(a, inert, (int64_t)max);
    bool cut;

    check_inert(inert);
    check_inert(few);
    assert(content_tokens(few) <= (int64_t)max);
    few = snippet(q, a, z, text, max + 3, true, &cut);
    if (str_is_utf8(text, strlen(text)))
        assert(str_code_points(few, strlen(few)) <= max + 3);
}

static void check_sentences(const char *text)
{
    const char *last = text;
    size_t n;

    for (const char *p = text; (p = sentence_next(p, &n)); p += n) {
        assert(p >= last && n > 0);
        (void)sentence_hash(p, n);
        last = p + n;
    }
}

static void check_bundle(struct arena *a, const char *text)
{
    const struct render_hit hit = {.kind = "note", .status = text, .title = inert_text(a, text), .body = inert_text(a, text),
                                   .band = "high"};
    const struct render_external page = {text, text, text};
    const struct render_in in = {.head = {.mode = "hybrid"}, .hits = &hit, .n = 1, .externals = &page, .n_externals = 1};
    size_t tags = 0;

    for (const char *p = render_bundle(a, &in); *p; p++)
        tags += *p == '<';
    assert(tags == 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct analyzer *english;
    struct arena *a = arena_new(512 << 20);
    const char *text = arena_strndup(a, (const char *)data, strnlen((const char *)data, size));
    const struct query_words *q;
    struct entropy e = entropy_of(a, text);
    size_t gone;

    english = english ? english : analyzer_new("english");
    q = query_words(a, english, text, strlen(text) < 40 ? strlen(text) : 40);
    assert(e.score >= 0 && e.score <= 1 && e.chars <= 1 && e.words <= 1);
    check_cuts(a, q, english, text, size % 50);
    check_sentences(text);
    check_bundle(a, text);
    (void)grade_strip(q, a, english, text, &gone);
    arena_free(a);
    return 0;
}
