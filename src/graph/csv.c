/* Cells and rows; see csv.h. */
#include "csv.h"

#include <string.h>

void csv_cell(struct buf *b, const char *text, bool is_first)
{
    bool quote = strpbrk(text, ",\"\r\n") != NULL;

    if (!is_first)
        buf_putc(b, ',');
    if (quote)
        buf_putc(b, '"');
    if (*text && strchr("=+-@\t\r", *text))
        buf_putc(b, '\'');
    for (; *text; text++) {
        if (*text == '"')
            buf_putc(b, '"');
        buf_putc(b, *text);
    }
    if (quote)
        buf_putc(b, '"');
}

void csv_end(struct buf *b)
{
    buf_puts(b, "\r\n");
}
