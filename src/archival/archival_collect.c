/* What is known of a subject, as lines: the weightiest first, nothing twice, each with its source. No model takes part in it. */
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "archival_impl.h"
#include "archival_store.h"
#include "simhash.h"

#define LINE_CHARS 300
#define NEAR_BITS 3
#define HALF_LIFE_DAYS 90

struct ranked {
    const struct archival_source *source;
    const char *text;
    double weight;
    uint64_t hash;
};

static int archival_by_weight(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1) : uuid_cmp(x->source->id, y->source->id);
}

static int archival_by_time(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->source->at.us != y->source->at.us ? (x->source->at.us < y->source->at.us ? -1 : 1) : uuid_cmp(x->source->id, y->source->id);
}

static enum archival_section archival_section_of(const struct archival_source *s)
{
    if (str_eq(s->fact_type, "preference"))
        return ARCHIVAL_PREFERENCES;
    if (str_eq(s->fact_type, "event") || str_eq(s->fact_type, "commitment") || str_eq(s->fact_type, "request"))
        return ARCHIVAL_HISTORY;
    return str_eq(s->kind, "learning") ? ARCHIVAL_PERFORMANCE : ARCHIVAL_NOTES;
}

/* On one line. */
static const char *archival_flat(struct ctx *c, const char *text)
{
    char *flat = arena_strndup(c->arena, text, str_first_bytes(text, LINE_CHARS));

    for (char *p = flat; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    return flat;
}

static bool archival_is_said(const struct ranked *v, size_t n, uint64_t hash)
{
    for (size_t i = 0; i < n; i++)
        if (hash && v[i].hash && __builtin_popcountll(v[i].hash ^ hash) <= NEAR_BITS)
            return true;
    return false;
}

/* The best that fit into the size of a section; history in the order of time, with its days. */
static void archival_section_make(struct ctx *c, struct ranked *v, size_t n, bool dated, struct archival_made *out)
{
    size_t kept = 0, room = ARCHIVAL_TEXT;
    char day[INSTANT_TEXT];

    qsort(v, n, sizeof *v, archival_by_weight);
    for (size_t i = 0; i < n && kept < ARCHIVAL_LINES; i++) {
        size_t size = str_code_points(v[i].text, strlen(v[i].text)) + (dated ? 12 : 1);

        if (size > room || archival_is_said(v, kept, v[i].hash))
            continue;
        room -= size;
        v[kept++] = v[i];
    }
    if (dated)
        qsort(v, kept, sizeof *v, archival_by_time);
    for (size_t i = 0; i < kept; i++) {
        const char *text = dated ? arena_printf(c->arena, "%.10s %s", instant_text(v[i].source->at, day), v[i].text) : v[i].text;

        out->lines[out->n++] = (struct archival_line){v[i].source->id, text};
    }
}

struct bytes archival_hash(struct arena *a, const struct archival_line *v, size_t n)
{
    uint8_t *sum = arena_alloc(a, crypto_hash_sha256_BYTES);
    crypto_hash_sha256_state h;

    crypto_hash_sha256_init(&h);
    for (size_t i = 0; i < n; i++) {
        crypto_hash_sha256_update(&h, v[i].source_id.b, sizeof v[i].source_id.b);
        crypto_hash_sha256_update(&h, (const uint8_t *)v[i].text, strlen(v[i].text) + 1);
    }
    crypto_hash_sha256_final(&h, sum);
    return (struct bytes){sum, crypto_hash_sha256_BYTES};
}

err archival_collect(struct ctx *c, const struct archival_home *home, struct archival_made *sections)
{
    const struct archival_source *v;
    struct list sources, outcomes = {0};
    struct ranked *rows;

    TRY(archival_store_sources(c, home->subject_id, home->space_id, home->is_agent, &sources));
    if (home->is_agent)
        TRY(archival_store_outcomes(c, home->subject_id, &outcomes));
    v = sources.v;
    rows = ARENA_ARRAY(c->arena, struct ranked, sources.n + 1);
    for (int section = 0; section < ARCHIVAL_SECTIONS; section++) {
        struct archival_made *out = &sections[section];
        size_t n = 0;

        if (section == ARCHIVAL_PERFORMANCE && outcomes.n)
            memcpy(out->lines, outcomes.v, (out->n = outcomes.n) * sizeof *out->lines);
        for (size_t i = 0; i < sources.n; i++) {
            double days = (double)(c->now.us - v[i].at.us) / (double)DAY_US;

            if ((int)archival_section_of(&v[i]) == section)
                rows[n++] = (struct ranked){&v[i], archival_flat(c, v[i].text), v[i].importance * exp2(-fmax(days, 0) / HALF_LIFE_DAYS),
                                            simhash("", v[i].text)};
        }
        archival_section_make(c, rows, n, section == ARCHIVAL_HISTORY, out);
        out->hash = archival_hash(c->arena, out->lines, out->n);
    }
    return ERR_OK;
}
