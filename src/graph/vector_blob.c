/* The bytes of a stored vector; see vector.h. */
#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "limit.h"
#include "vector.h"

static const uint8_t MAGIC[4] = {'L', 'V', '0', '1'};

static void put32(uint8_t *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, sizeof v);
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return le32toh(v);
}

static uint32_t vector_blob_bits_of(float f)
{
    uint32_t v;

    memcpy(&v, &f, sizeof v);
    return v;
}

static float float_of(uint32_t v)
{
    float f;

    memcpy(&f, &v, sizeof f);
    return f;
}

struct bytes vector_blob(struct arena *a, struct uuid model_id, const float *v, size_t dim, float norm)
{
    size_t n = VECTOR_HEADER + dim * sizeof *v;
    uint8_t *p = arena_alloc(a, n);

    memcpy(p, MAGIC, sizeof MAGIC);
    memcpy(p + 4, model_id.b, sizeof model_id.b);
    put32(p + 20, (uint32_t)dim);
    put32(p + 24, vector_blob_bits_of(norm));
    for (size_t i = 0; i < dim; i++)
        put32(p + VECTOR_HEADER + i * sizeof *v, vector_blob_bits_of(v[i]));
    return (struct bytes){p, n};
}

/* Where the numbers lie as this machine reads them, they are read where they lie. */
static const float *numbers_of(struct arena *a, const uint8_t *p, size_t n)
{
    float *copy;

    if (htole32(1) == 1 && (uintptr_t)p % _Alignof(float) == 0)
        return (const float *)(const void *)p;
    copy = ARENA_ARRAY(a, float, n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = float_of(get32(p + i * sizeof *copy));
    return copy;
}

bool vector_read_blob(struct arena *a, struct bytes blob, struct uuid *model_id, const float **v, size_t *dim, float *norm)
{
    const uint8_t *p = blob.p;
    size_t n;

    if (blob.n < VECTOR_HEADER || memcmp(p, MAGIC, sizeof MAGIC) != 0)
        return false;
    n = get32(p + 20);
    if (n > LIMIT_VECTOR_DIM || blob.n != VECTOR_HEADER + n * sizeof **v)
        return false;
    memcpy(model_id->b, p + 4, sizeof model_id->b);
    *norm = float_of(get32(p + 24));
    *dim = n;
    *v = numbers_of(a, p + VECTOR_HEADER, n);
    return true;
}
