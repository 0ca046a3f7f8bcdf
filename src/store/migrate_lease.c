/* The lease of migrations; see migrate_lease.h. */
#include "migrate_lease.h"

#include <time.h>

#include "db_impl.h"

#define WAIT_S 120
#define PAUSE_NS 200000000L

/* The failure of the side connection, as the request's. */
static err migrate_lease_pass_on(struct ctx *c, struct migrate_lease *l, err e)
{
    const char *message = l->side.fault.message;

    ctx_forgive(&l->side);
    return e == ERR_OK ? ERR_OK : fail(c, e, "the lease of migrations: %s", message ? message : err_info(e)->meaning);
}

static err make_row(struct ctx *c)
{
    static const char TABLE[] =
        "CREATE TABLE IF NOT EXISTS schema_lease ("
        "one TINYINT NOT NULL PRIMARY KEY COMMENT '1: there is one row', "
        "owner UUID NULL COMMENT 'program that migrates; null: none', "
        "lease_until DATETIME(6) NOT NULL COMMENT 'another may take it after this, UTC'"
        ") ENGINE=InnoDB COMMENT='which program migrates this schema'";

    TRY(db_run_text(c, TABLE, sizeof TABLE - 1));
    return db_exec(c, NULL, "INSERT IGNORE INTO schema_lease (one, owner, lease_until) VALUES (1, NULL, UTC_TIMESTAMP(6))");
}

static err try_to_take(struct ctx *c, struct uuid owner, bool *mine)
{
    int64_t n;

    TRY(db_exec(c, &n,
                "UPDATE schema_lease SET owner = ?, lease_until = UTC_TIMESTAMP(6) + INTERVAL ? SECOND "
                "WHERE one = 1 AND (owner IS NULL OR lease_until < UTC_TIMESTAMP(6))",
                IN(owner), IN(MIGRATE_LEASE_S)));
    *mine = n == 1;
    return ERR_OK;
}

static err migrate_lease_try(struct ctx *c, struct uuid owner, bool *mine)
{
    int64_t until = clock_monotonic_us() + WAIT_S * SECOND_US;

    TRY(make_row(c));
    for (;;) {
        TRY(try_to_take(c, owner, mine));
        if (*mine || clock_monotonic_us() > until)
            return ERR_OK;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}

err migrate_lease_take(struct ctx *c, struct migrate_lease *l)
{
    bool mine = false;

    *l = (struct migrate_lease){.side = *c, .owner = uuid_new(clock_now().us)};
    l->side.db = db_open(c->db->conf);
    l->side.fault = (struct fault){0};
    TRY(migrate_lease_pass_on(c, l, migrate_lease_try(&l->side, l->owner, &mine)));
    return mine ? ERR_OK
                : fail(c, ERR_UNAVAILABLE,
                       "another program is migrating this database; try again when it has finished");
}

err migrate_lease_renew(struct ctx *c, struct migrate_lease *l)
{
    int64_t n = 0;

    TRY(migrate_lease_pass_on(c, l,
                              db_exec(&l->side, &n,
                                      "UPDATE schema_lease SET lease_until = UTC_TIMESTAMP(6) + INTERVAL ? SECOND "
                                      "WHERE one = 1 AND owner = ?", IN(MIGRATE_LEASE_S), IN(l->owner))));
    return n == 1 ? ERR_OK
                  : fail(c, ERR_UNAVAILABLE,
                         "a statement took longer than %d s, and another program migrates this database now; run "
                         "it again when that has finished", MIGRATE_LEASE_S);
}

void migrate_lease_end(struct migrate_lease *l)
{
    if (db_exec(&l->side, NULL, "UPDATE schema_lease SET owner = NULL WHERE one = 1 AND owner = ?", IN(l->owner)) != ERR_OK)
        ctx_forgive(&l->side); /* it ends by itself */
    db_close(l->side.db);
}
