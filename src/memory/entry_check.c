/* What an entry may say, and what is made of it; see entry_impl.h. */
#include <string.h>

#include "content.h"
#include "entry_impl.h"

/* ---- content */

/* The members of an object that say what it is about, in this order. */
static const char *const TEXT_MEMBERS[] = {"text", "value", "description", "input_summary", "output_summary"};

static void entry_check_add_text(struct arena *a, struct buf *b, const struct json *v)
{
    if (!v || v->type == JSON_NULL)
        return;
    if (b->len)
        buf_putc(b, '\n');
    buf_puts(b, v->type == JSON_STR ? v->s : json_text(a, v));
}

static const char *made_text(struct ctx *c, const struct json *content)
{
    struct buf b;
    const char *text;

    buf_init(&b, c->arena, 256);
    if (content->type == JSON_OBJ)
        for (size_t i = 0; i < sizeof TEXT_MEMBERS / sizeof *TEXT_MEMBERS; i++)
            entry_check_add_text(c->arena, &b, json_get(content, TEXT_MEMBERS[i]));
    if (!b.len)
        entry_check_add_text(c->arena, &b, content);
    text = buf_str(&b);
    return arena_strndup(c->arena, text, str_first_bytes(text, ENTRY_TEXT));
}

err entry_take_content(struct ctx *c, const struct json *content, const char *text, struct entry_row *out)
{
    if (!content || content->type == JSON_NULL)
        return fail_field(c, "/content", "content is required and must not be null");
    out->size_bytes = (int64_t)strlen(json_text(c->arena, content));
    if (out->size_bytes > ENTRY_CONTENT)
        return fail_field(c, "/content", "content must be at most %d bytes of JSON", ENTRY_CONTENT);
    if (text && str_code_points(text, strlen(text)) > ENTRY_TEXT)
        return fail_field(c, "/content_text", "content_text must be at most %d characters long", ENTRY_TEXT);
    out->entry.content = content;
    out->entry.content_text = str_empty(text) ? made_text(c, content) : text;
    out->content_hash = content_hash(c->arena, "", out->entry.content_text, content);
    return ERR_OK;
}

/* ---- objects and labels */

err entry_check_object(struct ctx *c, const char *pointer, const struct json *j)
{
    if (!j)
        return ERR_OK;
    if (j->type != JSON_OBJ)
        return fail_field(c, pointer, "%s must be an object", pointer + 1);
    return strlen(json_text(c->arena, j)) <= ENTRY_METADATA
               ? ERR_OK
               : fail_field(c, pointer, "%s must be at most %d bytes of JSON", pointer + 1, ENTRY_METADATA);
}

struct json *entry_labels(struct ctx *c, const struct entry *e)
{
    struct json *j = json_obj(c->arena), *tags = json_arr(c->arena);

    for (size_t i = 0; i < e->context_tags.n; i++)
        json_push(tags, json_str(c->arena, e->context_tags.v[i]));
    json_set_str(c->arena, j, "entry_type", enumx_name(&entry_type_enumx, (int)e->entry_type));
    json_set_str(c->arena, j, "memory_type", enumx_name(&memory_type_enumx, (int)e->memory_type));
    json_set(c->arena, j, "tags", tags);
    if (e->outcome != OUTCOME_UNKNOWN)
        json_set_str(c->arena, j, "outcome", enumx_name(&outcome_enumx, (int)e->outcome));
    return j;
}
