/* A segment: an immutable piece of an account's index, its rows in arrays. */
#ifndef LOCI_SEGMENT_H
#define LOCI_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"
#include "dense.h"
#include "json.h"
#include "sparse.h"
#include "uuid.h"

#define SEGMENT_ROWS_MAX (1u << 24)
#define NO_ROW UINT32_MAX

/* What became of a node; recall leaves all of these out unless it is told otherwise. */
enum row_flag {
    ROW_ARCHIVED = 1,
    ROW_FORGOTTEN = 2,
    ROW_SUPERSEDED = 4,
    ROW_VERSION = 8,             /* an older state of another row */
    ROW_PINNED = 16,
    ROW_EXPIRES = 32,            /* times.expires is set */
    ROW_HAS_VECTOR = 64,
    ROW_ASIDE = 128,             /* kept copies of working memory (attrs.memory_type) */
};
#define ROW_HIDDEN (ROW_ARCHIVED | ROW_FORGOTTEN | ROW_SUPERSEDED | ROW_VERSION | ROW_ASIDE)

/* Microseconds since 1970; 0: none. */
struct row_times {
    int64_t created, valid_from, valid_to, expires;
    int64_t known_from, known_to; /* when this was the node's state, as far as we knew */
    int64_t decayed, accessed;
    int64_t updated, vector_updated; /* these and version tell a changed row from one that was seen */
    int64_t version;
};

struct row_scores {
    float importance, confidence, trust, decay_rate;
};

/* A node as it is read for the index. Texts are only looked at. */
struct index_row {
    struct uuid id, space_id, author_id;
    const char *kind, *title, *body;
    const struct json *attrs; /* may be NULL */
    unsigned flags;
    struct row_scores scores;
    struct row_times times;
    uint32_t tokens;
    const float *vector; /* NULL: none */
    size_t dim;
};

/* Rows of one space and kind that share their flags: what a filter decides once. */
struct row_group {
    struct uuid space_id;
    uint8_t kind;
    uint8_t flags;
    uint8_t language; /* see language.h */
};

struct mention {
    uint32_t entity; /* of this segment */
    uint8_t times;   /* how often, capped */
    bool in_title;
};

struct segment {
    uint32_t n;
    size_t bytes; /* of memory */
    struct uuid *ids;
    uint32_t *by_id; /* rows in the order of their ids; NULL: they are */
    uint32_t *group; /* into groups */
    struct row_group *groups;
    uint32_t n_groups;
    struct row_scores *scores;
    struct row_times *times;
    struct uuid *authors;
    uint64_t *session; /* see row_session(); 0: none */
    uint32_t *sequence;
    uint32_t *speaker;    /* of a turn: see speaker_key(); 0: unknown */
    uint32_t *by_session; /* rows that have a session, by (session, sequence, id) */
    uint32_t n_in_session;
    uint32_t *tokens;
    uint64_t *simhash;
    uint8_t *level;              /* by chance, but always the same for an id: half of all have 1 or more, a quarter 2 or more … */
    uint32_t *facet_at, *facets; /* of row r: facets[facet_at[r]] … facets[facet_at[r + 1]] */
    /* Entities by key, their names, and the mentions in both directions. */
    uint32_t n_entities;
    uint64_t *entity_key;  /* ascending */
    uint32_t *entity_name; /* into names */
    char *names;
    size_t names_size;
    uint32_t *mention_at; /* of row r: mentions[mention_at[r]] … */
    struct mention *mentions;
    uint32_t *entity_at, *entity_rows; /* of entity e: entity_rows[entity_at[e]] …, ascending */
    struct dense_part *dense;          /* NULL: the account has no vectors */
    struct sparse *sparse;             /* the words of every row */
    int refs;                          /* guarded by whoever shares it: atomic */
};

/* Kinds by number, as they are in the registry of kinds; one that is not there is KIND_UNKNOWN. */
#define KIND_UNKNOWN 63
uint8_t segment_kind(const char *name);
const char *segment_kind_name(uint8_t kind); /* "" for KIND_UNKNOWN */

uint64_t row_session(struct uuid space_id, const char *session);
/* Of a name as mentions fold it. Never 0. */
uint32_t speaker_key(uint64_t mention_key);
/* attrs.key == value, a text; of an array, that it holds value. Never 0. */
uint32_t facet_key(const char *key, const char *value);
/* Of an object's members, one facet after the other: those that are texts, whole numbers, yes or no, or lists of these.
 * Begins with facets_of(); a number is not the text that is written the same. */
struct facets {
    const struct json *member, *value;
};
struct facets facets_of(const struct json *attrs);
bool facets_next(struct facets *f, uint32_t *key);
/* Whether a value has a facet, or all values of a list have. */
bool facet_can_be(const struct json *v);

struct segment_builder;
/* codec NULL: vectors are left out. It must outlive all segments. */
struct segment_builder *segment_builder_new(const struct codec *codec);
/* Before the first row: float32 vectors are held, too. And: they no longer are. */
void segment_builder_hold_vectors(struct segment_builder *b);
void segment_builder_drop_vectors(struct segment_builder *b);
void segment_builder_free(struct segment_builder *b);
/* An id may come once. Keeps nothing of row. */
void segment_builder_add(struct segment_builder *b, const struct index_row *row);
/* The language of the nodes of a space that do not name their own in attrs.language; English unless it is said here. */
void segment_builder_language(struct segment_builder *b, struct uuid space_id, const char *tag);
size_t segment_builder_bytes(const struct segment_builder *b);
/* What was added so far; the builder is empty then. NULL if that is nothing. */
struct segment *segment_build(struct segment_builder *b);

/* One segment of the live rows of n, those of in[0] first; live[i] is the bitmap of in[i], NULL: all. NULL if none lives.
 * From cells_from vectors on they are put into cells, which takes a while. */
struct segment *segment_merge(const struct segment *const *in, const uint64_t *const *live, size_t n, size_t cells_from);
/* Its vectors are not in cells, and are as many. */
bool segment_wants_cells(const struct segment *s, size_t cells_from);

struct segment *segment_hold(struct segment *s);
void segment_drop(struct segment *s);

/* Room for the float32 vectors of a segment that nobody else holds yet. false: no memory. */
bool segment_hold_vectors(struct segment *s);

/* NO_ROW when it is not there. */
uint32_t segment_find(const struct segment *s, struct uuid id);
uint32_t segment_find_entity(const struct segment *s, uint64_t key);

static inline bool bit_is_set(const uint64_t *bits, size_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

#endif
