/* Cleaning what somebody records on purpose; see sanitize_direct.h. */
#include "sanitize_direct.h"

#include <string.h>

#include "sanitize.h"
#include "str.h"

#define FLAGS_MAX 16

static void flag_add(struct strs *flags, const char **v, const char *id)
{
    for (size_t i = 0; i < flags->n; i++)
        if (str_eq(v[i], id))
            return;
    if (flags->n < FLAGS_MAX)
        v[flags->n++] = id;
}

err sanitize_direct(struct ctx *c, const char *text, const char **out, struct strs *flags)
{
    struct sanitized s = sanitize(c->arena, text, strlen(text), &(struct sanitize_policy){.keeps_markers = true});
    const char **v = ARENA_ARRAY(c->arena, const char *, FLAGS_MAX);

    if (s.verdict != SANITIZE_CLEAN)
        return fail_reason(c, ERR_INVALID, enumx_name(&sanitize_verdict_enumx, (int)s.verdict), "the content cannot be cleaned");
    *out = s.text;
    if (!flags)
        return ERR_OK;
    *flags = (struct strs){v, 0};
    for (size_t i = 0; i < s.n_hits; i++)
        if (!s.hits[i].cut)
            flag_add(flags, v, s.hits[i].id);
    return ERR_OK;
}
