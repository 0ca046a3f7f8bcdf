/* The gate of the graph: which names of a query the texts know, and whether one of them is rare enough to lead anywhere. */
#include "graph_gate.h"

#include <string.h>

static uint32_t at_most(double share, size_t texts, uint32_t least)
{
    double n = share * (double)texts;

    return n > (double)least ? (uint32_t)n : least;
}

/* Written as a name. A sentence's first word has its capital anyway. */
static bool is_written_so(const struct found_name *f)
{
    return (f->flags & (MENTION_QUOTED | MENTION_PHRASE | MENTION_IDENTIFIER)) ||
           ((f->flags & MENTION_CAPITAL) && !(f->flags & MENTION_WEAK));
}

/* Does b stand in a as whole words, and is less? */
static bool graph_gate_holds(const char *a, const char *b)
{
    size_t n = strlen(b);

    for (const char *at = strstr(a, b); at; at = strstr(at + 1, b))
        if ((at == a || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return strlen(a) > n;
    return false;
}

/* "Mine Creek" says nothing more where "Battle of Mine Creek" is known. */
static size_t without_parts(struct named *names, size_t n)
{
    size_t kept = 0;
    bool part[MENTIONS_MAX] = {false};

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n && !part[i]; k++)
            part[i] = graph_gate_holds(names[k].name, names[i].name);
    for (size_t i = 0; i < n; i++)
        if (!part[i])
            names[kept++] = names[i];
    return kept;
}

void graph_gate(struct arena *a, const struct snapshot *s, const struct filter *f, const char *query,
                const struct gate_options *o, struct graph_gate *out)
{
    uint32_t rare = at_most(o->rare, f->count, o->rare_least), hub = at_most(o->hub, f->count, o->hub_least);
    struct found_names found = {.arena = a};

    *out = (struct graph_gate){.is_open = false};
    mentions_of_query(&found, query);
    out->names = ARENA_ARRAY(a, struct named, found.n + 1);
    for (size_t i = 0; i < found.n; i++) {
        const struct found_name *n = &found.at[i];
        uint32_t df;

        if (!is_written_so(n))
            continue;
        df = mention_count(s, f, n->key, hub);
        if (!df || df > hub)
            continue;
        out->is_open |= df <= rare;
        out->names[out->n++] = (struct named){n->name, n->key, n->flags, df, mention_idf(f, df), mention_is_titled(s, f, n->key)};
    }
    out->n = without_parts(out->names, out->n);
}
