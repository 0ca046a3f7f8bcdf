/* The trie of pieces: built once when the model is packed, walked for every text. */
#include "wordpieces.h"

#include <string.h>
#include <utf8proc.h>

#include "bert_layout.h"
#include "wordpieces_newer.h"

#define ROOTS 2
#define INSIDE "##"

_Static_assert(sizeof(struct wordpieces) % 64 == 0, "sections end with a cache line");

static size_t wordpiece_slot(uint32_t node, uint32_t code_point)
{
    return ((node << 16 | code_point) * UINT32_C(2654435761)) >> 15;
}

static uint16_t wordpiece_step(const struct wordpieces *v, uint16_t node, uint32_t code_point)
{
    if (code_point > UINT16_MAX)
        return 0;
    for (size_t s = wordpiece_slot(node, code_point);; s = (s + 1) % WORDPIECE_SLOTS) {
        const struct wordpiece_edge *e = &v->edges[s];

        if (e->to == 0 || (e->from == node && e->over == code_point))
            return e->to;
    }
}

/* ---- building */

/* 0: there is no room. */
static uint16_t wordpiece_grow(struct wordpieces *v, uint16_t node, uint32_t code_point)
{
    size_t s = wordpiece_slot(node, code_point);
    uint16_t to = wordpiece_step(v, node, code_point);

    if (to || v->n_nodes == WORDPIECE_NODES)
        return to;
    while (v->edges[s].to)
        s = (s + 1) % WORDPIECE_SLOTS;
    to = (uint16_t)v->n_nodes++;
    v->edges[s] = (struct wordpiece_edge){.from = node, .over = (uint16_t)code_point, .to = to};
    v->n_edges++;
    return to;
}

static bool wordpiece_add(struct wordpieces *v, const char *text, uint16_t id)
{
    bool inside = strncmp(text, INSIDE, strlen(INSIDE)) == 0 && text[strlen(INSIDE)];
    const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)text + (inside ? strlen(INSIDE) : 0);
    uint16_t node = inside;

    while (*p) {
        utf8proc_int32_t code_point;
        utf8proc_ssize_t n = utf8proc_iterate(p, -1, &code_point);

        if (n <= 0 || code_point > UINT16_MAX)
            return false;
        node = wordpiece_grow(v, node, (uint32_t)code_point);
        if (!node)
            return false;
        p += n;
    }
    v->piece[node] = id;
    return node >= ROOTS;
}

#define WORDPIECE_TEXT_(name, text) text,
static const char *const SPECIAL[] = {WORDPIECE_SPECIAL(WORDPIECE_TEXT_)};

bool wordpieces_build(struct arena *a, const struct json *vocabulary, struct wordpieces *out, const char **why)
{
    size_t n = 0;

    memset(out, 0, sizeof *out);
    out->n_nodes = ROOTS;
    for (const struct json *j = vocabulary ? vocabulary->first : NULL; j; j = j->next, n++)
        if (!json_is(j, JSON_INT) || j->i < 0 || j->i >= BERT_PIECES ||
            !wordpiece_add(out, j->key, (uint16_t)j->i)) {
            *why = arena_printf(a, "piece '%s' does not fit the trie", j->key);
            return false;
        }
    if (n != BERT_PIECES) {
        *why = arena_printf(a, "%zu pieces instead of %d", n, BERT_PIECES);
        return false;
    }
    for (size_t i = 0; i < N_WORDPIECE_SPECIAL; i++) {
        if (!json_get(vocabulary, SPECIAL[i])) {
            *why = arena_printf(a, "there is no piece %s", SPECIAL[i]);
            return false;
        }
        out->special[i] = (uint16_t)json_get_int(vocabulary, SPECIAL[i], 0);
    }
    return true;
}

bool wordpieces_are_sound(const struct wordpieces *v)
{
    size_t used = 0;

    if (v->n_nodes < ROOTS || v->n_nodes > WORDPIECE_NODES)
        return false;
    for (size_t i = 0; i < WORDPIECE_SLOTS; i++) {
        used += v->edges[i].to != 0;
        if (v->edges[i].to >= v->n_nodes)
            return false;
    }
    for (size_t i = 0; i < WORDPIECE_NODES; i++)
        if (v->piece[i] >= BERT_PIECES)
            return false;
    for (size_t i = 0; i < N_WORDPIECE_SPECIAL; i++)
        if (v->special[i] >= BERT_PIECES)
            return false;
    return used == v->n_edges && used <= WORDPIECE_SLOTS / 2;
}

/* ---- cutting */

struct cutting {
    const struct wordpieces *v;
    uint16_t *ids;
    size_t room, n;
    uint32_t word[WORDPIECE_WORD];
    size_t length; /* of the word; above WORDPIECE_WORD: it is too long */
};

static void put_piece(struct cutting *c, uint16_t id)
{
    if (c->n == c->room)
        return;
    if (c->ids)
        c->ids[c->n] = id;
    c->n++;
}

/* The longest piece that the word has from a place on; *end: behind it. 0: there is none. */
static uint16_t longest_piece(const struct cutting *c, size_t from, size_t *end)
{
    uint16_t node = from > 0, found = 0;

    for (size_t i = from; i < c->length && (node = wordpiece_step(c->v, node, c->word[i])) != 0; i++)
        if (c->v->piece[node]) {
            found = c->v->piece[node];
            *end = i + 1;
        }
    return found;
}

/* A word of which any part is not known is unknown as a whole. */
static void put_word(struct cutting *c)
{
    uint16_t pieces[WORDPIECE_WORD];
    size_t n = 0, at = 0;

    if (c->length == 0)
        return;
    while (c->length <= WORDPIECE_WORD && at < c->length && (pieces[n] = longest_piece(c, at, &at)) != 0)
        n++;
    if (c->length > WORDPIECE_WORD || at < c->length)
        put_piece(c, c->v->special[PIECE_UNK]);
    else
        for (size_t i = 0; i < n; i++)
            put_piece(c, pieces[i]);
    c->length = 0;
}

static void put_letter(struct cutting *c, uint32_t code_point)
{
    if (c->length < WORDPIECE_WORD)
        c->word[c->length] = code_point;
    c->length += c->length <= WORDPIECE_WORD;
}

static void put_alone(struct cutting *c, uint32_t code_point)
{
    put_word(c);
    put_letter(c, code_point);
    put_word(c);
}

/* ---- characters, by the rules of BERT: they are older than today's Unicode and differ from its properties here and there */

/* The category of a character, as the reference sees it. */
static utf8proc_category_t category_of(utf8proc_int32_t c)
{
    utf8proc_category_t category = utf8proc_category(c);
    size_t low = 0, high = sizeof WORDPIECES_NEWER / sizeof *WORDPIECES_NEWER;

    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
        return category;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (c > WORDPIECES_NEWER[middle][1])
            low = middle + 1;
        else if (c < WORDPIECES_NEWER[middle][0])
            high = middle;
        else
            return UTF8PROC_CATEGORY_LO;
    }
    return category;
}

static bool is_chinese(utf8proc_int32_t c)
{
    static const utf8proc_int32_t RANGES[][2] = {
        { 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },   { 0xf900, 0xfaff },   { 0x20000, 0x2a6df },
        { 0x2a700, 0x2b73f }, { 0x2b740, 0x2b81f }, { 0x2b920, 0x2ceaf }, { 0x2f800, 0x2fa1f },
    };

    if (c < RANGES[0][0])
        return false;
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
        if (c >= RANGES[i][0] && c <= RANGES[i][1])
            return true;
    return false;
}

static bool wordpieces_is_space(utf8proc_int32_t c, utf8proc_category_t category)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || category == UTF8PROC_CATEGORY_ZS ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

static bool is_dropped(utf8proc_int32_t c, utf8proc_category_t category)
{
    return c == 0xfffd || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO;
}

static bool is_punctuation(utf8proc_int32_t c)
{
    utf8proc_category_t category;

    if (c < 0x80)
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
               (c >= '{' && c <= '~');
    category = category_of(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

/* One code point of the decomposed text. Marks that do not take up space are the accents. */
static void cut_part(struct cutting *c, utf8proc_int32_t part)
{
    utf8proc_int32_t lower;

    if (part >= 0x80 && category_of(part) == UTF8PROC_CATEGORY_MN)
        return;
    lower = utf8proc_tolower(part);
    if (is_punctuation(lower))
        put_alone(c, (uint32_t)lower);
    else
        put_letter(c, (uint32_t)lower);
}

#define PARTS_MAX 8 /* of one code point; the longest has four */

/* The order of marks is not looked after: none that stays is in any piece, so its word is unknown in any order. */
static void cut_other(struct cutting *c, utf8proc_int32_t code_point)
{
    utf8proc_category_t category = category_of(code_point);
    utf8proc_int32_t parts[PARTS_MAX];
    utf8proc_ssize_t n;
    int last = UTF8PROC_BOUNDCLASS_START;

    if (is_dropped(code_point, category))
        return;
    if (wordpieces_is_space(code_point, category)) {
        put_word(c);
        return;
    }
    if (is_chinese(code_point))
        put_word(c);
    n = utf8proc_decompose_char(code_point, parts, PARTS_MAX, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE, &last);
    for (utf8proc_ssize_t i = 0; i < n && n <= PARTS_MAX; i++)
        cut_part(c, parts[i]);
    if (is_chinese(code_point))
        put_word(c);
}

static void cut_ascii(struct cutting *c, unsigned char byte)
{
    if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        put_word(c);
    else if (byte >= 'A' && byte <= 'Z')
        put_letter(c, byte + 'a' - 'A');
    else if (is_punctuation(byte))
        put_alone(c, byte);
    else if (byte > ' ' && byte < 0x7f)
        put_letter(c, byte);
}

/* Text that spells a special piece is that piece, for the reference too. How many bytes it takes; 0: it is none. */
static size_t cut_special(struct cutting *c, const char *text, size_t bytes)
{
    for (size_t i = 0; i < N_WORDPIECE_SPECIAL; i++) {
        size_t n = strlen(SPECIAL[i]);

        if (n <= bytes && memcmp(text, SPECIAL[i], n) == 0) {
            put_word(c);
            put_piece(c, c->v->special[i]);
            return n;
        }
    }
    return 0;
}

size_t wordpieces_cut(const struct wordpieces *v, const char *text, size_t bytes, uint16_t *ids, size_t room)
{
    struct cutting c = {.v = v, .ids = ids, .room = room};
    size_t i = 0, special;

    while (i < bytes && c.n < room) {
        unsigned char byte = (unsigned char)text[i];
        utf8proc_int32_t code_point;
        utf8proc_ssize_t n;

        if (byte < 0x80) {
            special = byte == '[' ? cut_special(&c, text + i, bytes - i) : 0;
            if (!special)
                cut_ascii(&c, byte);
            i += special ? special : 1;
            continue;
        }
        n = utf8proc_iterate((const utf8proc_uint8_t *)text + i, (utf8proc_ssize_t)(bytes - i), &code_point);
        if (n > 0)
            cut_other(&c, code_point);
        i += n > 0 ? (size_t)n : 1;
    }
    put_word(&c);
    return c.n;
}
