/* How fast an account is read into the recall index, how much memory it takes, and what a look costs afterwards.
   usage: srcdir=… bench_index [NODES [EDGES [MEMORY_MB]]]   on a MariaDB of its own; prints figures, never fails on them. */
#include <malloc.h>
#include <math.h>
#include <time.h>

#include "graphtest.h"
#include "index.h"
#include "index_pack.h"
#include "node.h"
#include "simd.h"
#include "vector.h"

enum { DIM = 512, BODIES = 4000, VECTORS = 2000, WORDS = 30, LOOKS = 200, VOCABULARY = 20000 };

static uint64_t seed = 1;

static double dice(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 33) / (double)(1u << 31);
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- what is read: rows that share a few thousand texts and vectors --------------------------------------- */

/* A turn of talk: words as rare as in real text, some of them names. */
static const char *a_body(void)
{
    struct buf b;

    buf_init(&b, test.arena, 400);
    for (int i = 0; i < WORDS; i++) {
        unsigned word = (unsigned)exp(dice() * log(VOCABULARY));
        const char *how = dice() < 0.06 ? "Na" : "";

        buf_printf(&b, "%s%c%c%c", how, 'a' + word % 26, "aeiou"[word % 5], 'a' + word / 26 % 26);
        if (word > 600)
            buf_printf(&b, "%c%c", "aeiou"[word / 600 % 5], 'a' + word / 3000);
        buf_puts(&b, i % 9 == 8 ? ". " : " ");
    }
    return buf_str(&b);
}

static void put_bodies(void)
{
    for (int64_t i = 0; i < BODIES; i++)
        OK(db_exec(&test, NULL, "INSERT INTO bench_body (i, body) VALUES (?, ?)", IN(i), IN(a_body())));
}

static void put_vectors(struct uuid model_id)
{
    float v[DIM];

    for (int64_t i = 0; i < VECTORS; i++) {
        for (size_t j = 0; j < DIM; j++)
            v[j] = (float)(dice() + dice() + dice() - 1.5);
        OK(db_exec(&test, NULL, "INSERT INTO bench_vector (i, data) VALUES (?, ?)", IN(i),
                   IN(vector_blob(test.arena, model_id, v, DIM, 1))));
    }
}

#define NTH_ID(n) \
    "CAST(CONCAT('019', LPAD(HEX((" n ") >> 12), 5, '0'), '-', LPAD(HEX((" n ") & 4095), 4, '0'), '-7000-8000-000000000001') AS UUID)"

/* One node and one vector by the services; the others are copies of their rows. */
static void fill(int64_t nodes, int64_t edges)
{
    struct nums values = {ARENA_ARRAY(test.arena, double, DIM), DIM};
    struct vector v;
    struct node n;

    values.v[0] = 1;
    OK(node_create(&test, &(struct node_new){NODE_NEW_DEFAULTS, .space_id = cast.own_space[ALICE], .kind = "note", .title = "",
                                             .body = "a text"}, &n));
    OK(vector_put(&test, n.id, "bench", values, &v));
    test_sql("CREATE TABLE bench_body (i INT PRIMARY KEY, body TEXT NOT NULL)");
    test_sql("CREATE TABLE bench_vector (i INT PRIMARY KEY, data MEDIUMBLOB NOT NULL)");
    test_sql("START TRANSACTION");
    put_bodies();
    put_vectors(v.model_id);
    test_sql("COMMIT");
    OK(db_exec(&test, NULL,
               "INSERT INTO node (account_id, id, space_id, kind, title, body, attrs, tokens, decayed_at, author_kind, author_id, "
               "content_hash, created_at, updated_at) SELECT n.account_id, " NTH_ID("s.seq") ", n.space_id, "
               "IF(s.seq & 1, 'note', 'episode'), '', b.body, CONCAT('{\"session\":\"s', s.seq DIV 50, '\",\"seq\":', s.seq % 50, '}'), "
               "40, n.decayed_at, n.author_kind, n.author_id, n.content_hash, n.created_at, n.updated_at - INTERVAL 1 DAY "
               "FROM seq_1_to_100000000 s JOIN node n ON n.id = ? JOIN bench_body b ON b.i = s.seq % 4000 WHERE s.seq < ?",
               IN(n.id), IN(nodes)));
    OK(db_exec(&test, NULL,
               "INSERT INTO `vector` (account_id, node_id, model_id, dim, data, text_hash, updated_at) "
               "SELECT v.account_id, " NTH_ID("s.seq") ", v.model_id, v.dim, b.data, v.text_hash, v.updated_at - INTERVAL 1 DAY "
               "FROM seq_1_to_100000000 s JOIN `vector` v ON v.node_id = ? JOIN bench_vector b ON b.i = s.seq % 2000 WHERE s.seq < ?",
               IN(n.id), IN(nodes)));
    OK(db_exec(&test, NULL,
               "INSERT INTO edge (account_id, id, source_id, target_id, relation, recorded_at, updated_at) "
               "SELECT n.account_id, " NTH_ID("s.seq + 100000000") ", " NTH_ID("s.seq") ", " NTH_ID("s.seq DIV 3 + 1") ", "
               "'references', n.created_at, n.updated_at - INTERVAL 1 DAY "
               "FROM seq_1_to_100000000 s JOIN node n ON n.id = ? WHERE s.seq < ?", IN(n.id), IN(edges)));
}

/* ---- what it takes ---------------------------------------------------------------------------------------- */

static const struct snapshot *look(void)
{
    const struct snapshot *s;
    const char *degraded;

    OK(index_snapshot(&test, &s, &degraded));
    assert_null(degraded);
    return s;
}

static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

static double per_look(void)
{
    double began = seconds(CLOCK_MONOTONIC);

    for (int i = 0; i < LOOKS; i++) {
        act(ALICE);
        look();
    }
    return (seconds(CLOCK_MONOTONIC) - began) * 1e6 / LOOKS;
}

static void measure(struct recall_index *ri, const char *from)
{
    size_t before = held();
    double began = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), took;
    struct index_stats stats;
    uint32_t n = look()->n_live;

    took = seconds(CLOCK_MONOTONIC) - began;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    arena_reset(test.arena);
    index_stats(ri, &stats);
    printf("from %s: %u nodes, %zu edges in %.2f s: %.0f nodes/s (%.0f per second of our CPU), %zu segments\n", from, n, stats.edges, took,
           n / took, n / cpu, stats.segments);
    printf("%s; index says %.1f MB, %.0f bytes a node; the heap grew by %.1f MB, maps not counted\n",
           stats.codes_only ? "codes only" : "float32 held", (double)stats.bytes * 1e-6,
           (double)stats.bytes / n, (double)(held() - before) * 1e-6);
    printf("a look at an index where nothing changed, with the access gate: %.0f us\n", per_look());
}

int main(int argc, char **argv)
{
    int64_t nodes = argc > 1 ? strtol(argv[1], NULL, 10) : 20000, edges = argc > 2 ? strtol(argv[2], NULL, 10) : nodes / 4;
    size_t budget = (argc > 3 ? strtoul(argv[3], NULL, 10) : 2048) << 20;
    struct recall_index *ri;

    graph_group_begins(NULL);
    test_sql("SET GLOBAL innodb_buffer_pool_size = 2147483648");
    act(ALICE);
    test.deadline_us = 0;
    fill(nodes, edges);
    for (int packs = 0; packs < 2; packs++) {
        int64_t packed;

        ri = recall_index_new(&(struct recall_options){.simd = simd_available(0), .budget = budget, .reload_after_us = DAY_US,
                                                       .packs = packs}, test_app.metrics);
        test_app.recall = ri;
        measure(ri, packs ? "a pack" : "its nodes");
        if (!packs)
            OK(index_pack_write(&test, &packed));
        arena_reset(test.arena);
        recall_index_free(ri);
        act(ALICE);
        test.deadline_us = 0;
    }
    graph_group_ends(NULL);
    return 0;
}
