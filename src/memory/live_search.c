/* Words of a query in keys and values that live for minutes or hours; see live_search.h. */
#include "live_search.h"

#include <string.h>

#include "lifecycle.h"
#include "short_term_store.h"
#include "subject.h"
#include "word_share.h"
#include "working_store.h"

#define IMPORTANCE 0.5 /* what memories have of which nobody said how much they matter */

/* ---- what is there, as people read it */

/* What is cut in the middle of a character ends before it. */
static const char *whole_characters(struct ctx *c, const char *s)
{
    size_t n = strlen(s), last = n;

    while (last && ((unsigned char)s[last - 1] & 0xc0) == 0x80)
        last--;
    if (last && (unsigned char)s[last - 1] >= 0xc0)
        last--;
    return n < LIVE_CHARS || last == n ? s : arena_strndup(c->arena, s, last);
}

/* A text that is there as a whole stands without its quotes. */
static const char *live_search_readable(struct ctx *c, const char *value)
{
    const struct json *j = *value == '"' && strlen(value) < LIVE_CHARS ? json_opened(c->arena, json_raw(c->arena, value)) : NULL;

    return json_is(j, JSON_STR) ? j->s : value;
}

static struct memory_hit live_search_hit_of(struct ctx *c, enum memory_tier tier, const struct live_key *k, double share)
{
    const char *text = live_search_readable(c, whole_characters(c, k->value)), *name = enumx_name(&memory_tier_enumx, (int)tier);
    size_t n = str_first_bytes(text, MEMORY_SEARCH_TEXT);

    return (struct memory_hit){ .tier = name, .kind = name, .id = k->id, .scope = k->scope, .key = k->key,
                                .text = text[n] ? arena_strndup(c->arena, text, n) : text,
                                .text_cut = text[n] != 0 || strlen(k->value) >= LIVE_CHARS, .untrusted = true,
                                .score = lifecycle_round(share * IMPORTANCE), .similarity = -1, .created_at = k->created_at };
}

/* ---- matching */

static void match(struct ctx *c, const char *query, enum memory_tier tier, const struct live_key *keys, size_t n, struct list *hits)
{
    struct word_share *texts = ARENA_ARRAY(c->arena, struct word_share, n + 1);
    struct memory_hit *out = ARENA_ARRAY(c->arena, struct memory_hit, n + 1);
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        texts[i] = (struct word_share){.title = keys[i].key, .body = keys[i].value};
    word_shares(c, query, texts, n);
    for (size_t i = 0; i < n; i++)
        if (texts[i].share > 0)
            out[found++] = live_search_hit_of(c, tier, &keys[i], texts[i].share);
    *hits = (struct list){out, found};
}

err live_search_working(struct ctx *c, const struct memory_search *in, struct list *hits)
{
    bool all = !in->session_id && !in->run_id && !in->task_id;
    struct working_scope s = {.agent_id = in->agent_id, .session_id = in->session_id, .run_id = in->run_id, .task_id = in->task_id};
    struct live_key *keys = ARENA_ARRAY(c->arena, struct live_key, LIVE_KEYS);
    size_t n;

    TRY(working_store_heads(c, &s, all, LIVE_CHARS, keys, LIVE_KEYS, &n));
    match(c, in->query, TIER_WORKING, keys, n, hits);
    return ERR_OK;
}

err live_working(struct ctx *c, struct uuid agent_id, struct live_key **keys, size_t *n)
{
    struct live_key *list = ARENA_ARRAY(c->arena, struct live_key, LIVE_KEYS);

    TRY(subject_require(c, agent_id, ACCESS_READ));
    TRY(working_store_heads(c, &(struct working_scope){.agent_id = agent_id}, true, LIVE_CHARS, list, LIVE_KEYS, n));
    for (size_t i = 0; i < *n; i++)
        list[i].value = live_search_readable(c, whole_characters(c, list[i].value));
    *keys = list;
    return ERR_OK;
}

/* ---- short-term memory: the statement lets through what may have a word, by how it begins */

#define BEGINNINGS 16
#define BEGIN_CHARS 4 /* stems of a word begin like the word */

static bool live_search_is_letter(unsigned char b)
{
    return b >= 0x80 || (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
}

static struct strs beginnings(struct ctx *c, const char *query)
{
    struct strs out = {ARENA_ARRAY(c->arena, const char *, BEGINNINGS), 0};

    for (const char *p = query; *p && out.n < BEGINNINGS;) {
        const char *from = p;
        size_t n;

        while (*p && live_search_is_letter((unsigned char)*p))
            p++;
        n = str_first_bytes(from, BEGIN_CHARS);
        if (p > from)
            out.v[out.n++] = arena_strndup(c->arena, from, n < (size_t)(p - from) ? n : (size_t)(p - from));
        while (*p && !live_search_is_letter((unsigned char)*p))
            p++;
    }
    return out;
}

err live_search_short_term(struct ctx *c, const struct memory_search *in, struct list *hits)
{
    struct live_key *keys = ARENA_ARRAY(c->arena, struct live_key, LIVE_ROWS);
    struct strs words = beginnings(c, in->query);
    size_t n = 0;

    if (words.n)
        TRY(short_term_store_heads(c, in->agent_id, in->session_id, words, LIVE_CHARS, keys, LIVE_ROWS, &n));
    match(c, in->query, TIER_SHORT_TERM, keys, n, hits);
    return ERR_OK;
}
