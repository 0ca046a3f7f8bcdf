/* Skills as files; see skill_file.h. */
#include "skill_file.h"

#include <ctype.h>
#include <string.h>

#include "str.h"
#include "tags.h"

/* ---- paths */

err skill_path_check(struct ctx *c, const char *path)
{
    size_t n = strlen(path);
    bool bad = !n || n > SKILL_PATH || path[0] == '/' || path[n - 1] == '/' || strstr(path, "//") || strchr(path, '\\');

    for (const char *p = path; *p && !bad; p += strcspn(p, "/"), p += *p == '/') {
        size_t part = strcspn(p, "/");

        bad = (part == 1 && *p == '.') || (part == 2 && str_starts(p, ".."));
    }
    for (const char *p = path; *p; p++)
        bad = bad || (unsigned char)*p < 32 || *p == 127;
    return bad ? fail_field(c, "/path", "a path is relative, without . and .. and control characters") : ERR_OK;
}

static const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool skill_path_is_folder(const char *path)
{
    return str_eq(path_base(path), "SKILL.md");
}

/* The nth folder from the end, without "12-"; NULL: there is none. */
static const char *path_folder(struct arena *a, const char *path, int nth)
{
    const char *end = path_base(path), *from;

    for (; end > path; end = from) {
        for (from = end - 1; from > path && from[-1] != '/';)
            from--;
        if (--nth == 0) {
            const char *name = from + strspn(from, "0123456789");

            name = name > from && *name == '-' ? name + 1 : from;
            return arena_strndup(a, name, (size_t)(end - 1 - name));
        }
    }
    return NULL;
}

/* ---- reading */

static struct strs front_strs(struct arena *a, const struct json *front, const char *key)
{
    const struct json *v = json_get(front, key);
    struct strs out = {ARENA_ARRAY(a, const char *, v && v->type == JSON_ARR ? v->len + 1 : 1), 0};

    if (v && v->type == JSON_STR && *v->s)
        out.v[out.n++] = v->s;
    if (v && v->type == JSON_ARR)
        for (const struct json *i = v->first; i; i = i->next)
            if (i->type == JSON_STR)
                out.v[out.n++] = i->s;
    return out;
}

static const char *str_trimmed(struct arena *a, const char *s)
{
    size_t n;

    while (isspace((unsigned char)*s))
        s++;
    for (n = strlen(s); n && isspace((unsigned char)s[n - 1]);)
        n--;
    return s[n] ? arena_strndup(a, s, n) : s;
}

static const char *front_str(struct arena *a, const struct json *front, const char *key)
{
    const struct json *v = json_get(front, key);

    return v && v->type == JSON_STR && *v->s ? str_trimmed(a, v->s) : NULL;
}

static void skill_file_link(struct skill_file *f, const char *relation, const char *slug, double weight)
{
    if (f->n_links < SKILL_LINKS && str_is_slug(slug))
        f->links[f->n_links++] = (struct skill_link){relation, slug, weight};
}

static void skill_file_links(struct ctx *c, struct skill_file *f)
{
    static const char *const RELATIONS[][2] = {{"requires", "requires"}, {"enhances", "enhances"}, {"composes", "composes"},
                                               {"succeeds", "succeeds"}, {"contradicts", "CONTRADICTS"}};
    const struct json *near_ = json_get(f->front, "correlates");
    double w;

    for (size_t i = 0; i < sizeof RELATIONS / sizeof *RELATIONS; i++) {
        struct strs to = front_strs(c->arena, f->front, RELATIONS[i][0]);

        for (size_t k = 0; k < to.n; k++)
            skill_file_link(f, RELATIONS[i][1], to.v[k], 1);
    }
    if (near_ && near_->type == JSON_OBJ)
        for (const struct json *i = near_->first; i; i = i->next)
            if (i->type == JSON_STR && str_to_double(i->s, &w) && w >= 0 && w <= 1)
                skill_file_link(f, "correlates_with", i->key, w);
}

/* The first lines that are text: "" where there are none. */
static const char *first_paragraph(struct arena *a, const char *body)
{
    while (*body) {
        size_t n = strcspn(body, "\n");

        if (n && body[0] != '#' && !isspace((unsigned char)body[0]))
            return arena_strndup(a, body, str_first_bytes(arena_strndup(a, body, n), SKILL_DESCRIPTION));
        body += n + (body[n] == '\n');
    }
    return "";
}

/* "Deployment Tools" → "deployment_tools" where that is built in, else "deployment-tools". */
static const char *category_of_name(struct arena *a, const char *name)
{
    char *low = arena_strdup(a, skill_slug_of(a, name)), *under = arena_strdup(a, low);
    int value;

    for (char *p = under; *p; p++)
        *p = *p == '-' ? '_' : *p;
    return enumx_parse(&skill_category_enumx, under, &value) ? under : low;
}

static err skill_file_fill(struct ctx *c, struct skill_file *f)
{
    const struct json *front = f->front;
    struct skill *s = &f->skill;
    const char *base = path_base(f->path), *category = front_str(c->arena, front, "category");
    const char *status = front_str(c->arena, front, "status");
    bool folder = skill_path_is_folder(f->path);
    const char *own = folder ? path_folder(c->arena, f->path, 1) : arena_strndup(c->arena, base, strlen(base) - 3);
    int value;

    s->name = front_str(c->arena, front, "name");
    if (!s->name)
        s->name = own;
    if (str_empty(s->name))
        return fail_field(c, "/name", "the file names no skill, and has no folder");
    s->slug = skill_slug_of(c->arena, own ? own : s->name);
    s->description = front_str(c->arena, front, "description");
    if (!s->description)
        s->description = first_paragraph(c->arena, s->body);
    if (!*s->description)
        s->description = s->name;
    s->description = str_trimmed(c->arena, arena_strndup(c->arena, s->description, str_first_bytes(s->description, SKILL_DESCRIPTION)));
    if (!category)
        category = path_folder(c->arena, f->path, folder ? 2 : 1);
    s->category = category ? category_of_name(c->arena, category) : "operations";
    s->tags = front_strs(c->arena, front, "tags");
    s->triggers = front_strs(c->arena, front, "triggers");
    s->commands = front_strs(c->arena, front, "commands");
    s->status = SKILL_ACTIVE;
    if (status && enumx_parse(&skill_status_enumx, status, &value))
        s->status = (enum skill_status)value;
    s->is_hidden = str_eq(front_str(c->arena, front, "disable-model-invocation"), "true");
    f->version = front_str(c->arena, front, "version");
    skill_file_links(c, f);
    return ERR_OK;
}

/* How long the head is: the text up to and with the line that ends it; 0: there is none. *open: it does not end. */
static size_t skill_head(const char *content, bool *open)
{
    const char *p = content + strcspn(content, "\n");
    size_t first = (size_t)(p - content);

    *open = false;
    if (!str_starts(content, "---") || (first > 3 && strspn(content + 3, " \t\r") != first - 3) || !*p)
        return 0;
    for (p++; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t n = strcspn(p, "\n");

        if (n >= 3 && str_starts(p, "---") && strspn(p + 3, " \t\r") >= n - 3)
            return (size_t)(p - content) + n + (p[n] == '\n');
    }
    *open = true;
    return 0;
}

/* Between the two marks. */
const char *skill_head_inside(struct arena *a, const char *head)
{
    size_t first = strcspn(head, "\n") + 1, n = strlen(head), last = n;

    if (n <= first)
        return "";
    for (last = n - 1; last > first && head[last - 1] != '\n';)
        last--;
    return arena_strndup(a, head + first, last - first);
}

err skill_file_read(struct ctx *c, const char *path, const char *content, struct skill_file *out)
{
    struct yaml_fault fault;
    size_t head;
    bool open;

    *out = (struct skill_file){.path = path};
    TRY(skill_path_check(c, path));
    if (strlen(content) > SKILL_FILE)
        return fail_field(c, "/content", "a file is at most %d bytes", SKILL_FILE);
    if (!str_is_utf8(content, strlen(content)))
        return fail_field(c, "/content", "the file is not UTF-8");
    head = skill_head(content, &open);
    if (open)
        return fail_field(c, "/content", "line 1: the front matter does not end");
    out->head = arena_strndup(c->arena, content, head);
    out->front = yaml_front_parse(c->arena, skill_head_inside(c->arena, out->head), &fault);
    if (!out->front)
        return fail_field(c, "/content", "line %d: %s", fault.line + 1, fault.what);
    out->skill.body = content + head;
    return skill_file_fill(c, out);
}

/* ---- writing */

static bool strs_are(struct strs a, struct strs b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (!str_eq(a.v[i], b.v[i]))
            return false;
    return true;
}

static const struct json *json_of_strs(struct arena *a, struct strs v)
{
    struct json *all = json_arr(a);

    for (size_t i = 0; i < v.n; i++)
        json_push(all, json_str(a, v.v[i]));
    return v.n ? all : NULL;
}

struct front_edit {
    struct ctx *c;
    const char *text;
};

static void front_set(struct front_edit *e, const char *key, const struct json *value)
{
    e->text = yaml_front_with(e->c->arena, e->text, key, value);
}

static const char *skill_front_new(struct ctx *c, const struct skill *s)
{
    struct front_edit e = {c, ""};

    front_set(&e, "name", json_str(c->arena, s->name));
    front_set(&e, "description", json_str(c->arena, s->description));
    front_set(&e, "category", json_str(c->arena, s->category));
    front_set(&e, "tags", json_of_strs(c->arena, s->tags));
    front_set(&e, "triggers", json_of_strs(c->arena, s->triggers));
    front_set(&e, "commands", json_of_strs(c->arena, s->commands));
    front_set(&e, "version", s->active_version ? json_str(c->arena, s->active_version) : NULL);
    if (s->status != SKILL_ACTIVE)
        front_set(&e, "status", json_str(c->arena, enumx_name(&skill_status_enumx, (int)s->status)));
    return e.text;
}

/* Tags are kept trimmed, without case, each once. */
static bool tags_are_of(struct ctx *c, struct strs stored, struct strs written)
{
    struct strs clean;

    if (tags_clean(c, "/tags", written, &clean) == ERR_OK)
        return strs_are(stored, clean);
    ctx_forgive(c);
    return false;
}

/* What was changed since the file was read. */
static const char *skill_front_changed(struct ctx *c, const struct skill *s, const struct skill_file *was)
{
    struct front_edit e = {c, skill_head_inside(c->arena, was->head)};
    const struct skill *w = &was->skill;

    if (!str_eq(s->name, w->name))
        front_set(&e, "name", json_str(c->arena, s->name));
    if (!str_eq(s->description, w->description))
        front_set(&e, "description", json_str(c->arena, s->description));
    if (!str_eq(s->category, w->category))
        front_set(&e, "category", json_str(c->arena, s->category));
    if (!tags_are_of(c, s->tags, w->tags))
        front_set(&e, "tags", json_of_strs(c->arena, s->tags));
    if (!strs_are(s->triggers, w->triggers))
        front_set(&e, "triggers", json_of_strs(c->arena, s->triggers));
    if (!strs_are(s->commands, w->commands))
        front_set(&e, "commands", json_of_strs(c->arena, s->commands));
    return e.text;
}

const char *skill_file_write(struct ctx *c, const struct skill *s)
{
    struct skill_file was;
    const char *front;

    if (!s->front_matter)
        return arena_printf(c->arena, "---\n%s---\n\n%s", skill_front_new(c, s), s->body ? s->body : "");
    if (skill_file_read(c, s->source_path ? s->source_path : "x.md", s->front_matter, &was) != ERR_OK) {
        ctx_forgive(c);
        return arena_printf(c->arena, "%s%s", s->front_matter, s->body ? s->body : "");
    }
    if (!front_str(c->arena, was.front, "description")) /* it was read out of the body */
        was.skill.description = s->description;
    front = skill_front_changed(c, s, &was);
    if (str_eq(front, skill_head_inside(c->arena, was.head)))
        return arena_printf(c->arena, "%s%s", s->front_matter, s->body ? s->body : "");
    return arena_printf(c->arena, "---\n%s---\n%s", front, s->body ? s->body : "");
}

const char *skill_file_path(struct arena *a, const struct skill *s)
{
    return arena_printf(a, "%s/%s.md", s->category, s->slug);
}
