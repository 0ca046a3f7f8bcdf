/* Loading templates from a folder: names, errors that stop the start, and the shipped templates themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail      /* err.h has one of its own */

#include "arena.h"
#include "views.h"

static struct arena *arena;
static char folder[] = "/tmp/loci-views-XXXXXX";

static void must(bool ok, const char *why)
{
    if (!ok)
        print_error("%s\n", why);
    assert_true(ok);
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(arena, "%s/%s", folder, name), "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(arena_printf(arena, "%s/%s", folder, name), 0700), 0);
}

static void drop(const char *name)
{
    (void)remove(arena_printf(arena, "%s/%s", folder, name));
}

static int open_folder(void **state)
{
    (void)state;
    arena = arena_new(256u << 20);
    assert_non_null(mkdtemp(folder));
    make_folder("templates");
    make_folder("templates/partials");
    return 0;
}

static int close_folder(void **state)
{
    static const char *const LEFT[] = {
        "templates/page.mustache", "templates/.hidden.mustache", "templates/README", "templates/partials/nav.mustache",
        "templates/partials/bad.mustache", "templates/partials", "templates", "",
    };

    (void)state;
    for (size_t i = 0; i < sizeof LEFT / sizeof *LEFT; i++)
        drop(LEFT[i]);
    arena_free(arena);
    return 0;
}

static void loads_and_renders(void **state)
{
    const char *why = "";
    struct json *model = json_obj(arena);
    const struct views *v;
    struct buf out;

    (void)state;
    write_file("templates/page.mustache", "<p>{{name}}</p>\n  {{>partials/nav}}\n");
    write_file("templates/partials/nav.mustache", "<nav>{{name}}</nav>\n");
    write_file("templates/.hidden.mustache", "{{#broken");
    write_file("templates/README", "{{#broken");
    v = views_load(arena, folder, &why);
    must(v != NULL, why);
    assert_true(views_has(v, "page"));
    assert_true(views_has(v, "partials/nav"));
    assert_false(views_has(v, "README"));
    json_set_str(arena, model, "name", "<x>");
    buf_init(&out, arena, 64);
    assert_int_equal(views_render(v, "page", model, &out), ERR_OK);
    assert_string_equal(buf_str(&out), "<p>&lt;x&gt;</p>\n  <nav>&lt;x&gt;</nav>\n");
    assert_int_equal(views_render(v, "nobody", model, &out), ERR_INTERNAL);
}

static void a_broken_template_stops_the_start(void **state)
{
    const char *why = "";

    (void)state;
    write_file("templates/partials/bad.mustache", "fine\n{{{unsafe}}}\n");
    assert_null(views_load(arena, folder, &why));
    assert_non_null(strstr(why, "/templates/partials/bad.mustache:2: 'unsafe' is printed unescaped"));
    write_file("templates/partials/bad.mustache", "\n\n{{>partials/nobody}}\n");
    assert_null(views_load(arena, folder, &why));
    assert_non_null(strstr(why, "/templates/partials/bad.mustache:3: there is no template 'partials/nobody'"));
    drop("templates/partials/bad.mustache");
}

static void a_missing_folder_is_named(void **state)
{
    const char *why = "";

    (void)state;
    assert_null(views_load(arena, "/nonexistent", &why));
    assert_string_equal(why, "/nonexistent/templates: No such file or directory");
}

/* Each shipped template must stand an empty model: whatever a handler leaves out, the page comes. */
static void the_shipped_templates_load(void **state)
{
    static const char *const PAGES[] = {
        "login", "error", "overview", "account", "tokens", "users", "agents", "teams", "spaces", "audit", "settings",
        "jobs", "job", "job_runs", "job_run", "queue", "dead_letters", "schedulers", "user", "agent", "team", "space", "confirm",
    };
    const char *src = getenv("srcdir"), *why = "";
    const struct views *v = views_load(arena, src ? src : ".", &why);

    (void)state;
    must(v != NULL, why);
    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES; i++) {
        struct buf out;

        must(views_has(v, PAGES[i]), PAGES[i]);
        buf_init(&out, arena, 4096);
        assert_int_equal(views_render(v, PAGES[i], json_obj(arena), &out), ERR_OK);
        assert_true(str_starts(buf_str(&out), "<!DOCTYPE html>"));
        assert_non_null(strstr(buf_str(&out), "</html>"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_renders),
        cmocka_unit_test(a_broken_template_stops_the_start),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(the_shipped_templates_load),
    };

    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
