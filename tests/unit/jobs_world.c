/* See jobs_world.h. */
#include "jobs_world.h"

#include <mysql.h>
#include <stdio.h>

#include "access.h"
#include "db.h"
#include "job_service.h"
#include "metrics.h"

struct world world;

void world_open(const struct job_list *list)
{
    struct config *conf = stack_start();

    world.log = (struct log){.fd = 2, .level = LOG_ERROR, .program = "test"};
    world.app = (struct app){.conf = conf, .log = &world.log, .metrics = metrics_new(), .jobs = list, .host = "host",
                             .access_cache = access_cache_new(64)};
    stack_ctx(&world.c, conf, 0);
    world.c.app = &world.app;
}

int world_close(void **state)
{
    (void)state;
    engine_free(world.e);
    stack_ctx_done(&world.c);
    metrics_free(world.app.metrics);
    access_cache_free(world.app.access_cache);
    return 0;
}

void world_calm(void)
{
    arena_reset(world.c.arena);
    ctx_begin(&world.c, 0);
    world.c.now = engine_now(world.e);
}

void world_now(const char *now)
{
    assert_true(instant_parse(now, &world.e->fixed_now));
    world_calm();
}

void world_pass(int64_t seconds)
{
    world.e->fixed_now.us += seconds * SECOND_US;
    world_calm();
}

/* The schema once, then only its rows: making tables is slow. */
static void empty_tables(void)
{
    static const char *const TABLES[] = {"job", "job_override", "job_run", "job_state", "task", "task_group", "scheduler",
                                         "job_metric", "outbox", "audit_event", "probe", "account"};
    static bool made;

    if (!made) {
        stack_fresh_schema(&world.c);
        world_sql("CREATE TABLE probe (account_id UUID, id BIGINT, value INT DEFAULT 0, PRIMARY KEY (account_id, id))");
        made = true;
        return;
    }
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++)
        world_sql(arena_printf(world.c.arena, "DELETE FROM %s", TABLES[i]));
}

void world_fresh(size_t n_accounts, const char *now)
{
    ctx_begin(&world.c, 0);
    empty_tables();
    engine_free(world.e);
    world.e = engine_new(&world.app, 1);
    world_now(now);
    for (size_t i = 0; i < n_accounts; i++) {
        world.accounts[i] = uuid_new(1700000000 * SECOND_US + (int64_t)i * 1000);
        OK(db_exec(&world.c, NULL,
                   "INSERT INTO account (id, slug, name, created_at, updated_at) VALUES (?, ?, 'x', NOW(6), NOW(6))",
                   IN(world.accounts[i]), IN((const char *)arena_printf(world.c.arena, "account-%zu", i))));
    }
    OK(jobs_declare(&world.c, world.e->fixed_now));
}

void world_tick(void)
{
    world_calm();
    OK(engine_tick(world.e, &world.c));
}

bool world_work_once(void)
{
    bool did;

    world_calm();
    world.e->map_at = 0;
    OK(engine_work(world.e, &world.c, false, &did));
    return did;
}

void world_work(void)
{
    for (int i = 0; i < 1000; i++) {
        bool did = false;

        world_tick();
        while (world_work_once())
            did = true;
        if (!did)
            return;
    }
    fail_msg("the work does not end");
}

/* ---- looking into the tables */

static MYSQL *look(void)
{
    const struct config *conf = world.app.conf;
    MYSQL *my = mysql_init(NULL);

    if (!mysql_real_connect(my, NULL, conf->db_user, conf->db_password, conf->db_name, 0, conf->db_socket, 0))
        fail_msg("%s", mysql_error(my));
    return my;
}

const char *world_text(const char *sql)
{
    static char out[4096];
    MYSQL *my = look();
    MYSQL_RES *rows;
    MYSQL_ROW row;

    if (mysql_query(my, sql))
        fail_msg("%s: %s", sql, mysql_error(my));
    rows = mysql_store_result(my);
    row = mysql_fetch_row(rows);
    snprintf(out, sizeof out, "%s", row && row[0] ? row[0] : "");
    mysql_free_result(rows);
    mysql_close(my);
    return out;
}

int64_t world_int(const char *sql)
{
    int64_t v = 0;

    if (!str_to_i64(world_text(sql), &v))
        fail_msg("no number: %s", sql);
    return v;
}

int64_t world_rows_read(void)
{
    scoped_cursor q = {0};
    int64_t n = 0;
    bool found;

    OK(db_query(&world.c, &q, "SELECT CAST(SUM(variable_value) AS INT) FROM information_schema.session_status "
                              "WHERE variable_name IN ('handler_read_key','handler_read_next','handler_read_prev')"));
    OK(db_row(&q, &world.c, &found, OUT(&n)));
    return n;
}

void world_sql(const char *sql)
{
    MYSQL *my = look();

    if (mysql_query(my, sql))
        fail_msg("%s: %s", sql, mysql_error(my));
    mysql_close(my);
}
