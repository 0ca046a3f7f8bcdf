/* The graph of texts and the names in them, opened node by node as far as somebody walks it. */
#ifndef LOCI_MENTION_NET_H
#define LOCI_MENTION_NET_H

#include "filter.h"
#include "row_map.h"

struct net_options {
    double title;       /* a name in a title counts so many times */
    double hub;         /* names in more than this share of the texts are left out … */
    uint32_t hub_least; /* … but never those in at most so many texts */
    int64_t as_of;      /* over edges true then; 0: whenever */
};

struct net_link {
    uint32_t to;   /* place */
    double weight; /* all links of a node add up to 1 */
};

struct net_node {
    uint64_t key; /* a row, or the key of a name */
    bool is_text, is_open;
    uint32_t df; /* of a name: texts that have it; 0: a hub, left out */
    uint32_t n;
    struct net_link *links; /* once it is open */
};

/* Nodes are numbered in the order in which they were met. Only rows of the filter exist in it. */
struct mention_net {
    struct arena *arena;
    const struct snapshot *s;
    const struct filter *f;
    struct net_options o;
    struct row_map texts, names;
    struct net_node *at;
    size_t n, cap;
};

struct mention_net mention_net_new(struct arena *a, const struct snapshot *s, const struct filter *f,
                                   const struct net_options *o);
uint32_t net_text(struct mention_net *net, uint32_t row);
/* The place of a name; its df is counted. */
uint32_t net_name(struct mention_net *net, uint64_t key);
/* Its links, read at the first time. The node may move when others are met: ask for it anew. */
struct net_node *net_open(struct mention_net *net, uint32_t place);

/* How many texts of the filter have the name; counts no further than most + 1. */
uint32_t mention_count(const struct snapshot *s, const struct filter *f, uint64_t key, uint32_t most);
/* Whether one of them has it in its title: then it is what some text is about. */
bool mention_is_titled(const struct snapshot *s, const struct filter *f, uint64_t key);
double mention_idf(const struct filter *f, uint32_t df);

#endif
