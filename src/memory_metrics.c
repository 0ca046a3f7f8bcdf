/* Who holds the memory of this process: owners count their own bytes, malloc says what it has of the kernel; see memory_metrics.h. */
#include "memory_metrics.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "app.h"
#include "block.h"
#include "config.h"
#include "ctx.h"
#include "db.h"
#include "index.h"
#include "node_cache.h"
#include "str.h"

#define MIB (1u << 20)

struct owner {
    const char *name;
    size_t bytes, budget; /* budget 0: it has none of its own */
};

static size_t resident_bytes(void)
{
    size_t pages = 0, total;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%zu %zu", &total, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void family(struct buf *out, const char *name, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void show_owners(struct buf *out, const struct owner *v, size_t n, size_t resident)
{
    size_t sum = 0;

    family(out, "loci_memory_bytes", "memory of the process by owner; else: program, model, stacks and memory held by malloc");
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "loci_memory_bytes{owner=\"%s\"} %zu\n", v[i].name, v[i].bytes);
        sum += v[i].bytes;
    }
    buf_printf(out, "loci_memory_bytes{owner=\"else\"} %zu\n", resident > sum ? resident - sum : 0);
    family(out, "loci_memory_budget_bytes", "memory budget of the owner");
    for (size_t i = 0; i < n; i++)
        if (v[i].budget)
            buf_printf(out, "loci_memory_budget_bytes{owner=\"%s\"} %zu\n", v[i].name, v[i].budget);
    family(out, "loci_resident_bytes", "resident memory of the process");
    buf_printf(out, "loci_resident_bytes %zu\n", resident);
}

static void show_malloc(struct buf *out)
{
    struct mallinfo2 m = mallinfo2();

    family(out, "loci_malloc_bytes", "memory of malloc by state; in use and free are parts of its heaps, mapped is beside them");
    buf_printf(out, "loci_malloc_bytes{state=\"in_use\"} %zu\nloci_malloc_bytes{state=\"free\"} %zu\n", m.uordblks, m.fordblks);
    buf_printf(out, "loci_malloc_bytes{state=\"mapped\"} %zu\n", m.hblkhd);
}

void memory_metrics(struct ctx *c, struct buf *out)
{
    struct index_stats index = {0};
    struct db_memory db = db_memory();
    struct block_memory blocks = block_memory();

    if (c->app->recall)
        index_stats(c->app->recall, &index);
    const struct owner OWNERS[] = {
        {"recall_index", index.bytes, (size_t)c->app->conf->recall_memory_mb * MIB},
        {"node_cache", node_cache_state(c->app->node_cache).bytes, (size_t)c->app->conf->cache_node_mb * MIB},
        {"program", blocks.before, 0},
        {"requests", blocks.used > blocks.before ? blocks.used - blocks.before : 0, blocks.limit},
        {"spare_blocks", blocks.spare, BLOCK_SPARE},
        {"statements", db.statement_bytes, 0},
        {"connections", db.connection_bytes, 0},
    };

    show_owners(out, OWNERS, sizeof OWNERS / sizeof *OWNERS, resident_bytes());
    show_malloc(out);
    family(out, "loci_db_statements", "prepared statements of all connections");
    buf_printf(out, "loci_db_statements %zu\n", db.statements);
}
