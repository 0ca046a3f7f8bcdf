/* A look of a connector: all ids that are there are read first, then what is found is compared, then what is gone is archived. */
#include <fnmatch.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connector.h"
#include "connector_store.h"
#include "db.h"
#include "document.h"
#include "feed_folder.h"
#include "feed_git.h"
#include "feed_pages.h"
#include "limit.h"
#include "portion.h"
#include "thing.h"

#define SYNC_ERRORS 20
#define SYNC_LEAST 4 /* documents: of fewer, half is no sign of a mistake */

struct feed_sync {
    struct ctx *c, part; /* part: of one file */
    struct connector k;
    const char *prefix; /* of external ids: the connector's */
    struct document_known *known;
    bool *is_seen;
    uint32_t *slots; /* of known, by external_id: index + 1 */
    size_t n, mask;
    int64_t wanted, added, changed, unchanged, archived, skipped, failed, gone;
    struct json *errors;
    bool prune_all, asks;
    bool (*should_stop)(void *arg);
    void *arg;
};

/* ---- what is there */

static void sync_index(struct feed_sync *s)
{
    size_t size = 64;

    while (size < 2 * s->n)
        size *= 2;
    s->mask = size - 1;
    s->slots = ARENA_ARRAY(s->c->arena, uint32_t, size);
    s->is_seen = ARENA_ARRAY(s->c->arena, bool, s->n + 1);
    for (size_t i = 0; i < s->n; i++) {
        size_t at = hash_bytes(s->known[i].external_id, strlen(s->known[i].external_id), 5) & s->mask;

        while (s->slots[at])
            at = (at + 1) & s->mask;
        s->slots[at] = (uint32_t)i + 1;
    }
}

/* Its index; s->n: it is new. */
static size_t sync_find(const struct feed_sync *s, const char *external_id)
{
    for (size_t at = hash_bytes(external_id, strlen(external_id), 5) & s->mask; s->slots[at]; at = (at + 1) & s->mask)
        if (str_eq(s->known[s->slots[at] - 1].external_id, external_id))
            return s->slots[at] - 1;
    return s->n;
}

static void sync_complain(struct feed_sync *s, const char *path, const char *why)
{
    struct json *e = json_obj(s->c->arena);

    s->failed++;
    if (s->errors->len >= SYNC_ERRORS)
        return;
    json_set_str(s->c->arena, e, "path", arena_strdup(s->c->arena, path));
    json_set_str(s->c->arena, e, "message", arena_strdup(s->c->arena, why));
    json_push(s->errors, e);
}

/* ---- one file or page */

static bool matches_any(struct ctx *c, const char *patterns, const char *path)
{
    for (const char *p = patterns + strspn(patterns, " \n"); *p;) {
        size_t n = strcspn(p, " \n");

        if (fnmatch(arena_strndup(c->arena, p, n), path, 0) == 0)
            return true;
        p += n;
        p += strspn(p, " \n");
    }
    return false;
}

static bool sync_wants(struct feed_sync *s, const char *path)
{
    const struct connector *k = &s->k;

    return (str_empty(k->include) || matches_any(&s->part, k->include, path)) &&
           (str_empty(k->exclude) || !matches_any(&s->part, k->exclude, path));
}

static err sync_bring(struct feed_sync *s, size_t at, const struct document_new *in)
{
    struct document d;

    if (at < s->n && s->known[at].status == DOCUMENT_ARCHIVED)
        TRY(document_unarchive(&s->part, &(struct thing_key){.id = s->known[at].id}, &d));
    TRY(document_add(&s->part, in, &d));
    s->added += d.outcome == DOCUMENT_CREATED;
    s->changed += d.outcome == DOCUMENT_CHANGED;
    s->unchanged += d.outcome == DOCUMENT_UNCHANGED;
    return ERR_OK;
}

/* A bad file stops no other; a base that takes nothing, or a database that is away, stops all. */
static err sync_judge(struct feed_sync *s, const char *path, err e)
{
    if (e == ERR_MEDIA_TYPE)
        s->skipped++;
    else if (e == ERR_INVALID || e == ERR_TOO_LARGE)
        sync_complain(s, path, s->part.fault.message ? s->part.fault.message : "it cannot be added");
    else if (e != ERR_OK)
        return e;
    portion_next(&s->part);
    return ERR_OK;
}

/* A file as bytes; path: below the folder or the root of the repository. */
static err sync_data(struct feed_sync *s, const char *path, struct bytes data)
{
    const char *slash = strrchr(path, '/');
    struct document_new in = {.knowledge_base_id = s->k.knowledge_base_id, .process = true, .uploaded_by = s->k.created_by,
                              .source_type = s->k.connector_type == CONNECTOR_GIT ? DOCUMENT_OF_GIT : DOCUMENT_OF_FOLDER,
                              .external_id = arena_printf(s->part.arena, "%s%s", s->prefix, path), .file = data};
    size_t at = sync_find(s, in.external_id);
    char *name = arena_strdup(s->part.arena, slash ? slash + 1 : path);

    name[str_first_bytes(name, LIMIT_NAME)] = 0;
    in.file_name = name;
    if (at < s->n)
        s->is_seen[at] = true;
    return sync_bring(s, at, &in);
}

static err sync_file(struct feed_sync *s, const struct feed_file *f, off_t size)
{
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, f->fd, 0);
    err e;

    if (map == MAP_FAILED)
        return fail(&s->part, ERR_INVALID, "it cannot be read");
    e = sync_data(s, f->path, (struct bytes){map, (size_t)size});
    munmap(map, (size_t)size);
    return e;
}

static err sync_take_file(void *arg, const struct feed_file *f)
{
    struct feed_sync *s = arg;
    struct stat st;

    if (s->should_stop(s->arg))
        return fail(s->c, ERR_UNAVAILABLE, "the scheduler stops");
    if (f->why) {
        sync_complain(s, f->path, f->why);
        return ERR_OK;
    }
    if (!str_is_utf8(f->path, strlen(f->path)) || fstat(f->fd, &st) != 0 || st.st_size == 0 || !sync_wants(s, f->path)) {
        s->skipped++;
        return ERR_OK;
    }
    if (++s->wanted > CONNECTOR_FILES)
        return fail_reason(s->c, ERR_TOO_LARGE, "too_many_files", "the folder has more than %d files", CONNECTOR_FILES);
    return sync_judge(s, f->path, sync_file(s, f, st.st_size));
}

static bool sync_wants_blob(void *arg, const char *path)
{
    struct feed_sync *s = arg;
    bool wants = str_is_utf8(path, strlen(path)) && sync_wants(s, path);

    s->skipped += !wants;
    return wants;
}

static err sync_take_blob(void *arg, const struct git_file *f)
{
    struct feed_sync *s = arg;

    if (s->should_stop(s->arg))
        return fail(s->c, ERR_UNAVAILABLE, "the scheduler stops");
    if (f->why) {
        sync_complain(s, str_is_utf8(f->path, strlen(f->path)) ? f->path : "?", f->why);
        return ERR_OK;
    }
    if (!f->data.n) {
        s->skipped++;
        return ERR_OK;
    }
    if (++s->wanted > CONNECTOR_FILES)
        return fail_reason(s->c, ERR_TOO_LARGE, "too_many_files", "the repository has more than %d files", CONNECTOR_FILES);
    return sync_judge(s, f->path, sync_data(s, f->path, f->data));
}

static err sync_take_page(void *arg, const char *url, int nth)
{
    struct feed_sync *s = arg;
    struct document_new in = {.knowledge_base_id = s->k.knowledge_base_id, .source_url = url, .process = true,
                              .delay_s = nth, .uploaded_by = s->k.created_by,
                              .external_id = arena_printf(s->part.arena, "%s%s", s->prefix, url)};
    size_t at = strlen(in.external_id) <= DOCUMENT_EXTERNAL_ID ? sync_find(s, in.external_id) : s->n;

    if (s->should_stop(s->arg))
        return fail(s->c, ERR_UNAVAILABLE, "the scheduler stops");
    if (!sync_wants(s, url) || strlen(in.external_id) > DOCUMENT_EXTERNAL_ID) {
        s->skipped++;
        return ERR_OK;
    }
    if (at < s->n)
        s->is_seen[at] = true;
    return sync_judge(s, url, sync_bring(s, at, &in));
}

/* ---- what is gone */

static err sync_prune(struct feed_sync *s)
{
    int64_t live = 0;

    for (size_t i = 0; i < s->n; i++) {
        bool is_live = s->known[i].status != DOCUMENT_ARCHIVED;

        live += is_live;
        s->gone += is_live && !s->is_seen[i];
    }
    s->asks = live >= SYNC_LEAST && s->gone * 2 > live && !s->prune_all;
    if (!s->k.prune || s->asks)
        return ERR_OK;
    for (size_t i = 0; i < s->n; i++) {
        struct document d;

        if (s->is_seen[i] || s->known[i].status == DOCUMENT_ARCHIVED)
            continue;
        TRY(document_archive(&s->part, &(struct thing_key){.id = s->known[i].id}, &d));
        s->archived++;
        portion_next(&s->part);
    }
    return ERR_OK;
}

/* ---- the whole */

static err sync_look(struct feed_sync *s)
{
    TRY(document_known_of(s->c, s->k.knowledge_base_id, s->prefix, &s->known, &s->n));
    sync_index(s);
    if (s->k.connector_type == CONNECTOR_FOLDER)
        TRY(feed_folder_walk(s->c, s->k.location, CONNECTOR_ENTRIES, sync_take_file, s));
    else if (s->k.connector_type == CONNECTOR_GIT)
        TRY(feed_git_walk(s->c, s->k.location, &(struct git_walk){sync_wants_blob, sync_take_blob, s->should_stop, s, s->arg}));
    else
        TRY(feed_pages_walk(s->c, s->k.location, sync_take_page, s));
    return sync_prune(s);
}

static const struct json *sync_result(struct feed_sync *s)
{
    struct json *r = json_obj(s->c->arena);

    json_set_int(s->c->arena, r, "added", s->added);
    json_set_int(s->c->arena, r, "changed", s->changed);
    json_set_int(s->c->arena, r, "unchanged", s->unchanged);
    json_set_int(s->c->arena, r, "archived", s->archived);
    json_set_int(s->c->arena, r, "gone", s->gone);
    json_set_int(s->c->arena, r, "skipped", s->skipped);
    json_set_int(s->c->arena, r, "failed", s->failed);
    json_set(s->c->arena, r, "errors", s->errors);
    return r;
}

static err sync_finish(struct ctx *c, void *arg)
{
    struct feed_sync *s = arg;
    struct connector was, k;
    bool found;

    TRY(connector_store_lock(c, s->k.id, &found, &was));
    if (!found)
        return ERR_OK;
    k = was;
    k.is_syncing = false;
    k.last_sync_at = c->now;
    k.last_sync_result = sync_result(s);
    k.documents_synced += s->added - s->archived;
    if (k.status != CONNECTOR_PAUSED)
        k.status = s->asks || s->k.sync_error ? CONNECTOR_ERROR : CONNECTOR_ACTIVE;
    k.sync_error = s->asks ? "more than half of the documents are gone there: nothing was archived; sync with prune_all if that is right"
                           : s->k.sync_error;
    return thing_save(c, &CONNECTOR, &(struct thing_change){.verb = "complete_sync"}, &was, &k);
}

err connector_work(struct ctx *c, const struct connector_ask *in, bool (*should_stop)(void *arg), void *arg)
{
    struct feed_sync s = {.c = c, .prune_all = in->prune_all, .errors = json_arr(c->arena), .should_stop = should_stop, .arg = arg};
    err e = thing_get(c, &CONNECTOR, in->id, &s.k);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK; /* it was deleted */
    }
    TRY(e);
    s.k.sync_error = NULL;
    s.prefix = arena_printf(c->arena, "%s/", UUID_STR(s.k.id));
    portion_begin(c, &s.part);
    e = portion_end(c, &s.part, sync_look(&s));
    if (e == ERR_INVALID || e == ERR_TOO_LARGE || e == ERR_CONFLICT || e == ERR_NOT_FOUND) {
        s.k.sync_error = c->fault.message ? arena_strndup(c->arena, c->fault.message, strnlen(c->fault.message, 500)) : "it failed";
        ctx_forgive(c);
        e = ERR_OK;
    }
    TRY(e);
    return db_tx(c, sync_finish, &s);
}

err connector_gave_up(struct ctx *c, struct uuid id, const char *why)
{
    struct feed_sync s = {.c = c, .k = {.id = id, .sync_error = why}, .errors = json_arr(c->arena)};

    return db_tx(c, sync_finish, &s);
}
