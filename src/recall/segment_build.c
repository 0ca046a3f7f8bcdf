/* Making segments: from rows as they are read, and from rows of other segments. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "mentions.h"
#include "row_words.h"
#include "segment_impl.h"
#include "simhash.h"
#include "str.h"

#define SPEAKER_BYTES 64                          /* of a name before a colon */
#define SCRATCH_BYTES ((size_t)512 * 1024 * 1024) /* far more than the words of one text take */

struct segment_builder *segment_builder_new(const struct codec *codec)
{
    struct segment_builder *b = calloc(1, sizeof *b);

    assert(b);
    b->codec = codec;
    b->keep = DENSE_CODES;
    b->scratch = arena_new(SCRATCH_BYTES);
#define SIZE_OF_(name, type) b->name.size = sizeof(type);
    SEGMENT_ARRAYS(SIZE_OF_)
    return b;
}

void segment_builder_hold_vectors(struct segment_builder *b)
{
    assert(!b->dense);
    b->keep = DENSE_VECTORS;
}

void segment_builder_drop_vectors(struct segment_builder *b)
{
    if (b->dense && b->keep == DENSE_VECTORS)
        dense_drop_vectors(b->dense);
    b->keep = DENSE_CODES;
}

void segment_builder_free(struct segment_builder *b)
{
    if (!b)
        return;
#define DONE_(name, type) grow_done(&b->name);
    SEGMENT_ARRAYS(DONE_)
    grow_map_done(&b->group_of);
    grow_map_done(&b->entity_of);
    dense_part_free(b->dense);
    sparse_builder_free(b->sparse);
    for (size_t i = 0; i < LANGUAGES; i++)
        analyzer_free(b->analyzers[i]);
    grow_map_done(&b->language_of);
    arena_free(b->scratch);
    free(b);
}

size_t segment_builder_bytes(const struct segment_builder *b)
{
    size_t n = 0;

#define BYTES_(name, type) n += b->name.cap * sizeof(type);
    SEGMENT_ARRAYS(BYTES_)
    return n + 12 * (b->group_of.cap + b->entity_of.cap) + (b->dense ? dense_bytes(b->dense) : 0) +
           (b->sparse ? sparse_builder_bytes(b->sparse) : 0);
}

/* ---- one row -------------------------------------------------------------------------------------------- */

static bool same_group(const struct row_group *a, const struct row_group *b)
{
    return uuid_eq(a->space_id, b->space_id) && a->kind == b->kind && a->flags == b->flags &&
           a->language == b->language;
}

uint32_t segment_add_group(struct segment_builder *b, struct row_group g)
{
    uint8_t bytes[19];
    uint64_t key;

    memcpy(bytes, g.space_id.b, 16);
    bytes[16] = g.kind;
    bytes[17] = g.flags;
    bytes[18] = g.language;
    for (key = hash_bytes(bytes, sizeof bytes, 1);; key++) {
        uint32_t *at = grow_map_at(&b->group_of, key);

        if (*at == UINT32_MAX) {
            *at = (uint32_t)b->groups.n;
            GROW_PUT(&b->groups, struct row_group, g);
            return *at;
        }
        if (same_group((const struct row_group *)b->groups.p + *at, &g))
            return *at;
    }
}

void segment_add_mention(struct segment_builder *b, uint64_t key, const char *name, unsigned times, bool in_title)
{
    uint32_t *at = grow_map_at(&b->entity_of, key);
    size_t n = strlen(name) + 1;

    if (*at == UINT32_MAX) {
        *at = (uint32_t)b->entity_key.n;
        GROW_PUT(&b->entity_key, uint64_t, key);
        GROW_PUT(&b->entity_name, uint32_t, (uint32_t)b->names.n);
        memcpy(grow_add(&b->names, n), name, n);
    }
    GROW_PUT(&b->mentions, struct mention, ((struct mention){*at, (uint8_t)(times < 255 ? times : 255), in_title}));
}

static void add_facets(struct segment_builder *b, const struct json *attrs)
{
    struct facets all = facets_of(attrs);
    uint32_t key;

    while (facets_next(&all, &key))
        GROW_PUT(&b->facets, uint32_t, key);
}

static void add_session(struct segment_builder *b, const struct index_row *row)
{
    const struct json *session = json_get(row->attrs, "session");
    int64_t seq = json_get_int(row->attrs, "seq", 0);
    char number[24];
    const char *name = json_is(session, JSON_STR) ? session->s : NULL;

    if (json_is(session, JSON_INT))
        name = segment_number(number, session->i);
    GROW_PUT(&b->session, uint64_t, str_empty(name) ? 0 : row_session(row->space_id, name));
    GROW_PUT(&b->sequence, uint32_t, (uint32_t)(seq < 0 ? 0 : seq > UINT32_MAX ? UINT32_MAX : seq));
}

/* attrs.speaker, or who is named before a colon at the start of a turn. */
static uint32_t segment_build_speaker_of(struct segment_builder *b, const struct index_row *row)
{
    struct found_names names = {.arena = b->scratch};
    const char *name = json_get_str(row->attrs, "speaker"), *colon;

    if (str_empty(name) && json_get(row->attrs, "session")) {
        colon = strstr(row->body, ": ");
        if (colon && colon - row->body < SPEAKER_BYTES && !memchr(row->body, '\n', (size_t)(colon - row->body)))
            name = arena_strndup(b->scratch, row->body, (size_t)(colon - row->body));
    }
    if (!str_empty(name))
        mentions_title(&names, name);
    return names.n ? speaker_key(names.at[0].key) : 0;
}

static void add_mentions(struct segment_builder *b, const struct index_row *row)
{
    struct found_names names = {.arena = b->scratch};

    mentions_title(&names, row->title);
    mentions_find(&names, row->title, true);
    mentions_find(&names, row->body, false);
    for (size_t i = 0; i < names.n; i++) {
        if (names.at[i].flags & MENTION_WEAK)
            continue;
        segment_add_mention(b, names.at[i].key, names.at[i].name, names.at[i].times,
                            names.at[i].flags & MENTION_IN_TITLE);
    }
    arena_reset(b->scratch);
}

static uint64_t space_key(struct uuid space_id)
{
    return hash_bytes(space_id.b, sizeof space_id.b, 0x6c61) | 1;
}

void segment_builder_language(struct segment_builder *b, struct uuid space_id, const char *tag)
{
    *grow_map_at(&b->language_of, space_key(space_id)) = language_of(tag);
}

static uint8_t row_language(struct segment_builder *b, const struct index_row *row)
{
    const struct json *own = json_get(row->attrs, "language");
    uint32_t of_space;

    if (json_is(own, JSON_STR) && *own->s)
        return language_of(own->s);
    of_space = b->language_of.n ? *grow_map_at(&b->language_of, space_key(row->space_id)) : UINT32_MAX;
    return of_space == UINT32_MAX ? LANGUAGE_ENGLISH : (uint8_t)of_space;
}

static void segment_build_add_words(struct segment_builder *b, const struct index_row *row, uint8_t language)
{
    struct text_terms terms = {.arena = b->scratch};

    if (!b->sparse)
        b->sparse = sparse_builder_new();
    if (!b->analyzers[language])
        b->analyzers[language] = analyzer_new(language_name(language));
    assert(b->analyzers[language]);
    row_words(b->analyzers[language], row, &terms);
    sparse_builder_add(b->sparse, &terms);
    arena_reset(b->scratch);
}

/* What every row has, read or copied. */
void segment_begin_row(struct segment_builder *b, struct uuid id)
{
    assert(b->ids.n < SEGMENT_ROWS_MAX);
    if (b->codec && !b->dense) {
        b->dense = dense_part_new(b->codec, 64, b->keep);
        assert(b->dense);
    }
    GROW_PUT(&b->ids, struct uuid, id);
    GROW_PUT(&b->level, uint8_t, (uint8_t)__builtin_ctzll(hash_bytes(id.b, sizeof id.b, 0x6c65) | 1ull << 63));
    GROW_PUT(&b->facet_at, uint32_t, (uint32_t)b->facets.n);
    GROW_PUT(&b->mention_at, uint32_t, (uint32_t)b->mentions.n);
}

void segment_builder_add(struct segment_builder *b, const struct index_row *row)
{
    bool has_vector = b->codec && row->vector && row->dim == codec_dim(b->codec);
    bool done;
    uint8_t language = row_language(b, row);
    unsigned flags = row->flags | (row->times.expires ? ROW_EXPIRES : 0) | (has_vector ? ROW_HAS_VECTOR : 0);

    segment_begin_row(b, row->id);
    if (b->dense) {
        done = dense_append(b->dense, has_vector ? row->vector : NULL);
        assert(done);
    }
    GROW_PUT(&b->group, uint32_t,
             segment_add_group(b, (struct row_group){row->space_id, segment_kind(row->kind), (uint8_t)flags, language}));
    GROW_PUT(&b->scores, struct row_scores, row->scores);
    GROW_PUT(&b->times, struct row_times, row->times);
    GROW_PUT(&b->authors, struct uuid, row->author_id);
    GROW_PUT(&b->tokens, uint32_t, row->tokens);
    GROW_PUT(&b->simhash, uint64_t, simhash(row->title, row->body));
    add_session(b, row);
    GROW_PUT(&b->speaker, uint32_t, segment_build_speaker_of(b, row));
    add_facets(b, row->attrs);
    add_mentions(b, row);
    segment_build_add_words(b, row, language);
}

/* ---- the segment ---------------------------------------------------------------------------------------- */

struct order {
    const uint64_t *key;
    const uint32_t *sequence;
};

static int by_key(const void *a, const void *b, void *arg)
{
    const uint64_t *key = ((const struct order *)arg)->key;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return key[x] < key[y] ? -1 : key[x] > key[y];
}

static int by_turn(const void *a, const void *b, void *arg)
{
    const uint32_t *sequence = ((const struct order *)arg)->sequence;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = by_key(a, b, arg);

    if (order)
        return order;
    if (sequence[x] != sequence[y])
        return sequence[x] < sequence[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Entities by key: mentions get the new numbers. */
static void sort_entities(struct segment *s)
{
    struct grow perm = {.size = sizeof(uint32_t)}, number = perm, keys = {.size = sizeof(uint64_t)}, names = perm;
    uint32_t *order = grow_add(&perm, s->n_entities), *to = grow_add(&number, s->n_entities);
    uint64_t *key = grow_add(&keys, s->n_entities);
    uint32_t *name = grow_add(&names, s->n_entities);

    for (uint32_t i = 0; i < s->n_entities; i++)
        order[i] = i;
    if (s->n_entities)
        qsort_r(order, s->n_entities, sizeof *order, by_key, &(struct order){s->entity_key, NULL});
    for (uint32_t i = 0; i < s->n_entities; i++) {
        to[order[i]] = i;
        key[i] = s->entity_key[order[i]];
        name[i] = s->entity_name[order[i]];
    }
    for (uint32_t i = 0; i < s->mention_at[s->n]; i++)
        s->mentions[i].entity = to[s->mentions[i].entity];
    if (s->n_entities) {
        memcpy(s->entity_key, key, s->n_entities * sizeof *key);
        memcpy(s->entity_name, name, s->n_entities * sizeof *name);
    }
    grow_done(&perm);
    grow_done(&number);
    grow_done(&keys);
    grow_done(&names);
}

static void rows_of_entities(struct segment *s)
{
    struct grow at = {.size = sizeof(uint32_t)}, rows = at, next = at;
    uint32_t *from = grow_add(&at, s->n_entities + 1u), *fill = grow_add(&next, s->n_entities + 1u);
    uint32_t total = s->mention_at[s->n], *out = grow_add(&rows, total);

    for (uint32_t i = 0; i < total; i++)
        from[s->mentions[i].entity + 1]++;
    for (uint32_t e = 0; e < s->n_entities; e++)
        fill[e + 1] = from[e + 1] += from[e];
    for (uint32_t r = 0; r < s->n; r++)
        for (uint32_t i = s->mention_at[r]; i < s->mention_at[r + 1]; i++)
            out[fill[s->mentions[i].entity]++] = r;
    grow_done(&next);
    s->entity_at = grow_take(&at, &s->bytes);
    s->entity_rows = grow_take(&rows, &s->bytes);
}

static int segment_build_by_id(const void *a, const void *b, void *arg)
{
    const struct uuid *ids = arg;

    return uuid_cmp(ids[*(const uint32_t *)a], ids[*(const uint32_t *)b]);
}

static void sort_ids(struct segment *s)
{
    struct grow rows = {.size = sizeof(uint32_t)};
    uint32_t *order, r = 1;

    while (r < s->n && uuid_cmp(s->ids[r - 1], s->ids[r]) < 0)
        r++;
    if (r == s->n)
        return;
    order = grow_add(&rows, s->n);
    for (r = 0; r < s->n; r++)
        order[r] = r;
    qsort_r(order, s->n, sizeof *order, segment_build_by_id, s->ids);
    s->by_id = grow_take(&rows, &s->bytes);
}

static void sort_turns(struct segment *s)
{
    struct grow rows = {.size = sizeof(uint32_t)};

    for (uint32_t r = 0; r < s->n; r++)
        if (s->session[r])
            GROW_PUT(&rows, uint32_t, r);
    s->n_in_session = (uint32_t)rows.n;
    s->by_session = grow_take(&rows, &s->bytes);
    if (s->n_in_session)
        qsort_r(s->by_session, s->n_in_session, sizeof *s->by_session, by_turn,
                &(struct order){s->session, s->sequence});
}

struct segment *segment_build(struct segment_builder *b)
{
    struct segment *s;

    if (!b->ids.n)
        return NULL;
    s = calloc(1, sizeof *s);
    assert(s);
    *s = (struct segment){.n = (uint32_t)b->ids.n, .bytes = sizeof *s, .n_groups = (uint32_t)b->groups.n,
                          .n_entities = (uint32_t)b->entity_key.n, .names_size = b->names.n, .dense = b->dense, .refs = 1};
    b->dense = NULL;
    GROW_PUT(&b->facet_at, uint32_t, (uint32_t)b->facets.n);
    GROW_PUT(&b->mention_at, uint32_t, (uint32_t)b->mentions.n);
#define TAKE_(name, type) s->name = grow_take(&b->name, &s->bytes);
    SEGMENT_ARRAYS(TAKE_)
    sort_ids(s);
    sort_entities(s);
    rows_of_entities(s);
    sort_turns(s);
    if (s->dense) {
        dense_fit(s->dense);
        s->bytes += dense_bytes(s->dense);
    }
    if (b->sparse)
        s->sparse = sparse_builder_finish(b->sparse);
    b->sparse = NULL;
    s->bytes += s->sparse ? sparse_bytes(s->sparse) : 0;
    grow_map_done(&b->group_of);
    grow_map_done(&b->entity_of);
    return s;
}
