/* Lists of pages; see feed_pages.h. */
#include "feed_pages.h"

#include <string.h>
#include <strings.h>

#include "connector.h"
#include "fetch.h"
#include "str.h"

#define HOSTS 50

struct feed_host {
    const char *origin; /* "https://example.org" */
    const char *robots;
    int n;
};

struct pages_walk {
    struct ctx *c;
    struct feed_host hosts[HOSTS];
    size_t n_hosts, n;
    err (*take)(void *arg, const char *url, int nth);
    void *arg;
};

/* ---- robots.txt */

/* A line "name: value" of that name: its value; NULL: it is another. */
static const char *robots_value(const char *line, const char *name)
{
    size_t n = strlen(name);

    line += strspn(line, " \t");
    if (strncasecmp(line, name, n) != 0 || line[n + strspn(line + n, " \t")] != ':')
        return NULL;
    line += n + strspn(line + n, " \t") + 1;
    return line + strspn(line, " \t");
}

static size_t robots_length(const char *value)
{
    size_t n = strcspn(value, "\r\n#");

    while (n && (value[n - 1] == ' ' || value[n - 1] == '\t'))
        n--;
    return n;
}

/* The longest rule that fits decides; of equal ones the one that allows. */
bool feed_robots_allow(const char *robots, const char *path)
{
    bool is_ours = false, in_agents = false, allow = true;
    size_t best = 0;

    for (const char *line = robots; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *agent = robots_value(line, "User-agent"), *yes = robots_value(line, "Allow"), *no = robots_value(line, "Disallow"),
                   *rule = yes ? yes : no;
        size_t n;

        if (agent) {
            is_ours = (in_agents && is_ours) || (robots_length(agent) == 1 && *agent == '*');
            in_agents = true;
            continue;
        }
        in_agents = in_agents && !rule;
        n = rule ? robots_length(rule) : 0;
        if (!is_ours || !n || strncmp(path, rule, n) != 0 || n < best || (n == best && !yes))
            continue;
        best = n;
        allow = yes != NULL;
    }
    return allow;
}

/* ---- hosts */

static const char *origin_of(struct ctx *c, const char *url)
{
    const char *at = strstr(url, "://");

    return at ? arena_strndup(c->arena, url, (size_t)(at - url) + 3 + strcspn(at + 3, "/?#")) : url;
}

/* No robots.txt, or none that can be had: everything is allowed. */
static const char *robots_of(struct ctx *c, const char *origin)
{
    struct fetched f;
    err e = fetch_url(c, arena_printf(c->arena, "%s/robots.txt", origin), NULL, NULL, &f);

    if (e != ERR_OK)
        ctx_forgive(c);
    return e == ERR_OK && f.status == 200 ? arena_strndup(c->arena, f.body.p, f.body.n < 512000 ? f.body.n : 512000) : "";
}

static struct feed_host *host_of(struct pages_walk *w, const char *url)
{
    const char *origin = origin_of(w->c, url);

    for (size_t i = 0; i < w->n_hosts; i++)
        if (str_eq(w->hosts[i].origin, origin))
            return &w->hosts[i];
    if (w->n_hosts == HOSTS)
        return NULL;
    w->hosts[w->n_hosts] = (struct feed_host){origin, robots_of(w->c, origin), 0};
    return &w->hosts[w->n_hosts++];
}

/* ---- pages */

static err pages_take(struct pages_walk *w, const char *url)
{
    struct feed_host *h = host_of(w, url);
    const char *path = h ? url + strlen(h->origin) : "";

    if (w->n == CONNECTOR_PAGES || !h || !feed_robots_allow(h->robots, *path ? path : "/"))
        return ERR_OK;
    w->n++;
    return w->take(w->arg, url, h->n++);
}

/* The addresses between <loc> and </loc>; only those of its own host count. */
static err pages_take_sitemap(struct pages_walk *w, const char *url)
{
    const char *origin = origin_of(w->c, url), *text;
    struct fetched f;

    TRY(fetch_url(w->c, url, NULL, NULL, &f));
    text = arena_strndup(w->c->arena, f.body.p, f.body.n);
    for (const char *at = text; (at = strstr(at, "<loc>")) != NULL;) {
        size_t n;
        const char *page;

        at += 5 + strspn(at + 5, " \t\r\n");
        n = strcspn(at, "< \t\r\n");
        page = arena_strndup(w->c->arena, at, n);
        if (str_starts(page, origin) && !fetch_fault(w->c, page))
            TRY(pages_take(w, page));
    }
    return ERR_OK;
}

err feed_pages_walk(struct ctx *c, const char *location, err (*take)(void *arg, const char *url, int nth), void *arg)
{
    struct pages_walk *w = ARENA_NEW(c->arena, struct pages_walk);

    *w = (struct pages_walk){.c = c, .take = take, .arg = arg};
    for (const char *p = location + strspn(location, " \t\r\n"); *p;) {
        size_t n = strcspn(p, " \t\r\n");
        const char *url = arena_strndup(c->arena, p, n);

        if (n > 4 && str_eq(url + n - 4, ".xml"))
            TRY(pages_take_sitemap(w, url));
        else
            TRY(pages_take(w, url));
        p += n;
        p += strspn(p, " \t\r\n");
    }
    return ERR_OK;
}
