/* Templates that know each other by name: adding, finding, and tying partials to their targets. */
#include <string.h>

#include "mustache_impl.h"

#define SCRATCH_CAP (512u * 1024 * 1024)

struct mustache_set *mustache_set_new(struct arena *a)
{
    struct mustache_set *set = ARENA_NEW(a, struct mustache_set);

    set->arena = a;
    mustache_set_limits(set, 20 * 1000 * 1000, 32u * 1024 * 1024);
    return set;
}

void mustache_set_raw_suffix(struct mustache_set *set, const char *suffix)
{
    set->raw_suffix = arena_strdup(set->arena, suffix);
}

void mustache_set_limits(struct mustache_set *set, size_t steps, size_t bytes)
{
    set->max_steps = steps;
    set->max_bytes = bytes;
}

const struct mustache *mustache_find(const struct mustache_set *set, const char *name)
{
    for (const struct mustache *t = set->first; t; t = t->next)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

bool mustache_add(struct mustache_set *set, const char *name, const char *file, const char *text, size_t n,
                  const char **why)
{
    struct mustache *t = ARENA_NEW(set->arena, struct mustache);
    struct arena *tmp;
    struct tokens tokens;
    bool ok;

    if (n > MUSTACHE_TEMPLATE_MAX) {
        *why = arena_printf(set->arena, "%s:1: a template of more than %u bytes", file, MUSTACHE_TEMPLATE_MAX);
        return false;
    }
    t->set = set;
    t->name = arena_strdup(set->arena, name);
    t->file = arena_strdup(set->arena, file);
    text = arena_strndup(set->arena, text, n); /* the program points into it */
    tmp = arena_new(SCRATCH_CAP);
    ok = mustache_scan(tmp, set->arena, t->file, text, n, &tokens, why) &&
         mustache_compile(tmp, set, t, &tokens, why);
    arena_free(tmp);
    if (!ok)
        return false;
    t->next = set->first;
    set->first = t;
    return true;
}

bool mustache_link(struct mustache_set *set, bool strict, const char **why)
{
    for (struct mustache *t = set->first; t; t = t->next)
        for (uint32_t i = 0; i < t->n; i++) {
            struct op *op = &t->ops[i];

            if (op->kind != OP_PARTIAL && op->kind != OP_PARENT)
                continue;
            op->target = mustache_find(set, op->text);
            if (!op->target && strict) {
                *why = arena_printf(set->arena, "%s:%d: there is no template '%s'", t->file, op->line, op->text);
                return false;
            }
        }
    return true;
}
