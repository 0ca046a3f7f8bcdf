/* Appending, reading and ending session logs; see session_log.h. session_search.c searches them. */
#include "session_log.h"

#include <string.h>

#include "access.h"
#include "account.h"
#include "audit.h"
#include "db.h"
#include "sanitize.h"
#include "session_log_impl.h"
#include "session_log_store.h"
#include "space.h"
#include "unicode.h"

ENUMX_DEFINE(session_match, SESSION_MATCH);

static const struct field SESSION_HEAD_COLUMNS[] = {
    F_ID(struct session_head, "id of the log"),
    F_UUID(struct session_head, space_id, COL_READ, "namespace it belongs to"),
    F_STR(struct session_head, external_id, COL_READ, 0, 0, "name of the session"),
    F_INT(struct session_head, next_seq, COL_READ, 0, 0, 1, "number of the next message"),
    F_INT(struct session_head, bytes, COL_READ, 0, 0, 0, "bytes of all messages"),
    F_INT(struct session_head, sealed_seq, COL_ROW, 0, 0, 0, "last message that is in a block"),
    F_TIME(struct session_head, closed_at, COL_READ | FIELD_NULLABLE, "when it was closed"),
    F_TIME(struct session_head, created_at, COL_READ | COL_BORN, "when the first message came"),
    F_TIME(struct session_head, updated_at, COL_READ | COL_TOUCHED, "when the last message came"),
    F_END
};
const struct thing SESSION_HEAD = THING("session_head", SESSION_HEAD_COLUMNS, struct session_head, .schema = "SessionLog");

/* ---- which session */

static err session_place_of(struct ctx *c, struct uuid space_id, enum access_level level, struct uuid *out)
{
    int kind;

    *out = space_id;
    if (uuid_is_nil(space_id))
        TRY(space_own(c, out));
    TRY(access_require(c, *out, level));
    kind = access_space_kind(c->access, *out);
    return kind < 0 || kind == SPACE_NAMESPACE ? ERR_OK : fail_field(c, "/space_id", "session logs are kept in namespaces");
}

static err session_take(struct ctx *c, const char *id, struct uuid space_id, enum access_level level, bool lock, struct session_head *out)
{
    bool found;

    TRY(session_place_of(c, space_id, level, &space_id));
    TRY(session_log_store_get(c, space_id, id, lock, &found, out));
    return found ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such session log");
}

/* ---- appending */

/* Blocks of what is in none yet: they end where they have SESSION_BLOCK bytes. */
static err session_seal(struct ctx *c, struct session_head *h)
{
    struct session_block *b = ARENA_NEW(c->arena, struct session_block);
    const struct session_message *m;
    bool is_long = h->next_seq - h->sealed_seq > SESSION_TAIL - SESSION_APPEND; /* many short messages */
    struct list list;
    size_t bytes = 0;

    TRY(session_log_store_messages(c, h->id, h->sealed_seq + 1, h->next_seq - 1, SESSION_TAIL, &list));
    m = list.v;
    *b = (struct session_block){.session_id = h->id, .first_seq = h->sealed_seq + 1};
    for (size_t i = 0; i < list.n; i++) {
        const char *lower = unicode_lower(c->arena, m[i].content);

        bloom_add(b->filter, lower, strlen(lower));
        bytes += strlen(m[i].content);
        b->last_seq = m[i].seq;
        if (m[i].said_at.us > b->newest_at.us)
            b->newest_at = m[i].said_at;
        if (bytes < SESSION_BLOCK && !(is_long && i + 1 == list.n))
            continue;
        TRY(session_log_store_seal(c, b));
        h->sealed_seq = b->last_seq;
        *b = (struct session_block){.session_id = h->id, .first_seq = b->last_seq + 1};
        bytes = 0;
    }
    return ERR_OK;
}

struct session_appending {
    const struct session_append *in;
    struct uuid space_id;
    struct session_appended *out;
    int64_t redacted;
};

/* Credentials only: all else of a log is kept as it was said. */
static err session_redact(struct ctx *c, struct session_appending *a)
{
    static const struct sanitize_policy SECRETS = {.of = {[SANITIZE_EMAIL] = SANITIZE_OFF, [SANITIZE_PHONE] = SANITIZE_OFF,
        [SANITIZE_CARD] = SANITIZE_OFF, [SANITIZE_IBAN] = SANITIZE_OFF, [SANITIZE_SSN] = SANITIZE_OFF}, .keeps_markers = true};
    struct session_message *m = a->in->messages.v;
    struct account account;

    TRY(account_get(c, &account));
    if (str_eq(json_get_str(json_opened(c->arena, account.settings), "log_redaction"), "off"))
        return ERR_OK;
    for (size_t i = 0; i < a->in->messages.n; i++) {
        struct sanitized clean = sanitize(c->arena, m[i].content, strlen(m[i].content), &SECRETS);
        int64_t cut = 0;

        for (size_t k = 0; k < clean.n_hits; k++)
            cut += clean.hits[k].cut;
        if (cut && (clean.verdict == SANITIZE_UNSETTLED || clean.verdict == SANITIZE_MALFORMED))
            return fail_reason(c, ERR_INVALID, "sanitize_failed", "message %zu cannot be cleaned", i);
        if (cut)
            m[i].content = clean.text;
        a->redacted += cut;
    }
    return ERR_OK;
}

static err session_append_number(struct ctx *c, const struct session_appending *a, struct session_head *h)
{
    struct session_message *m = a->in->messages.v;

    if (h->closed_at.us)
        return fail_reason(c, ERR_CONFLICT, "session_closed", "the session is closed");
    if (a->in->expected_seq && a->in->expected_seq != h->next_seq)
        return fail_reason(c, ERR_CONFLICT, "expected_seq", "the next message is number %lld", (long long)h->next_seq);
    *a->out = (struct session_appended){h->id, h->next_seq, h->next_seq + (int64_t)a->in->messages.n - 1,
                                          a->redacted};
    for (size_t i = 0; i < a->in->messages.n; i++) {
        m[i].seq = h->next_seq++;
        m[i].said_at = m[i].said_at.us ? m[i].said_at : c->now;
        h->bytes += (int64_t)strlen(m[i].content);
    }
    return ERR_OK;
}

static err session_append_tx(struct ctx *c, void *arg)
{
    const struct session_appending *a = arg;
    struct session_head h = {.id = uuid_new(c->now.us), .space_id = a->space_id, .external_id = a->in->id};
    int64_t before;
    bool found;

    TRY(session_log_store_get(c, a->space_id, a->in->id, true, &found, &h));
    if (!found) {
        h = (struct session_head){.id = uuid_new(c->now.us), .space_id = a->space_id, .external_id = a->in->id};
        TRY(session_log_store_make(c, &h));
        TRY(session_log_store_get(c, a->space_id, a->in->id, true, &found, &h));
    }
    before = h.bytes / SESSION_BLOCK;
    TRY(session_append_number(c, a, &h));
    TRY(session_log_store_insert(c, h.id, a->in->messages.v, a->in->messages.n));
    if (h.bytes / SESSION_BLOCK != before || h.next_seq - h.sealed_seq > SESSION_TAIL - SESSION_APPEND)
        TRY(session_seal(c, &h));
    return session_log_store_save(c, &h);
}

err session_log_append(struct ctx *c, const struct session_append *in, struct session_appended *out)
{
    struct session_appending a = {.in = in, .out = out};
    const struct session_message *m = in->messages.v;

    TRY(session_place_of(c, in->space_id, ACCESS_WRITE, &a.space_id));
    for (size_t i = 0; i < in->messages.n; i++)
        if (strlen(m[i].content) > SESSION_CONTENT)
            return fail_field(c, arena_printf(c->arena, "/messages/%zu/content", i), "a message is at most %d bytes", SESSION_CONTENT);
    if (!in->messages.n)
        return fail_field(c, "/messages", "at least one message is required");
    TRY(session_redact(c, &a));
    return db_tx(c, session_append_tx, &a);
}

/* ---- reading and ending */

err session_log_read(struct ctx *c, const struct session_read *in, struct session_messages *out)
{
    struct session_head h;

    TRY(session_take(c, in->id, in->space_id, ACCESS_READ, false, &h));
    out->session_id = h.id;
    TRY(session_log_store_messages(c, h.id, in->from_seq, INT64_MAX, in->limit, &out->messages));
    out->next_seq = in->from_seq + (int64_t)out->messages.n < h.next_seq && out->messages.n ? in->from_seq + (int64_t)out->messages.n : 0;
    return ERR_OK;
}

err session_log_list(struct ctx *c, const struct session_filter *f, struct page *out)
{
    struct uuid before;

    if (!uuid_is_nil(f->space_id))
        TRY(access_require(c, f->space_id, ACCESS_READ));
    TRY(page_begin(c, f->cursor, &before));
    return session_log_store_list(c, f, session_spaces(c, f->space_id), before, out);
}

static err session_log_close_tx(struct ctx *c, const struct session_read *in, struct session_head *out)
{
    TRY(session_take(c, in->id, in->space_id, ACCESS_WRITE, true, out));
    if (!out->closed_at.us)
        out->closed_at = c->now;
    return session_log_store_save(c, out);
}
DB_TX(session_log_close, struct session_read, struct session_head)

static err session_log_erase_tx(struct ctx *c, const struct session_read *in)
{
    struct session_head h;

    TRY(session_take(c, in->id, in->space_id, ACCESS_WRITE, true, &h));
    TRY(audit_add(c, &(struct audit){.kind = "session_log.erase", .subject_kind = "session_log", .subject_id = h.id,
        .space_id = h.space_id}));
    return session_log_store_drop(c, h.id);
}
DB_TX_IN(session_log_erase, struct session_read)
