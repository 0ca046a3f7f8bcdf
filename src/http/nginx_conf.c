/* Reads words, statements and blocks as nginx does, and keeps the few that concern Loci; see nginx_conf.h. */
#include "nginx_conf.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "str.h"

#define FILE_MAX (128 * 1024)
#define WORDS_MAX 12   /* of a statement; further ones are not looked at */
#define INCLUDES_MAX 8 /* files that include each other */
#define NAMES_MAX 256  /* zones and upstreams; further ones are not looked at */

struct nginx_upstream {
    const char *name;
    int64_t keepalive;
    bool is_loci;
};

struct nginx_zone {
    const char *name, *directive;
};

struct nginx_reader {
    struct arena *arena;
    const char *folder; /* relative names are from here */
    struct nginx_conf *conf;
    struct nginx_upstream upstreams[NAMES_MAX];
    struct nginx_zone zones[NAMES_MAX];
    size_t n_upstreams, n_zones;
    const char *in_upstream; /* name of the block at hand; NULL: none */
    int depth;               /* of includes */
};

struct nginx_statement {
    const char *words[WORDS_MAX];
    size_t n;
};

static void nginx_file_read(struct nginx_reader *r, const char *path);

/* The entry of that name, made when it is new; NULL when there are too many. */
static struct nginx_upstream *nginx_upstream_named(struct nginx_reader *r, const char *name)
{
    for (size_t i = 0; i < r->n_upstreams; i++)
        if (strcmp(r->upstreams[i].name, name) == 0)
            return &r->upstreams[i];
    if (r->n_upstreams == NAMES_MAX)
        return NULL;
    r->upstreams[r->n_upstreams] = (struct nginx_upstream){.name = name};
    return &r->upstreams[r->n_upstreams++];
}

/* One zone may be named by many ssl_session_cache; every other directive declares it once. */
static void nginx_zone_add(struct nginx_reader *r, const char *directive, const char *from)
{
    struct nginx_zone z = {arena_strndup(r->arena, from, strcspn(from, ":")), directive};

    for (size_t i = 0; i < r->n_zones; i++)
        if (strcmp(r->zones[i].name, z.name) == 0 &&
            (strcmp(r->zones[i].directive, directive) != 0 || strcmp(directive, "ssl_session_cache") != 0))
            r->conf->clash = arena_printf(r->arena, "the zone '%s' is declared by %s and by %s", z.name, r->zones[i].directive, directive);
    if (r->n_zones < NAMES_MAX)
        r->zones[r->n_zones++] = z;
}

static void nginx_zones_of(struct nginx_reader *r, const struct nginx_statement *s)
{
    static const struct {
        const char *directive, *prefix;
    } DECLARE[] = {{"limit_req_zone", "zone="}, {"limit_conn_zone", "zone="}, {"ssl_session_cache", "shared:"},
                   {"fastcgi_cache_path", "keys_zone="}, {"proxy_cache_path", "keys_zone="}};

    for (size_t i = 0; i < sizeof DECLARE / sizeof *DECLARE; i++)
        for (size_t w = 1; strcmp(s->words[0], DECLARE[i].directive) == 0 && w < s->n; w++)
            if (strncmp(s->words[w], DECLARE[i].prefix, strlen(DECLARE[i].prefix)) == 0)
                nginx_zone_add(r, DECLARE[i].directive, s->words[w] + strlen(DECLARE[i].prefix));
}

static void nginx_include(struct nginx_reader *r, const char *name)
{
    const char *pattern = *name == '/' ? name : arena_printf(r->arena, "%s/%s", r->folder, name);
    glob_t found;

    if (r->depth == INCLUDES_MAX || glob(pattern, GLOB_NOMAGIC, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        nginx_file_read(r, found.gl_pathv[i]);
    globfree(&found);
}

static void nginx_variable(struct nginx_reader *r, const char *name, const char *value)
{
    struct nginx_upstream *u;

    if (strcmp(name, "$loci_data") == 0)
        r->conf->data = value;
    if (strcmp(name, "$loci_upstream") != 0)
        return;
    r->conf->serves_loci = true;
    u = nginx_upstream_named(r, value);
    if (u)
        u->is_loci = true;
}

static void nginx_statement_end(struct nginx_reader *r, const struct nginx_statement *s)
{
    struct nginx_upstream *u;

    if (s->n < 2)
        return;
    nginx_zones_of(r, s);
    if (strcmp(s->words[0], "include") == 0)
        nginx_include(r, s->words[1]);
    else if (strcmp(s->words[0], "worker_processes") == 0 && !str_to_i64(s->words[1], &r->conf->workers))
        r->conf->workers = sysconf(_SC_NPROCESSORS_ONLN);
    else if (strcmp(s->words[0], "set") == 0 && s->n == 3)
        nginx_variable(r, s->words[1], s->words[2]);
    else if (strcmp(s->words[0], "keepalive") == 0 && r->in_upstream && (u = nginx_upstream_named(r, r->in_upstream)) != NULL)
        (void)str_to_i64(s->words[1], &u->keepalive);
}

/* The next word, or one of ; { } with *mark set; NULL at the end. */
static const char *nginx_word(struct arena *a, const char **at, char *mark)
{
    const char *p = *at, *begin;

    for (p += strspn(p, " \t\r\n"); *p == '#'; p += strspn(p, " \t\r\n"))
        p += strcspn(p, "\n");
    *mark = strchr(";{}", *p) ? *p : 0;
    begin = p;
    if (!*p)
        return NULL;
    if (*mark) {
        p++;
    } else if (*p == '"' || *p == '\'') {
        for (begin = ++p; *p && *p != begin[-1]; p++)
            p += *p == '\\' && p[1];
        *at = *p ? p + 1 : p;
        return arena_strndup(a, begin, (size_t)(p - begin));
    } else {
        while (*p && !strchr(" \t\r\n;", *p) && (*p != '{' || (p > begin && p[-1] == '$')) && (*p != '}' || memchr(begin, '{', (size_t)(p - begin))))
            p++;
    }
    *at = p;
    return arena_strndup(a, begin, (size_t)(p - begin));
}

static void nginx_text_read(struct nginx_reader *r, const char *text)
{
    struct nginx_statement s = {.n = 0};
    const char *word;
    char mark;

    while ((word = nginx_word(r->arena, &text, &mark)) != NULL) {
        if (!mark) {
            if (s.n < WORDS_MAX)
                s.words[s.n++] = word;
            continue;
        }
        if (mark == ';')
            nginx_statement_end(r, &s);
        else
            r->in_upstream = mark == '{' && s.n == 2 && strcmp(s.words[0], "upstream") == 0 ? s.words[1] : NULL;
        s.n = 0;
    }
}

static void nginx_file_read(struct nginx_reader *r, const char *path)
{
    FILE *f = fopen(path, "re");
    char *text;
    size_t n;

    if (!f) {
        r->conf->unread = arena_printf(r->arena, "%s: %s", path, strerror(errno));
        return;
    }
    text = arena_alloc(r->arena, FILE_MAX + 1);
    n = fread(text, 1, FILE_MAX, f);
    text[n] = 0;
    fclose(f);
    r->depth++;
    nginx_text_read(r, text);
    r->depth--;
}

bool nginx_conf_read(struct arena *a, const char *path, struct nginx_conf *out)
{
    const char *slash = strrchr(path, '/');
    struct nginx_reader *r;

    if (access(path, R_OK) != 0)
        return false;
    *out = (struct nginx_conf){.workers = 1};
    r = ARENA_NEW(a, struct nginx_reader);
    *r = (struct nginx_reader){.arena = a, .folder = slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".", .conf = out};
    nginx_file_read(r, path);
    for (size_t i = 0; i < r->n_upstreams; i++)
        if (r->upstreams[i].is_loci && r->upstreams[i].keepalive > out->keepalive)
            out->keepalive = r->upstreams[i].keepalive;
    return true;
}
