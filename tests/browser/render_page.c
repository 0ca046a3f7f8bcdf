/* Renders one template of a data folder with a model from standard input: for looking at pages without a server.
 * render_page DATA_DIR NAME <model.json >page.html */
#include <stdio.h>

#include "arena.h"
#include "json.h"
#include "views.h"

#define MODEL_MAX (1u << 20)

static int give_up(const char *why)
{
    fprintf(stderr, "render_page: %s\n", why);
    return 1;
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new(256u << 20);
    char *text = arena_alloc(a, MODEL_MAX);
    size_t n = fread(text, 1, MODEL_MAX, stdin);
    struct json *model = NULL;
    const char *why = "";
    struct views *v;
    struct buf out;

    if (argc != 3)
        return give_up("DATA_DIR and NAME are wanted");
    if (json_parse(a, text, n, &model, &why) != JSON_OK)
        return give_up(why);
    v = views_load(a, argv[1], &why);
    if (!v)
        return give_up(why);
    buf_init(&out, a, 65536);
    if (views_render(v, argv[2], model, &out) != ERR_OK)
        return give_up("no such template, or it does not end");
    fwrite(buf_str(&out), 1, out.len, stdout);
    arena_free(a);
    return 0;
}
