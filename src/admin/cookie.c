/* Set-Cookie; see cookie.h. */
#include "cookie.h"

#include <inttypes.h>

#include "app.h"
#include "config.h"

void cookie_set(struct ctx *c, struct exchange *x, const char *name, const char *value, int64_t max_age_s)
{
    const char *secure = str_starts(c->app->conf->web_public_url, "https:") ? "; Secure" : "";

    exchange_set(x, "Set-Cookie", arena_printf(c->arena, "%s=%s; Path=/; Max-Age=%" PRId64 "; HttpOnly; SameSite=Lax%s",
                                               name, value, max_age_s, secure));
}
