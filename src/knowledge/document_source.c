/* Where the text of a document comes from: its address is fetched, its file is read; see document_impl.h. */
#include <string.h>

#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "fetch.h"
#include "intake.h"
#include "limit.h"
#include "node.h"

struct sourcing {
    struct document *document;
    struct fetched fetched;
    enum intake_format format; /* of what was fetched */
    bool is_same;              /* as the file that is there */
    struct intake_text read;
    const char *text; /* as it is kept */
};

/* The row, unless a newer text came meanwhile: then its own task does the work. */
static err source_lock(struct ctx *c, const struct sourcing *s, struct document *was)
{
    bool found;

    TRY(document_store_lock(c, s->document->id, &found, was));
    if (!found || was->source_version != s->document->source_version)
        return fail(c, ERR_CONFLICT, "the document was changed while it was processed");
    return ERR_OK;
}

/* ---- fetching */

static err source_keep_fetched(struct ctx *c, void *arg)
{
    struct sourcing *s = arg;
    struct document was, d;

    TRY(source_lock(c, s, &was));
    d = was;
    d.wants_fetch = false;
    d.last_refreshed_at = c->now;
    if (!s->is_same) {
        d.source_version += was.original_bytes ? 1 : 0;
        d.etag = s->fetched.etag;
        d.last_modified = s->fetched.last_modified;
        d.content_type = intake_media(s->format);
        d.original_bytes = (int64_t)s->fetched.body.n;
        d.checksum = document_checksum_of(c, s->fetched.body.p, s->fetched.body.n);
        TRY(document_store_put_original(c, d.id, d.source_version, s->fetched.body));
    }
    TRY(document_save(c, "fetch", &was, &d));
    *s->document = d;
    return ERR_OK;
}

static err source_judge(struct ctx *c, struct sourcing *s, bool *gone)
{
    int status = s->fetched.status;

    if (status == 304) {
        s->is_same = true;
        return ERR_OK;
    }
    if ((status == 404 || status == 410) && s->document->generation) {
        *gone = true;
        return ERR_OK;
    }
    if (status >= 500 || status == 429)
        return fail_reason(c, ERR_PROVIDER, "http_5xx", "%s answers %d", s->fetched.url, status);
    if (status != 200)
        return fail_reason(c, ERR_INVALID, "http_4xx", "%s answers %d", s->fetched.url, status);
    s->format = intake_format_of(s->fetched.body, s->fetched.media, s->fetched.url);
    if (s->format == INTAKE_UNKNOWN)
        return fail_reason(c, ERR_INVALID, "unsupported_type", "%s is of a kind that cannot be read", s->fetched.url);
    return ERR_OK;
}

static err source_fetch(struct ctx *c, struct document *d, bool *gone)
{
    struct sourcing s = {.document = d};
    bool is_again = d->original_bytes > 0;
    struct bytes sum;

    TRY(fetch_url(c, d->source_url, is_again ? d->etag : NULL, is_again ? d->last_modified : NULL, &s.fetched));
    TRY(source_judge(c, &s, gone));
    if (*gone)
        return ERR_OK;
    sum = document_checksum_of(c, s.fetched.body.p, s.fetched.body.n);
    s.is_same = s.is_same || (is_again && d->checksum.n == sum.n && memcmp(d->checksum.p, sum.p, sum.n) == 0);
    return db_tx(c, source_keep_fetched, &s);
}

/* ---- reading the file */

/* It was named after its file or address, because nobody said more: now its title is known. */
static bool source_names_itself(const struct sourcing *s, const struct document *d)
{
    return !str_empty(s->read.title) && (str_eq(d->name, d->file_name) || str_eq(d->name, "Untitled") ||
           (d->source_type == DOCUMENT_OF_URL && d->source_url && str_starts(d->source_url, d->name)));
}

static err source_rename(struct ctx *c, const struct sourcing *s, struct document *d)
{
    struct node node;
    char *name = arena_strdup(c->arena, document_title_of(c, s->read.title));

    name[str_first_bytes(name, LIMIT_NAME)] = 0;
    d->name = name;
    return node_update(c, d->id, &(struct node_patch){.set = NODE_SET_TITLE, .title = name}, &node);
}

static err source_keep_text(struct ctx *c, void *arg)
{
    struct sourcing *s = arg;
    struct document was, d;

    TRY(source_lock(c, s, &was));
    d = was;
    d.content_size_bytes = (int64_t)strlen(s->text);
    d.is_markdown = s->read.is_markdown;
    d.page_count = s->read.pages;
    d.metadata = s->document->metadata;
    d.flags = s->document->flags;
    d.injection_score = s->document->injection_score;
    d.is_quarantined = s->document->is_quarantined;
    d.language = s->read.language ? arena_strndup(c->arena, s->read.language, 35) : d.language;
    if (str_empty(s->read.title) && d.is_markdown && str_starts(s->text, "# "))
        s->read.title = document_title_of(c, s->text);
    if (source_names_itself(s, &d))
        TRY(source_rename(c, s, &d));
    TRY(document_store_put_text(c, d.id, d.source_version, s->text, strlen(s->text)));
    TRY(document_save(c, "extract", &was, &d));
    TRY(knowledge_base_update_stats(c, d.space_id,
                                    &(struct knowledge_base_counts){.bytes = d.content_size_bytes - was.content_size_bytes}));
    *s->document = d;
    return ERR_OK;
}

/* Attachments of a mail are documents of their own, known by the mail and their number; those of other kinds stay in the mail. */
static err source_add_parts(struct ctx *c, const struct sourcing *s)
{
    const struct document *d = s->document;

    for (size_t i = 0; i < s->read.n_parts; i++) {
        const struct intake_part *part = &s->read.parts[i];
        struct document_new in = {.knowledge_base_id = d->knowledge_base_id, .space_id = d->space_id, .file = part->bytes, .process = true,
                                  .source_type = DOCUMENT_OF_UPLOAD, .uploaded_by = d->uploaded_by,
                                  .file_name = arena_strndup(c->arena, part->name, strnlen(part->name, LIMIT_NAME)),
                                  .external_id = arena_printf(c->arena, "%s#%zu", UUID_STR(d->id), i + 1)};
        struct document made;

        if (part->bytes.n && intake_format_of(part->bytes, NULL, part->name) != INTAKE_UNKNOWN)
            TRY(document_add(c, &in, &made));
    }
    return ERR_OK;
}

/* Front matter is that of Markdown files. */
static err source_hygiene(struct ctx *c, struct sourcing *s)
{
    struct document *d = s->document;
    struct json *front = json_obj(c->arena);
    struct knowledge_base base;

    TRY(knowledge_base_get(c, d->knowledge_base_id, &base));
    if (s->read.is_markdown && str_eq(d->content_type, "text/markdown"))
        s->text = document_front_matter(c, s->text, front);
    if (front->first) {
        s->read.title = str_empty(s->read.title) ? json_get_str(front, "title") : s->read.title;
        d->metadata = json_merge_patch(c->arena, front, json_opened(c->arena, d->metadata));
    }
    return document_sanitize(c, d, base.pii, &s->text);
}

static err source_extract(struct ctx *c, struct document *d)
{
    struct sourcing s = {.document = d};
    struct buf file;

    buf_init(&file, c->arena, (size_t)d->original_bytes + 1);
    TRY(document_store_original(c, d->id, d->source_version, &file));
    TRY(intake_read(c, intake_format_of_media(d->content_type), (struct bytes){buf_str(&file), file.len}, NULL, &s.read));
    s.text = document_clean(c, s.read.text);
    TRY(source_hygiene(c, &s));
    if (strlen(s.text) > DOCUMENT_TEXT)
        return fail_reason(c, ERR_INVALID, "too_large", "a text can have at most %d bytes", DOCUMENT_TEXT);
    TRY(ctx_check_size(c));
    TRY(db_tx(c, source_keep_text, &s));
    return source_add_parts(c, &s);
}

err document_source_ready(struct ctx *c, struct document *d, const char **stage, bool *gone)
{
    bool has_text;

    *gone = false;
    if (d->wants_fetch) {
        *stage = "fetch";
        TRY(source_fetch(c, d, gone));
    }
    if (*gone)
        return ERR_OK;
    TRY(document_store_has_text(c, d->id, d->source_version, &has_text));
    if (has_text)
        return ERR_OK;
    *stage = "extract";
    return source_extract(c, d);
}
