/* One key for each set of readers; see figures_store.h. */
#include "figures_store.h"

#include <string.h>

#include "kv.h"

static struct kv_arg figures_store_key(struct ctx *c, const char *name, uint64_t who)
{
    return kv_fmt(c, "loci:{%s}:figures:%s:%016llx", UUID_STR(c->account_id), name, (unsigned long long)who);
}

err figures_store_get(struct ctx *c, const char *name, uint64_t who, struct json **out)
{
    struct kv_reply r;
    const char *why;

    TRY(kv_cmd(c, &r, kv_text("GET"), figures_store_key(c, name, who)));
    if (r.type != KV_TEXT || json_parse(c->arena, r.s, r.len, out, &why) != JSON_OK)
        *out = NULL;
    return ERR_OK;
}

err figures_store_put(struct ctx *c, const char *name, uint64_t who, const struct json *figures, const char *at)
{
    struct json *with = json_obj(c->arena);

    for (const struct json *m = figures->first; m; m = m->next)
        json_set(c->arena, with, m->key, arena_memdup(c->arena, m, sizeof *m));
    json_set_str(c->arena, with, "counted_at", at);
    return kv_cmd(c, NULL, kv_text("SET"), figures_store_key(c, name, who), kv_text(json_text(c->arena, with)), kv_text("EX"),
                  kv_i64(c, FIGURES_KEPT_S));
}
