/* EPUB: its pages in the order of the spine, each as HTML. See extract.h. */
#include <string.h>

#include "extract_xml.h"

#define EPUB_ITEMS 5000

struct epub {
    struct arena *arena;
    const char *package; /* path of the package file */
    struct epub_item {
        const char *id, *path;
    } * items;
    const char **spine;
    size_t n_items, n_spine;
};

static void epub_container_start(void *arg, const char *name, const char **attributes)
{
    struct epub *e = arg;
    const char *path = xml_attribute(attributes, "full-path");

    if (strcmp(name, "rootfile") == 0 && path && !e->package)
        e->package = arena_strdup(e->arena, path);
}

static void epub_package_start(void *arg, const char *name, const char **attributes)
{
    struct epub *e = arg;
    const char *id = xml_attribute(attributes, "id"), *href = xml_attribute(attributes, "href"), *ref = xml_attribute(attributes, "idref"),
               *media = xml_attribute(attributes, "media-type"), *colon = strchr(name, ':');
    const char *local = colon ? colon + 1 : name;

    if (strcmp(local, "item") == 0 && id && href && media && strstr(media, "html") && e->n_items < EPUB_ITEMS)
        e->items[e->n_items++] = (struct epub_item){arena_strdup(e->arena, id), xml_beside(e->arena, e->package,
            arena_strdup(e->arena, href))};
    else if (strcmp(local, "itemref") == 0 && ref && e->n_spine < EPUB_ITEMS)
        e->spine[e->n_spine++] = arena_strdup(e->arena, ref);
}

static enum extract_fault epub_page(struct extract *x, struct zip *z, const struct epub *e, const char *id)
{
    for (size_t i = 0; i < e->n_items; i++) {
        struct bytes page;
        enum extract_fault f;

        if (strcmp(e->items[i].id, id) != 0)
            continue;
        f = zip_read(z, e->items[i].path, &page);
        return f == EXTRACT_NO_TEXT ? EXTRACT_OK : f ? f : extract_html_page(x, page.p, page.n, true);
    }
    return EXTRACT_OK;
}

enum extract_fault extract_epub(struct extract *x)
{
    struct epub e = {.arena = x->arena};
    struct xml_reader container = {.start = epub_container_start, .arg = &e}, package = {.start = epub_package_start, .arg = &e};
    struct zip z;
    enum extract_fault f = zip_open(x, &z);

    if (f)
        return f;
    e.items = ARENA_ARRAY(x->arena, struct epub_item, EPUB_ITEMS);
    e.spine = arena_array(x->arena, EPUB_ITEMS, sizeof(char *));
    if (zip_has(&z, "META-INF/rights.xml"))
        return EXTRACT_ENCRYPTED;
    f = xml_read_entry(&container, &z, "META-INF/container.xml");
    if (!f && e.package)
        f = xml_read_entry(&package, &z, e.package);
    if (f || !e.package)
        return f && f != EXTRACT_NO_TEXT ? f : EXTRACT_MALFORMED;
    x->title = xml_first_text(&z, e.package, "dc:title");
    x->language = xml_first_text(&z, e.package, "dc:language");
    x->date = xml_first_text(&z, e.package, "dc:date");
    for (size_t i = 0; i < e.n_spine && !f; i++)
        f = epub_page(x, &z, &e, e.spine[i]);
    return f;
}
