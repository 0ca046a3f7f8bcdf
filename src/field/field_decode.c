/* From a JSON object to a C struct, field by field; every fault is named, nothing passes by luck. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "app.h"
#include "field.h"
#include "limit.h"
#include "str.h"
#include "unicode.h"

struct decoder {
    struct ctx *c;
    int faults;
};

static err table_decode(struct decoder *d, const struct field *table, const struct json *args, void *in, const char *at,
                        bool has_given);

#define refuse(d, at, ...) ((d)->faults++, fail_field((d)->c, (at), __VA_ARGS__))

static const char *join(struct decoder *d, const char *at, const char *name)
{
    return arena_printf(d->c->arena, "%s/%s", at, name);
}

static bool has_control(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t' && *s != '\r')
            return true;
    return false;
}

static const char *field_decode_trimmed(struct decoder *d, const char *s)
{
    size_t n;

    while (isspace((unsigned char)*s))
        s++;
    n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    return s[n] ? arena_strndup(d->c->arena, s, n) : s;
}

static err field_decode_text(struct decoder *d, const struct field *f, const char *s, const char *at, double min, double max,
                             const char **out)
{
    size_t points;

    if (!(f->flags & FIELD_RAW)) {
        if (has_control(s))
            return refuse(d, at, "%s must not contain control characters", f->name);
        s = unicode_nfc(d->c->arena, field_decode_trimmed(d, s));
    }
    points = str_code_points(s, strlen(s));
    if ((double)points < min && points == 0)
        return refuse(d, at, "%s must not be empty", f->name);
    if ((double)points < min || (double)points > max)
        return refuse(d, at, "%s must be %.0f to %.0f characters long", f->name, min, max);
    if (f->flags & FIELD_SLUG && *s && !str_is_slug(s))
        return refuse(d, at, "%s must be 1 to 100 of a-z 0-9 _ . - and begin with a letter or digit", f->name);
    if (f->flags & FIELD_EMAIL && *s && !str_is_email(s))
        return refuse(d, at, "%s must be an e-mail address", f->name);
    *out = s;
    return ERR_OK;
}

static err field_decode_integer(struct decoder *d, const struct field *f, const struct json *v, const char *at, int64_t *out)
{
    int64_t i = v->i;

    if (v->type == JSON_NUM && json_number(v) == floor(json_number(v)) && fabs(json_number(v)) < 9e15)
        i = (int64_t)json_number(v); /* 10.0 and 1e3 are whole numbers too */
    else if (v->type != JSON_INT)
        return v->type == JSON_NUM ? refuse(d, at, "%s must be a whole number from %.0f to %.0f", f->name, f->min, f->max)
                                   : refuse(d, at, "%s must be a whole number", f->name);
    if ((double)i < f->min || (double)i > f->max)
        return refuse(d, at, "%s must be %.0f to %.0f", f->name, f->min, f->max);
    *out = i;
    return ERR_OK;
}

static err field_decode_number(struct decoder *d, const struct field *f, const struct json *v, const char *at, double *out)
{
    if (v->type != JSON_INT && v->type != JSON_NUM)
        return refuse(d, at, "%s must be a number", f->name);
    if (json_number(v) < f->min || json_number(v) > f->max)
        return refuse(d, at, "%s must be %g to %g", f->name, f->min, f->max);
    *out = json_number(v) + 0.0; /* -0 is 0 */
    return ERR_OK;
}

static const char *field_decode_choices(struct decoder *d, const struct enumx *e)
{
    struct buf b;

    buf_init(&b, d->c->arena, 128);
    for (size_t i = 0; i < e->n; i++)
        if (*e->names[i])
            buf_printf(&b, "%s%s", b.len ? ", " : "", e->names[i]);
    return buf_str(&b);
}

static err choice(struct decoder *d, const struct field *f, const struct json *v, const char *at, int *out)
{
    if (v->type != JSON_STR || !*v->s || !enumx_parse(f->enumx, v->s, out))
        return refuse(d, at, "%s must be one of %s", f->name, field_decode_choices(d, f->enumx));
    return ERR_OK;
}

bool field_is_agent(const struct field *f)
{
    size_t n = strlen(f->name), tail = strlen("agent_id");

    return f->flags & FIELD_AGENT || (n >= tail && strcmp(f->name + n - tail, "agent_id") == 0);
}

bool field_is_space(const struct field *f)
{
    return f->flags & FIELD_SPACE || strcmp(f->name, "space_id") == 0;
}

/* Slugs, and what stands before them: a kind and a slash, or a word and a colon. */
static bool field_decode_is_name(const char *s)
{
    size_t n = strlen(s);

    return n && n <= LIMIT_SLUG + 20 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.-:/") == n;
}

/* Who knows the ids behind the names that the field takes; NULL: it takes none. */
static err (*resolver_of(const struct app *app, const struct field *f))(struct ctx *c, const char *name, struct uuid *out)
{
    return field_is_agent(f) ? app->id_of_agent : field_is_space(f) ? app->id_of_space : NULL;
}

static err identifier(struct decoder *d, const struct field *f, const struct json *v, const char *at, struct uuid *out)
{
    err (*id_of)(struct ctx * c, const char *name, struct uuid *out) = d->c->who ? resolver_of(d->c->app, f) : NULL;
    err e;

    if (v->type == JSON_STR && uuid_parse(v->s, out))
        return ERR_OK;
    if (v->type != JSON_STR || !id_of || !field_decode_is_name(v->s))
        return refuse(d, at, id_of ? "%s must be an id or a slug" : "%s must be a UUID", f->name);
    e = id_of(d->c, v->s, out);
    return e == ERR_INVALID ? refuse(d, at, "%s", d->c->fault.message) : e;
}

static err field_decode_moment(struct decoder *d, const struct field *f, const struct json *v, const char *at, struct instant *out)
{
    if (v->type != JSON_STR || !instant_parse(v->s, out))
        return refuse(d, at, "%s must be a time such as 2026-11-18T09:30:00Z", f->name);
    return ERR_OK;
}

static err field_decode_tree(struct decoder *d, const struct field *f, const struct json *v, const char *at, const struct json **out)
{
    int deepest = f->flags & FIELD_VALUES ? JSON_DEPTH_MAX + 2 : JSON_DEPTH_MAX;

    if (f->type == FT_OBJECT && v->type != JSON_OBJ)
        return refuse(d, at, "%s must be an object", f->name);
    if (json_depth(v) > deepest)
        return refuse(d, at, "%s is nested deeper than %d levels", f->name, deepest);
    if (strlen(json_text(d->c->arena, v)) > (size_t)f->max)
        return refuse(d, at, "%s must be at most %.0f bytes of JSON", f->name, f->max);
    *out = v;
    return ERR_OK;
}

static err items(struct decoder *d, const struct field *f, const struct json *v, const char *at, size_t *n)
{
    if (v->type != JSON_ARR)
        return refuse(d, at, "%s must be an array", f->name);
    if ((double)v->len > f->max || (double)v->len < f->min)
        return refuse(d, at, "%s must have %.0f to %.0f items", f->name, f->min, f->max);
    *n = v->len;
    return ERR_OK;
}

static err strings(struct decoder *d, const struct field *f, const struct json *v, const char *at, struct strs *out)
{
    size_t i = 0, n;

    TRY(items(d, f, v, at, &n));
    *out = (struct strs){ARENA_ARRAY(d->c->arena, const char *, n + 1), n};
    for (const struct json *m = v->first; m; m = m->next, i++) {
        const char *here = arena_printf(d->c->arena, "%s/%zu", at, i);

        if (m->type != JSON_STR)
            return refuse(d, here, "%s must contain strings", f->name);
        TRY(field_decode_text(d, f, m->s, here, 1, 255, &out->v[i]));
    }
    return ERR_OK;
}

static err identifiers(struct decoder *d, const struct field *f, const struct json *v, const char *at, struct uuids *out)
{
    size_t i = 0, n;

    TRY(items(d, f, v, at, &n));
    *out = (struct uuids){ARENA_ARRAY(d->c->arena, struct uuid, n + 1), n};
    for (const struct json *m = v->first; m; m = m->next, i++)
        TRY(identifier(d, f, m, arena_printf(d->c->arena, "%s/%zu", at, i), &out->v[i]));
    return ERR_OK;
}

static err numbers(struct decoder *d, const struct field *f, const struct json *v, const char *at, struct nums *out)
{
    size_t i = 0, n;

    TRY(items(d, f, v, at, &n));
    *out = (struct nums){ARENA_ARRAY(d->c->arena, double, n + 1), n};
    for (const struct json *m = v->first; m; m = m->next, i++) {
        if (m->type != JSON_INT && m->type != JSON_NUM)
            return refuse(d, arena_printf(d->c->arena, "%s/%zu", at, i), "%s must contain numbers", f->name);
        out->v[i] = json_number(m);
    }
    return ERR_OK;
}

static err sub_object(struct decoder *d, const struct field *f, const struct json *v, const char *at, void **out)
{
    void *sub = arena_alloc(d->c->arena, f->sub_size);

    if (v->type != JSON_OBJ)
        return refuse(d, at, "%s must be an object", f->name);
    TRY(table_decode(d, f->sub, v, sub, at, false));
    *out = sub;
    return ERR_OK;
}

static err sub_list(struct decoder *d, const struct field *f, const struct json *v, const char *at, struct list *out)
{
    size_t i = 0, n;

    TRY(items(d, f, v, at, &n));
    *out = (struct list){arena_array(d->c->arena, n + 1, f->sub_size), n};
    for (const struct json *m = v->first; m; m = m->next, i++) {
        const char *here = arena_printf(d->c->arena, "%s/%zu", at, i);

        if (m->type != JSON_OBJ)
            return refuse(d, here, "%s must contain objects", f->name);
        TRY(table_decode(d, f->sub, m, (char *)out->v + i * f->sub_size, here, false));
    }
    return ERR_OK;
}

static err field_decode_one(struct decoder *d, const struct field *f, const struct json *v, void *member, const char *at)
{
    switch (f->type) {
    case FT_STR:
        if (v->type != JSON_STR)
            return refuse(d, at, "%s must be a string", f->name);
        return field_decode_text(d, f, v->s, at, f->min, f->max, member);
    case FT_INT:
        return field_decode_integer(d, f, v, at, member);
    case FT_NUM:
        return field_decode_number(d, f, v, at, member);
    case FT_BOOL:
        if (v->type != JSON_BOOL)
            return refuse(d, at, "%s must be true or false", f->name);
        *(bool *)member = v->b;
        return ERR_OK;
    case FT_ENUM:
        return choice(d, f, v, at, member);
    case FT_UUID:
        return identifier(d, f, v, at, member);
    case FT_TIME:
        return field_decode_moment(d, f, v, at, member);
    case FT_OBJECT:
    case FT_JSON:
        return field_decode_tree(d, f, v, at, member);
    case FT_STRS:
        return strings(d, f, v, at, member);
    case FT_UUIDS:
        return identifiers(d, f, v, at, member);
    case FT_NUMS:
        return numbers(d, f, v, at, member);
    case FT_OBJ:
        return sub_object(d, f, v, at, member);
    case FT_LIST:
        return sub_list(d, f, v, at, member);
    case FT_BYTES:
    case FT_END:
        break;
    }
    return fail(d->c, ERR_INTERNAL, "field '%s' has no type", f->name);
}

static void field_decode_set_default(const struct field *f, void *member)
{
    if (f->type == FT_INT)
        *(int64_t *)member = (int64_t)f->otherwise;
    else if (f->type == FT_NUM)
        *(double *)member = f->otherwise;
    else if (f->type == FT_BOOL)
        *(bool *)member = f->otherwise > 0;
    else if (f->type == FT_ENUM)
        *(int *)member = (int)f->otherwise;
    else if (f->type == FT_STR && f->preset)
        *(const char **)member = f->preset;
}

void field_defaults(const struct field *table, void *row)
{
    for (const struct field *f = table; f->type != FT_END; f++) {
        memset((char *)row + f->off, 0, field_size(f));
        field_decode_set_default(f, (char *)row + f->off);
    }
}

static void mark_given(struct given *g, size_t off)
{
    g->bits[off / 64] |= (uint64_t)1 << (off % 64);
}

static err known_members(struct decoder *d, const struct field *table, const struct json *args, const char *at)
{
    for (const struct json *m = args->first; m && d->faults < FIELD_ERRORS_MAX; m = m->next)
        if (!field_find(table, m->key))
            (void)refuse(d, join(d, at, m->key), "unknown field '%s'%s", m->key,
                         field_hint(d->c->arena, table, m->key));
    return d->faults ? ERR_INVALID : ERR_OK;
}

static err table_decode(struct decoder *d, const struct field *table, const struct json *args, void *in, const char *at,
                        bool has_given)
{
    err e = known_members(d, table, args, at);

    for (const struct field *f = table; f->type != FT_END; f++) {
        void *member = (char *)in + f->off;
        const struct json *v = json_get(args, f->name);

        field_decode_set_default(f, member);
        if (v && has_given)
            mark_given(in, f->off);
        if (v && v->type == JSON_NULL && f->flags & FIELD_NULLABLE && f->type != FT_JSON)
            continue;
        if (!v && f->flags & FIELD_REQUIRED)
            e = refuse(d, join(d, at, f->name), "%s is required", f->name);
        else if (v && field_decode_one(d, f, v, member, join(d, at, f->name)) != ERR_OK)
            e = d->c->fault.code;
    }
    return e;
}

err field_decode(struct ctx *c, const struct field *table, const struct json *args, void *in, bool has_given)
{
    struct decoder d = {c, 0};

    if (!json_is(args, JSON_OBJ))
        return fail(c, ERR_INVALID, "the body must be a JSON object");
    return table_decode(&d, table, args, in, "", has_given);
}

static err check_text(struct decoder *d, const struct field *f, const char **s)
{
    const char *at = join(d, "", f->name);

    if (!*s)
        return f->flags & FIELD_REQUIRED ? refuse(d, at, "%s is required", f->name) : ERR_OK;
    if (!str_is_utf8(*s, strlen(*s)))
        return refuse(d, at, "%s must be UTF-8", f->name);
    return field_decode_text(d, f, *s, at, f->min, f->max, s);
}

static err check_number(struct decoder *d, const struct field *f, double v)
{
    if (f->flags & FIELD_NULLABLE && (f->type == FT_INT ? (int64_t)v == FIELD_NONE : isnan(v)))
        return ERR_OK;
    if (v >= f->min && v <= f->max)
        return ERR_OK;
    return refuse(d, join(d, "", f->name), "%s must be %g to %g", f->name, f->min, f->max);
}

static err check_columns(struct ctx *c, const struct field *table, const struct given *given, size_t at, void *row)
{
    struct decoder d = {c, 0};
    err e = ERR_OK;

    for (const struct field *f = table; f->type != FT_END; f++) {
        void *member = (char *)row + f->off;
        err one_e = ERR_OK;

        if (!(f->flags & (COL_CREATE | COL_PATCH)) || (given && !field_is_given(given, at + f->off)))
            continue;
        if (f->type == FT_STR)
            one_e = check_text(&d, f, member);
        else if (f->type == FT_INT)
            one_e = check_number(&d, f, (double)*(int64_t *)member);
        else if (f->type == FT_NUM)
            one_e = check_number(&d, f, *(double *)member);
        if (one_e != ERR_OK)
            e = one_e;
    }
    return e;
}

err field_check(struct ctx *c, const struct field *table, void *row)
{
    return check_columns(c, table, NULL, 0, row);
}

err field_check_change(struct ctx *c, const struct field *table, const struct thing_change *ch, size_t at, void *row)
{
    return check_columns(c, table, &ch->given, at, row);
}

const struct field *field_find(const struct field *table, const char *name)
{
    for (const struct field *f = table; f && f->type != FT_END; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

struct json *field_from_text(struct arena *a, const struct field *f, const char *s)
{
    struct json *j;
    const char *why;
    int64_t i;
    double v;
    bool b;

    if (f->type == FT_INT && str_to_i64(s, &i))
        return json_int(a, i);
    if (f->type == FT_NUM && str_to_double(s, &v))
        return json_num(a, v);
    if (f->type == FT_BOOL && str_to_bool(s, &b))
        return json_bool(a, b);
    if ((f->type == FT_OBJECT || f->type == FT_JSON) && json_parse(a, s, strlen(s), &j, &why) == JSON_OK)
        return j;
    return json_str(a, s);
}
