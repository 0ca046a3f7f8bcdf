/* Holding, searching and merging segments; see segment.h. */
#include "segment.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_kind.h"
#include "segment_impl.h"
#include "str.h"

/* ---- keys ----------------------------------------------------------------------------------------------- */

enum { FACET_TEXT = 0x6661, FACET_NUMBER, FACET_BOOL };

uint8_t segment_kind(const char *name)
{
    const struct node_kind *k;

    for (size_t i = 0; i < KIND_UNKNOWN && (k = node_kind_at(i)); i++)
        if (strcmp(k->name, name) == 0)
            return (uint8_t)i;
    return KIND_UNKNOWN;
}

const char *segment_kind_name(uint8_t kind)
{
    const struct node_kind *k = kind < KIND_UNKNOWN ? node_kind_at(kind) : NULL;

    return k ? k->name : "";
}

uint64_t row_session(struct uuid space_id, const char *session)
{
    uint64_t key = hash_bytes(session, strlen(session), hash_bytes(space_id.b, sizeof space_id.b, 0x7365));

    return key && key != UINT64_MAX ? key : 1;
}

uint32_t speaker_key(uint64_t mention_key)
{
    uint32_t folded = (uint32_t)(mention_key ^ mention_key >> 32);

    return folded ? folded : 1;
}

static uint32_t segment_key_of(uint64_t seed, const char *key, const char *value)
{
    uint64_t h = hash_bytes(value, strlen(value), hash_bytes(key, strlen(key), seed));
    uint32_t folded = (uint32_t)(h ^ h >> 32);

    return folded ? folded : 1;
}

uint32_t facet_key(const char *key, const char *value)
{
    return segment_key_of(FACET_TEXT, key, value);
}

const char *segment_number(char out[24], int64_t v)
{
    snprintf(out, 24, "%" PRId64, v);
    return out;
}

static bool is_scalar(const struct json *v)
{
    return v->type == JSON_STR || v->type == JSON_INT || v->type == JSON_BOOL;
}

bool facet_can_be(const struct json *v)
{
    if (v->type != JSON_ARR)
        return is_scalar(v);
    for (v = v->first; v; v = v->next)
        if (!is_scalar(v))
            return false;
    return true;
}

static uint32_t scalar_key(const char *key, const struct json *v)
{
    char number[24];

    if (v->type == JSON_STR)
        return facet_key(key, v->s);
    return v->type == JSON_INT ? segment_key_of(FACET_NUMBER, key, segment_number(number, v->i))
                               : segment_key_of(FACET_BOOL, key, v->b ? "true" : "false");
}

static const struct json *segment_values_of(const struct json *member)
{
    return member && member->type == JSON_ARR ? member->first : member;
}

struct facets facets_of(const struct json *attrs)
{
    const struct json *first = json_is(attrs, JSON_OBJ) ? attrs->first : NULL;

    return (struct facets){first, segment_values_of(first)};
}

bool facets_next(struct facets *f, uint32_t *key)
{
    while (f->member) {
        const struct json *m = f->member, *v = f->value;

        f->value = v && m->type == JSON_ARR ? v->next : NULL;
        if (!f->value) {
            f->member = m->next;
            f->value = segment_values_of(f->member);
        }
        if (v && is_scalar(v)) {
            *key = scalar_key(m->key, v);
            return true;
        }
    }
    return false;
}

/* ---- life ----------------------------------------------------------------------------------------------- */

struct segment *segment_hold(struct segment *s)
{
    __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void segment_drop(struct segment *s)
{
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
#define FREE_(name, type) free(s->name);
    SEGMENT_ARRAYS(FREE_)
    free(s->entity_at);
    free(s->entity_rows);
    free(s->by_session);
    free(s->by_id);
    dense_part_free(s->dense);
    sparse_free(s->sparse);
    free(s);
}

uint32_t segment_find(const struct segment *s, struct uuid id)
{
    uint32_t low = 0, high = s->n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        uint32_t r = s->by_id ? s->by_id[mid] : mid;
        int order = uuid_cmp(s->ids[r], id);

        if (order == 0)
            return r;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NO_ROW;
}

uint32_t segment_find_entity(const struct segment *s, uint64_t key)
{
    uint32_t low = 0, high = s->n_entities;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (s->entity_key[mid] == key)
            return mid;
        if (s->entity_key[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return NO_ROW;
}

/* ---- merging -------------------------------------------------------------------------------------------- */

static void segment_copy_row(struct segment_builder *b, const struct segment *s, uint32_t r)
{
    uint32_t facets = s->facet_at[r + 1] - s->facet_at[r];

    segment_begin_row(b, s->ids[r]);
    GROW_PUT(&b->group, uint32_t, segment_add_group(b, s->groups[s->group[r]]));
    GROW_PUT(&b->scores, struct row_scores, s->scores[r]);
    GROW_PUT(&b->times, struct row_times, s->times[r]);
    GROW_PUT(&b->authors, struct uuid, s->authors[r]);
    GROW_PUT(&b->session, uint64_t, s->session[r]);
    GROW_PUT(&b->sequence, uint32_t, s->sequence[r]);
    GROW_PUT(&b->speaker, uint32_t, s->speaker[r]);
    GROW_PUT(&b->tokens, uint32_t, s->tokens[r]);
    GROW_PUT(&b->simhash, uint64_t, s->simhash[r]);
    if (facets)
        memcpy(grow_add(&b->facets, facets), s->facets + s->facet_at[r], facets * sizeof *s->facets);
    for (uint32_t i = s->mention_at[r]; i < s->mention_at[r + 1]; i++) {
        const struct mention *m = &s->mentions[i];

        segment_add_mention(b, s->entity_key[m->entity], s->names + s->entity_name[m->entity], m->times, m->in_title);
    }
    if (b->dense) {
        bool done = dense_append_row(b->dense, s->dense, r);

        assert(done);
    }
}

/* Rows that were copied bring their words along. */
static void merge_words(struct segment *out, const struct segment *const *in, const uint64_t *const *live, size_t n)
{
    struct sparse_source *from = calloc(n, sizeof *from);

    assert(from);
    for (size_t i = 0; i < n; i++)
        from[i] = (struct sparse_source){in[i]->sparse, live[i]};
    out->sparse = sparse_merge(from, n);
    assert(sparse_rows(out->sparse) == out->n);
    out->bytes += sparse_bytes(out->sparse);
    free(from);
}

bool segment_hold_vectors(struct segment *s)
{
    size_t before = dense_bytes(s->dense);
    bool done = dense_hold_vectors(s->dense);

    s->bytes += dense_bytes(s->dense) - before;
    return done;
}

bool segment_wants_cells(const struct segment *s, size_t cells_from)
{
    return s->dense && !dense_cells(s->dense) && dense_vectors(s->dense) >= cells_from;
}

/* With the centres that the largest of them has, if any. */
static void put_into_cells(struct segment *out, const struct segment *const *in, size_t n)
{
    const struct dense_part *like = NULL;
    struct dense_part *plain = out->dense;

    for (size_t i = 0; i < n; i++)
        if (dense_cells(in[i]->dense) && (!like || dense_vectors(in[i]->dense) > dense_vectors(like)))
            like = in[i]->dense;
    out->dense = dense_in_cells(plain, like && 2 * dense_vectors(like) >= dense_vectors(plain) ? like : NULL);
    assert(out->dense);
    out->bytes += dense_bytes(out->dense) - dense_bytes(plain);
    dense_part_free(plain);
}

struct segment *segment_merge(const struct segment *const *in, const uint64_t *const *live, size_t n, size_t cells_from)
{
    struct segment_builder *b = segment_builder_new(n && in[0]->dense ? dense_codec(in[0]->dense) : NULL);
    struct segment *out;
    bool all_hold = b->codec != NULL;

    for (size_t i = 0; i < n && b->codec; i++)
        all_hold &= dense_keeps(in[i]->dense) == DENSE_VECTORS;
    if (all_hold)
        segment_builder_hold_vectors(b);
    for (size_t i = 0; i < n; i++) {
        assert(!b->codec == !in[i]->dense);
        for (uint32_t r = 0; r < in[i]->n; r++)
            if (!live[i] || bit_is_set(live[i], r))
                segment_copy_row(b, in[i], r);
    }
    out = segment_build(b);
    segment_builder_free(b);
    if (out)
        merge_words(out, in, live, n);
    if (out && segment_wants_cells(out, cells_from))
        put_into_cells(out, in, n);
    return out;
}
