/* Escaping for LIKE; see like.h. */
#include "like.h"

#include "str.h"

static void like_add_escaped(struct buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '%' || *text == '_' || *text == '\\')
            buf_putc(b, '\\');
        buf_putc(b, *text);
    }
}

const char *like_prefix(struct arena *a, const char *text)
{
    struct buf b;

    buf_init(&b, a, 64);
    like_add_escaped(&b, text);
    buf_putc(&b, '%');
    return buf_str(&b);
}

const char *like_part(struct arena *a, const char *text)
{
    struct buf b;

    buf_init(&b, a, 64);
    buf_putc(&b, '%');
    like_add_escaped(&b, text);
    buf_putc(&b, '%');
    return buf_str(&b);
}
