/* Changing documents that are there: who may read them, names, texts, archive, restore; see document.h. */
#include <string.h>

#include "audit.h"
#include "chunker.h"
#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "knowledge_base_store.h"
#include "match.h"
#include "names.h"
#include "node.h"
#include "node_many.h"
#include "space.h"
#include "thing.h"

#define WISHES_AT_ONCE 500
#define MOVED_AT_ONCE 1000
#define DIFF_LINES 200000
#define DIFF_LOOK 300 /* lines that a change may span; what is longer is one change to the end */

/* ---- who may read it: another list moves it, with its chunks and the names in them, into another space; see section.h */

static err document_move_nodes(struct ctx *c, const struct document *d, struct uuid to, const struct uuids *chunks)
{
    TRY(node_move_many(c, "document", d->space_id, to, &d->id, 1));
    for (size_t from = 0; from < chunks->n; from += MOVED_AT_ONCE)
        TRY(node_move_many(c, "chunk", d->space_id, to, chunks->v + from,
                           chunks->n - from < MOVED_AT_ONCE ? chunks->n - from : MOVED_AT_ONCE));
    return ERR_OK;
}

/* The names of its chunks leave the old space, with every summary that says them, and come into the new one. */
static err document_move(struct ctx *c, struct document *d, struct uuid to)
{
    struct knowledge_base_counts counts = {1, d->chunk_count, d->token_count, d->content_size_bytes};
    struct knowledge_base_counts less = {-counts.documents, -counts.chunks, -counts.tokens, -counts.bytes};
    struct knowledge_base base;
    struct uuids chunks;

    TRY(knowledge_base_get(c, d->knowledge_base_id, &base));
    TRY(chunk_store_ids(c, d->id, &chunks));
    TRY(names_follow(c, &(struct names_change){.space_id = d->space_id, .removed = chunks.v, .n_removed = chunks.n, .is_hidden = true},
                     NULL));
    TRY(document_move_nodes(c, d, to, &chunks));
    TRY(knowledge_base_update_stats(c, d->space_id, &less));
    TRY(knowledge_base_update_stats(c, to, &counts));
    d->space_id = to;
    return base.extraction == EXTRACTION_NAMES && d->status != DOCUMENT_ARCHIVED ? document_name_again(c, d) : ERR_OK;
}

static err document_note_access(struct ctx *c, const struct document *d, const struct json *was)
{
    struct json *before = json_obj(c->arena), *after = json_obj(c->arena);
    const struct json *is;

    TRY(section_list(c, d->knowledge_base_id, d->space_id, &is));
    json_set(c->arena, before, "access", json_raw(c->arena, was ? json_text(c->arena, was) : NULL));
    json_set(c->arena, after, "access", json_raw(c->arena, is ? json_text(c->arena, is) : NULL));
    return audit_add(c, &(struct audit){.kind = "document.access", .subject_kind = "document", .subject_id = d->id,
                                        .space_id = d->space_id, .before = before, .after = after});
}

err document_restrict(struct ctx *c, const struct json *access, struct document *d)
{
    struct document was = *d;
    const struct json *list;
    struct uuid to;

    if (!access_may_manage(c, d->knowledge_base_id))
        return fail(c, ERR_FORBIDDEN, "only who manages the knowledge base changes the access of its documents");
    TRY(section_space(c, d->knowledge_base_id, access, &to));
    if (uuid_eq(to, d->space_id))
        return ERR_OK;
    TRY(section_list(c, d->knowledge_base_id, d->space_id, &list));
    TRY(document_move(c, d, to));
    if (d->live_external.p || d->live_checksum.p)
        document_set_hashes(c, d, false);
    TRY(document_save(c, "move", &was, d));
    return document_note_access(c, d, list);
}

/* Locked, of the version that the caller wants, in a base that takes changes. */
static err document_to_change(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct knowledge_base base;
    bool found;

    TRY(document_get(c, key->id, out));
    TRY(knowledge_base_get_to_write(c, out->knowledge_base_id, out->space_id, &base));
    TRY(document_store_lock(c, key->id, &found, out));
    return found ? match_version(c, key->if_version, out->version) : document_missing(c);
}

/* ---- name and metadata */

static err document_update_tx(struct ctx *c, const struct document_change *ch, struct document *out)
{
    struct document was;
    struct node node;

    if (changes(ch, access)) {
        TRY(document_get(c, ch->to.id, &was));
        TRY(knowledge_base_store_lock(c, was.knowledge_base_id));
    }
    TRY(document_to_change(c, &(struct thing_key){ch->to.id, ch->change.if_version}, &was));
    if (changes(ch, access))
        TRY(document_restrict(c, ch->to.access, &was));
    *out = was;
    if (changes(ch, access) && !changes(ch, name) && !changes(ch, metadata))
        return document_show_access(c, out);
    TRY(thing_apply(c, &DOCUMENT, ch, out));
    if (!str_eq(out->name, was.name)) {
        TRY(node_update(c, out->id, &(struct node_patch){.set = NODE_SET_TITLE, .title = out->name}, &node));
        out->wants_processing = out->generation > 0; /* its name is embedded with each chunk */
        out->status = out->wants_processing ? DOCUMENT_PENDING : out->status;
    }
    TRY(thing_save(c, &DOCUMENT, &ch->change, &was, out));
    TRY(document_show_access(c, out));
    return out->wants_processing ? document_promise(c, out, 0) : ERR_OK;
}
DB_TX(document_update, struct document_change, struct document)

/* ---- texts */

static err document_put_content_tx(struct ctx *c, const struct document_content *in, struct document *out)
{
    struct document_new with = {.content = in->content, .content_type = in->content_type, .process = true};
    struct document was;

    TRY(document_to_change(c, &(struct thing_key){in->id, in->if_version}, &was));
    return document_give_content(c, &was, &with, out);
}
DB_TX(document_put_content, struct document_content, struct document)

static err document_text_before(struct ctx *c, const struct document *d, err if_none, const char **text)
{
    struct buf b;
    int64_t at = -1;

    buf_init(&b, c->arena, 65536);
    if (d->served_version > 1)
        TRY(document_store_text(c, d->id, d->served_version - 1, 0, INT64_MAX, &b, &at));
    *text = buf_str(&b);
    return at == 0 ? ERR_OK : fail_reason(c, if_none, "no_text_before", "there is no text before the one that is served");
}

static err document_revert_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct document_new with = {.process = true};
    struct document was;

    TRY(document_to_change(c, key, &was));
    TRY(document_text_before(c, &was, ERR_CONFLICT, &with.content));
    with.content_type = was.is_markdown ? "text/markdown" : "text/plain";
    return document_give_content(c, &was, &with, out);
}
DB_TX(document_revert, struct thing_key, struct document)

static err document_refresh_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct document_new with = {.process = true};
    struct document was;

    TRY(document_to_change(c, key, &was));
    if (was.source_type != DOCUMENT_OF_URL)
        return fail_reason(c, ERR_CONFLICT, "no_address", "the document was not fetched from an address");
    with.source_url = was.source_url;
    return document_give_content(c, &was, &with, out);
}
DB_TX(document_refresh, struct thing_key, struct document)

/* ---- archive, restore */

static err document_wish(struct ctx *c, const struct document *d, enum node_wish_what what)
{
    struct node_wish *w = ARENA_ARRAY(c->arena, struct node_wish, WISHES_AT_ONCE);
    struct uuids chunks;

    w[0] = (struct node_wish){.id = d->id, .what = what};
    TRY(node_change_many(c, w, 1));
    TRY(chunk_store_ids(c, d->id, &chunks));
    for (size_t from = 0; from < chunks.n; from += WISHES_AT_ONCE) {
        size_t n = chunks.n - from < WISHES_AT_ONCE ? chunks.n - from : WISHES_AT_ONCE;

        for (size_t i = 0; i < n; i++)
            w[i] = (struct node_wish){.id = chunks.v[from + i], .what = what};
        TRY(node_change_many(c, w, n));
    }
    return ERR_OK;
}

static err document_archive_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct document was;

    TRY(document_to_change(c, key, &was));
    *out = was;
    if (was.status == DOCUMENT_ARCHIVED)
        return ERR_OK;
    out->status = DOCUMENT_ARCHIVED;
    out->wants_processing = out->wants_fetch = false;
    out->stage = NULL;
    TRY(document_wish(c, &was, NODE_WISH_ARCHIVE));
    TRY(document_save(c, "archive", &was, out));
    return knowledge_base_complete_indexing(c, was.knowledge_base_id);
}
DB_TX(document_archive, struct thing_key, struct document)

static err document_unarchive_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct document was;

    TRY(document_to_change(c, key, &was));
    *out = was;
    if (was.status != DOCUMENT_ARCHIVED)
        return ERR_OK;
    TRY(document_wish(c, &was, NODE_WISH_REVIVE));
    out->wants_processing = was.served_version != was.source_version;
    out->wants_fetch = !was.original_bytes && was.source_type == DOCUMENT_OF_URL && !was.generation;
    out->status = out->wants_processing ? DOCUMENT_PENDING : DOCUMENT_INDEXED;
    TRY(document_save(c, "unarchive", &was, out));
    return out->wants_processing ? document_promise(c, out, 0) : ERR_OK;
}
DB_TX(document_unarchive, struct thing_key, struct document)

err document_name_again(struct ctx *c, const struct document *d)
{
    for (int64_t from = 0; from < d->chunk_count; from += WISHES_AT_ONCE) {
        struct names_change ch = {.space_id = d->space_id, .title = d->name};
        struct names_chunk *added;
        const struct chunk *v;
        struct list rows;

        TRY(chunk_store_range(c, d->id, from, from + WISHES_AT_ONCE, &rows));
        v = rows.v;
        ch.added = added = ARENA_ARRAY(c->arena, struct names_chunk, rows.n + 1);
        for (; ch.n_added < rows.n; ch.n_added++, v++)
            added[ch.n_added] = (struct names_chunk){v->id, v->heading_path, v->content, !v->sequence_number};
        TRY(names_follow(c, &ch, NULL));
    }
    return ERR_OK;
}

static err document_restore_tx(struct ctx *c, const struct thing_key *key, struct document *out)
{
    struct knowledge_base base;
    struct document was;
    bool found;

    TRY(document_store_lock_deleted(c, key->id, &found, &was));
    if (!found || !(access_may_read(c, was.space_id) || access_may_manage(c, was.knowledge_base_id)))
        return document_missing(c);
    if (access_may_manage(c, was.knowledge_base_id))
        space_widen(c, was.space_id, ACCESS_MANAGE); /* its section rests without it */
    TRY(knowledge_base_get_to_write(c, was.knowledge_base_id, was.space_id, &base));
    *out = was;
    out->deleted_at = (struct instant){0};
    document_set_hashes(c, out, false);
    TRY(document_wish(c, &was, NODE_WISH_REVIVE));
    out->wants_processing = was.served_version != was.source_version;
    out->status = out->wants_processing ? DOCUMENT_PENDING : DOCUMENT_INDEXED;
    TRY(document_save(c, "restore", &was, out));
    if (base.extraction != EXTRACTION_OFF)
        TRY(document_name_again(c, out));
    TRY(knowledge_base_update_stats(c, was.space_id, &(struct knowledge_base_counts){1, was.chunk_count, was.token_count,
        was.content_size_bytes}));
    return out->wants_processing ? document_promise(c, out, 0) : ERR_OK;
}
DB_TX(document_restore, struct thing_key, struct document)

/* ---- the file */

err document_read_original(struct ctx *c, struct uuid id, struct document *d, err (*write)(void *arg, const void *p, size_t n), void *arg)
{
    struct bytes part;

    TRY(document_get(c, id, d));
    TRY(access_require(c, d->space_id, ACCESS_MANAGE));
    if (!d->original_bytes)
        return fail(c, ERR_NOT_FOUND, "the document came as text: there is no file");
    for (int64_t at = 0; at < d->original_bytes; at += (int64_t)part.n) {
        struct arena_mark mark = arena_mark(c->arena);

        TRY(document_store_original_part(c, id, d->source_version, at, &part));
        if (!part.n)
            return fail(c, ERR_NOT_FOUND, "the file is not there any more");
        TRY(write(arg, part.p, part.n));
        arena_rewind(c->arena, mark);
    }
    return ERR_OK;
}

/* ---- what differs */

struct diff_lines {
    const char **at; /* n + 1 of them: the last one is the end */
    uint64_t *hash;
    size_t n;
};

static void diff_split(struct ctx *c, const char *text, struct diff_lines *out)
{
    size_t n = 1;

    for (const char *p = text; (p = strchr(p, '\n')) != NULL && n < DIFF_LINES; p++)
        n++;
    out->at = ARENA_ARRAY(c->arena, const char *, n + 1);
    out->hash = ARENA_ARRAY(c->arena, uint64_t, n + 1);
    for (out->n = 0; out->n < n; out->n++) {
        size_t len = out->n + 1 < n ? strcspn(text, "\n") + 1 : strlen(text);

        out->at[out->n] = text;
        out->hash[out->n] = hash_bytes(text, len, 3);
        text += len;
    }
    out->at[n] = text;
}

/* The nearest pair of equal lines behind i and j; both ends: there is none near. */
static void diff_meet(const struct diff_lines *a, const struct diff_lines *b, size_t *i, size_t *j)
{
    for (size_t sum = 1; sum <= 2 * DIFF_LOOK; sum++)
        for (size_t x = sum > DIFF_LOOK ? sum - DIFF_LOOK : 0; x <= sum && x <= DIFF_LOOK; x++) {
            size_t p = *i + x, q = *j + sum - x;

            if (p <= a->n && q <= b->n && (p < a->n) == (q < b->n) && (p == a->n || a->hash[p] == b->hash[q])) {
                *i = p;
                *j = q;
                return;
            }
        }
    *i = a->n;
    *j = b->n;
}

static const char *diff_text(struct ctx *c, const struct diff_lines *l, size_t from, size_t to)
{
    size_t n = (size_t)(l->at[to] - l->at[from]);
    char *s = arena_strndup(c->arena, l->at[from], n < 4096 ? n : 4096);

    s[str_first_bytes(s, 1000)] = 0;
    return s;
}

static void diff_make(struct ctx *c, const struct diff_lines *a, const struct diff_lines *b, struct document_difference *out)
{
    struct document_hunk *hunks = ARENA_ARRAY(c->arena, struct document_hunk, DOCUMENT_HUNKS);
    size_t i = 0, j = 0, n = 0;

    while (i < a->n || j < b->n) {
        size_t from = i, to = j;

        if (i < a->n && j < b->n && a->hash[i] == b->hash[j]) {
            i++;
            j++;
            continue;
        }
        diff_meet(a, b, &i, &j);
        out->removed_lines += (int64_t)(i - from);
        out->added_lines += (int64_t)(j - to);
        if (n < DOCUMENT_HUNKS)
            hunks[n++] = (struct document_hunk){(int64_t)from + 1, (int64_t)to + 1, diff_text(c, a, from, i), diff_text(c, b, to, j)};
    }
    out->hunks = (struct list){hunks, n};
}

err document_diff(struct ctx *c, struct uuid id, struct document_difference *out)
{
    struct diff_lines before, after;
    struct document d;
    const char *text;
    struct buf now;
    int64_t at;

    TRY(document_get(c, id, &d));
    *out = (struct document_difference){.id = id, .old_version = d.served_version - 1, .new_version = d.served_version};
    TRY(document_text_before(c, &d, ERR_NOT_FOUND, &text));
    buf_init(&now, c->arena, 65536);
    TRY(document_store_text(c, id, d.served_version, 0, INT64_MAX, &now, &at));
    diff_split(c, text, &before);
    diff_split(c, buf_str(&now), &after);
    diff_make(c, &before, &after, out);
    return ERR_OK;
}
