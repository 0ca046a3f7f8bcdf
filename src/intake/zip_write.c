/* Archives .zip; see zip_write.h. */
#include "zip_write.h"

#include <string.h>

#define ZIP_DAY 0x0021u  /* 1980-01-01 */
#define ZIP_UTF8 0x0800u /* names are UTF-8 */
#define ZIP_NEEDS 20u    /* version that reads it */

/* CRC-32, four bits at a time. */
static uint32_t zip_crc(struct bytes b)
{
    static const uint32_t OF_NIBBLE[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                           0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *p = b.p;
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < b.n; i++) {
        crc = OF_NIBBLE[(crc ^ p[i]) & 15] ^ crc >> 4;
        crc = OF_NIBBLE[(crc ^ (uint32_t)p[i] >> 4) & 15] ^ crc >> 4;
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

static err zip_send(struct zip_writer *z, const void *p, size_t n)
{
    z->at += n;
    return n ? z->write(z->arg, p, n) : ERR_OK;
}

void zip_begin(struct zip_writer *z, struct arena *a)
{
    buf_init(&z->directory, a, 4096);
    z->at = z->n = 0;
}

err zip_add(struct zip_writer *z, const char *path, struct bytes content)
{
    const struct zip_file f = {path, content};
    uint8_t head[64]; /* 30 of them, and the room that a buffer keeps behind */
    struct buf b = {.data = (char *)head, .cap = sizeof head};
    uint32_t crc = zip_crc(content);

    if (z->n == ZIP_FILES || z->at + content.n + 1024 > UINT32_MAX - z->directory.len)
        return ERR_TOO_LARGE;
    zip_entry(&z->directory, &f, crc, (uint32_t)z->at);
    z->n++;
    zip_put32(&b, 0x04034b50u);
    zip_common(&b, &f, crc);
    TRY(zip_send(z, head, b.len));
    TRY(zip_send(z, path, strlen(path)));
    return zip_send(z, content.p, content.n);
}

err zip_end(struct zip_writer *z)
{
    uint32_t entries = (uint32_t)z->at, n = (uint32_t)z->directory.len;
    struct buf *b = &z->directory;

    zip_put32(b, 0x06054b50u);
    zip_put32(b, 0);
    zip_put16(b, (uint32_t)z->n);
    zip_put16(b, (uint32_t)z->n);
    zip_put32(b, n);
    zip_put32(b, entries);
    zip_put16(b, 0);
    return zip_send(z, b->data, b->len);
}

static err zip_write_here(void *arg, const void *p, size_t n)
{
    buf_add(arg, p, n);
    return ERR_OK;
}

struct bytes zip_write(struct arena *a, const struct zip_file *v, size_t n)
{
    struct buf b;
    struct zip_writer z = {.write = zip_write_here, .arg = &b};

    buf_init(&b, a, 4096);
    zip_begin(&z, a);
    for (size_t i = 0; i < n; i++)
        if (zip_add(&z, v[i].path, v[i].content) != ERR_OK)
            break;
    (void)zip_end(&z);
    return (struct bytes){b.data, b.len};
}
