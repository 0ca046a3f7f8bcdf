/* Nodes kept in memory: what a cache holds and lets go, and that no interleaving of readers and writers, in one process or in
 * two, with Redis there or away, lets a read begin after a change and see what was before it. */
#include <signal.h>
#include <unistd.h>

#include "house.h"

#include "changes.h"
#include "edge.h"
#include "expiry.h"
#include "kv.h"
#include "kv_feed.h"
#include "node.h"
#include "node_cache.h"
#include "node_row.h"

/* ---- the cache by itself */

static struct node_key key_of(int account, int id)
{
    struct node_key k = {0};

    memcpy(k.account_id.b, &account, sizeof account);
    memcpy(k.id.b, &id, sizeof id);
    return k;
}

/* A row with every text set; the body says which it is. */
static struct node row_of(struct arena *a, int64_t version, size_t body)
{
    char *text = arena_alloc(a, body + 1);

    memset(text, 'x', body);
    return (struct node){.kind = arena_strdup(a, "note"), .title = arena_strdup(a, "Title"), .body = text,
                         .attrs = json_raw(a, arena_strdup(a, "{\"a\":1}")), .status = arena_strdup(a, "active"),
                         .author_kind = arena_strdup(a, "agent"), .source_id = arena_strdup(a, "s"),
                         .content_hash = {arena_strdup(a, "0123456789abcdef0123456789abcdef"), 32}, .version = version};
}

/* The version that is held, or 0. */
static int64_t held(struct node_cache *cache, uint64_t subscription, struct node_key k, struct node_moment *at)
{
    struct arena *a = arena_new(1 << 20);
    struct node n = {0};
    int64_t version = node_cache_find(cache, subscription, &k, a, &n, at) ? n.version : 0;

    arena_free(a);
    return version;
}

static void keep(struct node_cache *cache, struct node_moment at, struct node_key k, int64_t version, size_t body)
{
    struct arena *a = arena_new(1 << 20);
    struct node n = row_of(a, version, body);

    node_cache_keep(cache, &at, &k, &n);
    arena_free(a);
}

static void everything_comes_back(void **state)
{
    struct node_cache *cache = node_cache_new(1 << 20);
    struct node_key k = key_of(1, 1);
    struct arena *a = arena_new(1 << 20);
    struct node_moment at;
    struct node n = {0};

    (void)state;
    assert_int_equal(held(cache, 5, k, &at), 0);
    keep(cache, at, k, 3, 10);
    assert_true(node_cache_find(cache, 5, &k, a, &n, &at));
    node_cache_forget(cache, &k); /* what was handed out stays until the request ends */
    assert_string_equal(n.title, "Title");
    assert_string_equal(n.body, "xxxxxxxxxx");
    assert_string_equal(n.attrs->s, "{\"a\":1}");
    assert_string_equal(n.source_id, "s");
    assert_null(n.source_kind);
    assert_memory_equal(n.content_hash.p, "0123456789abcdef0123456789abcdef", 32);
    assert_int_equal(node_cache_state(cache).entries, 0);
    node_cache_free(cache);
    arena_free(a);
}

static void nothing_is_kept_that_was_heard_of_meanwhile(void **state)
{
    struct node_cache *cache = node_cache_new(1 << 20);
    struct node_key k = key_of(1, 1), same_account = key_of(1, 2), other_account = key_of(2, 1);
    struct node_moment at;

    (void)state;
    assert_int_equal(held(cache, 1, k, &at), 0); /* a reader looks … */
    node_cache_forget(cache, &k);                /* … a change is heard … */
    keep(cache, at, k, 1, 10);                   /* … and what the reader has read may be from before it */
    assert_int_equal(held(cache, 1, k, &at), 0);
    keep(cache, at, k, 2, 10);
    assert_int_equal(held(cache, 1, k, &at), 2);
    node_cache_forget_account(cache, k.account_id);
    assert_int_equal(held(cache, 1, k, &at), 0);
    node_cache_forget_account(cache, k.account_id);
    keep(cache, at, k, 2, 10);
    assert_int_equal(held(cache, 1, k, &at), 0);
    node_cache_forget_all(cache);
    keep(cache, at, k, 2, 10);
    assert_int_equal(held(cache, 1, k, &at), 0);
    keep(cache, at, k, 3, 10);
    node_cache_forget(cache, &same_account); /* of no concern */
    node_cache_forget_account(cache, other_account.account_id);
    assert_int_equal(held(cache, 1, k, &at), 3);
    node_cache_free(cache);
}

static void another_subscription_is_another_world(void **state)
{
    struct node_cache *cache = node_cache_new(1 << 20);
    struct node_key k = key_of(1, 1);
    struct node_moment at, nobody;

    (void)state;
    assert_int_equal(held(cache, 0, k, &nobody), 0);
    keep(cache, nobody, k, 1, 10); /* read while nobody listened */
    assert_int_equal(held(cache, 1, k, &at), 0);
    keep(cache, at, k, 1, 10);
    assert_int_equal(held(cache, 0, k, &nobody), 0);
    assert_int_equal(held(cache, 1, k, &at), 1); /* the line was only slow */
    assert_int_equal(held(cache, 2, k, &at), 0);
    assert_int_equal(held(cache, 1, k, &at), 0);
    assert_int_equal(held(cache, 2, k, &at), 0);
    keep(cache, (struct node_moment){1, at.node, at.account}, k, 1, 10); /* of a reader that is a line behind */
    assert_int_equal(held(cache, 2, k, &at), 0);
    node_cache_free(cache);
}

static void a_use_leaves_what_stands_in_it(void **state)
{
    struct node_cache *cache = node_cache_new(1 << 20);
    struct node_key k = key_of(1, 1);
    struct arena *a = arena_new(1 << 20);
    struct node_moment at, before;
    struct node n = {0};

    (void)state;
    held(cache, 1, k, &before);
    node_cache_used(cache, &k);
    keep(cache, before, k, 1, 10); /* read before or after the use? */
    assert_int_equal(held(cache, 1, k, &at), 0);
    keep(cache, at, k, 1, 10);
    node_cache_used(cache, &k);
    assert_int_equal(held(cache, 1, k, &at), 0);
    assert_true(node_cache_find_content(cache, 1, &k, a, &n, &at));
    assert_string_equal(n.title, "Title");
    keep(cache, at, k, 2, 10); /* read again */
    assert_int_equal(held(cache, 1, k, &at), 2);
    node_cache_used(cache, &k);
    node_cache_forget(cache, &k);
    assert_false(node_cache_find_content(cache, 1, &k, a, &n, &at));
    node_cache_free(cache);
    arena_free(a);
}

static void the_longest_unused_go_first(void **state)
{
    struct node_cache *cache = node_cache_new(64 * 1024);
    struct node_cache_state s;
    struct node_moment at;

    (void)state;
    for (int i = 0; i < 100; i++) {
        held(cache, 1, key_of(1, i), &at);
        keep(cache, at, key_of(1, i), i + 1, 4000);
        assert_int_equal(held(cache, 1, key_of(1, 0), &at), 1); /* in use all the time */
        assert_true(node_cache_state(cache).bytes <= 64 * 1024);
    }
    s = node_cache_state(cache);
    assert_in_range(s.entries, 10, 16);
    assert_int_equal(held(cache, 1, key_of(1, 99), &at), 100);
    assert_int_equal(held(cache, 1, key_of(1, 1), &at), 0);
    held(cache, 1, key_of(2, 1), &at);
    keep(cache, at, key_of(2, 1), 7, NODE_CACHE_ENTRY); /* too large */
    assert_int_equal(held(cache, 1, key_of(2, 1), &at), 0);
    assert_int_equal(node_cache_state(cache).entries, s.entries);
    node_cache_forget_all(cache);
    assert_int_equal(node_cache_state(cache).bytes, 0);
    node_cache_free(cache);
    assert_null(node_cache_new(0));
    assert_false(node_cache_find(NULL, 1, &(struct node_key){0}, test.arena, &(struct node){0}, &at));
}

/* ---- with stores: `test` writes in one process, `other` reads in another */

static struct uuid space;

static int process_begins(void **state)
{
    if (house_begins(state) != 0)
        return 1;
    house_other_app.node_cache = node_cache_new(1 << 20);
    house_other_app.feed = changes_feed_new(test_conf);
    return 0;
}

static int process_ends(void **state)
{
    changes_feed_free(house_other_app.feed);
    node_cache_free(house_other_app.node_cache);
    house_other_app.feed = NULL;
    return house_ends(state);
}

static int line_begins(void **state)
{
    house_test_begins(state);
    space = house_space("s").id;
    house_be_system(&test, &house_one);
    changes_tick(&other);
    assert_true(changes_listen(&house_other_app) != 0);
    return 0;
}

#define WITH_STORES(f) cmocka_unit_test_setup(f, line_begins)

static struct uuid made(const char *title)
{
    struct node n = {0};

    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = space, .kind = "note", .title = title}, &n));
    return n.id;
}

static void be_reader(void)
{
    house_request(&other);
    house_be_system(&other, &house_one);
}

/* What a request that begins so much later sees: its title, or "" */
static const char *seen_after(struct uuid id, int64_t us)
{
    struct node n = {0};

    be_reader();
    other.now.us += us;
    if (node_get(&other, id, &n) == ERR_OK)
        return n.title;
    ctx_forgive(&other);
    return "";
}

static const char *seen(struct uuid id)
{
    return seen_after(id, 0);
}

static uint64_t hits(void)
{
    return node_cache_state(house_other_app.node_cache).hits;
}

/* Whether reading it now is answered from memory. However slow the test is, its line is not silent for too long. */
static bool is_held(struct uuid id)
{
    uint64_t before = hits();

    changes_tick(&other);
    seen(id);
    return hits() != before;
}

/* Read twice, so that it is held. */
static struct uuid held_node(void)
{
    struct uuid id = made("one");

    changes_tick(&other);
    assert_string_equal(seen(id), "one");
    assert_true(is_held(id));
    return id;
}

static void retitle(struct uuid id, const char *title)
{
    OK(node_update(&test, id, &(struct node_patch){.set = NODE_SET_TITLE, .title = title}, NULL));
}

static void a_change_ends_what_is_held(void **state)
{
    struct uuid id = held_node();

    (void)state;
    for (int i = 0; i < 20; i++) {
        const char *title = arena_printf(test.arena, "title %d", i);

        retitle(id, title);
        assert_string_equal(seen(id), title);
        assert_string_equal(seen(id), title);
        is_held(id);
        assert_true(is_held(id));
    }
}

/* Every way to change a row tells of it. */
static void every_change_tells(void **state)
{
    struct uuid id = held_node(), target = held_node();
    struct node n = {0};

    (void)state;
#define TELLS(which, call) do { assert_true(is_held(which)); OK(call); assert_false(is_held(which)); } while (0)
    TELLS(id, node_pin(&test, id, true, &n));
    TELLS(id, node_boost(&test, id, 0.1, &n));
    TELLS(id, node_archive(&test, id, 0, &n));
    TELLS(id, node_unarchive(&test, id, 0, &n));
    TELLS(id, node_update(&test, id, &(struct node_patch){.set = NODE_SET_TRUST, .trust = 0.9}, &n));
    TELLS(target, edge_create(&test, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = id, .target_id = target, .relation = "uses"},
                              &(struct edge){0}));
    TELLS(id, node_forget(&test, id, 0));
    assert_string_equal(seen(id), "");
    OK(node_restore(&test, id, &n));
    assert_string_equal(seen(id), "one");
}

static void use(struct uuid id)
{
    house_app.touches = node_touches_new(100);
    node_touch(&test, &id, 1);
    OK(node_touch_flush(&test));
    node_touches_free(house_app.touches);
    house_app.touches = NULL;
}

static void uses_tell(void **state)
{
    struct uuid id = held_node();
    struct node n = {0};

    (void)state;
    use(id);
    be_reader();
    OK(node_get(&other, id, &n));
    assert_int_equal(n.access_count, 1);
}

/* ---- what stands in many */

#define CHARS 50

static struct node_content content_of(struct uuid id)
{
    struct node_content one;

    be_reader();
    OK(node_contents_read(&other, &id, 1, CHARS, &one));
    return one;
}

static void contents_outlive_uses(void **state)
{
    struct uuid id = held_node();
    uint64_t before;

    (void)state;
    use(id);
    changes_tick(&other);
    before = hits();
    assert_string_equal(content_of(id).node.title, "one");
    assert_int_equal(hits(), before + 1);
    retitle(id, "two");
    assert_string_equal(content_of(id).node.title, "two");
}

static void many_contents_are_read_in_one_statement(void **state)
{
    struct uuid ids[4] = {made("one"), made("two"), uuid_new(1), made("long")};
    struct node_content all[4];
    int64_t calls;

    (void)state;
    OK(node_update(&test, ids[3], &(struct node_patch){.set = NODE_SET_BODY, .body = arena_printf(test.arena, "%060d", 7)}, NULL));
    changes_tick(&other);
    for (int round = 0; round < 3; round++) {
        be_reader();
        calls = db_test_calls(other.db);
        OK(node_contents_read(&other, ids, round == 2 ? 2 : 4, CHARS, all));
        /* one for all, one more for what was not there or locked; in the end both are held */
        assert_int_equal(db_test_calls(other.db) - calls, round == 2 ? 0 : 2);
        assert_string_equal(all[0].node.title, "one");
        assert_string_equal(all[1].node.title, "two");
        assert_false(all[0].body_cut);
        assert_false(all[2].found);
        assert_true(all[3].body_cut);
        assert_int_equal(strlen(all[3].node.body), CHARS);
    }
    assert_false(is_held(ids[3])); /* the half that was read is not kept … */
    assert_true(is_held(ids[3]));
    assert_true(content_of(ids[3]).body_cut); /* … and of what is held so much is shown */
    assert_int_equal(strlen(content_of(ids[3]).node.body), CHARS);
}

static err contents_between(struct ctx *c, void *arg)
{
    const struct uuid *id = arg;

    TRY(node_update(c, *id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "two"}, NULL));
    assert_string_equal(content_of(*id).node.title, "one");
    assert_string_equal(content_of(*id).node.title, "one");
    assert_false(is_held(*id));
    return ERR_OK;
}

static void no_contents_are_kept_while_a_change_is_under_way(void **state)
{
    struct uuid id = held_node();

    (void)state;
    OK(db_tx(&test, contents_between, &id));
    assert_string_equal(content_of(id).node.title, "two");
}

static err expire(struct ctx *c, void *arg)
{
    (void)arg;
    return expiry_nodes(c, 1000, &(int64_t){0});
}

static void expiry_tells(void **state)
{
    struct uuid id = held_node();
    struct node n = {0};

    (void)state;
    OK(node_update(&test, id, &(struct node_patch){.set = NODE_SET_EXPIRES, .expires_at = {test.now.us + 3600 * SECOND_US}}, NULL));
    assert_string_equal(seen(id), "one");
    assert_string_equal(seen_after(id, 7200 * SECOND_US), ""); /* held or not: its time is over */
    house_request(&test);
    house_be_system(&test, &house_one);
    test.now.us += 7200 * SECOND_US;
    OK(db_tx(&test, expire, NULL));
    be_reader();
    OK(node_get(&other, id, &n));
    assert_string_equal(n.status, NODE_ARCHIVED);
}

/* What one transaction does step by step. */
struct steps {
    struct uuid id;
    const char *before, *after;
    bool fails;
};

static err between(struct ctx *c, void *arg)
{
    const struct steps *s = arg;

    TRY(node_update(c, s->id, &(struct node_patch){.set = NODE_SET_TITLE, .title = s->after}, NULL));
    assert_string_equal(seen(s->id), s->before); /* told, not committed: read, and not kept */
    assert_string_equal(seen(s->id), s->before);
    assert_false(is_held(s->id));
    return s->fails ? fail(c, ERR_CONFLICT, "no") : ERR_OK;
}

static void nothing_is_kept_while_a_change_is_under_way(void **state)
{
    struct steps s = {.id = held_node(), .before = "one", .after = "two"};

    (void)state;
    OK(db_tx(&test, between, &s));
    assert_string_equal(seen(s.id), "two");
    s = (struct steps){.id = s.id, .before = "two", .after = "three", .fails = true};
    assert_err(db_tx(&test, between, &s), ERR_CONFLICT);
    ctx_forgive(&test);
    assert_string_equal(seen(s.id), "two");
    assert_true(is_held(s.id));
}

static err only_locked(struct ctx *c, void *arg)
{
    const struct steps *s = arg;
    scoped_cursor q = {0};

    /* A writer that has the row and has not told yet. */
    TRY(db_query(c, &q, "SELECT id FROM node WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(s->id)));
    assert_string_equal(seen(s->id), "one");
    assert_false(is_held(s->id));
    db_cursor_done(&q);
    return node_update(c, s->id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "two"}, NULL);
}

static void nothing_is_kept_that_a_writer_has_locked(void **state)
{
    struct steps s = {.id = made("one")};

    (void)state;
    OK(db_tx(&test, only_locked, &s));
    assert_string_equal(seen(s.id), "two");
}

static err read_own(struct ctx *c, void *arg)
{
    const struct steps *s = arg;
    struct node n = {0};

    TRY(node_update(c, s->id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "mine"}, NULL));
    TRY(node_get(c, s->id, &n));
    assert_string_equal(n.title, "mine"); /* not yet anybody's */
    return fail(c, ERR_CONFLICT, "no");
}

static void a_transaction_reads_its_own_and_keeps_nothing(void **state)
{
    struct steps s = {.id = held_node()};

    (void)state;
    be_reader();
    assert_err(db_tx(&other, read_own, &s), ERR_CONFLICT);
    assert_string_equal(seen(s.id), "one");
}

/* ---- Redis comes and goes */

static void a_lost_line_ends_everything(void **state)
{
    struct uuid id = held_node();

    (void)state;
    stack_kv_signal(SIGKILL);
    retitle(id, "two"); /* could not be told */
    assert_string_equal(seen(id), "two");
    assert_false(is_held(id));
    stack_kv_again();
    assert_string_equal(seen(id), "two");
    retitle(id, "three");
    changes_tick(&other);
    changes_tick(&other);
    assert_string_equal(seen(id), "three");
    assert_true(is_held(id));
    retitle(id, "four");
    assert_string_equal(seen(id), "four");
}

static void a_new_database_connection_ends_everything(void **state)
{
    struct uuid id = held_node();

    (void)state;
    changes_tick(&other);
    assert_true(is_held(id));
    stack_db_signal(SIGKILL);
    stack_db_again();
    changes_tick(&other);
    assert_false(is_held(id));
    assert_true(is_held(id));
    changes_tick(&other);
    assert_true(is_held(id));
}

static err while_nobody_hears(struct ctx *c, void *arg)
{
    const struct steps *s = arg;

    stack_kv_signal(SIGKILL);
    TRY(node_update(c, s->id, &(struct node_patch){.set = NODE_SET_TITLE, .title = "two"}, NULL));
    stack_kv_again();
    changes_tick(&other); /* a new line, on which this change was never told */
    changes_tick(&other);
    assert_true(changes_listen(&house_other_app) != 0);
    assert_string_equal(seen(s->id), "one");
    assert_false(is_held(s->id));
    return ERR_OK;
}

static void a_line_that_began_within_a_change(void **state)
{
    struct steps s = {.id = held_node()};

    (void)state;
    OK(db_tx(&test, while_nobody_hears, &s));
    assert_string_equal(seen(s.id), "two");
    assert_true(is_held(s.id));
}

/* Redis does not answer: the change waits until nobody trusts the line. */
static void a_mute_redis(void **state)
{
    struct uuid id = held_node();
    int64_t began = clock_monotonic_us();

    (void)state;
    stack_kv_signal(SIGSTOP);
    retitle(id, "two");
    assert_true(clock_monotonic_us() - began >= KV_FEED_TRUST_US);
    assert_string_equal(seen(id), "two");
    stack_kv_signal(SIGCONT);
    assert_string_equal(seen(id), "two");
    changes_tick(&other);
    changes_tick(&other);
    assert_string_equal(seen(id), "two");
    retitle(id, "three");
    assert_string_equal(seen(id), "three");
}

/* More than a socket holds: what still waits at Redis is waited for. */
static void a_flood(void **state)
{
    struct uuid id = held_node();

    (void)state;
    for (int i = 0; i < 1000; i++)
        OK(kv_publish(&test, CHANGES_CHANNEL, arena_printf(test.arena, "access %s", UUID_STR(house_two.id))));
    retitle(id, "two");
    assert_string_equal(seen(id), "two");
    for (int i = 0; i < 100 && changes_listen(&house_other_app) == 0; i++) {
        usleep(10000);
        changes_tick(&other);
    }
    assert_string_equal(seen(id), "two");
    assert_true(is_held(id));
}

static void what_is_not_understood_ends_everything(void **state)
{
    static const char *const BAD[] = {"?", "node", "node x", "node 01a1ef3e-aac1-7ce8-af0b-e67a63bb5451 ",
                                      "node 01a1ef3e-aac1-7ce8-af0b-e67a63bb5451 *x", "access", "access 1"};

    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct uuid id = held_node();

        OK(kv_publish(&test, CHANGES_CHANNEL, BAD[i]));
        assert_false(is_held(id));
    }
}

static void the_account_is_told_where_there_are_many(void **state)
{
    struct uuid id = held_node();

    (void)state;
    OK(kv_publish(&test, CHANGES_CHANNEL, arena_printf(test.arena, "node %s *", UUID_STR(house_two.id))));
    assert_true(is_held(id));
    OK(kv_publish(&test, CHANGES_CHANNEL, arena_printf(test.arena, "node %s *", UUID_STR(house_one.id))));
    assert_false(is_held(id));
}

/* What is held widens nothing. */
static void held_rows_are_shown_to_whom_they_were(void **state)
{
    struct uuid id = held_node();
    struct agent a = house_agent("agent");
    const char *token = arena_strdup(test.arena, house_agent_token(a.id));
    struct node n = {0};

    (void)state;
    house_request(&other);
    house_be(&other, token);
    assert_err(node_get(&other, id, &n), ERR_NOT_FOUND);
    house_request(&other);
    house_be_system(&other, &house_two);
    assert_err(node_get(&other, id, &n), ERR_NOT_FOUND);
    assert_true(is_held(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(nothing_is_kept_that_was_heard_of_meanwhile),
        cmocka_unit_test(another_subscription_is_another_world),
        cmocka_unit_test(a_use_leaves_what_stands_in_it),
        cmocka_unit_test(the_longest_unused_go_first),
        WITH_STORES(a_change_ends_what_is_held),
        WITH_STORES(every_change_tells),
        WITH_STORES(uses_tell),
        WITH_STORES(contents_outlive_uses),
        WITH_STORES(many_contents_are_read_in_one_statement),
        WITH_STORES(no_contents_are_kept_while_a_change_is_under_way),
        WITH_STORES(expiry_tells),
        WITH_STORES(nothing_is_kept_while_a_change_is_under_way),
        WITH_STORES(nothing_is_kept_that_a_writer_has_locked),
        WITH_STORES(a_transaction_reads_its_own_and_keeps_nothing),
        WITH_STORES(a_lost_line_ends_everything),
        WITH_STORES(a_new_database_connection_ends_everything),
        WITH_STORES(a_line_that_began_within_a_change),
        WITH_STORES(a_mute_redis),
        WITH_STORES(a_flood),
        WITH_STORES(what_is_not_understood_ends_everything),
        WITH_STORES(the_account_is_told_where_there_are_many),
        WITH_STORES(held_rows_are_shown_to_whom_they_were),
    };

    return cmocka_run_group_tests(tests, process_begins, process_ends);
}
