/* Taking documents in: what is the same document, what is a new text of one; see document.h. */
#include <sodium.h>
#include <string.h>

#include "content.h"
#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "limit.h"
#include "node.h"
#include "thing.h"
#include "unicode.h"

struct document_adding {
    const struct document_new *in;
    struct document row; /* as it will be, if it is new */
    const char *text;
    struct document made;
    enum document_outcome outcome;
};

/* ---- texts */

const char *document_clean(struct ctx *c, const char *text)
{
    const char *from = unicode_nfc(c->arena, text);
    char *clean = arena_strdup(c->arena, from), *to = clean;

    if (str_starts(from, "\xef\xbb\xbf"))
        from += 3;
    for (; *from; from++) {
        if (*from == '\r') {
            if (from[1] != '\n')
                *to++ = '\n';
        } else if ((unsigned char)*from >= ' ' || strchr("\n\t\f", *from)) {
            if (*from != 0x7f)
                *to++ = *from;
        }
    }
    *to = 0;
    return clean;
}

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

static struct bytes document_checksum(struct ctx *c, const char *text)
{
    uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(sum, (const uint8_t *)text, strlen(text));
    return (struct bytes){sum, crypto_hash_sha256_BYTES};
}

static struct bytes document_hash_in_base(struct ctx *c, struct uuid base, const char *kind, const char *text)
{
    return content_hash(c->arena, arena_printf(c->arena, "%s %s", UUID_STR(base), kind), text, NULL);
}

static void document_set_hashes(struct ctx *c, struct document_adding *a)
{
    struct document *d = &a->row;
    char hex[2 * crypto_hash_sha256_BYTES + 1];

    hex_encode(d->checksum.p, d->checksum.n, hex);
    if (d->external_id)
        d->live_external = document_hash_in_base(c, d->knowledge_base_id, "id", d->external_id);
    else if (!a->in->allow_duplicate)
        d->live_checksum = document_hash_in_base(c, d->knowledge_base_id, "text", hex);
}

static err document_refuse_copy(struct ctx *c, const struct document *there)
{
    struct json *value = json_obj(c->arena);

    json_set_str(c->arena, value, "document_id", uuid_text(there->id, arena_alloc(c->arena, UUID_TEXT)));
    c->fault.current_value = value;
    return fail_reason(c, ERR_CONFLICT, "duplicate", "an equal document is in this knowledge base already: %s", UUID_STR(there->id));
}

/* What was there gets the new name and text; the old chunks are found until the new ones are published. */
static err document_renew(struct ctx *c, struct document_adding *a, const struct document *there)
{
    bool same_text = there->checksum.n == a->row.checksum.n && !memcmp(there->checksum.p, a->row.checksum.p, there->checksum.n);
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
    d.checksum = a->row.checksum;
    d.content_type = a->row.content_type;
    d.content_size_bytes = a->row.content_size_bytes;
    if (a->in->metadata)
        d.metadata = a->in->metadata;
    d.source_version++;
    d.status = DOCUMENT_PENDING;
    d.wants_processing = a->in->process;
    TRY(document_store_put_text(c, d.id, d.source_version, a->text, strlen(a->text)));
    TRY(document_save(c, "update", there, &d));
    TRY(knowledge_base_update_stats(c, d.knowledge_base_id,
                                    &(struct knowledge_base_counts){.bytes = d.content_size_bytes - there->content_size_bytes}));
    a->made = d;
    return d.wants_processing ? document_promise(c, &d, 0) : ERR_OK;
}

/* ---- new ones */

static err document_insert(struct ctx *c, struct document_adding *a)
{
    struct document d = a->row;
    struct node node;

    TRY(node_create(c, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = d.knowledge_base_id, .kind = "document", .title = d.name}, &node));
    d.id = node.id;
    d.uploaded_by = c->who->id;
    TRY(thing_insert(c, &DOCUMENT, &d));
    TRY(document_store_put_text(c, d.id, d.source_version, a->text, strlen(a->text)));
    TRY(knowledge_base_update_stats(c, d.knowledge_base_id, &(struct knowledge_base_counts){.documents = 1,
        .bytes = d.content_size_bytes}));
    a->made = d;
    a->outcome = DOCUMENT_CREATED;
    return d.wants_processing ? document_promise(c, &d, 0) : ERR_OK;
}

static err document_add_body(struct ctx *c, void *arg)
{
    struct document_adding *a = arg;
    struct knowledge_base base;
    struct document there;
    bool found = false;

    TRY(knowledge_base_get_to_write(c, a->row.knowledge_base_id, &base));
    if (base.document_count >= DOCUMENTS_OF_BASE)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "a knowledge base can have at most %d documents", DOCUMENTS_OF_BASE);
    if (a->row.live_external.p || a->row.live_checksum.p)
        TRY(document_store_by_hash(c, a->row.live_external, a->row.live_checksum, &found, &there));
    if (!found)
        return document_insert(c, a);
    return a->row.external_id ? document_renew(c, a, &there) : document_refuse_copy(c, &there);
}

static err document_check(struct ctx *c, const struct document_adding *a)
{
    if (str_empty(a->text) || !a->text[strspn(a->text, " \t\n\f")])
        return fail_field(c, "/content", "content has no text");
    if (strlen(a->text) > DOCUMENT_TEXT)
        return fail_field(c, "/content", "content must be at most %d bytes", DOCUMENT_TEXT);
    if (!str_eq(a->row.content_type, "text/plain") && !str_eq(a->row.content_type, "text/markdown"))
        return fail_field(c, "/content_type", "content_type must be text/plain or text/markdown");
    return ERR_OK;
}

/* Front matter, a heading or a fence at the beginning of a line say that it is Markdown. */
static const char *document_type_of(const char *text)
{
    bool is_markdown = str_starts(text, "# ") || strstr(text, "\n# ") || strstr(text, "\n## ") || strstr(text, "\n```");

    return is_markdown ? "text/markdown" : "text/plain";
}

err document_add(struct ctx *c, const struct document_new *in, struct document *out)
{
    struct document_adding a = {.in = in, .text = document_clean(c, in->content ? in->content : "")};
    struct document *d = &a.row;

    *d = (struct document){.knowledge_base_id = in->knowledge_base_id, .source_type = in->source_type, .source_url = in->source_url,
                           .external_id = in->external_id, .metadata = in->metadata ? in->metadata : json_obj(c->arena),
                           .processing_errors = json_arr(c->arena), .wants_processing = in->process, .source_version = 1};
    d->name = in->name ? in->name : document_title_of(c, a.text);
    d->content_type = in->content_type ? in->content_type : document_type_of(a.text);
    d->content_size_bytes = (int64_t)strlen(a.text);
    TRY(document_check(c, &a));
    d->checksum = document_checksum(c, a.text);
    TRY(thing_begin(c, &DOCUMENT, d));
    d->source_version = 1;
    document_set_hashes(c, &a);
    TRY(db_tx(c, document_add_body, &a));
    *out = a.made;
    out->outcome = a.outcome;
    out->created = a.outcome == DOCUMENT_CREATED;
    return ERR_OK;
}
