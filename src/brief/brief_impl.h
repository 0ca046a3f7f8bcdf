/* What the files of the room share; no other room includes this. */
#ifndef LOCI_BRIEF_IMPL_H
#define LOCI_BRIEF_IMPL_H

#include "brief.h"
#include "recall.h"

enum brief_zone { ZONE_POLICY, ZONE_OWN, ZONE_RECALLED };

struct brief_item {
    struct uuid id, covered_by; /* id nil: it is no memory */
    const char *kind, *line;    /* line: as it is shown, inert */
    int64_t tokens;
    uint64_t simhash;
    size_t section;
    bool stable, kept, must; /* must: cut last */
    const char *reason;      /* why it was left out */
};

struct briefing {
    const struct brief_in *in;
    const char *query; /* NULL: none that is worth a recall */
    struct brief *out;
    struct brief_item items[BRIEF_ITEMS];
    size_t n;
    struct recall_out recalled;
    bool has_recalled;
};

/* Where a part of the brief comes from; one for each room. */
struct brief_source {
    const char *name;
    int weight;
    size_t most;
    enum brief_zone zone;
    bool (*takes)(const char *kind);                                  /* hits of the one recall … */
    err (*gather)(struct ctx *c, struct briefing *b, size_t section); /* … or its own */
};
extern const struct brief_source BRIEF_SOURCES[];
extern const size_t BRIEF_N_SOURCES;

/* One more; nothing happens where there are too many. */
struct brief_item *brief_add(struct ctx *c, struct briefing *b, size_t section, struct uuid id, const char *kind, const char *line);
/* `<kind id="…" …>text</kind>`; attrs is inert. */
const char *brief_line(struct arena *a, const char *tag, struct uuid id, const char *attrs, const char *text, size_t most);
/* The weight of a source, as the caller has it; 0: off. */
int brief_weight(const struct brief_in *in, size_t section);
/* What repeats what is there, or what a fact says. */
err brief_dedup(struct ctx *c, struct briefing *b);
/* What fits the budget, by fair shares. */
void brief_pack(struct ctx *c, struct briefing *b);
void brief_render(struct ctx *c, struct briefing *b);

#endif
