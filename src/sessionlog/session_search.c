/* Exact search: filters tell which blocks need not be read, the others are read and compared. */
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "inert.h"
#include "session_log.h"
#include "session_log_impl.h"
#include "session_log_store.h"
#include "space.h"
#include "unicode.h"

#define TIME_BOX_US 2000000
#define EXCERPT_BEFORE 80 /* bytes around a hit */
#define EXCERPT_BYTES 320
#define WORDS_MAX 16

struct session_seeking {
    const struct session_search *in;
    const char *words[WORDS_MAX]; /* as they are compared */
    size_t n_words;
    struct session_hit *hits;
    size_t n;
    struct session_found *out;
};

struct uuids session_spaces(struct ctx *c, struct uuid only)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < c->access->n; i++) {
        bool fits = c->access->spaces[i].kind == SPACE_NAMESPACE || c->access->spaces[i].kind < 0;

        if (fits && (uuid_is_nil(only) || uuid_eq(only, c->access->spaces[i].space_id)))
            ids[n++] = c->access->spaces[i].space_id;
    }
    return (struct uuids){ids, n};
}

/* ---- what is compared */

static void session_seek_words(struct ctx *c, struct session_seeking *w)
{
    const char *q = w->in->case_sensitive ? w->in->q : unicode_lower(c->arena, w->in->q);

    if (w->in->match == MATCH_PHRASE) {
        w->words[w->n_words++] = q;
        return;
    }
    while (w->n_words < WORDS_MAX) {
        size_t n;

        q += strspn(q, " \t\n");
        n = strcspn(q, " \t\n");
        if (!n)
            return;
        w->words[w->n_words++] = arena_strndup(c->arena, q, n);
        q += n;
    }
}

static const char *session_excerpt(struct ctx *c, const char *content, size_t at)
{
    size_t from = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0, n = strlen(content),
        to = n - from > EXCERPT_BYTES ? from + EXCERPT_BYTES : n;

    while (from && ((unsigned char)content[from] & 0xc0) == 0x80)
        from--;
    while (to < n && ((unsigned char)content[to] & 0xc0) == 0x80)
        to++;
    return arena_strndup(c->arena, content + from, to - from);
}

/* Where the first word stands; SIZE_MAX: one of them is not there. Lower case keeps the number of bytes nearly everywhere, which is
 * enough for an excerpt. */
static size_t session_match_at(const struct session_seeking *w, const char *text)
{
    size_t first = SIZE_MAX;

    for (size_t i = 0; i < w->n_words; i++) {
        const char *at = strstr(text, w->words[i]);

        if (!at)
            return SIZE_MAX;
        if (first == SIZE_MAX)
            first = (size_t)(at - text);
    }
    return first;
}

static bool session_is_wanted(const struct session_search *in, const struct session_message *m)
{
    return (in->role < 0 || (int)m->role == in->role) && (!in->from.us || m->said_at.us >= in->from.us) &&
           (!in->to.us || m->said_at.us < in->to.us);
}

/* ---- keeping the newest */

static bool session_is_newer(const struct session_hit *a, const struct session_hit *b)
{
    if (a->said_at.us != b->said_at.us)
        return a->said_at.us > b->said_at.us;
    return uuid_eq(a->session, b->session) ? a->seq > b->seq : uuid_cmp(a->session, b->session) > 0;
}

/* Sorted, at most limit; true: it is kept. */
static bool session_keep(struct session_seeking *w, const struct session_hit *h)
{
    size_t i = w->n, limit = (size_t)w->in->limit;

    if (w->n == limit && !session_is_newer(h, &w->hits[w->n - 1]))
        return false;
    if (w->n < limit)
        w->n++;
    else
        i--;
    for (; i > 0 && session_is_newer(h, &w->hits[i - 1]); i--)
        w->hits[i] = w->hits[i - 1];
    w->hits[i] = *h;
    return true;
}

/* ---- reading */

/* What is found is copied behind the mark; the rest of the block is let go of. */
static err session_seek_place(struct ctx *c, struct session_seeking *w, const struct session_place *p)
{
    struct arena_mark mark = arena_mark(c->arena);
    const struct session_message *m;
    bool kept = false;
    struct list list;

    TRY(session_log_store_messages(c, p->session_id, p->first_seq, p->last_seq, p->last_seq - p->first_seq + 1, &list));
    m = list.v;
    for (size_t i = 0; i < list.n; i++) {
        struct session_hit h = {.session = p->session_id, .session_id = p->external_id, .seq = m[i].seq, .role = m[i].role,
                                .name = m[i].name, .said_at = m[i].said_at};
        size_t at;

        if (!session_is_wanted(w->in, &m[i]))
            continue;
        at = session_match_at(w, w->in->case_sensitive ? m[i].content : unicode_lower(c->arena, m[i].content));
        if (at == SIZE_MAX)
            continue;
        h.excerpt = session_excerpt(c, m[i].content, at < strlen(m[i].content) ? at : 0);
        kept |= session_keep(w, &h);
    }
    if (!kept)
        arena_rewind(c->arena, mark);
    w->out->blocks_read++;
    return ERR_OK;
}

static bool session_seek_is_done(const struct session_seeking *w, const struct session_place *next)
{
    return w->n == (size_t)w->in->limit && w->hits[w->n - 1].said_at.us > next->newest_at.us;
}

static err session_seek_list(struct ctx *c, struct session_seeking *w, const struct list *places, int64_t until)
{
    const struct session_place *v = places->v;

    for (size_t i = 0; i < places->n && !session_seek_is_done(w, &v[i]); i++) {
        if (clock_monotonic_us() > until) {
            w->out->partial = true;
            w->out->searched_to = v[i].newest_at;
            return ERR_OK;
        }
        TRY(session_seek_place(c, w, &v[i]));
    }
    return ERR_OK;
}

static size_t session_seek_places(struct ctx *c, const struct session_seeking *w, uint32_t places[BLOOM_PLACES_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_words; i++) {
        const char *lower = unicode_lower(c->arena, w->words[i]);
        uint32_t more[BLOOM_PLACES_MAX];
        size_t found = bloom_places(lower, strlen(lower), more);

        for (size_t k = 0; k < found && n < BLOOM_PLACES_MAX; k++)
            places[n++] = more[k];
    }
    return n;
}

err session_log_search(struct ctx *c, const struct session_search *in, struct session_found *out)
{
    struct session_seeking w = {.in = in, .out = out, .hits = ARENA_ARRAY(c->arena, struct session_hit, (size_t)in->limit + 1)};
    struct uuids spaces = session_spaces(c, in->space_id);
    int64_t until = clock_monotonic_us() + TIME_BOX_US, all;
    uint32_t places[BLOOM_PLACES_MAX];
    struct list blocks, tails;
    size_t n;

    *out = (struct session_found){0};
    if (!uuid_is_nil(in->space_id))
        TRY(access_require(c, in->space_id, ACCESS_READ));
    if (strlen(in->q) < 3 || strlen(in->q) > SESSION_QUERY)
        return fail_field(c, "/q", "q is 3 to %d bytes long", SESSION_QUERY);
    session_seek_words(c, &w);
    n = session_seek_places(c, &w, places);
    TRY(session_log_store_tails(c, in, spaces, &tails));
    TRY(session_log_store_blocks(c, in, spaces, places, n, &blocks, &all));
    TRY(session_seek_list(c, &w, &tails, until));
    TRY(session_seek_list(c, &w, &blocks, until));
    out->hits = (struct list){w.hits, w.n};
    out->blocks_skipped = all + (int64_t)tails.n - out->blocks_read;
    return ERR_OK;
}
