/* Session logs: what was said, word for word, found again by its exact words. */
#ifndef LOCI_SESSION_LOG_H
#define LOCI_SESSION_LOG_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"
#include "voice.h"

#define SESSION_CONTENT (512 * 1024) /* bytes of one message */
#define SESSION_APPEND 100           /* messages of one call */
#define SESSION_BLOCK (64 * 1024)    /* bytes of a sealed block */
#define SESSION_EXTERNAL 128
#define SESSION_QUERY 500 /* bytes */
#define SESSION_READ 500  /* messages of one answer */
#define SESSION_HITS 100

#define SESSION_MATCH(X) X(MATCH_PHRASE, "phrase") X(MATCH_ALL_WORDS, "all_words")
ENUMX_DECLARE(session_match, SESSION_MATCH);

struct session_head {
    struct uuid id, space_id;
    const char *external_id;
    int64_t next_seq, bytes, sealed_seq;
    struct instant closed_at, created_at, updated_at;
};
extern const struct thing SESSION_HEAD;

struct session_message {
    int64_t seq;
    enum episode_role role;
    const char *name, *content;
    struct instant said_at;
};

struct session_append {
    const char *id; /* the session's name */
    struct uuid space_id;
    struct list messages; /* of struct session_message */
    int64_t expected_seq; /* 0: any */
};
struct session_appended {
    struct uuid session_id;
    int64_t first_seq, last_seq, redacted;
};
/* The first one makes the session. Numbers have no gaps; a closed session takes no more: ERR_CONFLICT, as for another expected_seq.
 * Credentials are taken out first, unless the account's setting log_redaction is off; redacted: how many. */
err session_log_append(struct ctx *c, const struct session_append *in, struct session_appended *out);

struct session_read {
    const char *id;
    struct uuid space_id;
    int64_t from_seq, limit;
};
struct session_messages {
    struct uuid session_id;
    struct list messages;
    int64_t next_seq; /* 0: that was the last */
};
err session_log_read(struct ctx *c, const struct session_read *in, struct session_messages *out);
err session_log_close(struct ctx *c, const struct session_read *in, struct session_head *out);
/* For good. */
err session_log_erase(struct ctx *c, const struct session_read *in);
struct session_filter {
    struct uuid space_id;
    int64_t limit;
    const char *cursor;
};
err session_log_list(struct ctx *c, const struct session_filter *f, struct page *out);

struct session_search {
    const char *q;
    enum session_match match;
    bool case_sensitive;
    const char *session_id; /* its name; NULL: any */
    struct uuid space_id;   /* nil: all that the caller may read */
    int role;               /* an enum's value, or -1: any */
    struct instant from, to;
    int64_t limit;
};
struct session_hit {
    struct uuid session;
    const char *session_id;
    int64_t seq;
    enum episode_role role;
    const char *name, *excerpt;
    struct instant said_at;
};
struct session_found {
    struct list hits; /* of struct session_hit, newest first */
    int64_t blocks_read, blocks_skipped;
    bool partial; /* time was over before all was read: ask again with `to` as it is in searched_to */
    struct instant searched_to;
};
/* Never a false hit or a miss: filters only tell what need not be read. */
err session_log_search(struct ctx *c, const struct session_search *in, struct session_found *out);

#endif
