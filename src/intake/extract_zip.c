/* Reading zip files; see extract_zip.h. */
#include "extract_zip.h"

#include <string.h>
#include <zlib.h>

#define ZIP_TAIL 22        /* of the directory, at least */
#define ZIP_TAIL_MAX 65557 /* with its comment */
#define ZIP_CENTRAL 46
#define ZIP_LOCAL 30

static uint32_t zip_u32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint16_t zip_u16(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;

    return (uint16_t)(b[0] | b[1] << 8);
}

static const char *zip_tail(const struct extract *x)
{
    size_t least = x->n > ZIP_TAIL_MAX ? x->n - ZIP_TAIL_MAX : 0;

    if (x->n < ZIP_TAIL)
        return NULL;
    for (size_t at = x->n - ZIP_TAIL + 1; at-- > least;)
        if (memcmp(x->bytes + at, "PK\5\6", 4) == 0)
            return x->bytes + at;
    return NULL;
}

static enum extract_fault zip_read_entry(struct zip *z, size_t *at, struct zip_entry *e)
{
    const struct extract *x = z->x;
    const char *p = x->bytes + *at;
    size_t name;

    if (*at > x->n || x->n - *at < ZIP_CENTRAL || memcmp(p, "PK\1\2", 4) != 0)
        return EXTRACT_MALFORMED;
    name = zip_u16(p + 28);
    if (x->n - *at - ZIP_CENTRAL < name)
        return EXTRACT_MALFORMED;
    *e = (struct zip_entry){.name = arena_strndup(x->arena, p + ZIP_CENTRAL, name), .flags = zip_u16(p + 8), .method = zip_u16(p + 10),
                            .packed = zip_u32(p + 20), .size = zip_u32(p + 24), .at = zip_u32(p + 42)};
    *at += ZIP_CENTRAL + name + zip_u16(p + 30) + zip_u16(p + 32);
    return EXTRACT_OK;
}

enum extract_fault zip_open(struct extract *x, struct zip *out)
{
    const char *tail = zip_tail(x);
    size_t at;

    *out = (struct zip){.x = x};
    if (!tail)
        return EXTRACT_MALFORMED;
    out->n = zip_u16(tail + 10);
    if (out->n > EXTRACT_ENTRIES)
        return EXTRACT_TOO_LARGE;
    at = zip_u32(tail + 16);
    out->entries = ARENA_ARRAY(x->arena, struct zip_entry, out->n + 1);
    for (size_t i = 0; i < out->n; i++) {
        enum extract_fault f = zip_read_entry(out, &at, &out->entries[i]);

        if (f)
            return f;
        if (out->entries[i].flags & 1)
            return EXTRACT_ENCRYPTED;
    }
    return EXTRACT_OK;
}

static const struct zip_entry *zip_find(const struct zip *z, const char *name)
{
    for (size_t i = 0; i < z->n; i++)
        if (strcmp(z->entries[i].name, name) == 0)
            return &z->entries[i];
    return NULL;
}

bool zip_has(const struct zip *z, const char *name)
{
    return zip_find(z, name) != NULL;
}

/* What an entry says of its size is not believed: it is inflated until the limit. */
static enum extract_fault zip_inflate(struct zip *z, const struct zip_entry *e, const char *from, struct bytes *out)
{
    size_t left = EXTRACT_INFLATED - z->x->inflated;
    z_stream s = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = e->packed};
    char *to = arena_alloc(z->x->arena, e->size + 1);
    int rc;

    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return EXTRACT_NO_MEMORY;
    s.next_out = (Bytef *)to;
    s.avail_out = e->size < left ? e->size : (uInt)left;
    rc = inflate(&s, Z_FINISH);
    out->p = to;
    out->n = s.total_out;
    inflateEnd(&s);
    z->x->inflated += out->n;
    return rc == Z_STREAM_END && out->n == e->size ? EXTRACT_OK : EXTRACT_MALFORMED;
}

static enum extract_fault zip_read_entry_at(struct zip *z, const struct zip_entry *e, struct bytes *out)
{
    const struct extract *x = z->x;
    size_t from;

    if (e->size > EXTRACT_INFLATED - x->inflated)
        return EXTRACT_TOO_LARGE;
    if (e->at > x->n || x->n - e->at < ZIP_LOCAL || memcmp(x->bytes + e->at, "PK\3\4", 4) != 0)
        return EXTRACT_MALFORMED;
    from = e->at + ZIP_LOCAL + (size_t)zip_u16(x->bytes + e->at + 26) + zip_u16(x->bytes + e->at + 28);
    if (from > x->n || x->n - from < e->packed)
        return EXTRACT_MALFORMED;
    if (e->method == Z_DEFLATED)
        return zip_inflate(z, e, x->bytes + from, out);
    if (e->method != 0 || e->packed != e->size)
        return EXTRACT_MALFORMED;
    *out = (struct bytes){arena_strndup(x->arena, x->bytes + from, e->size), e->size};
    z->x->inflated += e->size;
    return EXTRACT_OK;
}

enum extract_fault zip_read(struct zip *z, const char *name, struct bytes *out)
{
    const struct zip_entry *e = zip_find(z, name);

    return e ? zip_read_entry_at(z, e, out) : EXTRACT_NO_TEXT;
}

enum extract_fault extract_files(struct extract *x)
{
    enum extract_fault f;
    struct zip z;

    f = zip_open(x, &z);
    if (f)
        return f;
    x->parts = ARENA_ARRAY(x->arena, struct extract_part, z.n + 1);
    for (size_t i = 0; i < z.n; i++) {
        struct bytes b;

        f = zip_read_entry_at(&z, &z.entries[i], &b);
        if (f)
            return f;
        x->parts[x->n_parts++] = (struct extract_part){z.entries[i].name, b};
    }
    return x->n_parts ? EXTRACT_OK : EXTRACT_NO_TEXT;
}
