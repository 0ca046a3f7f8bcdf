/* The candidates of a recall: found by row, marked, weighed, cut and sorted; see recall_impl.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "node.h"
#include "node_row.h"
#include "recall_impl.h"

#define FIRST_CANDIDATES 256

const char *recall_signal_name(enum signal s)
{
    static const char *const NAMES[] = {"dense", "sparse", "length", "recent", "session", "graph", "spread", "window", "rerank"};

    static_assert(sizeof NAMES / sizeof *NAMES == SIGNALS);
    return NAMES[s];
}

struct candidate *recall_find(struct recall *r, uint32_t row)
{
    uint32_t place = row_map_get(&r->places, row);

    return place == NO_PLACE ? NULL : &r->at[place];
}

static void recall_candidates_grow(struct recall *r)
{
    size_t cap = r->cap ? r->cap * 2 : FIRST_CANDIDATES;
    struct candidate *at = ARENA_ARRAY(r->c->arena, struct candidate, cap);

    if (r->n)
        memcpy(at, r->at, r->n * sizeof *at);
    r->at = at;
    r->cap = cap;
}

struct candidate *recall_candidate(struct recall *r, uint32_t row)
{
    struct candidate *k = recall_find(r, row);
    struct uuid id;

    if (k || r->n == CANDIDATES_MAX || row >= r->index->n_rows || !filter_has(&r->filter, row))
        return k;
    id = snapshot_id(r->index, row);
    if (uuid_eq(id, r->without))
        return NULL;
    if (r->n == r->cap)
        recall_candidates_grow(r);
    k = &r->at[r->n];
    *k = (struct candidate){.row = row, .id = id, .similarity = -1};
    for (int f = 0; f < FACTORS; f++)
        k->factors[f] = 1;
    *row_map_at(&r->places, row) = (uint32_t)r->n++;
    return k;
}

void recall_mark_list(struct recall *r, enum signal s, const struct scored *list, size_t n)
{
    uint32_t rank = 0;

    for (size_t i = 0; i < n; i++) {
        struct candidate *k = recall_candidate(r, list[i].row);

        if (k)
            k->marks[s] = (struct mark){.rank = ++rank, .known = true, .raw = (double)list[i].score};
    }
}

void recall_add_share(struct candidate *k, enum signal s, double share)
{
    k->marks[s].share += share;
    k->relevance += share;
}

void recall_scale(struct candidate *k, double by)
{
    k->relevance *= by;
    for (int s = 0; s < SIGNALS; s++)
        k->marks[s].share *= by;
}

/* ---- order ---------------------------------------------------------------------------------------------- */

static int recall_candidates_by_id(const struct candidate *x, const struct candidate *y)
{
    return uuid_cmp(x->id, y->id);
}

static int by_relevance(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (!x->cut != !y->cut)
        return x->cut ? 1 : -1;
    return x->relevance > y->relevance ? -1 : x->relevance < y->relevance ? 1 : recall_candidates_by_id(x, y);
}

static int recall_candidates_by_score(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (!x->cut != !y->cut)
        return x->cut ? 1 : -1;
    return x->score > y->score ? -1 : x->score < y->score ? 1 : recall_candidates_by_id(x, y);
}

/* Moves the cut ones behind the others and leaves all else as it is. */
static void cut_last(struct recall *r)
{
    struct candidate *cut = ARENA_ARRAY(r->c->arena, struct candidate, r->n + 1);
    size_t kept = 0, n_cut = 0;

    for (size_t i = 0; i < r->n; i++) {
        if (r->at[i].cut)
            cut[n_cut++] = r->at[i];
        else
            r->at[kept++] = r->at[i];
    }
    memcpy(r->at + kept, cut, n_cut * sizeof *cut);
}

/* Most stages leave the order as it is, and candidates are large. */
static bool is_in_order(const struct recall *r, int (*order)(const void *, const void *))
{
    size_t i = 1;

    while (i < r->n && order(&r->at[i - 1], &r->at[i]) <= 0)
        i++;
    return i >= r->n;
}

static void number_places(struct recall *r)
{
    for (size_t i = 0; i < r->n; i++)
        *row_map_at(&r->places, r->at[i].row) = (uint32_t)i;
}

void recall_sort(struct recall *r)
{
    int (*order)(const void *, const void *) = r->is_scored ? recall_candidates_by_score : by_relevance;

    if (r->keep_order) {
        cut_last(r);
        number_places(r);
    } else if (r->is_fused && !is_in_order(r, order)) {
        qsort(r->at, r->n, sizeof *r->at, order);
        number_places(r);
    }
    r->kept = 0;
    for (size_t i = 0; i < r->n; i++)
        r->kept += !r->at[i].cut;
}

void recall_cut(struct candidate *k, const char *why)
{
    if (!k->cut)
        k->cut = why;
}

/* ---- what candidates are -------------------------------------------------------------------------------- */

uint8_t recall_kind(const struct recall *r, const struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);

    return at.in->groups[at.in->group[at.r]].kind;
}

double recall_cosine(const struct recall *r, uint32_t a, uint32_t b)
{
    return nearest_between(r->index, a, b);
}

void recall_degraded(struct recall *r, const char *what)
{
    struct strs *d = &r->out->degraded;
    const char **v = ARENA_ARRAY(r->c->arena, const char *, d->n + 1);

    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->v[i], what) == 0)
            return;
        v[i] = d->v[i];
    }
    v[d->n] = what;
    *d = (struct strs){v, d->n + 1};
}

/* The index may be older than MariaDB: what is shown is judged by the row as it is. */
static bool may_be_shown(const struct recall *r, const struct recall_text *t)
{
    return access_may_read(r->c, t->space_id) && (!t->is_forgotten || (r->include & ROW_FORGOTTEN));
}

static struct recall_text recall_candidates_text_of(const struct node_content *k)
{
    const struct node *n = &k->node;

    return (struct recall_text){
        .title = n->title, .body = n->body, .status = n->status, .attrs = n->attrs, .space_id = n->space_id,
        .superseded_by = n->superseded_by, .is_forgotten = n->forgotten_at.us || strcmp(n->status, NODE_FORGOTTEN) == 0,
        .body_cut = k->body_cut};
}

/* Stages that read texts look at so much of them. */
#define STAGES_READ 4000

err recall_texts(struct recall *r, size_t n)
{
    int64_t chars = r->in->body_chars > STAGES_READ ? r->in->body_chars : STAGES_READ;
    struct uuid ids[RECALL_LIMIT];
    struct candidate *of[RECALL_LIMIT];
    struct node_content *contents;
    struct recall_text *texts;
    size_t wanted = 0;

    for (size_t i = 0; i < n && i < r->kept && i < RECALL_LIMIT; i++)
        if (!r->at[i].text) {
            of[wanted] = &r->at[i];
            ids[wanted++] = r->at[i].id;
        }
    if (!wanted)
        return ERR_OK;
    contents = ARENA_ARRAY(r->c->arena, struct node_content, wanted);
    texts = ARENA_ARRAY(r->c->arena, struct recall_text, wanted);
    TRY(node_contents_read(r->c, ids, wanted, (size_t)chars, contents));
    for (size_t i = 0; i < wanted; i++) {
        texts[i] = contents[i].found ? recall_candidates_text_of(&contents[i]) : (struct recall_text){0};
        of[i]->text = &texts[i];
        if (!contents[i].found || !may_be_shown(r, &texts[i]))
            recall_cut(of[i], "gone");
    }
    recall_sort(r);
    return ERR_OK;
}
