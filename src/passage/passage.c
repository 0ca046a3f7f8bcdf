/* Passages of long texts; see passage.h. */
#include "passage.h"

#include <string.h>

#include "chunk_diff.h"
#include "chunker.h"
#include "json.h"
#include "node_many.h"
#include "passage_store.h"
#include "str.h"

static bool passage_wanted(const struct passages_of *p)
{
    return p->text && strlen(p->text) > PASSAGES_FROM;
}

/* What a search shows beside it: of which page it is. */
static const struct json *passage_attrs(struct ctx *c, const struct passages_of *p)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "page_id", arena_strdup(c->arena, UUID_STR(p->id)));
    json_set_str(c->arena, o, "page_title", p->title);
    return o;
}

static err passages_cut(struct ctx *c, const struct passages_of *p, struct list *cuts)
{
    struct chunk_settings s = {.strategy = CHUNKING_RECURSIVE, .size = PASSAGE_SIZE, .overlap = PASSAGE_OVERLAP, .is_markdown = true};

    *cuts = (struct list){0};
    return passage_wanted(p) ? chunker_cut(c, p->text, strlen(p->text), &s, cuts) : ERR_OK;
}

static err passages_write(struct ctx *c, const struct passages_of *p, const struct list *cuts, struct chunk_diff *d)
{
    struct passage *rows = ARENA_ARRAY(c->arena, struct passage, cuts->n + 1);
    struct bytes *hashes = ARENA_ARRAY(c->arena, struct bytes, cuts->n + 1);
    const struct json *attrs = passage_attrs(c, p);
    const struct chunk_cut *cut = cuts->v;

    d->n = cuts->n;
    d->hashes = hashes;
    d->nodes = ARENA_ARRAY(c->arena, struct node_new, cuts->n + 1);
    for (size_t i = 0; i < d->n; i++) {
        struct chunk_text t = chunk_text_of(c, p->title, p->text, &cut[i]);

        hashes[i] = t.hash;
        d->nodes[i] = (struct node_new){NODE_NEW_DEFAULTS, .space_id = p->space_id, .kind = "chunk", .title = t.title, .body = t.body,
                                        .attrs = attrs};
        rows[i] = (struct passage){.start_offset = (int64_t)cut[i].start, .end_offset = (int64_t)cut[i].end, .embed_hash = t.hash};
    }
    TRY(chunk_diff_put(c, p->space_id, d));
    for (size_t i = 0; i < d->n; i++)
        rows[i].id = d->ids[i];
    return passage_store_replace(c, p->id, rows, d->n);
}

/* They lie where their text does. */
static err passages_move(struct ctx *c, const struct passages_of *was, const struct passages_of *now, const struct chunk_diff *d)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, d->n_old + 1);

    if (uuid_eq(was->space_id, now->space_id))
        return ERR_OK;
    for (size_t i = 0; i < d->n_old; i++)
        ids[i] = d->old[i].id;
    return node_move_many(c, "chunk", was->space_id, now->space_id, ids, d->n_old);
}

static bool passages_stay(const struct passages_of *was, const struct passages_of *now)
{
    return str_eq(was->text, now->text) && str_eq(was->title, now->title);
}

err passages_follow(struct ctx *c, const struct passages_of *was, const struct passages_of *now)
{
    bool had = passage_wanted(was);
    struct chunk_diff d = {0};
    struct list cuts;

    if ((!had && !passage_wanted(now)) || (passages_stay(was, now) && uuid_eq(was->space_id, now->space_id)))
        return ERR_OK;
    if (had)
        TRY(passage_store_kept(c, now->id, &d.old, &d.n_old));
    if (had)
        TRY(passages_move(c, was, now, &d));
    if (had && passages_stay(was, now))
        return ERR_OK;
    TRY(passages_cut(c, now, &cuts));
    return passages_write(c, now, &cuts, &d);
}
