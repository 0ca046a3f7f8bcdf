/* The recall index beside writers: what it holds in the end, late commits, little memory, little time, no database. */
#include "graphtest.h"

#include <pthread.h>

#include "account.h"
#include "edge.h"
#include "index_impl.h"
#include "index_pack.h"
#include "limit.h"
#include "node.h"
#include "segment_pack.h"
#include "simd.h"
#include "slow.h"
#include "space.h"
#include "vector.h"
#include "versions.h"

#define WRITES_MAX 10000
#define READERS 2

static struct recall_index *first, *fresh;
static uint64_t seed = 7;

static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static const struct snapshot *look(struct recall_index *ri)
{
    const struct snapshot *s;
    const char *degraded;

    test_app.recall = ri;
    OK(index_snapshot(&test, &s, &degraded));
    assert_null(degraded);
    return s;
}

/* ---- what an index holds, as text ---------------------------------------------------------------------- */

static void tell_row(struct buf *out, const struct snapshot *s, uint32_t row)
{
    struct row_at at = snapshot_at(s, row);
    const struct segment *g = at.in;
    uint32_t r = at.r;
    const struct row_group *group = &g->groups[g->group[r]];
    const struct row_times *t = &g->times[r];
    uint64_t names = 0;

    for (uint32_t i = g->mention_at[r]; i < g->mention_at[r + 1]; i++)
        names += g->entity_key[g->mentions[i].entity] * (g->mentions[i].times + 256u * g->mentions[i].in_title);
    buf_printf(out, "%s %s %u %u %a %a %a %a", UUID_STR(g->ids[r]), UUID_STR(group->space_id), group->kind, group->flags,
               (double)g->scores[r].importance, (double)g->scores[r].confidence, (double)g->scores[r].trust,
               (double)g->scores[r].decay_rate);
    buf_printf(out, " %ld %ld %ld %ld %ld %ld %ld %ld %ld", (long)t->created, (long)t->valid_from, (long)t->valid_to,
               (long)t->expires, (long)t->known_from, (long)t->known_to, (long)t->decayed, (long)t->updated,
               (long)t->vector_updated);
    buf_printf(out, " %lx %u %u %lx %lx %u", (unsigned long)g->session[r], g->sequence[r], g->tokens[r],
               (unsigned long)g->simhash[r], (unsigned long)names, g->facet_at[r + 1] - g->facet_at[r]);
    buf_printf(out, " %d\n", g->dense && dense_has(g->dense, r));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lines in order, whatever segments they come from. */
static const char *told(const struct snapshot *s)
{
    const char **lines = ARENA_ARRAY(test.arena, const char *, s->n_live + s->n_edges + 1);
    struct buf out, line;
    size_t n = 0;

    for (uint32_t row = 0; row < s->n_rows; row++)
        if (bit_is_set(s->live, row)) {
            buf_init(&line, test.arena, 400);
            tell_row(&line, s, row);
            lines[n++] = buf_str(&line);
        }
    for (size_t i = 0; i < s->n_edge_sets; i++)
        for (uint32_t e = 0; e < s->edge_sets[i]->n; e++) {
            const struct edge_row *row = &s->edge_sets[i]->rows[e];

            if (bit_is_set(s->edge_live[i], e))
                lines[n++] = arena_printf(test.arena, "%s %s %s %a %u %ld %ld\n", UUID_STR(row->id), UUID_STR(row->source),
                                          s->edge_sets[i]->names + row->relation, (double)row->weight, row->flags,
                                          (long)row->retired, (long)row->updated);
        }
    assert_int_equal(n, s->n_live + s->n_edges);
    qsort(lines, n, sizeof *lines, by_text);
    buf_init(&out, test.arena, 1 << 20);
    for (size_t i = 0; i < n; i++)
        buf_puts(&out, lines[i]);
    return buf_str(&out);
}

static void same_as(struct recall_index *ri)
{
    const char *is = told(look(ri));

    test_app.recall = fresh;
    index_forget(&test);
    assert_string_equal(is, told(look(fresh)));
}

static void same_as_fresh(void)
{
    same_as(first);
}

/* ---- ten thousand writes -------------------------------------------------------------------------------- */

static struct uuid nodes[WRITES_MAX + 64];
static size_t n_nodes;

static struct node_new any_node(void)
{
    struct json *attrs = json_obj(test.arena);

    json_set_str(test.arena, attrs, "session", arena_printf(test.arena, "s%u", dice(20)));
    json_set_int(test.arena, attrs, "seq", dice(100));
    return (struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = dice(2) ? "note" : "episode",
                             .title = arena_printf(test.arena, "Title %u", dice(1000)), .attrs = attrs,
                             .body = arena_printf(test.arena, "Alice met Person%u in Berlin about ERR_%u", dice(99), dice(99))};
}

static void create_some(size_t n)
{
    struct node_new *in = ARENA_ARRAY(test.arena, struct node_new, n);

    for (size_t i = 0; i < n; i++)
        in[i] = any_node();
    OK(node_create_many(&test, in, n, nodes + n_nodes, NULL));
    n_nodes += n;
}

static err change_one(struct uuid id)
{
    struct node n;
    struct vector v;
    struct edge e;

    switch (dice(8)) {
    case 0: return node_forget(&test, id, 0);
    case 1: return node_restore(&test, id, &n);
    case 2: return node_archive(&test, id, 0, &n);
    case 3: return node_pin(&test, id, dice(2), &n);
    case 4:
        return vector_put(&test, id, "mine", (struct nums){(double[]){dice(9) + 1.0, dice(9), 1}, 3}, &v);
    case 5: return edge_create(&test, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = id, .relation = "related_to",
                                                         .target_id = nodes[dice((uint32_t)n_nodes)]}, &e);
    default: return node_update(&test, id, &(struct node_patch){.set = NODE_SET_BODY, .body = any_node().body}, &n);
    }
}

static bool writing;

/* Recalls as others make them: each sees at least what it saw before. */
static void *reads_on(void *arg)
{
    struct ctx c = {.app = &test_app};
    const struct snapshot *s;
    const char *degraded;
    intptr_t n = 0;
    uint32_t before = 0;

    (void)arg;
    stack_ctx(&c, test_conf, 30);
    c.app = &test_app;
    for (; __atomic_load_n(&writing, __ATOMIC_ACQUIRE); n++) {
        arena_reset(c.arena);
        ctx_begin(&c, 30);
        c.account_id = cast.account_id[ALICE];
        if (index_snapshot(&c, &s, &degraded) != ERR_OK || degraded || s->n_live < before)
            return NULL;
        before = s->n_live;
    }
    stack_ctx_done(&c);
    return (void *)(n + 1);
}

static void write_all(int writes)
{
    for (int done = 0; done < writes; done++) {
        if (done % 100 == 0)
            act(ALICE);
        if (n_nodes < 200 || dice(60) == 0) {
            create_some(60);
            done += 59;
        } else if (change_one(nodes[dice((uint32_t)n_nodes)]) != ERR_OK) {
            ctx_forgive(&test); /* it is forgotten, say */
        }
    }
}

static void writes_beside_reads_end_in_what_a_fresh_load_gives(void **state)
{
    pthread_t readers[READERS];
    struct index_stats stats;
    struct vector v;
    size_t reads = 0;
    int writes = slow_times(WRITES_MAX, WRITES_MAX, 2000);

    (void)state;
    act(ALICE);
    create_some(1);
    OK(vector_put(&test, nodes[0], "mine", (struct nums){(double[]){1, 2, 3}, 3}, &v));
    look(first); /* the account has its model: one that gets it is read anew, which may take a while */
    writing = true;
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, reads_on, NULL), 0);
    write_all(writes);
    __atomic_store_n(&writing, false, __ATOMIC_RELEASE);
    for (int i = 0; i < READERS; i++) {
        void *n;

        pthread_join(readers[i], &n);
        assert_non_null(n);
        reads += (size_t)(intptr_t)n - 1;
    }
    act(ALICE);
    same_as_fresh();
    index_settle(first);
    same_as_fresh();
    index_stats(first, &stats);
    print_message("%zu reads beside %d writes; %zu nodes, %zu edges in %zu segments, %zu bytes, %ld merges\n", reads, writes,
                  stats.nodes, stats.edges, stats.segments, stats.bytes, (long)stats.merges);
    assert_true(stats.merges > 0);
    assert_true(stats.segments < 64);
    assert_int_equal(stats.nodes, test_number("SELECT COUNT(*) FROM node"));
}

/* ---- one at a time -------------------------------------------------------------------------------------- */

static uint32_t row_of(struct uuid id)
{
    return snapshot_find(look(first), id);
}

static unsigned flags_of(struct uuid id)
{
    const struct snapshot *s = look(first);
    struct row_at at = snapshot_at(s, snapshot_find(s, id));

    return at.in->groups[at.in->group[at.r]].flags;
}

static void each_change_is_in_the_next_look(void **state)
{
    struct node n;
    struct node_new in;
    struct vector v;

    (void)state;
    act(ALICE);
    in = any_node();
    OK(node_create(&test, &in, &n));
    assert_int_equal(flags_of(n.id), 0);
    OK(vector_put(&test, n.id, "mine", (struct nums){(double[]){1, 2, 3}, 3}, &v));
    assert_int_equal(flags_of(n.id), ROW_HAS_VECTOR);
    OK(node_pin(&test, n.id, true, &n));
    assert_int_equal(flags_of(n.id), ROW_HAS_VECTOR | ROW_PINNED);
    OK(node_forget(&test, n.id, 0));
    assert_int_equal(flags_of(n.id), ROW_HAS_VECTOR | ROW_PINNED | ROW_FORGOTTEN);
    OK(node_restore(&test, n.id, &n));
    OK(node_archive(&test, n.id, 0, &n));
    assert_int_equal(flags_of(n.id), ROW_HAS_VECTOR | ROW_PINNED | ROW_ARCHIVED);
    same_as_fresh();
}

static void what_another_holds_back_is_seen_once_it_commits(void **state)
{
    struct ctx late;
    struct uuid id;
    struct node_new in;
    struct node n;

    (void)state;
    act(ALICE);
    in = any_node();
    OK(node_create(&test, &in, &n));
    look(first);
    stack_ctx(&late, test_conf, 30);
    id = uuid_new(test.now.us);
    test_ok(&late, db_run_text(&late, "START TRANSACTION", 17), "begin", __FILE__, __LINE__);
    test_ok(&late, db_exec(&late, NULL,
                           "INSERT INTO node (account_id, id, space_id, kind, title, body, decayed_at, author_kind, author_id, "
                           "content_hash, created_at, updated_at) SELECT account_id, ?, space_id, kind, 'late', body, decayed_at, "
                           "author_kind, author_id, content_hash, created_at, ? FROM node WHERE id = ?",
                           IN(id), IN(((struct instant){test.now.us - 20 * SECOND_US})), IN(n.id)), "insert", __FILE__, __LINE__);
    assert_int_equal(row_of(id), NO_ROW);
    for (int i = 0; i < 3; i++) {
        in = any_node();
        OK(node_create(&test, &in, &n));
        assert_int_equal(row_of(id), NO_ROW);
    }
    test_ok(&late, db_run_text(&late, "COMMIT", 6), "commit", __FILE__, __LINE__);
    stack_ctx_done(&late);
    assert_int_not_equal(row_of(id), NO_ROW);
    assert_int_not_equal(snapshot_find(look(fresh), id), NO_ROW);
}

/* Longer than any look reaches back: the sweep finds it, without a request's doing. */
static void what_commits_very_late_is_swept_in(void **state)
{
    struct recall_index *swept = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1u << 30,
                                                                           .reload_after_us = DAY_US, .sweep_every_us = 1}, NULL);
    struct node_new in;
    struct node n;
    struct uuid id;

    (void)state;
    act(ALICE);
    in = any_node();
    OK(node_create(&test, &in, &n));
    look(swept);
    id = uuid_new(test.now.us);
    OK(db_exec(&test, NULL,
               "INSERT INTO node (account_id, id, space_id, kind, title, body, decayed_at, author_kind, author_id, "
               "content_hash, created_at, updated_at) SELECT account_id, ?, space_id, kind, 'late', body, decayed_at, "
               "author_kind, author_id, content_hash, created_at, ? FROM node WHERE id = ?",
               IN(id), IN(((struct instant){test.now.us - 600 * SECOND_US})), IN(n.id)));
    assert_int_equal(snapshot_find(look(swept), id), NO_ROW);
    index_tick(&test);
    assert_int_not_equal(snapshot_find(look(swept), id), NO_ROW);
    index_tick(&test); /* nothing to be done */
    look(first);
    test_app.recall = first;
    index_forget(&test);
    arena_reset(test.arena);
    recall_index_free(swept);
}

/* ---- packs ---------------------------------------------------------------------------------------------- */

static struct recall_index *with_packs(void)
{
    return recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = (size_t)1 << 30, .reload_after_us = DAY_US,
                                                     .packs = true}, NULL);
}

/* What a look finds in an index that may read packs is what one finds that reads the nodes. */
static void same_with_packs(bool by_pack)
{
    struct recall_index *packs = with_packs();
    const char *is, *fresh_is;
    struct uuid some = nodes[17];
    struct index_stats stats;

    is = told(look(packs));
    index_stats(packs, &stats);
    test_app.recall = fresh;
    index_forget(&test);
    fresh_is = told(look(fresh));
    assert_string_equal(is, fresh_is);
    assert_int_equal(stats.packs, by_pack);
    assert_int_equal(look(packs)->holds_vectors, look(fresh)->holds_vectors);
    assert_int_equal(snapshot_find(look(packs), some) != NO_ROW, snapshot_find(look(fresh), some) != NO_ROW);
    arena_reset(test.arena);
    recall_index_free(packs);
    act(ALICE);
}

/* By the float32 vectors of all rows. */
static struct dense_hit *scores(const struct segment *s)
{
    struct dense_hit *hits = ARENA_ARRAY(test.arena, struct dense_hit, s->n);
    struct dense_options o = {.k = s->n};
    struct code_query q;

    assert_true(codec_query(dense_codec(s->dense), test.arena, (float[]){1, 2, 3}, &q));
    for (uint32_t r = 0; r < s->n; r++)
        hits[r].row = r;
    OK(dense_score(test.arena, &q, &(struct dense_source){.part = s->dense, .ids = s->ids}, &o, hits, s->n));
    return hits;
}

/* To the last byte: words, codes, names, vectors and all. */
static void same_arrays(void)
{
    struct recall_index *packs = with_packs();
    const struct snapshot *a = look(packs), *b = look(fresh);
    struct segment_pack x, y;
    struct pack_list in_a = {.n = 0}, in_b = in_a;

    assert_int_equal(a->n_segments, 1);
    assert_int_equal(b->n_segments, 1);
    segment_pack(a->segments[0], &x, &in_a);
    segment_pack(b->segments[0], &y, &in_b);
    assert_int_equal(in_a.n, in_b.n);
    for (size_t i = 0; i < in_a.n; i++) {
        assert_int_equal(in_a.at[i].n, in_b.at[i].n);
        if (in_a.at[i].n)
            assert_memory_equal(in_a.at[i].p, in_b.at[i].p, in_a.at[i].n);
    }
    assert_true(a->holds_vectors && dense_vectors(a->segments[0]->dense) > 0);
    assert_memory_equal(scores(a->segments[0]), scores(b->segments[0]), b->segments[0]->n * sizeof(struct dense_hit));
    arena_reset(test.arena);
    recall_index_free(packs);
    act(ALICE);
}

static void a_pack_is_read_like_the_nodes(void **state)
{
    int64_t packed = 0;
    struct uuid ids[4];
    size_t n;

    (void)state;
    act(ALICE);
    same_with_packs(false);
    OK(index_pack_due(&test, 1000, (struct uuid){{0}}, ids, 4, &n));
    assert_true(n >= 1);
    OK(index_pack_write(&test, &packed));
    assert_int_equal(packed, test_number("SELECT COUNT(*) FROM node n JOIN account a ON a.id = n.account_id WHERE a.slug = 'one'"));
    assert_int_equal(test_number("SELECT COUNT(DISTINCT generation) FROM recall_pack"), 1);
    OK(index_pack_due(&test, 1000, (struct uuid){{0}}, ids, 4, &n));
    assert_int_equal(n, 0);
    same_with_packs(true);
    same_arrays();
    for (int i = 0; i < 300; i++) /* and what changed since */
        if (change_one(nodes[dice((uint32_t)n_nodes)]) != ERR_OK)
            ctx_forgive(&test);
    create_some(60);
    act(ALICE);
    same_with_packs(true);
    OK(index_pack_write(&test, &packed));
    assert_int_equal(test_number("SELECT COUNT(DISTINCT generation) FROM recall_pack"), 1);
    same_with_packs(true);
}

/* Float32 vectors are not packed: where there is room, they are read beside it. */
static void vectors_are_read_beside_a_pack(void **state)
{
    struct recall_index *small = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1 << 20,
                                                                          .reload_after_us = DAY_US, .packs = true}, NULL);
    struct index_stats stats;
    int64_t packed;

    (void)state;
    act(ALICE);
    OK(index_pack_write(&test, &packed));
    assert_false(look(small)->holds_vectors);
    index_stats(small, &stats);
    assert_int_equal(stats.packs, 1);
    arena_reset(test.arena);
    recall_index_free(small);
    act(ALICE);
    same_with_packs(true);
    test_sql("DELETE FROM `vector` WHERE account_id = (SELECT id FROM account WHERE slug = 'one') ORDER BY node_id LIMIT 1");
    same_with_packs(false); /* whose rows would have vectors that are gone */
}

static void a_pack_that_is_damaged_is_passed_over(void **state)
{
    static const char *const HARM[] = {
        "UPDATE recall_pack SET data = INSERT(data, 1000, 1, CHAR(ASCII(SUBSTR(data, 1000, 1)) ^ 1)) WHERE part = 0",
        "UPDATE recall_pack SET data = LEFT(data, LENGTH(data) - 1) ORDER BY part DESC LIMIT 1",
        "DELETE FROM recall_pack ORDER BY part DESC LIMIT 1",
        "UPDATE recall_pack_head SET fingerprint = fingerprint + 1",
        "UPDATE recall_pack_head SET watermark = watermark - INTERVAL 3 DAY",
        "UPDATE recall_pack_head SET languages = languages + 1",
        "UPDATE recall_pack_head SET meta = LEFT(meta, 8)",
        "UPDATE recall_pack_head SET parts = parts - 1",
    };
    int64_t packed;

    (void)state;
    act(ALICE);
    for (size_t i = 0; i < sizeof HARM / sizeof *HARM; i++) {
        OK(index_pack_write(&test, &packed));
        test_sql(HARM[i]);
        same_with_packs(false);
    }
}

#define ERASED "Zyzzyvania"
#define CHUNKS_WITH_IT "SELECT COUNT(*) FROM recall_pack WHERE LOCATE(LOWER('" ERASED "'), data) > 0"

/* A node whose first state, long past, is the only one that has the word. */
static struct uuid with_an_old_word(void)
{
    struct node_new made = any_node();
    struct node n;

    made.kind = "note";
    made.body = "Alice left for " ERASED " today";
    OK(node_create(&test, &made, &n));
    for (size_t i = 0; i < LIMIT_NODE_VERSIONS + 1; i++)
        OK(node_update(&test, n.id, &(struct node_patch){.set = NODE_SET_BODY, .body = any_node().body}, &n));
    return n.id;
}

static err prune(struct ctx *c, void *id)
{
    int64_t n;
    bool more;

    return versions_prune(c, *(struct uuid *)id, &n, &more);
}

/* Whatever deletes rows of nodes: the words are gone from the database when it commits, not when the pack is written anew. */
static void what_is_erased_is_in_no_pack(void **state)
{
    struct uuid id;
    int64_t packed;

    (void)state;
    act(ALICE);
    id = with_an_old_word();
    OK(index_pack_write(&test, &packed));
    assert_true(test_number(CHUNKS_WITH_IT) > 0);
    test_app.nodes_erased = index_pack_void;
    OK(db_tx(&test, prune, &id));
    assert_int_equal(test_number("SELECT COUNT(*) FROM node WHERE LOCATE('" ERASED "', body) > 0"), 0);
    assert_int_equal(test_number(CHUNKS_WITH_IT), 0);
    same_with_packs(false);
    OK(index_pack_write(&test, &packed));
    assert_true(packed > 0 && test_number("SELECT COUNT(*) FROM recall_pack") > 0);
    assert_int_equal(test_number(CHUNKS_WITH_IT), 0);
    same_with_packs(true);
}

/* Read before something was erased, written after it: no pack. */
static void what_is_erased_meanwhile_is_in_no_pack(void **state)
{
    int64_t packed;

    (void)state;
    act(ALICE);
    test_sql("CREATE TRIGGER meanwhile AFTER INSERT ON recall_pack FOR EACH ROW "
             "UPDATE recall_pack_head SET generation = UUID(), fingerprint = 0 WHERE account_id = NEW.account_id");
    OK(index_pack_write(&test, &packed));
    test_sql("DROP TRIGGER meanwhile");
    assert_int_equal(packed, 0);
    assert_int_equal(test_number("SELECT COUNT(*) FROM recall_pack"), 0);
    same_with_packs(false);
    OK(index_pack_write(&test, &packed));
    same_with_packs(true);
}

/* ---- little of something -------------------------------------------------------------------------------- */

#define SMALL_STEP 50

static struct uuid account_with(const char *slug, size_t n)
{
    struct account account;
    struct space global;

    ctx_begin(&test, 30);
    OK(account_create(&test, slug, slug, "test", NULL, &account));
    OK(access_as_system(&test, account.id, "test"));
    OK(space_by_slug(&test, SPACE_NAMESPACE, "global", &global));
    for (size_t i = 0; i < n; i += SMALL_STEP) {
        struct node_new in[SMALL_STEP];
        struct uuid made[SMALL_STEP];

        for (size_t j = 0; j < SMALL_STEP; j++) {
            in[j] = any_node();
            in[j].space_id = global.id;
        }
        OK(node_create_many(&test, in, SMALL_STEP, made, NULL));
    }
    return account.id;
}

/* The sums that are kept are those of the accounts that are there. */
static void the_sums_are_right(struct recall_index *ri, const struct index_stats *stats)
{
    struct index_account rows[8];
    size_t n = index_accounts(ri, NULL, rows, 8), live = 0, bytes = 0;

    for (size_t i = 0; i < n; i++) {
        live += rows[i].nodes;
        bytes += rows[i].bytes;
    }
    assert_int_equal(stats->accounts, n);
    assert_int_equal(stats->nodes, live);
    assert_int_equal(stats->bytes, bytes);
}

static void three_accounts_take_turns_in_little_memory(void **state)
{
    struct recall_index *small = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = 1 << 20, .reload_after_us = DAY_US},
                                                  NULL);
    struct uuid accounts[3];
    struct index_stats stats;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        accounts[i] = account_with((const char *[]){"small-a", "small-b", "small-c"}[i], 1500 + SMALL_STEP * i);
    for (unsigned i = 0; i < 12; i++) {
        arena_reset(test.arena);
        ctx_begin(&test, 30);
        OK(access_as_system(&test, accounts[i % 3], "test"));
        assert_int_equal(look(small)->n_live, 1500 + SMALL_STEP * (i % 3));
        index_stats(small, &stats);
        assert_int_equal(stats.dead, 0);
        the_sums_are_right(small, &stats);
        assert_true(stats.bytes <= 1 << 20 || stats.accounts == 1);
    }
    assert_true(stats.evictions > 3);
    arena_reset(test.arena);
    recall_index_free(small);
}

static void a_load_goes_on_where_time_ran_out(void **state)
{
    const struct snapshot *s;
    const char *degraded = "";
    int tries = 0;

    (void)state;
    for (; degraded; tries++) {
        act(ALICE);
        test_app.recall = fresh;
        if (tries == 0)
            index_forget(&test);
        test.deadline_us = clock_monotonic_us() + 4000;
        if (index_snapshot(&test, &s, &degraded) != ERR_OK)
            ctx_forgive(&test); /* not even time for one question */
        assert_true(tries < 2000);
        if (degraded) {
            if (s->n_live)
                break; /* read, but no time to ask what changed */
            assert_string_equal(degraded, "index_loading");
        }
    }
    assert_true(tries > 1);
    act(ALICE);
    same_as_fresh();
}

/* A table that a read needs is locked: the answer comes while there is time left, and the next read is whole. */
static void what_holds_a_read_up_does_not_hold_the_answer_up(void **state)
{
    struct recall_index *held = with_packs();
    const struct snapshot *s;
    const char *degraded;
    struct ctx holder;

    (void)state;
    stack_ctx(&holder, test_conf, 30);
    test_ok(&holder, db_run_text(&holder, "LOCK TABLES recall_pack_head WRITE", 34), "lock", __FILE__, __LINE__);
    act(ALICE);
    test_app.recall = held;
    test.deadline_us = clock_monotonic_us() + 3 * SECOND_US;
    OK(index_snapshot(&test, &s, &degraded));
    assert_string_equal(degraded, "index_loading");
    assert_int_equal(s->n_live, 0);
    OK(ctx_check_deadline(&test));
    test_ok(&holder, db_run_text(&holder, "UNLOCK TABLES", 13), "unlock", __FILE__, __LINE__);
    stack_ctx_done(&holder);
    act(ALICE);
    assert_true(look(held)->n_live > 0);
    arena_reset(test.arena);
    recall_index_free(held);
    act(ALICE);
}

static struct account_index *only_entry(struct recall_index *ri)
{
    struct account_index *e = NULL;

    for (size_t i = 0; i < BUCKETS; i++)
        if (ri->bucket[i])
            e = ri->bucket[i];
    assert_non_null(e);
    return e;
}

/* Somebody else reads for the account: there are two answers to that. */
static void who_waits_for_anothers_read_says_what_it_lacks(void **state)
{
    struct recall_index *ri = with_packs();
    const struct snapshot *s;
    struct account_index *e = NULL;
    const char *degraded;

    (void)state;
    for (int loaded = 0; loaded < 2; loaded++) {
        act(ALICE);
        test_app.recall = ri;
        OK(index_snapshot(&test, &s, &degraded));
        if (!loaded)
            index_forget(&test);
        e = only_entry(ri);
        pthread_mutex_lock(&e->busy);
        test.deadline_us = clock_monotonic_us() + SECOND_US;
        OK(index_snapshot(&test, &s, &degraded));
        pthread_mutex_unlock(&e->busy);
        assert_string_equal(degraded, loaded ? "index_stale" : "index_loading");
        assert_true(loaded ? s->n_live > 0 : s->n_live == 0);
        OK(ctx_check_deadline(&test));
    }
    arena_reset(test.arena);
    recall_index_free(ri);
    act(ALICE);
}

/* ---- work that begins before it is known what has changed ----------------------------------------------- */

static struct recall_index *ahead;

struct work {
    const struct snapshot *with;
    const char *degraded;
    struct index_look *look; /* NULL: it did not begin before */
};

static struct work begun(void)
{
    struct work w;

    test_app.recall = ahead;
    OK(index_look_begin(&test, &w.with, &w.degraded, &w.look));
    assert_null(w.degraded);
    return w;
}

/* Whether it must be done again. */
static bool ended(struct work *w)
{
    bool changed;

    assert_non_null(w->look);
    OK(index_look_end(&test, w->look, &w->with, &w->degraded, &changed));
    assert_null(w->degraded);
    return changed;
}

/* As if the last change had been long ago. */
static void be_quiet(void)
{
    only_entry(ahead)->changed_us = 0;
}

static struct uuid made(void)
{
    struct node_new in = any_node();
    struct node n;

    OK(node_create(&test, &in, &n));
    return n.id;
}

static void work_is_done_again_when_something_has_changed(void **state)
{
    struct work w;
    struct uuid id;
    int64_t calls;

    (void)state;
    act(ALICE);
    ahead = with_packs();
    assert_null(begun().look); /* it is loaded first */
    made();
    w = begun();
    assert_true(ended(&w));
    assert_null(begun().look); /* where something has just changed, it waits */
    be_quiet();
    calls = db_test_calls(test.db);
    w = begun();
    assert_false(ended(&w));
    assert_int_equal(db_test_calls(test.db) - calls, 1);
    w = begun();
    id = made(); /* later than the work */
    assert_false(ended(&w));
    assert_int_equal(snapshot_find(w.with, id), NO_ROW);
    w = begun();
    assert_int_equal(snapshot_find(w.with, id), NO_ROW);
    assert_true(ended(&w));
    assert_int_not_equal(snapshot_find(w.with, id), NO_ROW);
    be_quiet();
    begun(); /* a request that ends before its work does */
    arena_reset(test.arena);
    act(ALICE);
    w = begun();
    assert_false(ended(&w));
}

static void work_sees_a_late_commit_and_a_vector(void **state)
{
    struct ctx late;
    struct vector v;
    struct work w;
    struct uuid id = made();

    (void)state;
    look(ahead);
    be_quiet();
    stack_ctx(&late, test_conf, 30);
    test_ok(&late, db_run_text(&late, "START TRANSACTION", 17), "begin", __FILE__, __LINE__);
    test_ok(&late, db_exec(&late, NULL, "UPDATE node SET title = 'late', version = version + 1, updated_at = ? WHERE id = ?",
                           IN(((struct instant){test.now.us - 20 * SECOND_US})), IN(id)), "update", __FILE__, __LINE__);
    w = begun();
    assert_false(ended(&w));
    test_ok(&late, db_run_text(&late, "COMMIT", 6), "commit", __FILE__, __LINE__);
    stack_ctx_done(&late);
    w = begun();
    assert_true(ended(&w));
    be_quiet();
    OK(vector_put(&test, id, "mine", (struct nums){(double[]){1, 2, 3}, 3}, &v));
    w = begun();
    assert_true(ended(&w));
}

static void work_without_the_database_is_stale(void **state)
{
    struct work w;
    bool changed;

    (void)state;
    be_quiet();
    w = begun();
    test.deadline_us = 1;
    db_test_fail_at(test.db, 1, 2013);
    OK(index_look_end(&test, w.look, &w.with, &w.degraded, &changed));
    if (w.degraded) /* unless it was answered before */
        assert_string_equal(w.degraded, "index_stale");
    db_test_fail_at(test.db, 0, 0);
    assert_false(changed);
    arena_reset(test.arena);
    act(ALICE);
    w = begun();
    db_test_fail_at(test.db, 1, 2013);
    assert_false(ended(&w));
    db_test_fail_at(test.db, 1, 2013);
    w = begun(); /* not sent: it is asked at the end */
    assert_false(ended(&w));
    db_test_fail_at(test.db, 0, 0);
    arena_reset(test.arena);
    recall_index_free(ahead);
    act(ALICE);
}

/* ---- where so much changes that requests leave a part of it to the keeper ------------------------------- */

static struct recall_index *flooded;

static void begin_flood(void)
{
    struct index_flood *f = &only_entry(flooded)->flood;

    f->rows = f->vectors = true;
}

/* Whether it looks at the whole overlap does not hang on how fast this machine is. */
static void keep(void)
{
    struct index_flood *f = &only_entry(flooded)->flood;

    if (f->whole_us)
        f->whole_us = clock_monotonic_us();
    test_app.recall = flooded;
    OK(index_delta_keep(&test, flooded, only_entry(flooded)));
}

/* As if its last look at the whole overlap had been some seconds ago. */
static void keep_whole(void)
{
    only_entry(flooded)->flood.whole_us = 0;
    keep();
}

static bool is_there(struct uuid id)
{
    return snapshot_find(look(flooded), id) != NO_ROW;
}

static void in_a_flood_requests_see_rows_and_the_keeper_vectors(void **state)
{
    struct vector v;
    struct uuid id;
    struct row_at at;

    (void)state;
    act(ALICE);
    flooded = with_packs();
    look(flooded);
    begin_flood();
    id = made();
    assert_true(is_there(id));
    OK(vector_put(&test, id, "mine", (struct nums){(double[]){1, 2, 3}, 3}, &v));
    at = snapshot_at(look(flooded), snapshot_find(look(flooded), id));
    assert_int_equal(at.in->times[at.r].vector_updated, 0);
    keep();
    at = snapshot_at(look(flooded), snapshot_find(look(flooded), id));
    assert_true(uuid_is_nil(look(flooded)->model_id) || at.in->times[at.r].vector_updated);
    same_as(flooded);
    only_entry(flooded)->flood.whole_mark = test.now.us + OVERLAP_US; /* as if nothing had been written before */
    keep_whole();
    assert_false(only_entry(flooded)->flood.rows || only_entry(flooded)->flood.vectors);
}

/* Only the keeper may have seen its first vectors. */
static void an_account_that_lacks_vectors_is_read_first(void **state)
{
    struct work w;

    (void)state;
    look(flooded);
    only_entry(flooded)->changed_us = 0;
    OK(index_look_begin(&test, &w.with, &w.degraded, &w.look));
    assert_non_null(w.look);
    assert_false(ended(&w));
    only_entry(flooded)->lacks_vectors = true;
    OK(index_look_begin(&test, &w.with, &w.degraded, &w.look));
    assert_null(w.look);
    assert_false(only_entry(flooded)->lacks_vectors);
    same_as(flooded);
}

/* A commit of a while ago, by this process or another. */
static struct uuid committed_late(void)
{
    struct uuid id = made();

    OK(db_exec(&test, NULL, "UPDATE node SET title = 'late', updated_at = ? WHERE account_id = ? AND id = ?",
               IN(((struct instant){test.now.us - 20 * SECOND_US})), IN(test.account_id), IN(id)));
    return id;
}

static void in_a_flood_no_late_commit_is_missed(void **state)
{
    struct uuid id;

    (void)state;
    look(flooded);
    begin_flood();
    keep(); /* the first time with the whole overlap */
    begin_flood();
    id = committed_late();
    assert_false(is_there(id));
    index_wrote_late(&test_app, &test.account_id, test.now.us - 25 * SECOND_US); /* by this process: at once */
    assert_true(is_there(id));
    assert_int_equal(only_entry(flooded)->late_us, 0);
    id = committed_late(); /* by another: when the keeper has looked at it all */
    keep();
    assert_false(is_there(id));
    keep_whole();
    assert_true(is_there(id));
    same_as(flooded);
    arena_reset(test.arena);
    recall_index_free(flooded);
    act(ALICE);
}

static void without_the_database_it_says_so_and_serves_on(void **state)
{
    const struct snapshot *s;
    const char *degraded;

    (void)state;
    act(ALICE);
    s = look(first);
    db_test_fail_at(test.db, 1, 2013);
    OK(index_snapshot(&test, &s, &degraded));
    db_test_fail_at(test.db, 0, 0);
    if (degraded) /* a lost read is asked again by the store; then nothing is lost */
        assert_string_equal(degraded, "index_stale");
    assert_true(s->n_live > 0);
    look(first);
}

static int begins(void **state)
{
    struct recall_options o = {.simd = simd_available(0), .budget = (size_t)1 << 30, .reload_after_us = DAY_US};

    first = recall_index_new(&o, NULL);
    fresh = recall_index_new(&o, NULL);
    return graph_group_begins(state);
}

static int ends(void **state)
{
    arena_reset(test.arena);
    recall_index_free(first);
    recall_index_free(fresh);
    return graph_group_ends(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_beside_reads_end_in_what_a_fresh_load_gives),
        cmocka_unit_test(each_change_is_in_the_next_look),
        cmocka_unit_test(what_another_holds_back_is_seen_once_it_commits),
        cmocka_unit_test(what_commits_very_late_is_swept_in),
        cmocka_unit_test(a_pack_is_read_like_the_nodes),
        cmocka_unit_test(vectors_are_read_beside_a_pack),
        cmocka_unit_test(a_pack_that_is_damaged_is_passed_over),
        cmocka_unit_test(what_is_erased_is_in_no_pack),
        cmocka_unit_test(what_is_erased_meanwhile_is_in_no_pack),
        cmocka_unit_test(three_accounts_take_turns_in_little_memory),
        cmocka_unit_test(a_load_goes_on_where_time_ran_out),
        cmocka_unit_test(what_holds_a_read_up_does_not_hold_the_answer_up),
        cmocka_unit_test(who_waits_for_anothers_read_says_what_it_lacks),
        cmocka_unit_test(work_is_done_again_when_something_has_changed),
        cmocka_unit_test(work_sees_a_late_commit_and_a_vector),
        cmocka_unit_test(work_without_the_database_is_stale),
        cmocka_unit_test(in_a_flood_requests_see_rows_and_the_keeper_vectors),
        cmocka_unit_test(an_account_that_lacks_vectors_is_read_first),
        cmocka_unit_test(in_a_flood_no_late_commit_is_missed),
        cmocka_unit_test(without_the_database_it_says_so_and_serves_on),
    };

    return cmocka_run_group_tests(tests, begins, ends);
}
