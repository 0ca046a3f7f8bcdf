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
#undef fail /* err.h has one of its own */

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
        "templates/partials/bad.mustache", "templates/partials", "templates", "static/vendor/b.js", "static/vendor",
        "static/c.css", "static", "",
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
    assert_string_equal(buf_str(&out), "<p>&lt;x&gt;</p>\n<nav>&lt;x&gt;</nav>\n");
    assert_int_equal(views_render(v, "nobody", model, &out), ERR_INTERNAL);
}

static const char *rendered(const char *template, struct json *model)
{
    const char *why = "";
    const struct views *v;
    struct buf out;

    write_file("templates/page.mustache", template);
    v = views_load(arena, folder, &why);
    must(v != NULL, why);
    buf_init(&out, arena, 64);
    assert_int_equal(views_render(v, "page", model, &out), ERR_OK);
    return buf_str(&out);
}

static void what_indents_a_template_stays_in_it(void **state)
{
    struct json *model = json_obj(arena);

    (void)state;
    json_set_str(arena, model, "text", "  two\n    four");
    assert_string_equal(rendered("<ul>\n\t  <li\n     class=\"x\">a  b</li>\n\n  </ul>", model),
                        "<ul>\n<li\nclass=\"x\">a  b</li>\n\n</ul>");
    assert_string_equal(rendered("  <pre>\n  {{text}}\n  c</pre>\n  d", model), "<pre>\n    two\n    four\n  c</pre>\nd");
    assert_string_equal(rendered("  <b><textarea name=\"x\">{{text}}\n  c</textarea>\n  d</b>", model),
                        "<b><textarea name=\"x\">  two\n    four\n  c</textarea>\nd</b>");
    assert_string_equal(rendered("  <pretty>\n  x", model), "<pretty>\nx");
    assert_string_equal(rendered("  <pre>\n  never closed", model), "<pre>\n  never closed");
}

static void a_count_and_its_noun_agree(void **state)
{
    static const char TEMPLATE[] = "{{n}} entr{{n.ies}} and {{t}} key{{t.s}} {{t.were}} there; {{n}} come{{n.verb}}{{#t}}, {{.}} time{{s}}{{/t}}{{none.s}}{{o.s}}";
    struct json *model = json_obj(arena);

    (void)state;
    json_set_int(arena, model, "n", 1);
    json_set_str(arena, model, "t", "12,345");
    json_set(arena, model, "o", json_obj(arena));
    assert_string_equal(rendered(TEMPLATE, model), "1 entry and 12,345 keys were there; 1 comes, 12,345 times");
    model = json_obj(arena);
    json_set_int(arena, model, "n", 0);
    json_set_str(arena, model, "t", "1");
    assert_string_equal(rendered(TEMPLATE, model), "0 entries and 1 key was there; 0 come, 1 time");
}

static void the_mark_of_static_files_follows_their_content(void **state)
{
    const char *why = "", *none, *first, *other;

    (void)state;
    none = views_static_mark(views_load(arena, folder, &why));
    make_folder("static");
    make_folder("static/vendor");
    write_file("static/a.css", "a");
    write_file("static/vendor/b.js", "b");
    first = views_static_mark(views_load(arena, folder, &why));
    assert_string_not_equal(first, none);
    assert_string_equal(views_static_mark(views_load(arena, folder, &why)), first);
    write_file("static/vendor/b.js", "c");
    other = views_static_mark(views_load(arena, folder, &why));
    assert_string_not_equal(other, first);
    write_file("static/vendor/b.js", "b");
    drop("static/a.css");
    write_file("static/c.css", "a");
    assert_string_not_equal(views_static_mark(views_load(arena, folder, &why)), first);
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
        "jobs", "job", "job_runs", "job_run", "queue", "dead_letters", "schedulers", "user", "agent", "team", "space",
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
        cmocka_unit_test(what_indents_a_template_stays_in_it),
        cmocka_unit_test(a_count_and_its_noun_agree),
        cmocka_unit_test(the_mark_of_static_files_follows_their_content),
        cmocka_unit_test(a_broken_template_stops_the_start),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(the_shipped_templates_load),
    };

    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
