/* Lines of an export, written and read; see transfer_line.h. */
#include "transfer_line.h"

#include <sodium.h>
#include <string.h>

#define TAIL_BEGINS ",\"sum\":\""
#define TAIL (sizeof TAIL_BEGINS - 1 + 2 * TRANSFER_SUM + 2) /* … and "} */

/* ---- writing */

static void add_sum(struct transfer_chain *chain, const char *text, size_t n)
{
    unsigned char whole[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state h;

    crypto_hash_sha256_init(&h);
    crypto_hash_sha256_update(&h, chain->sum, TRANSFER_SUM);
    crypto_hash_sha256_update(&h, (const unsigned char *)text, n);
    crypto_hash_sha256_final(&h, whole);
    memcpy(chain->sum, whole, TRANSFER_SUM);
}

/* The sum takes the place of the brace. */
void transfer_line_close(struct buf *out, size_t from, struct transfer_chain *chain)
{
    char hex[2 * TRANSFER_SUM + 1];

    out->len--;
    add_sum(chain, out->data + from, out->len - from);
    hex_encode(chain->sum, TRANSFER_SUM, hex);
    buf_printf(out, TAIL_BEGINS "%s\"}\n", hex);
}

static struct json *transfer_line_value_json(struct arena *a, const struct transfer_column *c, const struct transfer_value *v)
{
    if (v->is_null)
        return json_new(a, JSON_NULL);
    switch (c->type) {
    case TT_ID: return json_str(a, arena_strdup(a, UUID_STR(v->uuid)));
    case TT_TEXT:
    case TT_REF:
    case TT_DAY: return json_str(a, v->text);
    case TT_INT: return json_int(a, v->i);
    case TT_NUM: return json_num(a, v->d);
    case TT_TIME: return json_str(a, arena_strdup(a, instant_text(v->time, (char[INSTANT_TEXT]){0})));
    case TT_BYTES:
    case TT_VECTOR: break;
    }
    return json_str(a, b64url_encode(a, v->bytes.p, v->bytes.n));
}

void transfer_line_row(struct buf *out, struct transfer_chain *chain, const struct transfer_row *row)
{
    struct json *line = json_obj(out->arena), *values;
    size_t from = out->len;

    json_set_str(out->arena, line, "table", row->table->name);
    values = json_set(out->arena, line, "row", json_obj(out->arena));
    for (size_t i = 0; i < row->table->n_columns; i++)
        json_set(out->arena, values, row->table->columns[i].name,
                 transfer_line_value_json(out->arena, &row->table->columns[i], &row->v[i]));
    json_write(out, line, false);
    transfer_line_close(out, from, chain);
}

void transfer_line_head(struct buf *out, const struct transfer_head *h)
{
    struct json *line = json_obj(out->arena);

    json_set_int(out->arena, line, "loci_export", TRANSFER_FORMAT);
    json_set_str(out->arena, line, "made_at", h->made_at);
    json_set_str(out->arena, line, "program", h->program);
    json_set_str(out->arena, line, "schema", h->schema);
    json_set_bool(out->arena, line, "with_vectors", h->with_vectors);
    json_set_bool(out->arena, line, "with_audit", h->with_audit);
    json_write(out, line, false);
    buf_putc(out, '\n');
}

void transfer_line_end(struct buf *out, struct transfer_chain *chain, const struct json *counts)
{
    struct json *line = json_obj(out->arena);
    size_t from = out->len;

    json_set(out->arena, line, "end", json_raw(out->arena, json_text(out->arena, counts)));
    json_write(out, line, false);
    transfer_line_close(out, from, chain);
}

/* ---- reading */

static const char *why_type(struct arena *a, const struct transfer_column *c)
{
    static const char *const WORDS[] = {"an id", "a text", "a text", "a whole number", "a number", "a time", "bytes in base64url", "a day",
                                        "bytes in base64url"};

    return arena_printf(a, "'%s' is not %s", c->name, WORDS[c->type]);
}

static bool transfer_line_read_text(struct arena *a, enum transfer_type type, const struct json *j, struct transfer_value *v)
{
    if (!json_is(j, JSON_STR))
        return false;
    switch (type) {
    case TT_ID: return uuid_parse(j->s, &v->uuid);
    case TT_TIME: return instant_parse(j->s, &v->time);
    case TT_BYTES:
    case TT_VECTOR: return b64url_decode(a, j->s, &v->bytes);
    default: v->text = j->s; return true;
    }
}

static bool transfer_line_read_value(struct arena *a, enum transfer_type type, const struct json *j, struct transfer_value *v)
{
    if (type == TT_INT) {
        v->i = j->i;
        return json_is(j, JSON_INT);
    }
    if (type == TT_NUM) {
        v->d = json_number(j);
        return json_is(j, JSON_INT) || json_is(j, JSON_NUM);
    }
    return transfer_line_read_text(a, type, j, v);
}

static const char *transfer_line_read_row(struct arena *a, const struct transfer_tables *tables, const struct json *line,
                                          struct transfer_row *row)
{
    const struct json *values = json_get(line, "row");
    const char *name = json_get_str(line, "table");
    size_t at;

    row->table = name ? transfer_table_find(tables, name) : NULL;
    if (!row->table)
        return name ? arena_printf(a, "unknown table '%.64s': the file is from a newer Loci", name) : "a line names a table";
    if (!json_is(values, JSON_OBJ))
        return "'row' is an object";
    row->v = ARENA_ARRAY(a, struct transfer_value, row->table->n_columns);
    for (size_t i = 0; i < row->table->n_columns; i++)
        row->v[i].is_left_out = true;
    for (const struct json *j = values->first; j; j = j->next) {
        const struct transfer_column *c = transfer_column_find(row->table, j->key, &at);

        if (!c)
            return arena_printf(a, "'%s' has no column '%.64s' here: the file is from a newer Loci", name, j->key);
        row->v[at].is_left_out = false;
        row->v[at].is_null = json_is(j, JSON_NULL);
        if (row->v[at].is_null ? !c->nullable : !transfer_line_read_value(a, c->type, j, &row->v[at]))
            return why_type(a, c);
    }
    for (size_t i = 0; i < row->table->n_key; i++)
        if (row->v[row->table->key[i]].is_left_out)
            return arena_printf(a, "'%s' is missing", row->table->columns[row->table->key[i]].name);
    return NULL;
}

static const char *read_head(struct arena *a, const struct json *line, struct transfer_line *out)
{
    int64_t format = json_get_int(line, "loci_export", 0);

    if (format < 1)
        return "not an export of Loci";
    if (format > TRANSFER_FORMAT)
        return arena_printf(a, "the file has format %lld; this version reads up to %d", (long long)format, TRANSFER_FORMAT);
    out->kind = TRANSFER_HEAD;
    out->head = (struct transfer_head){json_get_str(line, "made_at"), json_get_str(line, "program"), json_get_str(line, "schema"),
                                       json_get_bool(line, "with_vectors", false), json_get_bool(line, "with_audit", false)};
    return NULL;
}

/* Its own sum is that of what was read up to here. */
static bool check_sum(struct transfer_chain *chain, const char *text, size_t n)
{
    uint8_t said[TRANSFER_SUM];
    const char *tail = text + n - TAIL;

    if (n < TAIL || memcmp(tail, TAIL_BEGINS, sizeof TAIL_BEGINS - 1) != 0 || memcmp(text + n - 2, "\"}", 2) != 0 ||
        !hex_decode(tail + sizeof TAIL_BEGINS - 1, sizeof said * 2, said))
        return false;
    add_sum(chain, text, n - TAIL);
    return memcmp(said, chain->sum, sizeof said) == 0;
}

const char *transfer_line_read(struct arena *a, const struct transfer_tables *tables, struct transfer_chain *chain,
                               const char *text, size_t n, struct transfer_line *out)
{
    struct json *line;
    const char *why;

    *out = (struct transfer_line){.kind = TRANSFER_ROW, .row.size = n};
    if (json_parse_large(a, text, n, 2 * JSON_NODES_MAX, &line, &why) != JSON_OK)
        return why;
    if (!json_is(line, JSON_OBJ))
        return "a line is an object";
    if (json_get(line, "loci_export"))
        return read_head(a, line, out);
    if (!check_sum(chain, text, n))
        return "checksum mismatch: this line or one before it was changed, moved or lost";
    if (!json_get(line, "end"))
        return transfer_line_read_row(a, tables, line, &out->row);
    out->kind = TRANSFER_END;
    out->counts = json_get(line, "end");
    return json_is(out->counts, JSON_OBJ) ? NULL : "'end' is an object";
}
