/* What of a page htmx is given; see part.h. */
#include "part.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "cookie.h"
#include "frame.h"
#include "page_call.h"
#include "principal.h"
#include "views.h"

#define MARK crypto_generichash_BYTES_MIN /* bytes: it tells states of one browser apart, and keeps nothing secret */

static bool part_says(struct exchange *x, const char *name, const char *value)
{
    return str_eq(exchange_header(x, name), value);
}

bool part_is_asked(struct exchange *x)
{
    return part_says(x, "HX-Request", "true");
}

bool part_takes_flash(struct exchange *x)
{
    return !part_is_asked(x) || part_says(x, "HX-Target", "main#main");
}

const char *part_frame_mark(struct ctx *c, struct exchange *x)
{
    const struct principal *who = c->who;
    const char *theme = exchange_cookie(x, COOKIE_THEME);
    uint8_t sum[MARK];
    char hex[2 * MARK + 1];
    struct buf b;

    buf_init(&b, c->arena, 512);
    buf_printf(&b, "%s\n%s\n%s\n", LOCI_VERSION, views_static_mark(c->app->views), theme ? theme : "");
    if (who && who->csrf) {
        struct strs perms = permissions_strs(c->arena, who->perms);

        buf_printf(&b, "%s\n%s\n%s\n%s\n%s\n", who->csrf, who->account_name, who->name, who->email, who->role);
        for (size_t i = 0; i < perms.n; i++)
            buf_printf(&b, "%s\n", perms.v[i]);
    }
    crypto_generichash(sum, sizeof sum, (const uint8_t *)buf_str(&b), strlen(buf_str(&b)), NULL, 0);
    return arena_printf(c->arena, "m%s", sodium_bin2hex(hex, sizeof hex, sum, sizeof sum)); /* never read as a number */
}

bool part_is_refused(struct ctx *c, struct exchange *x)
{
    if (!part_is_asked(x) || strcmp(x->method, "GET") != 0 || part_says(x, "X-Loci-Frame", part_frame_mark(c, x)))
        return false;
    frame_leave(c, x, *x->query ? arena_printf(c->arena, "%s?%s", x->path, x->query) : x->path);
    return true;
}
