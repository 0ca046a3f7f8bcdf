/* The words of a segment as a list of arrays, and back. */
#include <stdlib.h>

#include "sparse_impl.h"

static void sparse_pack_list_arrays(struct sparse *s, const struct sparse_pack *meta, struct pack_list *out)
{
    pack_add(out, s->lengths, s->n_rows * sizeof *s->lengths);
    pack_add(out, s->entries, (s->n_terms + 1u) * sizeof *s->entries);
    pack_add(out, s->title_at, (s->n_rows + 1u) * sizeof *s->title_at);
    pack_add(out, s->titles, meta->titles * sizeof *s->titles);
    pack_add(out, s->slots, (s->slot_mask + 1u) * sizeof *s->slots);
    pack_add(out, s->text, meta->text);
    pack_add(out, s->data, meta->data);
}

void sparse_pack(struct sparse *s, struct sparse_pack *meta, struct pack_list *out)
{
    *meta = (struct sparse_pack){ .rows = s->n_rows, .terms = s->n_terms, .slot_mask = s->slot_mask,
                                  .titles = s->title_at[s->n_rows], .length = s->length, .text = s->entries[s->n_terms].text,
                                  .data = s->entries[s->n_terms].data + SPARSE_AHEAD };
    sparse_pack_list_arrays(s, meta, out);
}

struct sparse *sparse_unpack(const struct sparse_pack *meta, struct pack_list *out)
{
    struct sparse *s = sparse_alloc(NULL, 1, sizeof *s);

    *s = (struct sparse){.n_rows = meta->rows, .n_terms = meta->terms, .slot_mask = meta->slot_mask, .length = meta->length};
    s->lengths = sparse_alloc(NULL, s->n_rows, sizeof *s->lengths);
    s->entries = sparse_alloc(NULL, s->n_terms + 1u, sizeof *s->entries);
    s->title_at = sparse_alloc(NULL, s->n_rows + 1u, sizeof *s->title_at);
    s->titles = sparse_alloc(NULL, meta->titles, sizeof *s->titles);
    s->slots = sparse_alloc(NULL, s->slot_mask + 1u, sizeof *s->slots);
    s->text = sparse_alloc(NULL, meta->text, 1);
    s->data = sparse_alloc(NULL, meta->data, 1);
    sparse_pack_list_arrays(s, meta, out);
    s->bytes = sizeof *s + scopes_bytes(s);
    for (size_t i = out->n - 7; i < out->n; i++)
        s->bytes += out->at[i].n;
    s->scopes = scopes_new();
    return s;
}
