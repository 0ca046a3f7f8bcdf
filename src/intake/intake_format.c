/* Telling formats apart; see intake_format.h. */
#include "intake_format.h"

#include <string.h>
#include <strings.h>

#define LOOK_BYTES 4096

const char *intake_media(enum intake_format f)
{
#define INTAKE_MEDIA(name, media, child) media,
    static const char *const MEDIA[] = {INTAKE_FORMATS(INTAKE_MEDIA) NULL};

    return MEDIA[f];
}

const char *intake_child_name(enum intake_format f)
{
#define INTAKE_CHILD(name, media, child) child,
    static const char *const NAMES[] = {INTAKE_FORMATS(INTAKE_CHILD) NULL};

    return NAMES[f];
}

static bool bytes_hold(struct bytes in, const char *what, size_t n)
{
    return memmem(in.p, in.n, what, n) != NULL;
}

/* Names of entries stand in the file as they are. */
static enum intake_format format_of_zip(struct bytes in)
{
    static const char EPUB[] = "mimetypeapplication/epub+zip", ODT[] = "mimetypeapplication/vnd.oasis.opendocument.text";

    if (bytes_hold(in, EPUB, sizeof EPUB - 1) || bytes_hold(in, "META-INF/container.xml", 22))
        return INTAKE_EPUB;
    if (bytes_hold(in, ODT, sizeof ODT - 1))
        return INTAKE_ODT;
    if (bytes_hold(in, "word/document.xml", 17))
        return INTAKE_DOCX;
    if (bytes_hold(in, "ppt/presentation.xml", 20))
        return INTAKE_PPTX;
    return bytes_hold(in, "xl/workbook.xml", 15) ? INTAKE_XLSX : INTAKE_UNKNOWN;
}

static bool is_media(const char *media, const char *wanted)
{
    size_t n = strlen(wanted);

    return media && strncasecmp(media, wanted, n) == 0 && (!media[n] || media[n] == ';' || media[n] == ' ');
}

enum intake_format intake_format_of_media(const char *media)
{
    for (int f = 0; f < INTAKE_UNKNOWN; f++)
        if (is_media(media, intake_media((enum intake_format)f)))
            return (enum intake_format)f;
    return is_media(media, "application/xhtml+xml") ? INTAKE_HTML : is_media(media, "text/x-markdown") ? INTAKE_MARKDOWN
                                                                                                       : INTAKE_UNKNOWN;
}

static enum intake_format format_of_name(const char *name)
{
    static const struct {
        const char *end;
        enum intake_format format;
    } ENDS[] = {
        {"md", INTAKE_MARKDOWN},
        {"markdown", INTAKE_MARKDOWN},
        {"html", INTAKE_HTML},
        {"htm", INTAKE_HTML},
        {"xhtml", INTAKE_HTML},
    };
    const char *dot = name ? strrchr(name, '.') : NULL;

    for (size_t i = 0; dot && i < sizeof ENDS / sizeof *ENDS; i++)
        if (strcasecmp(dot + 1, ENDS[i].end) == 0)
            return ENDS[i].format;
    return dot && strcasecmp(dot, ".eml") == 0 ? INTAKE_EML : INTAKE_UNKNOWN;
}

static bool is_utf16_text(struct bytes in)
{
    return in.n >= 2 && (memcmp(in.p, "\xff\xfe", 2) == 0 || memcmp(in.p, "\xfe\xff", 2) == 0);
}

static bool begins_html(struct bytes in)
{
    const char *p = in.p, *end = p + in.n;

    if (in.n > 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return (end - p >= 14 && strncasecmp(p, "<!doctype html", 14) == 0) || (end - p >= 5 && strncasecmp(p, "<html", 5) == 0);
}

/* What no text begins with. */
static enum intake_format format_of_magic(struct bytes in, bool *is_sure)
{
    struct bytes head = {in.p, in.n < LOOK_BYTES ? in.n : LOOK_BYTES}, first = {in.p, in.n < 1024 ? in.n : 1024};
    static const char LOCKED[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P";

    *is_sure = true;
    if (bytes_hold(first, "%PDF-", 5))
        return INTAKE_PDF;
    if (in.n > 4 && memcmp(in.p, "PK\3\4", 4) == 0)
        return format_of_zip(in);
    if (in.n > 8 && memcmp(in.p, "\xd0\xcf\x11\xe0", 4) == 0) /* OLE: an office file is in it if it has a password */
        return bytes_hold(in, LOCKED, sizeof LOCKED - 1) ? INTAKE_DOCX : INTAKE_UNKNOWN;
    if (in.n > 5 && memcmp(in.p, "{\\rtf", 5) == 0)
        return INTAKE_UNKNOWN;
    if (!is_utf16_text(in) && memchr(head.p, 0, head.n))
        return INTAKE_UNKNOWN;
    *is_sure = false;
    return INTAKE_TEXT;
}

enum intake_format intake_format_of(struct bytes in, const char *media, const char *name)
{
    bool is_sure;
    enum intake_format f = format_of_magic(in, &is_sure), said = intake_format_of_media(media);

    if (is_sure)
        return f;
    if (begins_html(in))
        return INTAKE_HTML;
    if (said == INTAKE_UNKNOWN || said == INTAKE_TEXT)
        said = format_of_name(name) == INTAKE_UNKNOWN ? said : format_of_name(name);
    switch (said) {
    case INTAKE_HTML:
    case INTAKE_MARKDOWN:
    case INTAKE_EML: return said;
    default: return INTAKE_TEXT; /* a text, whatever it is called */
    }
}
