/* Documents of knowledge bases: a text, its state on the way to being found, and its chunks. */
#ifndef LOCI_DOCUMENT_H
#define LOCI_DOCUMENT_H

#include "ctx.h"
#include "enumx.h"
#include "intake_format.h"
#include "json.h"
#include "knowledge_base.h"
#include "page.h"
#include "section.h"
#include "thing_table.h"

#define DOCUMENT_TEXT (8 * 1024 * 1024) /* bytes of one text */
#define DOCUMENTS_OF_BASE 100000
#define DOCUMENT_METADATA (16 * 1024) /* bytes of JSON */
#define DOCUMENT_MEDIA 128            /* characters of a media type */
#define DOCUMENT_ERRORS 20
#define DOCUMENT_EXTERNAL_ID 512
#define DOCUMENT_WINDOW (256 * 1024) /* bytes of a text that one answer holds */
#define DOCUMENT_NEIGHBORS 3

#define DOCUMENT_STATUS(X) \
    X(DOCUMENT_PENDING, "pending") X(DOCUMENT_PROCESSING, "processing") X(DOCUMENT_INDEXED, "indexed") X(DOCUMENT_FAILED, "failed") \
    X(DOCUMENT_ARCHIVED, "archived")
ENUMX_DECLARE(document_status, DOCUMENT_STATUS);

#define DOCUMENT_SOURCE(X) \
    X(DOCUMENT_OF_TEXT, "text") X(DOCUMENT_OF_UPLOAD, "upload") X(DOCUMENT_OF_URL, "url") \
    X(DOCUMENT_OF_FOLDER, "folder") X(DOCUMENT_OF_GIT, "git")
ENUMX_DECLARE(document_source, DOCUMENT_SOURCE);

#define DOCUMENT_OUTCOME(X) X(DOCUMENT_CREATED, "created") X(DOCUMENT_CHANGED, "changed") X(DOCUMENT_UNCHANGED, "unchanged")
ENUMX_DECLARE(document_outcome, DOCUMENT_OUTCOME);

struct document {
    struct uuid id, knowledge_base_id;
    struct uuid space_id;      /* it and its chunks lie there: the base, or a section of it */
    const struct json *access; /* list of readers (section.h), for who manages the base; NULL: those of the base */
    const char *name;
    enum document_source source_type;
    const char *source_url, *external_id, *content_type, *file_name;
    bool is_markdown; /* its text is */
    int64_t original_bytes, page_count;
    const char *language, *stage;
    bool wants_fetch;
    const char *etag, *last_modified;
    struct instant last_refreshed_at;
    struct bytes live_external, live_checksum, checksum;
    int64_t content_size_bytes, source_version, served_version;
    enum document_status status;
    int64_t generation, chunk_count, token_count;
    const struct json *metadata, *processing_errors;
    bool wants_processing; /* asked for, and not done */
    double injection_score;
    const struct json *flags;       /* what was found in its newest text */
    bool by_person, is_quarantined; /* its newest text waits for a person */
    struct instant processed_at, deleted_at;
    struct uuid uploaded_by;
    int64_t version;
    struct instant created_at, updated_at;
    bool created; /* the answer of document_add: false: it was there */
    enum document_outcome outcome;
};
extern const struct thing DOCUMENT;

struct document_new {
    struct uuid knowledge_base_id;
    const char *name;      /* NULL: the first heading or line */
    const char *content;   /* UTF-8; NULL: there is a file, or source_url is to be fetched */
    struct bytes file;     /* p NULL: none */
    const char *file_name; /* NULL: not said */
    const char *content_type, *source_url, *external_id;
    const struct json *metadata;
    const struct json *access; /* section.h; NULL: as the base, or as it was */
    struct uuid space_id;      /* instead of access; nil: the base */
    bool process, allow_duplicate;
    int64_t delay_s;         /* before it is processed */
    struct uuid uploaded_by; /* nil: the caller */
    enum document_source source_type;
};

struct document_filter {
    struct uuid knowledge_base_id; /* nil: of all that the caller may read */
    int status;                    /* an enum's value, or -1: any */
    const char *q;                 /* part of the name */
    int64_t limit;
    const char *cursor;
};

/* The same external_id in a base is the same document: an equal text is `unchanged`, another one becomes its next version. Without one,
 * an equal text in the base: ERR_CONFLICT. Its processing is promised in the same transaction. */
err document_add(struct ctx *c, const struct document_new *in, struct document *out);
err document_get(struct ctx *c, struct uuid id, struct document *out);
err document_list(struct ctx *c, const struct document_filter *f, struct page *out);
/* A file: its format is told from its bytes; ERR_MEDIA_TYPE where none is known. Its text is found when it is processed. */
err document_upload(struct ctx *c, const struct document_new *in, const char *path, struct document *out);
/* What is known of the documents whose external_id begins with that, archived ones as well. */
struct document_known {
    struct uuid id;
    const char *external_id;
    enum document_status status;
};
#define DOCUMENTS_KNOWN 20000
err document_known_of(struct ctx *c, struct uuid knowledge_base_id, const char *prefix, struct document_known **rows, size_t *n);
/* Promises its processing; one that is promised or going on is the same. reextract: its file is read again. */
struct document_process {
    struct uuid id;
    int64_t if_version;
    bool reextract;
};
err document_process(struct ctx *c, const struct document_process *in, struct document *out);
/* What is promised or going on ends; what was served before is served. */
err document_cancel(struct ctx *c, const struct thing_key *key, struct document *out);
/* A person who manages the base lets a quarantined text be processed. */
err document_release(struct ctx *c, const struct thing_key *key, struct document *out);

/* What processing a text would cost, without storing anything: of content as a new document of the base, or in the place of that
 * document's; content NULL: of the document as it is. */
struct document_estimate_in {
    struct uuid knowledge_base_id, document_id;
    const char *name, *content, *content_type;
};
struct document_estimate {
    int64_t characters, chunks, chunks_new, chunks_kept, tokens_to_embed, provider_calls;
    double injection_score;
    const struct json *flags;
    bool would_quarantine;
};
err document_estimate(struct ctx *c, const struct document_estimate_in *in, struct document_estimate *out);
/* Out of every search at once, with its chunks. */
err document_delete(struct ctx *c, const struct thing_key *key);

/* ---- changing (document_change.c) */

struct document_change {
    struct thing_change change;
    struct document to; /* name, metadata, access */
};
err document_update(struct ctx *c, const struct document_change *ch, struct document *out);
struct document_content {
    struct uuid id;
    int64_t if_version;
    const char *content, *content_type;
};
/* Its next text: the old chunks are found until the new ones are published. */
err document_put_content(struct ctx *c, const struct document_content *in, struct document *out);
/* The text before the one that is served becomes the next version. */
err document_revert(struct ctx *c, const struct thing_key *key, struct document *out);
err document_archive(struct ctx *c, const struct thing_key *key, struct document *out);
err document_unarchive(struct ctx *c, const struct thing_key *key, struct document *out);
/* A deleted one, for 30 days. */
err document_restore(struct ctx *c, const struct thing_key *key, struct document *out);
/* Fetches its address again. */
err document_refresh(struct ctx *c, const struct thing_key *key, struct document *out);
/* The file that it was made of: its parts go to write, one after the other. Asks for the level manage. */
err document_read_original(struct ctx *c, struct uuid id, struct document *d, err (*write)(void *arg, const void *p, size_t n), void *arg);

struct document_difference {
    struct uuid id;
    int64_t old_version, new_version;
    int64_t added_lines, removed_lines;
    struct list hunks; /* of struct document_hunk */
};
struct document_hunk {
    int64_t old_line, new_line;  /* from 1 */
    const char *removed, *added; /* lines */
};
/* Lines that differ between the text before and the one that is served; hunks: the first DOCUMENT_HUNKS. */
#define DOCUMENT_HUNKS 50
err document_diff(struct ctx *c, struct uuid id, struct document_difference *out);

struct document_window {
    struct uuid id;
    int64_t from, to, size; /* bytes */
    const char *text;
    int64_t source_version;
};
/* Bytes [from, to) of the text that is served, else of the newest; cut to whole characters, at most DOCUMENT_WINDOW. */
err document_read_text(struct ctx *c, struct uuid id, int64_t from, int64_t to, struct document_window *out);

/* ---- the task */

/* Cuts the text and publishes its chunks in one transaction. What can never succeed marks the document failed and is no error. */
err document_work(struct ctx *c, struct uuid id);
/* Promises that its chunks are read for facts, by "rules" or "llm": the room above does it. */
err document_promise_extraction(struct ctx *c, struct uuid id, int64_t generation, const char *method);
/* Its task was given up. */
err document_gave_up(struct ctx *c, struct uuid id, const char *why);
/* Documents that wait without a task, or are processing without one: promised again. *n: how many. */
err document_sweep(struct ctx *c, int64_t limit, int64_t *n);
#define SWEEP_AFTER_US (10 * 60 * 1000000LL) /* a promise that is older was lost */
err document_sweep_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* The same of one base, when it is resumed. */
err document_resume(struct ctx *c, struct uuid knowledge_base_id);

/* ---- chunks */

struct chunk {
    struct uuid id, document_id, knowledge_base_id, space_id;
    const char *document_name, *content, *heading_path, *source_url;
    int64_t sequence_number, start_offset, end_offset, overlap, tokens;
    int64_t page_from, page_to; /* from 1; 0: the document has no pages */
    bool untrusted;             /* always: others wrote it */
    struct bytes embed_hash;
};
extern const struct thing CHUNK;

struct chunk_filter {
    struct uuid id; /* of the document */
    int64_t from;   /* the first sequence number */
    int64_t limit;
};
err chunk_list(struct ctx *c, const struct chunk_filter *f, struct page *out);

struct chunk_view {
    struct chunk chunk;
    struct list around; /* of struct chunk: itself and so many on each side, in order */
};
err chunk_get(struct ctx *c, struct uuid id, int64_t neighbors, struct chunk_view *out);
/* Those among ids that are there and that the caller may read; in no order. */
err chunk_get_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

#endif
