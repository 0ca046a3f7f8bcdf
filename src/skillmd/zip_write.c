/* Archives .zip; see zip_write.h. */
#include "zip_write.h"

#include <string.h>

#define ZIP_DAY 0x0021u  /* 1980-01-01 */
#define ZIP_UTF8 0x0800u /* names are UTF-8 */
#define ZIP_NEEDS 20u    /* version that reads it */

static uint32_t zip_crc(struct bytes b)
{
    const uint8_t *p = b.p;
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < b.n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static void zip_put16(struct buf *b, uint32_t v)
{
    buf_putc(b, (char)(v & 255));
    buf_putc(b, (char)(v >> 8 & 255));
}

static void zip_put32(struct buf *b, uint32_t v)
{
    zip_put16(b, v & 0xffff);
    zip_put16(b, v >> 16);
}

/* What both headers of a file have: flags to the length of its name. */
static void zip_common(struct buf *b, const struct zip_file *f, uint32_t crc)
{
    zip_put16(b, ZIP_NEEDS);
    zip_put16(b, ZIP_UTF8);
    zip_put16(b, 0);
    zip_put16(b, 0);
    zip_put16(b, ZIP_DAY);
    zip_put32(b, crc);
    zip_put32(b, (uint32_t)f->content.n);
    zip_put32(b, (uint32_t)f->content.n);
    zip_put16(b, (uint32_t)strlen(f->path));
    zip_put16(b, 0);
}

static void zip_entry(struct buf *b, const struct zip_file *f, uint32_t crc, uint32_t at)
{
    zip_put32(b, 0x02014b50u);
    zip_put16(b, ZIP_NEEDS);
    zip_common(b, f, crc);
    zip_put16(b, 0);
    zip_put16(b, 0);
    zip_put16(b, 0);
    zip_put32(b, 0);
    zip_put32(b, at);
    buf_puts(b, f->path);
}

struct bytes zip_write(struct arena *a, const struct zip_file *v, size_t n)
{
    uint32_t *at = ARENA_ARRAY(a, uint32_t, n + 1), *crc = ARENA_ARRAY(a, uint32_t, n + 1), entries;
    struct buf b;

    buf_init(&b, a, 4096);
    for (size_t i = 0; i < n; i++) {
        at[i] = (uint32_t)b.len;
        crc[i] = zip_crc(v[i].content);
        zip_put32(&b, 0x04034b50u);
        zip_common(&b, &v[i], crc[i]);
        buf_puts(&b, v[i].path);
        buf_add(&b, v[i].content.p ? v[i].content.p : "", v[i].content.n);
    }
    entries = (uint32_t)b.len;
    for (size_t i = 0; i < n; i++)
        zip_entry(&b, &v[i], crc[i], at[i]);
    zip_put32(&b, 0x06054b50u);
    zip_put32(&b, 0);
    zip_put16(&b, (uint32_t)n);
    zip_put16(&b, (uint32_t)n);
    zip_put32(&b, (uint32_t)b.len - entries - 12);
    zip_put32(&b, entries);
    zip_put16(&b, 0);
    return (struct bytes){b.data, b.len};
}
