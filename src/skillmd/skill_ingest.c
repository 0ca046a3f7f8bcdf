/* Folders of Markdown become skills; see skill_ingest.h. */
#include "skill_ingest.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "db.h"
#include "edge.h"
#include "skill_ingest_store.h"
#include "tagging.h"

struct ingesting {
    const struct skill_ingest *in;
    struct skill_ingested *out;
    struct uuid space_id;
    struct ingest_fault *faults;
    size_t n_faults;
    const char **categories, **flagged;
    size_t n_categories, n_flagged;
};

/* One file, with what belongs to it. */
struct ingest_one {
    struct ingesting *w;
    const struct ingest_file *file;
    struct skill_file read;
    struct bytes hash;
    struct skill_resource *beside;
    size_t n_beside;
    enum { INGEST_UNCHANGED, INGEST_CREATED, INGEST_UPDATED } what;
    int64_t resources;
    const char *category_made;
    bool flagged;
};

/* ---- which files belong together */

static size_t path_dir(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The SKILL.md whose folder the file is in: the nearest one above it. */
static const struct ingest_file *ingest_folder_of(const struct list *files, const char *path)
{
    const struct ingest_file *v = files->v, *best = NULL;

    for (size_t i = 0; i < files->n; i++) {
        size_t n = path_dir(v[i].path);

        if (skill_path_is_folder(v[i].path) && !str_eq(v[i].path, path) && strncmp(v[i].path, path, n) == 0 &&
            (!best || n > path_dir(best->path)))
            best = &v[i];
    }
    return best;
}

static bool path_is_markdown(const char *path)
{
    size_t n = strlen(path);

    return n > 3 && str_eq(path + n - 3, ".md");
}

static void ingest_beside(struct ctx *c, struct ingest_one *one, const struct list *files)
{
    const struct ingest_file *v = files->v;

    one->beside = ARENA_ARRAY(c->arena, struct skill_resource, files->n + 1);
    if (!skill_path_is_folder(one->file->path))
        return;
    for (size_t i = 0; i < files->n; i++)
        if (!skill_path_is_folder(v[i].path) && ingest_folder_of(files, v[i].path) == one->file)
            one->beside[one->n_beside++] = (struct skill_resource){.path = v[i].path + path_dir(one->file->path), .content = v[i].bytes};
}

/* ---- one file */

static struct bytes ingest_hash(struct ctx *c, const struct ingest_file *f)
{
    uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(sum, f->bytes.p, f->bytes.n);
    return (struct bytes){sum, crypto_hash_sha256_BYTES};
}

static err ingest_category(struct ctx *c, struct ingest_one *one)
{
    const char *category = one->read.skill.category;
    struct tag tag;
    err e = skill_category_check(c, "/category", category);

    if (e != ERR_INVALID || !one->w->in->create_categories || !str_is_slug(category))
        return e;
    ctx_forgive(c);
    one->category_made = category;
    return one->w->in->dry_run ? ERR_OK : tag_create(c, &(struct tag_new){category, TAG_CATEGORY}, &tag);
}

static err ingest_make(struct ctx *c, struct ingest_one *one, struct skill *out)
{
    struct skill s = one->read.skill;

    s.space_id = one->w->space_id;
    s.ingest_source = one->w->in->source;
    s.source_path = one->file->path;
    s.source_hash = one->hash;
    s.front_matter = one->read.head;
    s.system_prompt = s.body;
    if (s.status != SKILL_ACTIVE)
        s.status = SKILL_DRAFT;
    s.confidence = 1;
    return skill_make(c, &s, SKILL_OF_INGEST, out);
}

static enum skill_change_type ingest_change_type(const struct ingest_one *one, const struct skill *was)
{
    int64_t now[3], then[3];

    if (!one->read.version || !was->active_version || !semver_parse(one->read.version, now) || !semver_parse(was->active_version, then))
        return CHANGE_MINOR;
    return now[0] > then[0] ? CHANGE_MAJOR : now[1] > then[1] ? CHANGE_MINOR : now[2] > then[2] ? CHANGE_PATCH : CHANGE_MINOR;
}

static err ingest_change(struct ctx *c, struct ingest_one *one, struct uuid id, struct skill *out)
{
    struct skill_change ch = {.to.id = id};
    const struct skill *s = &one->read.skill;
    struct skill was;

    TRY(skill_get(c, id, &was));
    if (was.status == SKILL_ARCHIVED || was.status == SKILL_DEPRECATED)
        TRY(skill_move(c, &(struct skill_move){.id = id, .to = was.status == SKILL_ARCHIVED ? SKILL_DEPRECATED : SKILL_ACTIVE}, &was));
    change_to(&ch, name, s->name);
    change_to(&ch, description, s->description);
    change_to(&ch, category, s->category);
    change_to(&ch, tags, s->tags);
    change_to(&ch, triggers, s->triggers);
    change_to(&ch, commands, s->commands);
    change_to(&ch, body, s->body);
    change_to(&ch, is_hidden, s->is_hidden);
    change_to(&ch, change_type, ingest_change_type(one, &was));
    ch.origin = SKILL_OF_INGEST;
    TRY(skill_update(c, &ch, out));
    return skill_ingest_store_mark(c, id, one->read.head, one->hash);
}

/* in_category, HAS_TAG; named relations become edges when all files are in. */
static err ingest_edges(struct ctx *c, struct ingest_one *one, const struct skill *s)
{
    struct tagged tagged;
    struct tag category;

    if (s->tags.n)
        TRY(tag_content(c, &(struct tagging){.node_id = s->id, .tags = s->tags}, &tagged));
    TRY(tag_of_content(c, s->space_id, TAG_CATEGORY, (struct strs){(const char *[]){s->category}, 1}, &category));
    TRY(edge_put_many(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = s->id, .target_id = category.id,
                                            .relation = "in_category"}, 1));
    return skill_ingest_store_links(c, s->id, one->read.links, one->read.n_links);
}

static err ingest_one_tx(struct ctx *c, void *arg)
{
    struct ingest_one *one = arg;
    struct ingest_known known = {0};
    struct skill s;
    bool found;

    one->what = INGEST_UNCHANGED;
    one->resources = 0;
    one->category_made = NULL;
    TRY(skill_ingest_store_known(c, one->w->space_id, one->w->in->source, one->file->path, &found, &known));
    if (!found || memcmp(known.hash.p, one->hash.p, one->hash.n) != 0) {
        TRY(ingest_category(c, one));
        one->what = found ? INGEST_UPDATED : INGEST_CREATED;
        if (one->w->in->dry_run)
            return ERR_OK;
        if (found)
            TRY(ingest_change(c, one, known.id, &s));
        else
            TRY(ingest_make(c, one, &s));
        one->flagged = s.flags.n > 0;
        known.id = s.id;
        TRY(ingest_edges(c, one, &s));
    }
    return one->w->in->dry_run ? ERR_OK : skill_resources_put(c, known.id, one->beside, one->n_beside, &one->resources);
}

/* ---- all of them */

static void ingest_failed(struct ctx *c, struct ingesting *w, const char *path, err e)
{
    const struct field_error *field = c->fault.fields;
    const char *why = field ? field->detail : c->fault.message;
    struct ingest_fault *f = &w->faults[w->n_faults++];

    *f = (struct ingest_fault){.path = path, .code = c->fault.reason ? c->fault.reason : err_info(e)->slug,
                               .message = arena_strdup(c->arena, why ? why : "")};
    if (str_starts(f->message, "line ")) {
        f->line = strtoll(f->message + 5, NULL, 10);
        f->message = strchr(f->message, ':') ? strchr(f->message, ':') + 2 : f->message;
    }
    ctx_forgive(c);
}

static err ingest_one(struct ctx *c, struct ingesting *w, const struct ingest_file *f)
{
    struct ingest_one one = {.w = w, .file = f};

    TRY(skill_file_read(c, f->path, f->content ? f->content : arena_strndup(c->arena, f->bytes.p, f->bytes.n), &one.read));
    if (memchr(f->bytes.p, 0, f->bytes.n))
        return fail_field(c, "/content", "the file has a NUL");
    one.hash = ingest_hash(c, f);
    ingest_beside(c, &one, &w->in->files);
    TRY(db_tx(c, ingest_one_tx, &one));
    w->out->created += one.what == INGEST_CREATED;
    w->out->updated += one.what == INGEST_UPDATED;
    w->out->unchanged += one.what == INGEST_UNCHANGED;
    w->out->resources += one.resources;
    if (one.category_made)
        w->categories[w->n_categories++] = one.category_made;
    if (one.flagged)
        w->flagged[w->n_flagged++] = f->path;
    return ERR_OK;
}

static err ingest_bind_tx(struct ctx *c, void *arg)
{
    struct ingesting *w = arg;
    const struct link_due *v;
    struct edge_new *edges;
    struct list due;

    TRY(skill_ingest_store_due(c, w->space_id, &due));
    v = due.v;
    edges = ARENA_ARRAY(c->arena, struct edge_new, due.n + 1);
    for (size_t i = 0; i < due.n; i++)
        edges[i] = (struct edge_new){.source_id = v[i].source, .target_id = v[i].target, .relation = v[i].relation, .weight = v[i].weight,
                                     .confidence = 1, .bidirectional = str_eq(v[i].relation, "correlates_with")};
    w->out->edges = (int64_t)due.n;
    return edge_record(c, edges, due.n, w->space_id);
}

static err ingest_prune(struct ctx *c, struct ingesting *w)
{
    const struct ingest_file *v = w->in->files.v;
    struct strs paths = {ARENA_ARRAY(c->arena, const char *, w->in->files.n + 1), 0};
    const struct uuid *ids;
    struct list gone;
    struct skill s;

    for (size_t i = 0; i < w->in->files.n; i++)
        paths.v[paths.n++] = v[i].path;
    TRY(skill_ingest_store_gone(c, w->space_id, w->in->source, paths, &gone));
    ids = gone.v;
    w->out->deprecated = (int64_t)gone.n;
    for (size_t i = 0; i < gone.n && !w->in->dry_run; i++)
        TRY(skill_move(c, &(struct skill_move){.id = ids[i], .to = SKILL_DEPRECATED}, &s));
    return ERR_OK;
}

err skill_ingest(struct ctx *c, const struct skill_ingest *in, struct skill_ingested *out)
{
    const struct ingest_file *v = in->files.v;
    struct ingesting w = {.in = in, .out = out, .space_id = in->space_id};

    *out = (struct skill_ingested){0};
    w.faults = ARENA_ARRAY(c->arena, struct ingest_fault, in->files.n + 1);
    w.categories = ARENA_ARRAY(c->arena, const char *, in->files.n + 1);
    w.flagged = ARENA_ARRAY(c->arena, const char *, in->files.n + 1);
    TRY(skill_space_for(c, &w.space_id));
    for (size_t i = 0; i < in->files.n; i++) {
        err e = skill_path_check(c, v[i].path);

        if (e == ERR_OK && (!path_is_markdown(v[i].path) || ingest_folder_of(&in->files, v[i].path)) && !skill_path_is_folder(v[i].path))
            continue; /* it lies beside a skill */
        if (e == ERR_OK)
            e = ingest_one(c, &w, &v[i]);
        if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE || e == ERR_FORBIDDEN)
            return e;
        if (e != ERR_OK)
            ingest_failed(c, &w, v[i].path, e);
    }
    if (!in->dry_run)
        TRY(db_tx(c, ingest_bind_tx, &w));
    if (in->prune && !w.n_faults)
        TRY(ingest_prune(c, &w));
    out->failed = (struct list){w.faults, w.n_faults};
    out->categories_created = (struct strs){w.categories, w.n_categories};
    out->flagged = (struct strs){w.flagged, w.n_flagged};
    return ERR_OK;
}

err skill_export(struct ctx *c, const char *ref, struct skill_exported *out)
{
    uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);
    struct skill s;

    TRY(skill_get_whole(c, ref, &s));
    *out = (struct skill_exported){.id = s.id, .content = skill_file_write(c, &s)};
    out->path = s.source_path ? s.source_path : skill_file_path(c->arena, &s);
    crypto_hash_sha256(sum, (const uint8_t *)out->content, strlen(out->content));
    out->digest = (struct bytes){sum, crypto_hash_sha256_BYTES};
    return skill_resources_list(c, s.id, &out->files);
}
