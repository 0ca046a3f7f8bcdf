/* Segments as bytes, and back; see segment_pack.h. */
#include "segment_pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "node_kind.h"
#include "segment_impl.h"
#include "str.h"

#define LAYOUT 6 /* grows whenever what is packed means something else */

uint64_t segment_fingerprint(void)
{
    const uint64_t sizes[] = {LAYOUT, 0x0102030405060708, sizeof(struct segment_pack), sizeof(struct row_group),
                              sizeof(struct row_times), sizeof(struct row_scores), sizeof(struct mention), SPARSE_LAYOUT};
    uint64_t sum = hash_bytes(sizes, sizeof sizes, 1);
    const struct node_kind *k;

    sum = hash_bytes(LOCI_VERSION, sizeof LOCI_VERSION, sum);
    for (size_t i = 0; (k = node_kind_at(i)); i++)
        sum = hash_bytes(k->name, strlen(k->name), sum);
    return sum;
}

/* How many elements each of the builder's arrays has. */
static size_t segment_pack_count_of(const struct segment_pack *m, const char *name)
{
    static const struct {
        const char *name;
        size_t at;
        size_t more;
    } OTHERS[] = {
        {"groups", offsetof(struct segment_pack, groups), 0}, {"facet_at", offsetof(struct segment_pack, rows), 1},
        {"facets", offsetof(struct segment_pack, facets), 0}, {"entity_key", offsetof(struct segment_pack, entities), 0},
        {"entity_name", offsetof(struct segment_pack, entities), 0}, {"mention_at", offsetof(struct segment_pack, rows), 1},
        {"mentions", offsetof(struct segment_pack, mentions), 0},
    };
    uint32_t n;

    if (strcmp(name, "names") == 0)
        return m->names;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (strcmp(OTHERS[i].name, name) == 0) {
            memcpy(&n, (const char *)m + OTHERS[i].at, sizeof n);
            return n + OTHERS[i].more;
        }
    return m->rows;
}

static void segment_pack_list_arrays(const struct segment *s, const struct segment_pack *m, struct pack_list *out)
{
#define LIST_(name, type) pack_add(out, s->name, segment_pack_count_of(m, #name) * sizeof(type));
    SEGMENT_ARRAYS(LIST_)
    pack_add(out, s->by_session, m->in_session * sizeof *s->by_session);
    pack_add(out, s->entity_at, (m->entities + 1u) * sizeof *s->entity_at);
    pack_add(out, s->entity_rows, m->mentions * sizeof *s->entity_rows);
    if (m->has_by_id)
        pack_add(out, s->by_id, m->rows * sizeof *s->by_id);
}

void segment_pack(const struct segment *s, struct segment_pack *meta, struct pack_list *out)
{
    memset(meta, 0, sizeof *meta); /* it is written as it is: with what lies between members */
    meta->fingerprint = segment_fingerprint();
    meta->rows = s->n;
    meta->groups = s->n_groups;
    meta->in_session = s->n_in_session;
    meta->entities = s->n_entities;
    meta->facets = s->facet_at[s->n];
    meta->mentions = s->mention_at[s->n];
    meta->names = s->names_size;
    meta->has_by_id = s->by_id != NULL;
    meta->has_vectors = s->dense != NULL;
    segment_pack_list_arrays(s, meta, out);
    if (s->dense)
        dense_pack(s->dense, &meta->dense, out);
    sparse_pack(s->sparse, &meta->sparse, out);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    assert(p);
    return p;
}

struct segment *segment_unpack(const struct codec *codec, const struct segment_pack *m, struct pack_list *out)
{
    struct segment *s = room(1, sizeof *s);

    *s = (struct segment){.n = m->rows, .bytes = sizeof *s, .n_groups = m->groups, .n_in_session = m->in_session,
                          .n_entities = m->entities, .names_size = m->names, .refs = 1};
#define ROOM_(name, type) s->name = room(segment_pack_count_of(m, #name), sizeof(type));
    SEGMENT_ARRAYS(ROOM_)
    s->by_session = room(m->in_session, sizeof *s->by_session);
    s->entity_at = room(m->entities + 1u, sizeof *s->entity_at);
    s->entity_rows = room(m->mentions, sizeof *s->entity_rows);
    s->by_id = m->has_by_id ? room(m->rows, sizeof *s->by_id) : NULL;
    segment_pack_list_arrays(s, m, out);
    s->bytes += pack_size(out);
    if (m->has_vectors) {
        s->dense = dense_unpack(codec, &m->dense, out);
        s->bytes += dense_bytes(s->dense);
    }
    s->sparse = sparse_unpack(&m->sparse, out);
    s->bytes += sparse_bytes(s->sparse);
    return s;
}
