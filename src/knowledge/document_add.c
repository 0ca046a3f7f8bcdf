/* Taking documents in: what is the same document, what is a new text of one; see document.h. */
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "content.h"
#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "fetch.h"
#include "intake.h"
#include "knowledge_base_store.h"
#include "limit.h"
#include "node.h"
#include "principal.h"
#include "task.h"
#include "thing.h"

struct document_adding {
    const struct document_new *in;
    const char *pii;     /* what the base says of private data */
    struct document row; /* as it will be, if it is new */
    const char *text;    /* NULL: a file, or an address */
    struct document made;
    enum document_outcome outcome;
};

/* ---- texts */

const char *document_title_of(struct ctx *c, const char *text)
{
    const char *end;
    char *title;

    text += strspn(text, " \t\n\f#");
    end = text + strcspn(text, "\n");
    title = arena_strndup(c->arena, text, (size_t)(end - text));
    title[str_first_bytes(title, LIMIT_NAME)] = 0;
    for (char *p = title; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    return *title ? title : "Untitled";
}

/* ---- what is the same */

struct bytes document_checksum_of(struct ctx *c, const void *p, size_t n)
{
    uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(sum, p, n);
    return (struct bytes){sum, crypto_hash_sha256_BYTES};
}

static struct bytes document_hash_in(struct ctx *c, struct uuid space, const char *kind, const char *text)
{
    return content_hash(c->arena, arena_printf(c->arena, "%s %s", UUID_STR(space), kind), text, NULL);
}

/* What it is known by where it lies: its external_id, the address that it is fetched from, or what it says. */
void document_set_hashes(struct ctx *c, struct document *d, bool may_be_copy)
{
    char hex[2 * crypto_hash_sha256_BYTES + 1];

    hex_encode(d->checksum.p, d->checksum.n, hex);
    d->live_external = d->live_checksum = (struct bytes){0};
    if (d->external_id)
        d->live_external = document_hash_in(c, d->space_id, "id", d->external_id);
    else if (d->source_type == DOCUMENT_OF_URL)
        d->live_external = document_hash_in(c, d->space_id, "url", d->source_url);
    else if (!may_be_copy)
        d->live_checksum = document_hash_in(c, d->space_id, "text", hex);
}

static err document_refuse_copy(struct ctx *c, const struct document *there)
{
    struct json *value = json_obj(c->arena);

    json_set_str(c->arena, value, "document_id", uuid_text(there->id, arena_alloc(c->arena, UUID_TEXT)));
    c->fault.current_value = value;
    return fail_reason(c, ERR_CONFLICT, "duplicate", "an equal document is in this knowledge base already: %s", UUID_STR(there->id));
}

static err document_put_source(struct ctx *c, const struct document_adding *a, const struct document *d)
{
    if (a->text)
        return document_store_put_text(c, d->id, d->source_version, a->text, strlen(a->text));
    return a->in->file.p ? document_store_put_original(c, d->id, d->source_version, a->in->file) : ERR_OK;
}

/* What is sent, in the place of what was sent before. */
static void document_take_source(struct document *d, const struct document_adding *a)
{
    const struct document *row = &a->row;

    d->checksum = row->checksum;
    d->content_type = row->content_type;
    d->is_markdown = row->is_markdown;
    d->file_name = row->file_name ? row->file_name : d->file_name;
    d->original_bytes = row->original_bytes;
    d->content_size_bytes = row->content_size_bytes;
    d->page_count = 0;
    d->by_person = row->by_person;
    d->flags = row->flags;
    d->injection_score = row->injection_score;
    d->is_quarantined = row->is_quarantined;
    d->source_version++;
}

/* Until a person has looked at it. */
static void document_hold(struct document *d)
{
    d->wants_processing = d->wants_processing && !d->is_quarantined;
    d->stage = d->is_quarantined ? "quarantined" : NULL;
}

/* What was there gets the new name and text; the old chunks are found until the new ones are published. An address is asked again. */
static err document_renew(struct ctx *c, struct document_adding *a, const struct document *there)
{
    bool is_address = !a->text && !a->in->file.p;
    bool same_text = !is_address && there->checksum.n == a->row.checksum.n &&
                     !memcmp(there->checksum.p, a->row.checksum.p, there->checksum.n);
    struct document d = *there;
    struct node node;

    a->outcome = DOCUMENT_UNCHANGED;
    a->made = d;
    if (same_text && (!a->in->name || str_eq(d.name, a->row.name)))
        return ERR_OK;
    a->outcome = DOCUMENT_CHANGED;
    if (a->in->name && !str_eq(d.name, a->row.name))
        TRY(node_update(c, d.id, &(struct node_patch){.set = NODE_SET_TITLE, .title = a->row.name}, &node));
    d.name = a->in->name ? a->row.name : d.name;
    d.metadata = a->in->metadata ? a->in->metadata : d.metadata;
    d.status = DOCUMENT_PENDING;
    d.wants_processing = a->in->process;
    d.wants_fetch = is_address;
    if (!is_address) {
        document_take_source(&d, a);
        if (d.live_checksum.p)
            document_set_hashes(c, &d, false);
        TRY(document_put_source(c, a, &d));
    }
    document_hold(&d);
    TRY(document_save(c, "update", there, &d));
    TRY(knowledge_base_update_stats(c, d.space_id,
                                    &(struct knowledge_base_counts){.bytes = d.content_size_bytes - there->content_size_bytes}));
    a->made = d;
    return d.wants_processing ? document_promise_later(c, &d, 0, a->in->delay_s) : ERR_OK;
}

/* ---- new ones */

static err document_insert(struct ctx *c, struct document_adding *a)
{
    struct document d = a->row;
    struct node node;

    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = d.space_id, .kind = "document", .title = d.name}, &node));
    d.id = node.id;
    d.uploaded_by = uuid_is_nil(a->in->uploaded_by) ? c->who->id : a->in->uploaded_by;
    document_hold(&d);
    TRY(thing_insert(c, &DOCUMENT, &d));
    TRY(document_put_source(c, a, &d));
    TRY(knowledge_base_update_stats(c, d.space_id, &(struct knowledge_base_counts){.documents = 1,
        .bytes = d.content_size_bytes}));
    a->made = d;
    a->outcome = DOCUMENT_CREATED;
    return d.wants_processing ? document_promise_later(c, &d, 0, a->in->delay_s) : ERR_OK;
}

/* Looked for in every part of the base that the caller may read: what he may not read is not there. */
static err document_find_same(struct ctx *c, const struct document_adding *a, bool *found, struct document *there)
{
    struct uuid base = a->row.knowledge_base_id;
    struct uuids spaces = knowledge_base_spaces(c, (struct uuids){&base, 1});
    struct bytes *hashes = ARENA_ARRAY(c->arena, struct bytes, spaces.n + 1);
    struct document d = a->row;
    bool is_external = false;
    size_t n = 0;

    *found = false;
    for (size_t i = 0; i < spaces.n; i++) {
        d.space_id = spaces.v[i];
        document_set_hashes(c, &d, a->in->allow_duplicate);
        is_external = d.live_external.p != NULL;
        if (is_external || d.live_checksum.p)
            hashes[n++] = is_external ? d.live_external : d.live_checksum;
    }
    return n ? document_store_by_hash(c, hashes, n, is_external, found, there) : ERR_OK;
}

static err document_renew_found(struct ctx *c, struct document_adding *a, struct document *there)
{
    struct knowledge_base base;

    TRY(knowledge_base_get_to_write(c, there->knowledge_base_id, there->space_id, &base));
    if (a->in->access)
        TRY(document_restrict(c, a->in->access, there));
    return document_renew(c, a, there);
}

static err document_add_body(struct ctx *c, void *arg)
{
    struct document_adding *a = arg;
    struct document *d = &a->row;
    struct knowledge_base base;
    struct document there;
    bool found;

    if (access_may_read(c, d->knowledge_base_id))
        TRY(knowledge_base_store_lock(c, d->knowledge_base_id));
    TRY(knowledge_base_get_to_write(c, d->knowledge_base_id, d->knowledge_base_id, &base));
    if (base.document_count >= DOCUMENTS_OF_BASE)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a knowledge base can have at most %d documents", DOCUMENTS_OF_BASE);
    TRY(document_find_same(c, a, &found, &there));
    if (found)
        return there.live_external.p ? document_renew_found(c, a, &there) : document_refuse_copy(c, &there);
    d->space_id = a->in->space_id;
    if (uuid_is_nil(d->space_id))
        TRY(section_space(c, d->knowledge_base_id, a->in->access, &d->space_id));
    document_set_hashes(c, d, a->in->allow_duplicate);
    return document_insert(c, a);
}

/* ---- what is sent */

/* Front matter, a heading or a fence at the beginning of a line say that it is Markdown. */
static const char *document_type_of(const char *text)
{
    bool is_markdown = str_starts(text, "# ") || strstr(text, "\n# ") || strstr(text, "\n## ") || strstr(text, "\n```");

    return is_markdown ? "text/markdown" : "text/plain";
}

/* What the sender says wins over what the text says of itself. */
static void document_take_front(struct ctx *c, struct document_adding *a)
{
    struct document *d = &a->row;
    const struct json *given = json_opened(c->arena, a->in->metadata);
    struct json *front = json_obj(c->arena);

    a->text = document_front_matter(c, a->text, front);
    if (!a->in->name && !str_empty(json_get_str(front, "title")))
        d->name = arena_strdup(c->arena, document_title_of(c, json_get_str(front, "title")));
    if (front->first)
        d->metadata = given ? json_merge_patch(c->arena, front, given) : front;
}

static err document_take_text(struct ctx *c, struct document_adding *a)
{
    struct document *d = &a->row;

    a->text = document_clean(c, a->in->content);
    if (str_empty(a->text) || !a->text[strspn(a->text, " \t\n\f")])
        return fail_field(c, "/content", "content has no text");
    if (strlen(a->text) > DOCUMENT_TEXT)
        return fail_field(c, "/content", "content must be at most %d bytes", DOCUMENT_TEXT);
    d->content_type = a->in->content_type ? a->in->content_type : document_type_of(a->text);
    if (!str_eq(d->content_type, "text/plain") && !str_eq(d->content_type, "text/markdown"))
        return fail_field(c, "/content_type", "content_type must be text/plain or text/markdown; other formats are uploaded as files");
    d->is_markdown = str_eq(d->content_type, "text/markdown");
    d->checksum = document_checksum_of(c, a->text, strlen(a->text));
    d->name = a->in->name;
    if (d->is_markdown || str_starts(a->text, "---\n"))
        document_take_front(c, a);
    TRY(document_sanitize(c, d, a->pii, &a->text));
    d->name = d->name ? d->name : document_title_of(c, a->text);
    d->content_size_bytes = (int64_t)strlen(a->text);
    return ERR_OK;
}

/* Its text is found when it is processed, and its name with it. */
static err document_take_file(struct ctx *c, struct document_adding *a)
{
    const struct document_new *in = a->in;
    enum intake_format f = intake_format_of(in->file, in->content_type, in->file_name);

    if (in->file.n > INTAKE_FILE)
        return fail(c, ERR_TOO_LARGE, "a file can have at most %d bytes", INTAKE_FILE);
    if (f == INTAKE_UNKNOWN)
        return fail(c, ERR_MEDIA_TYPE,
                    "files of this kind cannot be read: PDF, HTML, Markdown, text, DOCX, ODT, EPUB, PPTX, XLSX and EML can");
    a->row.content_type = intake_media(f);
    a->row.file_name = in->file_name;
    a->row.original_bytes = (int64_t)in->file.n;
    a->row.checksum = document_checksum_of(c, in->file.p, in->file.n);
    a->row.name = in->name ? in->name : in->file_name ? in->file_name : "Untitled";
    return ERR_OK;
}

static err document_take_address(struct ctx *c, struct document_adding *a)
{
    const char *why = fetch_fault(c, a->in->source_url);

    if (why)
        return fail_field(c, "/source_url", "source_url %s", why);
    a->row.source_type = DOCUMENT_OF_URL;
    a->row.wants_fetch = true;
    a->row.checksum = document_checksum_of(c, "", 0);
    a->row.name = a->in->name ? a->in->name : arena_strndup(c->arena, a->in->source_url, LIMIT_NAME);
    return ERR_OK;
}

static err document_take(struct ctx *c, struct document_adding *a)
{
    if (a->in->content)
        return document_take_text(c, a);
    if (a->in->file.p)
        return document_take_file(c, a);
    return a->in->source_url ? document_take_address(c, a) : fail_field(c, "/content", "give content, or source_url to fetch it from");
}

/* What comes by an address or a folder others wrote, whoever asked for it. */
static bool document_is_by_person(const struct ctx *c, const struct document_new *in)
{
    return c->who->kind == PRINCIPAL_USER && (in->content || in->file.p) && in->source_type <= DOCUMENT_OF_UPLOAD;
}

err document_add(struct ctx *c, const struct document_new *in, struct document *out)
{
    struct document_adding a = {.in = in};
    struct document *d = &a.row;
    struct knowledge_base base;

    *d = (struct document){.knowledge_base_id = in->knowledge_base_id, .source_type = in->source_type, .source_url = in->source_url,
                           .external_id = in->external_id, .metadata = in->metadata ? in->metadata : json_obj(c->arena),
                           .processing_errors = json_arr(c->arena), .wants_processing = in->process, .source_version = 1,
                           .flags = json_arr(c->arena), .by_person = document_is_by_person(c, in)};
    TRY(knowledge_base_get(c, in->knowledge_base_id, &base));
    a.pii = base.pii;
    TRY(document_take(c, &a));
    TRY(thing_begin(c, &DOCUMENT, d));
    d->source_version = 1;
    TRY(db_tx(c, document_add_body, &a));
    *out = a.made;
    TRY(document_show_access(c, out));
    out->outcome = a.outcome;
    out->created = a.outcome == DOCUMENT_CREATED;
    return ERR_OK;
}

err document_judge_text(struct ctx *c, const struct document_new *in, const struct knowledge_base *base, struct document *d,
                        const char **text)
{
    struct document_adding a = {.in = in, .pii = base->pii, .row = *d};

    a.row.by_person = document_is_by_person(c, in);
    TRY(document_take_text(c, &a));
    a.row.name = in->name ? in->name : d->name ? d->name : a.row.name;
    *d = a.row;
    *text = a.text;
    return ERR_OK;
}

err document_give_content(struct ctx *c, const struct document *there, const struct document_new *in, struct document *out)
{
    struct document_adding a = {.in = in, .row = {.knowledge_base_id = there->knowledge_base_id,
                                                  .space_id = there->space_id, .source_type = there->source_type,
                                                  .external_id = there->external_id, .source_url = there->source_url,
                                                  .metadata = there->metadata, .flags = json_arr(c->arena),
                                                  .by_person = document_is_by_person(c, in)}};
    struct knowledge_base base;

    TRY(knowledge_base_get(c, there->knowledge_base_id, &base));
    a.pii = base.pii;
    TRY(document_take(c, &a));
    TRY(document_renew(c, &a, there));
    *out = a.made;
    out->outcome = a.outcome;
    return ERR_OK;
}

err document_upload(struct ctx *c, const struct document_new *in, const char *path, struct document *out)
{
    struct document_new with_file = *in;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    void *map = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    err e;

    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return fail_field(c, "/file", size == 0 ? "the file is empty" : "the file cannot be read");
    with_file.file = (struct bytes){map, (size_t)size};
    with_file.source_type = DOCUMENT_OF_UPLOAD;
    e = document_add(c, &with_file, out);
    munmap(map, (size_t)size);
    return e;
}

err document_promise_extraction(struct ctx *c, struct uuid id, int64_t generation, const char *method)
{
    struct json *payload = json_obj(c->arena);
    const char *text = arena_strdup(c->arena, UUID_STR(id));

    json_set_str(c->arena, payload, "id", text);
    json_set_str(c->arena, payload, "method", method);
    return task_enqueue(c, &(struct task_new){.kind = "graph_extract", .payload = payload,
                                              .idem_key = arena_printf(c->arena, "%s-%lld-%s", text, (long long)generation, method)});
}
