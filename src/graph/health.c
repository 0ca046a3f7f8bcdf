/* Asks each store once; see health.h. */
#include "health.h"

#include "app.h"
#include "config.h"
#include "db.h"
#include "kv.h"
#include "migrate.h"

static err ask_mariadb(struct ctx *c, struct health_part *p)
{
    TRY(db_ping(c));
    p->detail = db_server_version(c);
    return ERR_OK;
}

static err ask_redis(struct ctx *c, struct health_part *p)
{
    TRY(kv_ping(c));
    p->detail = "answers";
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

void health_check(struct ctx *c, struct health_part parts[HEALTH_PARTS])
{
    static const struct {
        const char *name;
        bool needed;
        err (*ask)(struct ctx *c, struct health_part *p);
    } QUESTIONS[HEALTH_PARTS] = {
        {"mariadb", true, ask_mariadb},
        {"redis", false, ask_redis},     /* sessions wait for it; all else goes on, on this host as on any other */
        {"migrations", true, ask_migrations},
        {"model", false, health_ask_model},
    };

    for (int i = 0; i < HEALTH_PARTS; i++) {
        struct health_part *p = &parts[i];
        int64_t start = clock_monotonic_us();

        *p = (struct health_part){.name = QUESTIONS[i].name, .needed = QUESTIONS[i].needed, .detail = ""};
        p->ok = QUESTIONS[i].ask(c, p) == ERR_OK;
        if (!p->ok)
            p->detail = c->fault.message ? c->fault.message : err_info(c->fault.code)->meaning;
        p->us = clock_monotonic_us() - start;
        ctx_forgive(c);
    }
}

bool health_ready(const struct health_part parts[HEALTH_PARTS])
{
    for (int i = 0; i < HEALTH_PARTS; i++)
        if (parts[i].needed && !parts[i].ok)
            return false;
    return true;
}
