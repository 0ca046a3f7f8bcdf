/* Opening the packed model: mapped, and checked before any number in it is followed. */
#include "model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const SECTION_NAMES[N_SECTIONS] = {
    "vocabulary", "embeddings", "timing", "norms", "biases", "f32 weights", "bf16 weights", "int8 weights",
};

struct mapping {
    void *at;
    size_t size;
};

static void unmap(void *mapping)
{
    struct mapping *m = mapping;

    munmap(m->at, m->size);
}

/* NULL and *why when it cannot be mapped or is too short for a header. */
static const uint8_t *map_file(struct arena *a, const char *path, size_t *size, const char **why)
{
    struct mapping *m = ARENA_NEW(a, struct mapping);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0) {
        *why = arena_printf(a, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    *size = m->size = (size_t)st.st_size;
    if (!S_ISREG(st.st_mode) || m->size < sizeof(struct model_header)) {
        *why = arena_printf(a, "%s: too short for a packed model (%zu bytes)", path, m->size);
        close(fd);
        return NULL;
    }
    m->at = mmap(NULL, m->size, PROT_READ, MAP_SHARED, fd, 0);
    if (m->at == MAP_FAILED) {
        *why = arena_printf(a, "%s: cannot be mapped: %s", path, strerror(errno));
        close(fd);
        return NULL;
    }
    close(fd);
    arena_defer(a, unmap, m);
    return m->at;
}

static bool extent_is_sound(const struct model_header *h, int section)
{
    const struct model_extent *e = &h->sections[section];

    if (e->offset == 0 && e->size == 0)
        return section > SECTION_WEIGHTS; /* only bf16 and int8 may be missing */
    return e->size == model_section_size(model_plan_of((enum model_kind)h->kind),
                                         (enum model_section)section) && e->offset % MODEL_ALIGN == 0 &&
           e->offset >= sizeof *h && e->offset <= h->file_size && h->file_size - e->offset >= e->size;
}

/* Whether the header says what a header of this version can say; from here on offsets may be followed. */
static const char *header_fault(struct arena *a, const struct model_header *h, size_t size)
{
    uint8_t hash[MODEL_HASH];

    if (memcmp(h->magic, MODEL_MAGIC, sizeof h->magic) != 0)
        return "not a packed model";
    if (h->version != MODEL_VERSION || h->header_size != sizeof *h)
        return arena_printf(a, "packed for version %u of the format, this program reads version %d", h->version,
                            MODEL_VERSION);
    model_header_hash(h, hash);
    if (memcmp(hash, h->hash, MODEL_HASH) != 0)
        return "its header is damaged";
    if (h->kind >= N_MODELS)
        return "a model that this program does not know";
    if (h->file_size != size)
        return arena_printf(a, "%zu bytes instead of %llu: cut off or written to", size,
                            (unsigned long long)h->file_size);
    for (int s = 0; s < N_SECTIONS; s++)
        if (!extent_is_sound(h, s))
            return arena_printf(a, "its section of %s is misplaced", SECTION_NAMES[s]);
    return NULL;
}

/* false: a vocabulary whose numbers lead astray. */
static bool find_sections(const struct model_header *h, const uint8_t *file, struct model_file *out)
{
    const void *vocabulary = file + h->sections[SECTION_VOCABULARY].offset;
    const void *embeddings = file + h->sections[SECTION_EMBEDDINGS].offset;

    *out = (struct model_file){
        .header = h,
        .plan = model_plan_of((enum model_kind)h->kind),
        .timing = (const float *)(file + h->sections[SECTION_TIMING].offset),
        .norms = (const float *)(file + h->sections[SECTION_NORMS].offset),
        .biases = (const float *)(file + h->sections[SECTION_BIASES].offset),
    };
    for (int p = 0; p < N_PRECISIONS; p++)
        if (h->sections[SECTION_WEIGHTS + p].size)
            out->weights[p] = file + h->sections[SECTION_WEIGHTS + p].offset;
    if (h->kind == MODEL_BERT) {
        out->pieces = vocabulary;
        out->halves = embeddings;
        return wordpieces_are_sound(out->pieces);
    }
    out->vocabulary = vocabulary;
    out->embeddings = embeddings;
    return vocabulary_is_sound(out->vocabulary);
}

bool model_file_open(struct arena *a, const char *path, struct model_file *out, const char **why)
{
    uint8_t samples[MODEL_HASH];
    const struct model_header *h;
    const uint8_t *file;
    const char *fault;
    size_t size;

    *out = (struct model_file){0};
    file = map_file(a, path, &size, why);
    if (!file)
        return false;
    h = (const struct model_header *)file;
    fault = header_fault(a, h, size);
    if (!fault) {
        model_sample_hash(h, file, samples);
        if (memcmp(samples, h->samples, MODEL_HASH) != 0 || !find_sections(h, file, out))
            fault = "its contents are damaged";
    }
    if (fault) {
        *why = arena_printf(a, "%s: %s; pack it again with: locictl model pack", path, fault);
        return false;
    }
    /* Each sample brought its neighbours along. They stay in the page cache; a model that is not used takes no memory of this process. */
    (void)madvise((void *)(uintptr_t)file, size, MADV_DONTNEED);
    return true;
}

bool model_file_verify(const struct model_file *m, const char **why)
{
    const uint8_t *file = (const uint8_t *)m->header;
    uint8_t hash[MODEL_HASH];

    for (int s = 0; s < N_SECTIONS; s++) {
        const struct model_extent *e = &m->header->sections[s];

        crypto_generichash(hash, sizeof hash, file + e->offset, e->size, NULL, 0);
        if (e->size && memcmp(hash, e->hash, MODEL_HASH) != 0) {
            *why = SECTION_NAMES[s];
            return false;
        }
    }
    return true;
}
