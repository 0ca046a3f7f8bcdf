/* A list per question that lives for a minute; see mcp_mailbox_store.h. */
#include "mcp_mailbox_store.h"

#include <string.h>

#include "access.h"
#include "clock.h"
#include "kv.h"
#include "str.h"

#define KEPT_S "60"
#define ID_MAX 64

static struct kv_arg mcp_mailbox_store_key(struct ctx *c, const char *what, const char *id)
{
    char token[UUID_TEXT], account[UUID_TEXT];

    uuid_text(c->account_id, account);
    uuid_text(c->who->token_id, token);
    return kv_fmt(c, "loci:{%s}:mcp:%s:%s:%s", account, what, token, id);
}

err mcp_mailbox_store_open(struct ctx *c, const char *id)
{
    return kv_cmd(c, NULL, kv_text("SET"), mcp_mailbox_store_key(c, "asked", id), kv_text("1"), kv_text("EX"), kv_text(KEPT_S));
}

err mcp_mailbox_store_put(struct ctx *c, const char *id, const char *text)
{
    if (strlen(id) > ID_MAX)
        return ERR_OK;
    return kv_eval(c, NULL, "if redis.call('DEL', KEYS[1]) == 1 then redis.call('RPUSH', KEYS[2], ARGV[1]) "
                            "redis.call('EXPIRE', KEYS[2], " KEPT_S ") end return 1",
                   2, mcp_mailbox_store_key(c, "asked", id), mcp_mailbox_store_key(c, "said", id), kv_text(text));
}

/* Short waits, each well below the time after which Redis counts as away. */
err mcp_mailbox_store_wait(struct ctx *c, const char *id, int seconds, const char **text)
{
    int64_t until = clock_monotonic_us() + seconds * SECOND_US;
    struct kv_reply r;

    *text = NULL;
    while (clock_monotonic_us() < until) {
        TRY(ctx_check_deadline(c));
        TRY(kv_cmd(c, &r, kv_text("BLPOP"), mcp_mailbox_store_key(c, "said", id), kv_text("0.2")));
        if (r.type == KV_LIST && r.n == 2) {
            *text = r.items[1].s;
            return ERR_OK;
        }
    }
    return ERR_OK;
}
