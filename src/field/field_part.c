/* The parts of a table of columns: what one operation takes or answers, what a new row has, what a change changes. */
#include <string.h>

#include "field.h"

static const size_t SIZES[] = {
    [FT_STR] = sizeof(const char *),    [FT_INT] = sizeof(int64_t),      [FT_NUM] = sizeof(double),
    [FT_BOOL] = sizeof(bool),           [FT_ENUM] = sizeof(int),         [FT_UUID] = sizeof(struct uuid),
    [FT_TIME] = sizeof(struct instant), [FT_OBJECT] = sizeof(void *),    [FT_JSON] = sizeof(void *),
    [FT_STRS] = sizeof(struct strs),    [FT_UUIDS] = sizeof(struct uuids), [FT_NUMS] = sizeof(struct nums),
    [FT_OBJ] = sizeof(void *),          [FT_LIST] = sizeof(struct list), [FT_BYTES] = sizeof(struct bytes),
};

size_t field_size(const struct field *f)
{
    return SIZES[f->type];
}

const struct field *field_with(const struct field *table, unsigned use)
{
    for (const struct field *f = table; f->type != FT_END; f++)
        if (f->flags & use)
            return f;
    return NULL;
}

/* ---- what an operation takes and answers */

static bool field_part_is_part(const struct field *f, unsigned use)
{
    return f->flags & (use == COL_PATCH ? COL_PATCH | COL_KEY : use);
}

/* Answers are not bound by the limits of what is taken: a row may be older than its limit. */
static void as_answer(struct field *f)
{
    f->flags &= FIELD_NULLABLE | FIELD_SECRET;
    f->min = f->max = 0;
}

static void as_key(struct field *f)
{
    f->flags = FIELD_REQUIRED | (f->flags & (FIELD_AGENT | FIELD_SPACE));
}

/* What is left out stays as it is, so nothing is required and no default is told. */
static void as_change(struct field *f)
{
    if (f->flags & COL_KEY) {
        as_key(f);
        return;
    }
    f->flags = (f->flags & ~FIELD_REQUIRED) | FIELD_UNSAID | (f->flags & COL_RESET ? FIELD_NULLABLE : 0);
}

const struct field *field_part(struct arena *a, const struct field *table, unsigned use, size_t at)
{
    struct field *part, *to;
    size_t n = 1;

    for (const struct field *f = table; f->type != FT_END; f++)
        n += field_part_is_part(f, use);
    part = to = ARENA_ARRAY(a, struct field, n);
    for (const struct field *f = table; f->type != FT_END; f++) {
        if (!field_part_is_part(f, use))
            continue;
        *to = *f;
        to->off += at;
        if (use & COL_SHOW)
            as_answer(to);
        else if (use == COL_PATCH)
            as_change(to);
        else if (use == COL_KEY)
            as_key(to), to->off = at;
        to++;
    }
    *to = (struct field)F_END;
    return part;
}

/* ---- rows */

void field_begin_row(struct ctx *c, const struct field *table, void *row)
{
    for (const struct field *f = table; f->type != FT_END; f++) {
        void *member = (char *)row + f->off;

        if (f->flags & COL_KEY && uuid_is_nil(*(struct uuid *)member))
            *(struct uuid *)member = uuid_new(c->now.us);
        else if (f->flags & COL_VERSION)
            *(int64_t *)member = 1;
        else if (f->flags & (COL_BORN | COL_TOUCHED))
            *(struct instant *)member = c->now;
        else if (f->type == FT_STR && !*(const char **)member)
            *(const char **)member = f->preset;
        else if (f->flags & COL_PATCH && !(f->flags & COL_CREATE))
            field_defaults((const struct field[]){*f, F_END}, row);
    }
}

void field_touch(struct ctx *c, const struct field *table, void *row)
{
    for (const struct field *f = table; f->type != FT_END; f++)
        if (f->flags & COL_VERSION)
            ++*(int64_t *)((char *)row + f->off);
        else if (f->flags & COL_TOUCHED)
            *(struct instant *)((char *)row + f->off) = c->now;
}

bool field_is_given(const struct given *g, size_t off)
{
    return g->bits[off / 64] >> (off % 64) & 1;
}

bool field_is_any_given(const struct field *table, const struct given *g, size_t at)
{
    for (const struct field *f = table; f->type != FT_END; f++)
        if (f->flags & COL_PATCH && field_is_given(g, at + f->off))
            return true;
    return false;
}

void field_apply(const struct field *table, const struct thing_change *ch, size_t at, const void *to, void *row)
{
    for (const struct field *f = table; f->type != FT_END; f++)
        if (f->flags & COL_PATCH && field_is_given(&ch->given, at + f->off))
            memcpy((char *)row + f->off, (const char *)to + f->off, field_size(f));
}
