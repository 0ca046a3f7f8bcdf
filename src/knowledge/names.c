/* Names in chunks and the entities they become; see names.h. */
#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "edge.h"
#include "fact_put.h"
#include "limit.h"
#include "mentions.h"
#include "names_store.h"
#include "node_many.h"
#include "unicode.h"

#define NODES_AT_ONCE 500
#define TITLE_WEIGHT 1.0 /* of the first chunk of what the document is called after … */
#define WEIGHT (1.0 / 3) /* … beside every other mention */

/* One name in one chunk. */
struct named_chunk {
    const char *norm;
    size_t chunk; /* of those added */
    unsigned times;
    bool is_title;
};

struct names_work {
    const struct names_change *ch;
    struct named_chunk *at; /* by name, then by chunk */
    size_t n, cap;
    struct name_row *rows; /* by name */
    size_t n_rows;
    struct node_new *entities;
    size_t n_entities;
    struct edge_new *edges;
    size_t n_edges;
};

/* ---- what a name is */

static bool word_among(const char *word, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && strncmp(word, *words, n) == 0)
            return true;
    return false;
}

const char *name_type(const char *norm)
{
    static const char *const PERSON[] = {"dr", "mr", "mrs", "ms", "prof", "professor", "sir", "king", "queen", "saint", NULL};
    static const char *const PLACE[] = {"street", "river", "lake", "mountain", "island", "city", "county", "bay", "road", "park", NULL};
    static const char *const BODY[] = {"inc", "ltd", "gmbh", "corp", "corporation", "company", "university", "institute", "college", "bank",
                                       "committee", "association", "records", "party", "museum", NULL};
    const char *last = strrchr(norm, ' ');

    last = last ? last + 1 : norm;
    if (word_among(norm, strcspn(norm, " ."), PERSON) && strchr(norm, ' '))
        return "person";
    if (last == norm)
        return "concept";
    if (word_among(last, strcspn(last, "."), BODY) || str_starts(norm, "university of "))
        return "organization";
    return word_among(last, strlen(last), PLACE) ? "place" : "concept";
}

/* Where the text spells it in another way (two spaces, letters outside ASCII), its words get capitals. */
const char *name_written(struct arena *a, const char *text, const char *norm)
{
    const char *at = text ? strcasestr(text, norm) : NULL;
    char *name;

    if (at)
        return arena_strndup(a, at, strlen(norm));
    name = arena_strdup(a, norm);
    for (char *p = name; *p; p++)
        if ((p == name || p[-1] == ' ') && *p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
    return name;
}

/* ---- finding */

static void names_add(struct ctx *c, struct names_work *w, struct named_chunk x)
{
    if (w->n == w->cap) {
        struct named_chunk *more = ARENA_ARRAY(c->arena, struct named_chunk, w->cap = w->cap ? 2 * w->cap : 256);

        if (w->n)
            memcpy(more, w->at, w->n * sizeof *more);
        w->at = more;
    }
    w->at[w->n++] = x;
}

/* What is likelier a name, and rarer: phrases and identifiers before single words, then what is said most. */
static int name_order(const void *a, const void *b)
{
    const struct found_name *x = a, *y = b;
    const unsigned strong = MENTION_PHRASE | MENTION_IDENTIFIER | MENTION_QUOTED;
    int sx = (x->flags & strong) != 0, sy = (y->flags & strong) != 0;

    return sx != sy ? sy - sx : x->times != y->times ? (x->times < y->times) - (x->times > y->times) : strcmp(x->name, y->name);
}

static void names_of_chunk(struct ctx *c, struct names_work *w, size_t chunk, const struct found_names *title)
{
    const struct names_chunk *x = &w->ch->added[chunk];
    struct found_names found = {.arena = c->arena};
    size_t taken = 0;

    for (size_t i = 0; i < title->n; i++)
        names_add(c, w, (struct named_chunk){title->at[i].name, chunk, 1, true});
    if (x->heading_path)
        mentions_find(&found, x->heading_path, false);
    mentions_find(&found, x->body, false);
    if (found.n)
        qsort(found.at, found.n, sizeof *found.at, name_order);
    for (size_t i = 0; i < found.n && taken < NAMES_OF_CHUNK; i++) {
        bool in_title = false;

        for (size_t k = 0; k < title->n && !in_title; k++)
            in_title = title->at[k].key == found.at[i].key;
        if (in_title || found.at[i].flags & MENTION_WEAK)
            continue;
        names_add(c, w, (struct named_chunk){found.at[i].name, chunk, found.at[i].times, false});
        taken++;
    }
}

static int named_chunk_order(const void *a, const void *b)
{
    const struct named_chunk *x = a, *y = b;
    int order = strcmp(x->norm, y->norm);

    return order ? order : (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

static void names_find_all(struct ctx *c, struct names_work *w)
{
    struct found_names title = {.arena = c->arena};

    if (w->ch->title)
        mentions_title(&title, w->ch->title);
    for (size_t i = 0; i < w->ch->n_added; i++)
        names_of_chunk(c, w, i, &title);
    if (w->n)
        qsort(w->at, w->n, sizeof *w->at, named_chunk_order);
}

/* ---- minting */

static const struct json *entity_attrs(struct ctx *c, const char *norm)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "node_type", "entity");
    json_set_str(c->arena, o, "entity_type", name_type(norm));
    return o;
}

static void names_mint(struct ctx *c, struct names_work *w, struct name_row *r, const struct named_chunk *first)
{
    const struct names_chunk *x = &w->ch->added[first->chunk];
    const char *text = first->is_title ? w->ch->title : x->body;

    r->entity_id = uuid_new(c->now.us);
    w->entities[w->n_entities++] = (struct node_new){NODE_NEW_DEFAULTS, .id = r->entity_id, .space_id = w->ch->space_id, .kind = "entity",
                                                     .by_room = true, .status = NODE_NAMED,
                                                     .title = name_written(c->arena, text, r->norm), .body = "",
                                                     .attrs = entity_attrs(c, r->norm)};
    w->entities[w->n_entities - 1].decay_rate = 0;
}

static struct edge_new mention_of(struct ctx *c, struct uuid chunk, struct uuid entity, const struct named_chunk *x, bool is_first)
{
    struct json *o = json_obj(c->arena);

    json_set_int(c->arena, o, "count", x ? x->times : 1);
    if (x && x->is_title)
        json_set_bool(c->arena, o, "title", true);
    return (struct edge_new){.confidence = 1, .source_id = chunk, .target_id = entity, .relation = "MENTIONS", .metadata = o,
        .weight = x && x->is_title && is_first ? TITLE_WEIGHT : WEIGHT};
}

/* The chunks at[0..n) of one name. */
static void names_decide(struct ctx *c, struct names_work *w, struct name_row *r, const struct named_chunk *at, size_t n)
{
    struct uuid waits = r->chunk_id;

    if (uuid_is_nil(r->entity_id) && n + !uuid_is_nil(waits) < 2 && !at->is_title) {
        r->chunk_id = w->ch->added[at->chunk].id;
        return;
    }
    if (uuid_is_nil(r->entity_id))
        names_mint(c, w, r, at);
    if (!uuid_is_nil(waits))
        w->edges[w->n_edges++] = mention_of(c, waits, r->entity_id, NULL, false);
    r->chunk_id = (struct uuid){0};
    for (size_t i = 0; i < n; i++)
        w->edges[w->n_edges++] = mention_of(c, w->ch->added[at[i].chunk].id, r->entity_id, &at[i], w->ch->added[at[i].chunk].is_first);
}

static size_t names_run(const struct names_work *w, size_t from)
{
    size_t to = from + 1;

    while (to < w->n && strcmp(w->at[to].norm, w->at[from].norm) == 0)
        to++;
    return to - from;
}

static err names_lock(struct ctx *c, struct names_work *w)
{
    const char **norms = ARENA_ARRAY(c->arena, const char *, w->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < w->n; i += names_run(w, i))
        norms[n++] = w->at[i].norm;
    w->rows = ARENA_ARRAY(c->arena, struct name_row, n + 1);
    w->entities = ARENA_ARRAY(c->arena, struct node_new, n + 1);
    w->edges = ARENA_ARRAY(c->arena, struct edge_new, w->n + n + 1);
    return names_store_lock(c, w->ch->space_id, norms, n, w->rows, &w->n_rows);
}

static err names_write(struct ctx *c, struct names_work *w, struct uuids *made)
{
    for (size_t i = 0; i < w->n_entities; i += NODES_AT_ONCE)
        TRY(node_put_many(c, w->entities + i, w->n_entities - i < NODES_AT_ONCE ? w->n_entities - i : NODES_AT_ONCE));
    for (size_t i = 0; i < w->n_edges; i += NODES_AT_ONCE)
        TRY(edge_put_many(c, w->edges + i, w->n_edges - i < NODES_AT_ONCE ? w->n_edges - i : NODES_AT_ONCE));
    if (made) {
        made->v = ARENA_ARRAY(c->arena, struct uuid, w->n_entities + 1);
        for (made->n = 0; made->n < w->n_entities; made->n++)
            made->v[made->n] = w->entities[made->n].id;
    }
    return names_store_set(c, w->ch->space_id, w->rows, w->n_rows);
}

static err names_arrive(struct ctx *c, const struct names_change *ch, struct uuids *made)
{
    struct names_work w = {.ch = ch};
    size_t r = 0;

    names_find_all(c, &w);
    if (!w.n)
        return ERR_OK;
    TRY(names_lock(c, &w));
    for (size_t i = 0, n; i < w.n && r < w.n_rows; i += n) {
        n = names_run(&w, i);
        if (str_eq(w.rows[r].norm, w.at[i].norm))
            names_decide(c, &w, &w.rows[r++], &w.at[i], n);
    }
    TRY(ctx_check_size(c));
    return names_write(c, &w, made);
}

/* ---- leaving */

/* A name that one chunk holds waits again; one that none holds is gone. */
static err names_thin_out(struct ctx *c, struct uuid space_id, const struct uuids *touched)
{
    const struct name_thin *v;
    struct name_row *waiting;
    struct uuid *gone;
    struct list thin;
    size_t n = 0;

    TRY(names_store_thin(c, space_id, touched->v, touched->n, &thin));
    v = thin.v;
    gone = ARENA_ARRAY(c->arena, struct uuid, thin.n + 1);
    waiting = ARENA_ARRAY(c->arena, struct name_row, thin.n + 1);
    for (size_t i = 0; i < thin.n; i++) {
        gone[i] = v[i].entity_id;
        if (!uuid_is_nil(v[i].chunk_id))
            waiting[n++] = (struct name_row){v[i].norm, {{0}}, v[i].chunk_id};
    }
    TRY(edge_drop_ends(c, gone, thin.n));
    TRY(node_drop_many(c, space_id, gone, thin.n));
    if (thin.n)
        TRY(names_store_drop(c, gone, thin.n));
    return names_store_set(c, space_id, waiting, n);
}

static err names_leave(struct ctx *c, const struct names_change *ch)
{
    for (size_t i = 0; i < ch->n_removed; i += NODES_AT_ONCE) {
        size_t n = ch->n_removed - i < NODES_AT_ONCE ? ch->n_removed - i : NODES_AT_ONCE;
        struct uuids touched, quoting;

        TRY(fact_withdraw_of(c, ch->removed + i, n));
        TRY(names_store_quoting(c, ch->removed + i, n, &quoting));
        TRY(node_drop_many(c, ch->space_id, quoting.v, quoting.n)); /* the job graph_communities writes them anew */
        if (ch->is_hidden) {
            TRY(names_store_grouping(c, ch->removed + i, n, &quoting));
            TRY(node_drop_many(c, ch->space_id, quoting.v, quoting.n));
        }
        TRY(names_store_drop_waiting(c, ch->removed + i, n));
        TRY(edge_drop_from(c, ch->removed + i, n, "MENTIONS", &touched));
        if (touched.n)
            TRY(names_thin_out(c, ch->space_id, &touched));
    }
    return ERR_OK;
}

err names_follow(struct ctx *c, const struct names_change *ch, struct uuids *made)
{
    if (made)
        *made = (struct uuids){0};
    if (ch->n_added)
        TRY(names_arrive(c, ch, made));
    return names_leave(c, ch);
}

/* ---- by hand */

const char *name_norm(struct arena *a, const char *name)
{
    struct found_names found = {.arena = a};

    mentions_title(&found, name);
    return found.n ? found.at[0].name : arena_strndup(a, unicode_fold(a, name), MENTION_BYTES - 1);
}

err names_claim(struct ctx *c, struct uuid space_id, const char *name, struct uuid entity_id, struct uuid *holder)
{
    const char *norm = name_norm(c->arena, name);
    struct name_row r;
    struct node_brief there;
    struct edge_new mention;
    size_t n;

    TRY(names_store_lock(c, space_id, &norm, 1, &r, &n));
    if (n && !uuid_is_nil(r.entity_id)) {
        TRY(node_briefs(c, &r.entity_id, 1, &there));
        r.entity_id = there.id; /* one that was forgotten gives its name free */
    }
    *holder = n && !uuid_is_nil(r.entity_id) ? r.entity_id : entity_id;
    if (!n || !uuid_eq(*holder, entity_id))
        return ERR_OK;
    if (!uuid_is_nil(r.chunk_id)) {
        mention = mention_of(c, r.chunk_id, entity_id, NULL, false);
        TRY(edge_put_many(c, &mention, 1));
    }
    return names_store_set(c, space_id, &(struct name_row){.norm = r.norm, .entity_id = entity_id}, 1);
}

err names_move(struct ctx *c, struct uuid space_id, struct uuid from, struct uuid to, const char *const *norms, size_t n)
{
    return names_store_move(c, space_id, from, to, norms, n);
}
