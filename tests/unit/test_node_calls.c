/* The operations of nodes as a transport calls them: defaults, kinds, patches, and bulk writing line by line. */
#include "graphtest.h"

#include <fcntl.h>
#include <unistd.h>

#include "call.h"
#include "graph_calls.h"
#include "lines.h"
#include "node.h"

static const struct op *op_named(const char *name)
{
    static const struct op *const *const TABLES[] = {node_calls_table, space_calls_table, grant_calls_table, edge_calls_table,
                                                     vector_calls_table};

    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
        for (const struct op *const *op = TABLES[t]; *op; op++)
            if (strcmp((*op)->name, name) == 0)
                return *op;
    BROKEN("no operation %s", name);
    return NULL;
}

static err call(const char *name, const char *args, struct call_result *r)
{
    return call_run(&test, op_named(name), test_json(args), r);
}

#define JSON(...) arena_printf(test.arena, __VA_ARGS__)

static void an_agent_writes_to_its_own_namespace_by_default(void **state)
{
    struct call_result r;

    (void)state;
    act(ALICE);
    OK(call("node.create", "{\"body\":\"  kept as it is \\n\"}", &r));
    assert_string_equal(json_get_str(r.data, "kind"), "note");
    assert_string_equal(json_get_str(r.data, "body"), "  kept as it is \n");
    assert_string_equal(json_get_str(r.data, "space_id"), UUID_STR(cast.own_space[ALICE]));
    assert_string_equal(json_get_str(r.data, "source_kind"), "agent");
    assert_int_equal(r.version, 1);
    act(EDITOR);
    assert_string_equal(FAILS(call("node.create", "{\"body\":\"x\"}", &r), ERR_INVALID), "/space_id");
}

static void kinds_of_other_rooms_are_refused_with_their_name(void **state)
{
    struct call_result r;

    (void)state;
    act(ALICE);
    assert_int_equal(call("node.create", "{\"kind\":\"fact\",\"body\":\"x\"}", &r), ERR_INVALID);
    assert_non_null(strstr(test.fault.message, "the facts calls of belief"));
    ctx_forgive(&test);
    assert_string_equal(FAILS(call("node.create", "{\"kind\":\"nonsense\",\"body\":\"x\"}", &r), ERR_INVALID), "/kind");
    assert_string_equal(FAILS(call("node.create", "{\"body\":\"x\",\"trust\":1}", &r), ERR_INVALID), "/trust");
    assert_string_equal(FAILS(call("node.create", "{\"body\":\"x\",\"source_kind\":\"user\"}", &r), ERR_INVALID), "/source_kind");
    OK(call("node.create", "{\"kind\":\"entity\",\"title\":\"x\",\"source_kind\":\"tool\",\"decay_rate\":0.5}", &r));
    assert_string_equal(json_get_str(r.data, "source_kind"), "tool");
    assert_true(json_number(json_get(r.data, "decay_rate")) == 0.5);
}

static void what_is_left_out_of_a_patch_stays(void **state)
{
    struct call_result r;
    const char *id;

    (void)state;
    act(ALICE);
    OK(call("node.create", "{\"title\":\"t\",\"body\":\"b\",\"importance\":0.9,\"expires_at\":\"2099-01-01T00:00:00Z\"}", &r));
    id = json_get_str(r.data, "id");
    OK(call("node.update", JSON("{\"id\":\"%s\",\"confidence\":0.5}", id), &r));
    assert_string_equal(json_get_str(r.data, "title"), "t");
    assert_true(json_number(json_get(r.data, "importance")) == 0.9);
    assert_non_null(json_get_str(r.data, "expires_at"));
    assert_false(json_get_bool(r.data, "changed", true));
    OK(call("node.update", JSON("{\"id\":\"%s\",\"expires_at\":null,\"title\":\"u\"}", id), &r));
    assert_null(json_get_str(r.data, "expires_at"));
    assert_true(json_get_bool(r.data, "changed", false));
    assert_int_equal(r.version, 3);
    test.if_match = 2;
    FAILS(call("node.update", JSON("{\"id\":\"%s\",\"title\":\"v\"}", id), &r), ERR_PRECONDITION);
    test.if_match = 0;
    FAILS(call("node.update", JSON("{\"id\":\"%s\",\"title\":\"v\",\"if_version\":2}", id), &r), ERR_PRECONDITION);
    OK(call("node.get", JSON("{\"id\":\"%s\"}", id), &r));
    OK(call("node.get", JSON("{\"id\":\"%s\",\"touch\":false}", id), &r));
    OK(node_touch_flush(&test));
    OK(call("node.get", JSON("{\"id\":\"%s\",\"touch\":false}", id), &r));
    assert_int_equal(json_get_int(r.data, "access_count", -1), 1);
    OK(call("node.versions", JSON("{\"id\":\"%s\",\"with_body\":true}", id), &r));
    assert_int_equal(r.data->len, 1);
    OK(call("node.forget", JSON("{\"id\":\"%s\"}", id), &r));
    FAILS(call("node.get", JSON("{\"id\":\"%s\"}", id), &r), ERR_NOT_FOUND);
}

/* ---- bulk */

static const char *file_of(const char *text, size_t n)
{
    static int number;
    const char *path = arena_printf(test.arena, "%s/bulk-%d", stack_folder(), number++);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    for (size_t done = 0; done < n;) {
        ssize_t got = write(fd, text + done, n - done);

        assert_true(got > 0);
        done += (size_t)got;
    }
    close(fd);
    return path;
}

static err bulk(struct buf *b, struct call_result *r)
{
    struct upload file = {.path = file_of(buf_str(b), b->len), .media = "application/x-ndjson", .size = b->len};

    return call_take(&test, op_named("node.bulk"), test_json("{}"), &file, r);
}

static void a_bad_line_never_stops_the_others(void **state)
{
    struct call_result r;
    struct json *errors;
    struct buf b;

    (void)state;
    act(BOB);
    buf_init(&b, test.arena, 65536);
    for (int i = 1; i <= 350; i++) {
        if (i == 7)
            buf_puts(&b, "{\"title\":\"unfinished\"\n");
        else if (i == 120)
            buf_puts(&b, "{\"title\":\"x\",\"importance\":2}\r\n");
        else if (i == 121)
            buf_puts(&b, "   \n");
        else if (i == 300)
            buf_printf(&b, "{\"title\":\"x\",\"space_id\":\"%s\"}\n", UUID_STR(cast.own_space[ALICE]));
        else
            buf_printf(&b, "{\"kind\":\"entity\",\"title\":\"bulk %d\"}%s", i, i == 350 ? "" : "\n");
    }
    OK(bulk(&b, &r));
    assert_int_equal(json_get_int(r.data, "total", 0), 349);
    assert_int_equal(json_get_int(r.data, "created", 0), 346);
    assert_int_equal(json_get_int(r.data, "failed", 0), 3);
    errors = json_get(r.data, "errors");
    assert_int_equal(errors->len, 3);
    assert_int_equal(json_get_int(errors->first, "line", 0), 7);
    assert_string_equal(json_get_str(errors->first, "code"), "BAD_REQUEST");
    assert_int_equal(json_get_int(errors->first->next, "line", 0), 120);
    assert_string_equal(json_get_str(errors->first->next, "pointer"), "/importance");
    assert_int_equal(json_get_int(errors->last, "line", 0), 300);
    assert_string_equal(json_get_str(errors->last, "code"), "NOT_FOUND");
    assert_int_equal(test_number("SELECT COUNT(*) FROM node WHERE title LIKE 'bulk %'"), 346);
    assert_int_equal(test_number("SELECT COUNT(*) FROM node WHERE title = 'x' AND kind = 'note'"), 0);
}

static void bulk_has_its_limits(void **state)
{
    struct call_result r;
    struct buf b;

    (void)state;
    act(BOB);
    buf_init(&b, test.arena, 1 << 20);
    for (int i = 0; i < 10001; i++)
        buf_puts(&b, "{}\n");
    FAILS(bulk(&b, &r), ERR_TOO_LARGE);
    b.len -= 3;
    OK(bulk(&b, &r));
    assert_int_equal(json_get_int(r.data, "failed", 0), 10000);
    assert_int_equal(json_get(r.data, "errors")->len, 100);
    buf_init(&b, test.arena, 1 << 22);
    buf_puts(&b, "{\"title\":\"before\"}\n{\"body\":\"");
    buf_puts(&b, test_text_of(1200000));
    buf_puts(&b, "\"}\n{\"title\":\"after\"}\n");
    OK(bulk(&b, &r));
    assert_int_equal(json_get_int(r.data, "created", 0), 2);
    assert_string_equal(json_get_str(json_get(r.data, "errors")->first, "code"), "PAYLOAD_TOO_LARGE");
    buf_init(&b, test.arena, 64);
    OK(bulk(&b, &r));
    assert_int_equal(json_get_int(r.data, "total", 1), 0);
}

static void lines_of_every_length_come_whole(void **state)
{
    enum { MAX = 10 };
    struct buf b;
    struct lines l;
    const char *line;
    size_t n, want = 0;
    bool too_long;

    (void)state;
    act(BOB);
    buf_init(&b, test.arena, 4096);
    for (size_t i = 0; i < 40; i++) {
        buf_add(&b, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", i % 25);
        buf_putc(&b, '\n');
    }
    assert_true(lines_open(&l, test.arena, file_of(b.data, b.len), MAX));
    for (; lines_next(&l, &line, &n, &too_long); want++) {
        assert_int_equal(l.number, want + 1);
        assert_int_equal(too_long, want % 25 > MAX);
        if (!too_long)
            assert_int_equal(n, want % 25);
    }
    assert_int_equal(want, 40);
    assert_int_equal(lines_count(file_of(b.data, b.len)), 40);
    assert_int_equal(lines_count(file_of(b.data, b.len - 1)), 40);
    assert_int_equal(lines_count(file_of("", 0)), 0);
    assert_int_equal(lines_count("/nonexistent"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_agent_writes_to_its_own_namespace_by_default),
        cmocka_unit_test(kinds_of_other_rooms_are_refused_with_their_name),
        cmocka_unit_test(what_is_left_out_of_a_patch_stays),
        cmocka_unit_test(a_bad_line_never_stops_the_others),
        cmocka_unit_test(bulk_has_its_limits),
        cmocka_unit_test(lines_of_every_length_come_whole),
    };

    return cmocka_run_group_tests_name("node calls", tests, graph_group_begins, graph_group_ends);
}
