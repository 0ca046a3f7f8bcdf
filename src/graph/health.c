/* Asks each store once; see health.h. */
#include "health.h"

#include <assert.h>

#include "app.h"
#include "config.h"
#include "db.h"
#include "hosts.h"
#include "kv.h"
#include "migrate.h"
#include "principal.h"

static err ask_mariadb(struct ctx *c, struct health_part *p)
{
    TRY(db_ping(c));
    p->detail = db_server_version(c);
    return ERR_OK;
}

/* Operators, and who asks from a shell. */
static bool sees_addresses(const struct ctx *c)
{
    return c->who && (c->who->is_operator || c->who->kind == PRINCIPAL_SYSTEM);
}

static err ask_redis(struct ctx *c, struct health_part *p)
{
    const char *master;

    TRY(kv_ping(c));
    master = kv_master_text(c->arena, c->app->conf);
    p->detail = *master && sees_addresses(c) ? arena_printf(c->arena, "answers; the master is %s", master) : "answers";
    return ERR_OK;
}

static err ask_migrations(struct ctx *c, struct health_part *p)
{
    TRY(migrate_check(c, arena_printf(c->arena, "%s/sql", c->app->conf->data_dir)));
    p->detail = "the schema is up to date";
    return ERR_OK;
}

static err health_ask_model(struct ctx *c, struct health_part *p)
{
    if (c->app->ask_model)
        return c->app->ask_model(c, p);
    p->off = true;
    p->detail = "no embedding model is configured; search is by words only";
    return ERR_OK;
}

static void health_ask(struct ctx *c, struct health_part *p, err (*ask)(struct ctx *c, struct health_part *p))
{
    int64_t start = clock_monotonic_us();

    p->ok = ask(c, p) == ERR_OK;
    if (!p->ok)
        p->detail = c->fault.message ? c->fault.message : err_info(c->fault.code)->meaning;
    p->us = clock_monotonic_us() - start;
    ctx_forgive(c);
}

/* Each of several hosts; none where there is one only, of which "mariadb" tells. */
static size_t add_hosts(struct ctx *c, struct health_part *parts, bool ask)
{
    struct db_host_now hosts[HOSTS_MAX];
    size_t n = db_hosts_list(c, hosts, HOSTS_MAX);

    for (size_t i = 0; n > 1 && i < n; i++) {
        struct health_part *p = &parts[i];
        int64_t start = clock_monotonic_us();

        *p = (struct health_part){.name = arena_printf(c->arena, "mariadb %zu", i + 1), .ok = hosts[i].lives, .detail = "in use"};
        if (!p->ok)
            p->detail = arena_printf(c->arena, "away for %lld s", (long long)hosts[i].away_s);
        if (ask) {
            p->ok = db_host_ask(c, i, &hosts[i].why);
            p->us = clock_monotonic_us() - start;
        }
        if (ask || sees_addresses(c))
            p->detail = arena_printf(c->arena, "%s: %s", hosts[i].name, *hosts[i].why ? hosts[i].why : p->detail);
    }
    return n > 1 ? n : 0;
}

static size_t check_all(struct ctx *c, struct health_part parts[HEALTH_PARTS], bool ask_hosts)
{
    static const struct {
        const char *name;
        bool needed;
        err (*ask)(struct ctx *c, struct health_part *p);
    } QUESTIONS[] = {
        {"mariadb", true, ask_mariadb},
        {"redis", false, ask_redis},     /* sessions wait for it; all else goes on, on this host as on any other */
        {"migrations", true, ask_migrations},
        {"model", false, health_ask_model},
    };
    size_t n = sizeof QUESTIONS / sizeof *QUESTIONS;

    static_assert(sizeof QUESTIONS / sizeof *QUESTIONS + HOSTS_MAX <= HEALTH_PARTS, "room for all");
    for (size_t i = 0; i < n; i++) {
        parts[i] = (struct health_part){.name = QUESTIONS[i].name, .needed = QUESTIONS[i].needed, .detail = ""};
        health_ask(c, &parts[i], QUESTIONS[i].ask);
    }
    return n + add_hosts(c, parts + n, ask_hosts);
}

size_t health_check(struct ctx *c, struct health_part parts[HEALTH_PARTS])
{
    return check_all(c, parts, false);
}

size_t health_check_hosts(struct ctx *c, struct health_part parts[HEALTH_PARTS])
{
    return check_all(c, parts, true);
}

bool health_ready(const struct health_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parts[i].needed && !parts[i].ok)
            return false;
    return true;
}
