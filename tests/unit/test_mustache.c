/* The template engine beyond the specification: truth, texts of values, escaping, errors with their lines, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "json.h"
#include "mustache.h"

static struct arena *arena;

static int open_arena(void **state)
{
    (void)state;
    arena = arena_new(256u << 20);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct json *parse(const char *text)
{
    struct json *j = NULL;
    const char *why = "";

    if (json_parse(arena, text, strlen(text), &j, &why) != JSON_OK)
        fail_msg("%s: %s", text, why);
    return j;
}

static void add(struct mustache_set *set, const char *name, const char *text)
{
    const char *why = "";

    if (!mustache_add(set, name, name, text, strlen(text), &why))
        fail_msg("%s", why);
}

static const char *render_set(struct mustache_set *set, const struct json *model)
{
    const char *why = "";
    struct buf out;

    assert_true(mustache_link(set, true, &why));
    buf_init(&out, arena, 64);
    assert_int_equal(mustache_render(mustache_find(set, "t"), &mustache_json, model, &out), MUSTACHE_OK);
    return buf_str(&out);
}

static const char *render(const char *template, const struct json *model)
{
    struct mustache_set *set = mustache_set_new(arena);

    add(set, "t", template);
    return render_set(set, model);
}

static const char *fault(const char *template)
{
    struct mustache_set *set = mustache_set_new(arena);
    const char *why = NULL;

    if (mustache_add(set, "t", "t.mustache", template, strlen(template), &why) && mustache_link(set, true, &why))
        fail_msg("accepted: %s", template);
    return why;
}

static void truth(void **state)
{
    static const struct {
        const char *model, *expected;
    } CASES[] = {
        {"{\"v\":true}", "yes"},  {"{\"v\":false}", "no"}, {"{\"v\":null}", "no"},   {"{}", "no"},
        {"{\"v\":\"\"}", "no"},   {"{\"v\":\"x\"}", "yes"}, {"{\"v\":0}", "no"},     {"{\"v\":0.0}", "no"},
        {"{\"v\":-1}", "yes"},    {"{\"v\":[]}", "no"},    {"{\"v\":[0]}", "yes"},   {"{\"v\":{}}", "yes"},
        {"{\"v\":\"0\"}", "yes"}, {"{\"v\":1e-9}", "yes"}, {"{\"v\":[1,2]}", "yesyes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(render("{{#v}}yes{{/v}}{{^v}}no{{/v}}", parse(CASES[i].model)), CASES[i].expected);
}

static void raw_json_is_a_text(void **state)
{
    struct json *model = json_obj(arena);

    (void)state;
    json_set(arena, model, "v", json_raw(arena, "{\"a\":\"<b>\"}"));
    json_set(arena, model, "nothing", json_raw(arena, "null"));
    json_set(arena, model, "none", json_raw(arena, "[]"));
    assert_string_equal(render("{{v}}|{{v.a}}|{{#v}}+{{/v}}{{^nothing}}-{{/nothing}}{{^none}}-{{/none}}", model),
                        "{&quot;a&quot;:&quot;&lt;b&gt;&quot;}||+--");
}

static void texts_of_values(void **state)
{
    struct json *model = parse("{\"i\":-7,\"n\":0.5,\"big\":1e21,\"t\":true,\"f\":false,\"o\":{\"a\":[1,null]},\"z\":null}");

    (void)state;
    json_set(arena, model, "built", json_num(arena, 0.1));
    json_set(arena, model, "whole", json_int(arena, INT64_MIN));
    assert_string_equal(render("{{i}} {{n}} {{big}} {{t}} {{f}} [{{z}}] {{{o}}} {{built}} {{whole}}", model),
                        "-7 0.5 1e21 true false [] {\"a\":[1,null]} 0.1 -9223372036854775808");
}

static void escaping(void **state)
{
    struct json *model = parse("{\"v\":\"<a href=\\\"x\\\">'&\\u00e9</a>\",\"long\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<\"}");

    (void)state;
    assert_string_equal(render("{{v}}", model), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\u00e9&lt;/a&gt;");
    assert_string_equal(render("{{{v}}}{{&v}}", model), "<a href=\"x\">'&\u00e9</a><a href=\"x\">'&\u00e9</a>");
    assert_string_equal(render("{{long}}", model), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa&lt;");
    assert_string_equal(render("{{v}}", parse("{\"v\":\"{{w}}\",\"w\":1}")), "{{w}}");
}

static void raw_needs_its_suffix(void **state)
{
    struct mustache_set *set = mustache_set_new(arena);
    const char *why = NULL, *bad = "\n{{{body}}}", *also = "{{& body_html2}}";

    (void)state;
    mustache_set_raw_suffix(set, "_html");
    add(set, "t", "{{{a_html}}}{{&a_html}}");
    assert_false(mustache_add(set, "u", "u", bad, strlen(bad), &why));
    assert_string_equal(why, "u:2: 'body' is printed unescaped, but its name does not end in '_html'");
    assert_false(mustache_add(set, "u", "u", also, strlen(also), &why));
    assert_string_equal(render_set(set, parse("{\"a_html\":\"<b>\"}")), "<b><b>");
}

static void a_page_in_a_layout(void **state)
{
    struct mustache_set *set = mustache_set_new(arena);

    (void)state;
    add(set, "layout", "<html>\n<title>{{$title}}Loci{{/title}}</title>\n<main>\n  {{$content}}\n  {{/content}}\n</main>\n");
    add(set, "card", "<div>\n  {{$content}}\n  nothing\n  {{/content}}\n</div>\n");
    add(set, "t", "{{<layout}}\n{{$title}}{{name}} & co{{/title}}\n{{$content}}\n{{<card}}\n{{$content}}\n<b>\n  {{name}}\n</b>\n"
                  "{{/content}}\n{{/card}}\n{{>card}}\n{{/content}}\n{{/layout}}\n");
    assert_string_equal(render_set(set, parse("{\"name\":\"<N>\"}")),
                        "<html>\n<title>&lt;N&gt; & co</title>\n<main>\n"
                        "  <div>\n    <b>\n      &lt;N&gt;\n    </b>\n  </div>\n"
                        "  <div>\n    nothing\n  </div>\n"
                        "</main>\n");
}

/* A value with newlines keeps its columns, whatever the partial is indented by. */
static void values_are_not_indented(void **state)
{
    struct mustache_set *set = mustache_set_new(arena);

    (void)state;
    add(set, "p", "<pre>{{v}}</pre>\n\n{{v}}\nend");
    add(set, "t", "  {{>p}}\n");
    assert_string_equal(render_set(set, parse("{\"v\":\"a\\nb\"}")), "  <pre>a\nb</pre>\n\n  a\nb\n  end");
}

static void errors_name_their_line(void **state)
{
    static const struct {
        const char *template, *why;
    } CASES[] = {
        {"a\n{{#x}}\n", "t.mustache:2: 'x' is never closed"},
        {"a\nb{{/x}}", "t.mustache:2: {{/x}} closes nothing"},
        {"{{#a}}\n{{^b}}\n{{/a}}", "t.mustache:3: {{/a}} where 'b' of line 2 should be closed"},
        {"\n\n{{x", "t.mustache:3: a tag that does not end"},
        {"{{{x}}", "t.mustache:1: a tag that does not end"},
        {"{{!\n\n", "t.mustache:1: a tag that does not end"},
        {"{{!\n\n}}{{}}", "t.mustache:3: '' is not a name"},
        {"{{a b}}", "t.mustache:1: 'a b' is not a name"},
        {"{{a..b}}", "t.mustache:1: 'a..b' is not a name"},
        {"{{.a}}", "t.mustache:1: '.a' is not a name"},
        {"{{#a.}}{{/a.}}", "t.mustache:1: 'a.' is not a name"},
        {"{{=<% %>}}", "t.mustache:1: a change of delimiters that does not end"},
        {"{{=<%=}}", "t.mustache:1: delimiters are two words of 1 to 8 characters without '='"},
        {"{{=a b c=}}", "t.mustache:1: more than two delimiters"},
        {"{{=123456789 b=}}", "t.mustache:1: delimiters are two words of 1 to 8 characters without '='"},
        {"\n{{> nobody }}", "t.mustache:2: there is no template 'nobody'"},
        {"{{<nobody}}{{/nobody}}", "t.mustache:1: there is no template 'nobody'"},
        {"{{>*x}}", "t.mustache:1: dynamic names such as '*x' are not supported"},
        {"{{<t}}\n{{x}}{{/t}}", "t.mustache:2: 'x' inside a parent, where only blocks count"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(fault(CASES[i].template), CASES[i].why);
}

static void open_tags_are_bounded(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, arena, 64);
    for (int i = 0; i < 64; i++)
        buf_puts(&b, "{{#a}}");
    for (int i = 0; i < 64; i++)
        buf_puts(&b, "{{/a}}");
    assert_string_equal(render(buf_str(&b), parse("{\"a\":1}")), "");
    assert_string_equal(fault(arena_printf(arena, "{{#a}}%s", buf_str(&b))), "t.mustache:1: more than 64 tags open");
}

static void templates_are_bounded(void **state)
{
    struct mustache_set *set = mustache_set_new(arena);
    char *big = arena_alloc(arena, MUSTACHE_TEMPLATE_MAX + 1);
    const char *why = NULL;

    (void)state;
    memset(big, 'x', MUSTACHE_TEMPLATE_MAX + 1);
    assert_true(mustache_add(set, "t", "t", big, MUSTACHE_TEMPLATE_MAX, &why));
    assert_false(mustache_add(set, "u", "u", big, MUSTACHE_TEMPLATE_MAX + 1, &why));
}

static enum mustache_fault run(const char *t, const char *p, size_t steps, size_t bytes)
{
    struct mustache_set *set = mustache_set_new(arena);
    const char *why = "";
    struct buf out;

    add(set, "t", t);
    add(set, "p", p);
    mustache_set_limits(set, steps, bytes);
    assert_true(mustache_link(set, true, &why));
    buf_init(&out, arena, 64);
    return mustache_render(mustache_find(set, "t"), &mustache_json, parse("{\"a\":[1,2,3]}"), &out);
}

static void rendering_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(run("{{>t}}", "", 1000000, 1000), MUSTACHE_TOO_DEEP);
    assert_int_equal(run("{{#a}}{{>t}}{{/a}}", "", 1000000, 1000), MUSTACHE_TOO_DEEP);
    assert_int_equal(run("{{<t}}{{$b}}{{>t}}{{/b}}{{/t}}", "", 1000000, 1000), MUSTACHE_TOO_DEEP);
    assert_int_equal(run("{{<p}}{{$b}}x{{>p}}{{/b}}{{/p}}", "{{$b}}{{/b}}{{>p}}", 1000000, 1000000), MUSTACHE_TOO_DEEP);
    assert_int_equal(run("{{#a}}{{>p}}{{/a}}", "{{#a}}{{#a}}x{{/a}}{{/a}}", 20, 1000), MUSTACHE_TOO_MUCH);
    assert_int_equal(run("{{#a}}{{>p}}{{/a}}", "{{#a}}{{#a}}x{{/a}}{{/a}}", 1000, 20), MUSTACHE_TOO_MUCH);
    assert_int_equal(run("{{#a}}{{>p}}{{/a}}", "{{#a}}{{#a}}x{{/a}}{{/a}}", 1000, 27), MUSTACHE_OK);
}

/* A page's own block of the same name as the layout's does not call itself. */
static void blocks_belong_to_their_template(void **state)
{
    struct mustache_set *set = mustache_set_new(arena);

    (void)state;
    add(set, "outer", "[{{$x}}{{/x}}]");
    add(set, "inner", "({{$x}}{{/x}})");
    add(set, "t", "{{<outer}}{{$x}}{{<inner}}{{$x}}deep{{/x}}{{/inner}}{{/x}}{{/outer}}");
    assert_string_equal(render_set(set, parse("{}")), "[(deep)]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth),
        cmocka_unit_test(raw_json_is_a_text),
        cmocka_unit_test(texts_of_values),
        cmocka_unit_test(escaping),
        cmocka_unit_test(raw_needs_its_suffix),
        cmocka_unit_test(a_page_in_a_layout),
        cmocka_unit_test(values_are_not_indented),
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(open_tags_are_bounded),
        cmocka_unit_test(templates_are_bounded),
        cmocka_unit_test(rendering_is_bounded),
        cmocka_unit_test(blocks_belong_to_their_template),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
