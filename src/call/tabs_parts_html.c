/* Tabs between the pages about one thing, and how full something is; see parts_html.h. */
#include "parts_html.h"

void add_tab(struct ctx *c, struct json *list, const char *text, const char *href, bool current)
{
    struct json *row = add_row(c, list);

    json_set_str(c->arena, row, "text", text);
    json_set_str(c->arena, row, "href", href);
    json_set_bool(c->arena, row, "current", current);
}

void put_quota(struct ctx *c, struct json *obj, const char *name, const char *label, int64_t used, int64_t most,
               const char *(*text)(struct arena *a, int64_t n))
{
    struct json *m = json_set(c->arena, obj, name, json_obj(c->arena));
    double share = most > 0 ? (double)used / (double)most : 0;

    json_set_str(c->arena, m, "label", label);
    json_set_str(c->arena, m, "used", text(c->arena, used));
    json_set_str(c->arena, m, "most", text(c->arena, most));
    json_set_str(c->arena, m, "meter", arena_printf(c->arena, "%.3f", share < 1 ? share : 1));
    json_set_str(c->arena, m, "percent", arena_printf(c->arena, "%.1f %%", share * 100));
}
