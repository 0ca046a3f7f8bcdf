/* What a request may find, as its filters say; see recall_impl.h. */
#include "access.h"
#include "recall_impl.h"
#include "vector_models_cache.h"

static err kinds_of(struct ctx *c, const struct strs *names, uint64_t *out)
{
    for (size_t i = 0; i < names->n; i++) {
        uint8_t kind = segment_kind(names->v[i]);

        if (kind == KIND_UNKNOWN)
            return fail_field(c, arena_printf(c->arena, "/kinds/%zu", i), "unknown kind");
        *out |= 1ull << kind;
    }
    return ERR_OK;
}

static err included(struct ctx *c, const struct recall_in *in, unsigned *out)
{
    static const unsigned FLAGS[] = {ROW_SUPERSEDED, ROW_FORGOTTEN, ROW_ARCHIVED};
    int which;

    *out = in->history ? ROW_SUPERSEDED | ROW_VERSION : 0;
    for (size_t i = 0; i < in->include.n; i++) {
        if (!enumx_parse(&recall_include_enumx, in->include.v[i], &which))
            return fail_field(c, arena_printf(c->arena, "/include/%zu", i), "must be superseded, forgotten or archived");
        *out |= FLAGS[which];
    }
    return ERR_OK;
}

static void groups(struct ctx *c, const struct recall_filters *f, struct filter_in *out)
{
    struct facet_group *all = ARENA_ARRAY(c->arena, struct facet_group, f->any.n + 1);
    const struct recall_any *any = f->any.v;

    for (size_t i = 0; i < f->any.n; i++) {
        uint32_t *keys = ARENA_ARRAY(c->arena, uint32_t, any[i].words.n + 1);

        for (size_t k = 0; k < any[i].words.n; k++)
            keys[k] = facet_key(any[i].member, any[i].words.v[k]);
        all[i] = (struct facet_group){keys, any[i].words.n};
    }
    out->groups = all;
    out->n_groups = f->any.n;
    if (f->aside)
        out->include |= ROW_ASIDE;
}

static err facets(struct ctx *c, const struct recall_filters *f, struct filter_in *out)
{
    struct facets all = facets_of(f->attrs);
    size_t n = f->tags.n;
    uint32_t *keys, key;

    for (const struct json *v = f->attrs ? f->attrs->first : NULL; v; v = v->next)
        if (!facet_can_be(v))
            return fail_field(c, "/filters/attrs", "'%s' must be a text, a whole number, true or false, or a list of these", v->key);
    while (facets_next(&all, &key))
        n++;
    keys = ARENA_ARRAY(c->arena, uint32_t, n + 1);
    for (n = 0; n < f->tags.n; n++)
        keys[n] = facet_key("tags", f->tags.v[n]);
    for (all = facets_of(f->attrs); facets_next(&all, &key);)
        keys[n++] = key;
    out->facets = keys;
    out->n_facets = n;
    groups(c, f, out);
    return ERR_OK;
}

static err recall_filter_filter_of(struct ctx *c, const struct recall_in *in, struct filter_in *out)
{
    const struct recall_filters *f = in->filters;

    *out = (struct filter_in){
        .readable = c->access->readable, .n_readable = c->access->n, .spaces = in->spaces.v, .n_spaces = in->spaces.n,
        .now = c->now.us, .as_of = in->as_of.us, .as_known_at = in->as_known_at.us,
    };
    TRY(kinds_of(c, &in->kinds, &out->kinds));
    TRY(included(c, in, &out->include));
    if (!f)
        return ERR_OK;
    out->created_from = f->from.us;
    out->created_to = f->to.us;
    out->min_importance = f->min_importance;
    out->min_confidence = f->min_confidence;
    out->author = f->author;
    out->session = f->session;
    return facets(c, f, out);
}

/* Whose words count: whatever the caller may read and might have asked for, so that no filter and nobody else's nodes move a
 * score. */
static void counted_rows(struct recall *r, const struct filter_in *in)
{
    struct filter_in all = {.readable = in->readable, .n_readable = in->n_readable, .kinds = UINT64_MAX, .now = in->now,
                            .include = in->include};

    if (in->as_of || in->as_known_at)
        all.include |= ROW_SUPERSEDED | ROW_VERSION;
    filter_make(r->c->arena, r->index, &all, &r->counts);
}

static bool recall_filter_wants_vectors(struct recall *r)
{
    struct vector_models m;

    if (!r->c->app->embed)
        return false;
    if (model_cache_get(r->c, (struct uuid){{0}}, &m) == ERR_OK)
        return m.wanted.provider != EMBED_NONE;
    ctx_forgive(r->c);
    return true;
}

/* Where the account wants no vectors none are waited for. */
static int64_t count_waiting(struct recall *r)
{
    size_t n = filter_waiting(r->c->arena, r->index, &r->filter);

    return n && recall_filter_wants_vectors(r) ? (int64_t)n : 0;
}

err recall_filter(struct recall *r)
{
    struct filter_in wanted;

    TRY(recall_filter_filter_of(r->c, r->in, &wanted));
    filter_make(r->c->arena, r->index, &wanted, &r->filter);
    r->out->vectors_waiting = count_waiting(r);
    r->kinds = wanted.kinds;
    r->include = wanted.include;
    counted_rows(r, &wanted);
    if (r->is_query)
        keyword_narrow(r->c, r->index, &r->counts, r->text, &r->filter);
    return ERR_OK;
}
