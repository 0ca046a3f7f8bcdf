/* Hashing what was served; see served.h. */
#include "served.h"

#include <string.h>

#include "principal.h"
#include "sentences.h"
#include "served_store.h"
#include "str.h"

static unsigned char served_fold(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c + 32);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80 ? c : 0;
}

/* The entities that inert_add() writes say nothing, like the signs they stand for. */
static size_t entity_at(const char *p, size_t n)
{
    static const char *const ENTITIES[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

    for (size_t i = 0; *p == '&' && i < sizeof ENTITIES / sizeof *ENTITIES; i++)
        if (strlen(ENTITIES[i]) <= n && memcmp(p, ENTITIES[i], strlen(ENTITIES[i])) == 0)
            return strlen(ENTITIES[i]);
    return 0;
}

uint64_t sentence_hash(const char *sentence, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    bool in_word = false;
    size_t words = 0;

    for (size_t i = 0; i < n;) {
        size_t skip = entity_at(sentence + i, n - i);
        unsigned char f = skip ? 0 : served_fold((unsigned char)sentence[i]);

        if (f && !in_word) {
            words++;
            h = (h ^ ' ') * 0x100000001b3u;
        }
        if (f)
            h = (h ^ f) * 0x100000001b3u;
        in_word = f != 0;
        i += skip ? skip : 1;
    }
    return words < SERVED_WORDS ? 0 : h ? h : 1;
}

static size_t served_add_sentences(const struct served_text *t, struct served_row *rows, size_t n)
{
    size_t bytes;

    for (const char *p = t->text; n < SERVED_AT_ONCE && (p = sentence_next(p, &bytes)); p += bytes) {
        uint64_t hash = sentence_hash(p, bytes);

        if (hash)
            rows[n++] = (struct served_row){hash, t->node_id};
    }
    return n;
}

void served_remember(struct ctx *c, const struct served_text *texts, size_t n)
{
    struct served_row *rows;
    size_t n_rows = 0;

    if (!c->kv || !c->who || c->who->kind == PRINCIPAL_SYSTEM)
        return;
    rows = ARENA_ARRAY(c->arena, struct served_row, SERVED_AT_ONCE);
    for (size_t i = 0; i < n; i++)
        n_rows = served_add_sentences(&texts[i], rows, n_rows);
    if (n_rows > 0 && served_store_put(c, c->who->id, rows, n_rows) != ERR_OK)
        ctx_forgive(c);
}

void served_find(struct ctx *c, struct uuid principal_id, const char *text, struct served_sentence **out, size_t *n)
{
    struct served_sentence *list = ARENA_ARRAY(c->arena, struct served_sentence, SERVED_AT_ONCE);
    struct served_row *rows = ARENA_ARRAY(c->arena, struct served_row, SERVED_AT_ONCE);
    size_t bytes, k = 0;

    *out = list;
    *n = 0;
    if (!c->kv || uuid_is_nil(principal_id))
        return;
    for (const char *p = text; k < SERVED_AT_ONCE && (p = sentence_next(p, &bytes)); p += bytes) {
        rows[k].hash = sentence_hash(p, bytes);
        list[k++].chars = str_code_points(p, bytes);
    }
    if (k && served_store_find(c, principal_id, rows, k) != ERR_OK) {
        ctx_forgive(c);
        return;
    }
    for (size_t i = 0; i < k; i++)
        list[i].node_id = rows[i].node_id;
    *n = k;
}
