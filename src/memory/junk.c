/* The junk audit; see junk.h. */
#include "junk.h"

#include <string.h>

#include "access.h"
#include "archive.h"
#include "archive_many.h"
#include "db.h"
#include "junk_store.h"
#include "node.h"
#include "recommendation.h"
#include "space.h"

#define SPACES_AT_ONCE 50 /* in one batch, when little is in them */
#define FINDINGS_AT_ONCE 1000

err junk_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return junk_store_accounts(c, above, ids, max, n);
}

/* ---- looking */

/* The class is decided anew for all of rows but, if it is that of rot_detection, entries. */
static err write_class(struct ctx *c, enum finding_class class, const struct junk_row *rows, double (*values)[FINDING_CLASSES], size_t n,
                       struct junk_counts *out)
{
    struct uuid *looked_at = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct finding *found = ARENA_ARRAY(c->arena, struct finding, n + 1);
    size_t n_looked_at = 0, n_found = 0;

    for (size_t i = 0; i < n; i++) {
        if (class == FINDING_STALE && rows[i].is_entry)
            continue;
        looked_at[n_looked_at++] = rows[i].id;
        if (values[i][class] >= 0)
            found[n_found++] = (struct finding){.node_id = rows[i].id, .space_id = rows[i].space_id, .value = values[i][class]};
    }
    out->found[class] += (int64_t)n_found;
    return finding_replace(c, class, looked_at, n_looked_at, found, n_found);
}

static err junk_look_body(struct ctx *c, const struct junk_row *rows, size_t n, struct junk_counts *out)
{
    double(*values)[FINDING_CLASSES] = arena_alloc(c->arena, (n + 1) * sizeof *values);

    for (size_t i = 0; i < n; i++)
        junk_look(c, &rows[i], values[i]);
    for (int class = 0; class < FINDING_CLASSES; class ++)
        TRY(write_class(c, (enum finding_class) class, rows, values, n, out));
    out->covered += (int64_t)n;
    return ERR_OK;
}

static err find_copies(struct ctx *c, struct uuid space_id, struct junk_counts *out)
{
    struct finding *rows;
    size_t n;

    TRY(junk_store_copies(c, space_id, &rows, &n));
    for (size_t i = 0; i < n; i += FINDINGS_AT_ONCE)
        TRY(finding_replace(c, FINDING_EXACT_COPY, NULL, 0, rows + i, n - i < FINDINGS_AT_ONCE ? n - i : FINDINGS_AT_ONCE));
    out->found[FINDING_EXACT_COPY] += (int64_t)n;
    return ERR_OK;
}

/* What is left of the space, at most limit memories; *over: nothing is left. */
static err audit_space(struct ctx *c, struct junk_position *p, size_t limit, struct junk_counts *out, bool *over)
{
    struct junk_row *rows = ARENA_ARRAY(c->arena, struct junk_row, limit + 1);
    size_t n;

    TRY(junk_store_scan(c, p->space_id, p->node_id, limit, rows, &n));
    if (n)
        TRY(junk_look_body(c, rows, n, out));
    *over = n < limit;
    if (*over)
        return find_copies(c, p->space_id, out);
    p->node_id = rows[n - 1].id;
    return ERR_OK;
}

static err next_space(struct ctx *c, struct junk_position *p, bool *found)
{
    struct uuid id;

    TRY(junk_store_next_space(c, p->space_id, found, &id));
    if (*found)
        *p = (struct junk_position){.space_id = id};
    return ERR_OK;
}

err junk_audit(struct ctx *c, struct junk_position *p, size_t limit, struct junk_counts *out, bool *more)
{
    bool over = true;

    *out = (struct junk_counts){0};
    *more = true;
    if (uuid_is_nil(p->space_id))
        TRY(next_space(c, p, more));
    for (int i = 0; *more && i < SPACES_AT_ONCE && (size_t)out->covered < limit; i++) {
        TRY(audit_space(c, p, limit - (size_t)out->covered, out, &over));
        if (over)
            TRY(next_space(c, p, more));
    }
    return *more ? ERR_OK : junk_store_census(c);
}

/* ---- reporting */

static double junk_share(int64_t part, int64_t all)
{
    return all ? lifecycle_round((double)part / (double)all) : 0;
}

static err junk_add_classes(struct ctx *c, struct junk_report *out)
{
    struct junk_class *rows = ARENA_ARRAY(c->arena, struct junk_class, FINDING_CLASSES);
    int64_t found[FINDING_CLASSES];

    TRY(junk_store_classes(c, out->day, found));
    for (int i = 0; i < FINDING_CLASSES; i++)
        rows[i] = (struct junk_class){(enum finding_class)i, found[i], junk_share(found[i], out->nodes),
                                      {ARENA_ARRAY(c->arena, const char *, JUNK_SAMPLES), 0}};
    out->classes = (struct list){rows, FINDING_CLASSES};
    return junk_store_samples(c, rows);
}

static err junk_add_spaces(struct ctx *c, struct junk_report *out)
{
    struct junk_space *rows = ARENA_ARRAY(c->arena, struct junk_space, JUNK_SPACES + 1);
    size_t n;

    TRY(junk_store_spaces(c, out->day, rows, JUNK_SPACES, &n));
    for (size_t i = 0; i < n; i++) {
        rows[i].junk_ratio = junk_share(rows[i].junk, rows[i].nodes);
        rows[i].name = access_may_read(c, rows[i].space_id) ? rows[i].name : NULL;
    }
    out->spaces = (struct list){rows, n};
    return ERR_OK;
}

err junk_report(struct ctx *c, struct junk_report *out)
{
    struct junk_day *days = ARENA_ARRAY(c->arena, struct junk_day, JUNK_DAYS + 2);
    size_t n;

    *out = (struct junk_report){0};
    TRY(junk_store_days(c, days, JUNK_DAYS + 1, &n));
    for (size_t i = 0; i < n; i++)
        days[i].junk_ratio = junk_share(days[i].junk, days[i].nodes);
    if (!n)
        return ERR_OK;
    out->day = days[0].day;
    out->nodes = days[0].nodes;
    out->junk = days[0].junk;
    out->junk_ratio = days[0].junk_ratio;
    out->curve = (struct list){days, n};
    TRY(junk_add_classes(c, out));
    return junk_add_spaces(c, out);
}

#define JUNK_MUCH .2

/* What may be archived of it: copies, echoes, texts without content, what is stale. */
static err junk_advise_ids(struct ctx *c, struct json *list)
{
    const bool classes[FINDING_CLASSES] = {[FINDING_EXACT_COPY] = true, [FINDING_ECHO] = true, [FINDING_LOW_ENTROPY] = true,
                                           [FINDING_TOO_SHORT] = true, [FINDING_STALE] = true};
    struct uuid ids[JUNK_UNDO_MAX];
    size_t n;

    TRY(junk_store_to_clean(c, classes, NULL, JUNK_UNDO_MAX, ids, &n));
    for (size_t i = 0; i < n; i++)
        json_push(list, json_str(c->arena, arena_strdup(c->arena, UUID_STR(ids[i]))));
    return ERR_OK;
}

err junk_advise(struct ctx *c)
{
    struct json *evidence = json_obj(c->arena), *config = json_obj(c->arena);
    struct junk_report r;
    bool made;

    TRY(junk_report(c, &r));
    if (r.junk_ratio <= JUNK_MUCH)
        return ERR_OK;
    json_set_int(c->arena, evidence, "memories", r.nodes);
    json_set_int(c->arena, evidence, "junk", r.junk);
    json_set(c->arena, evidence, "share", json_num(c->arena, r.junk_ratio));
    TRY(junk_advise_ids(c, json_set(c->arena, config, "node_ids", json_arr(c->arena))));
    return recommendation_add(c, &(struct recommendation){
        .recommendation_type = ADVISE_HYGIENE, .target_kind = "account", .target_id = c->account_id, .title = "Archive junk",
        .description = "More than a fifth of all memories are copies, echoes, texts without content, or stale.", .confidence = .9,
        .evidence = evidence, .recommended_config = config}, &made);
}

/* What the caller may not read keeps its title to itself. */
static err add_titles(struct ctx *c, struct junk_item *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n * 2 + 1);
    struct node_brief *briefs = ARENA_ARRAY(c->arena, struct node_brief, n * 2 + 1);

    for (size_t i = 0; i < n; i++) {
        ids[i] = rows[i].node_id;
        ids[n + i] = rows[i].other_id;
    }
    TRY(node_briefs(c, ids, n * 2, briefs));
    for (size_t i = 0; i < n; i++) {
        if (rows[i].class == FINDING_PROMOTE) /* no node: what it is called is its agent's */
            rows[i].title = access_may_read(c, rows[i].space_id) ? rows[i].title : NULL;
        else
            rows[i].title = uuid_is_nil(briefs[i].id) ? NULL : briefs[i].title;
        rows[i].other_title = uuid_is_nil(briefs[n + i].id) ? NULL : briefs[n + i].title;
    }
    return ERR_OK;
}

err junk_items(struct ctx *c, const struct junk_filter *f, struct page *out)
{
    struct junk_item *rows = ARENA_ARRAY(c->arena, struct junk_item, (size_t)f->limit + 2);
    struct uuid before;
    size_t n;

    TRY(page_begin(c, f->cursor, &before));
    TRY(junk_store_items(c, f, before, rows, &n));
    PAGE_END(c, out, rows, n, f->limit, struct junk_item, node_id);
    return add_titles(c, rows, out->n);
}

/* ---- cleaning */

static const char *reason_of(struct ctx *c, struct uuid run_id)
{
    return arena_printf(c->arena, "junk %s", UUID_STR(run_id));
}

struct cleaning {
    const bool *classes;
    const struct uuids *only;
    struct junk_cleaned out;
};

static err clean_body(struct ctx *c, void *arg)
{
    struct cleaning *w = arg;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, JUNK_CLEAN_MAX + 2), *done = ARENA_ARRAY(c->arena, struct uuid, JUNK_CLEAN_MAX + 2);
    size_t n, n_done = 0;

    TRY(junk_store_to_clean(c, w->classes, w->only, JUNK_CLEAN_MAX + 1, ids, &n));
    w->out.has_more = n > JUNK_CLEAN_MAX;
    n = w->out.has_more ? JUNK_CLEAN_MAX : n;
    if (!w->out.dry_run)
        TRY(memory_archive_many(c, ids, n, reason_of(c, w->out.run_id), done, &n_done));
    w->out.matched = (int64_t)n;
    w->out.archived = (int64_t)n_done;
    return ERR_OK;
}

err junk_clean(struct ctx *c, const bool classes[FINDING_CLASSES], const struct uuids *only, bool dry_run, struct junk_cleaned *out)
{
    struct cleaning w = {.classes = classes, .only = only, .out = {.run_id = uuid_new(c->now.us), .dry_run = dry_run}};

    TRY(db_tx(c, clean_body, &w));
    *out = w.out;
    return ERR_OK;
}

/* When an id was made, to the millisecond. */
static struct instant junk_time_of(struct uuid id)
{
    return (struct instant){(int64_t)(uuid_half(&id, 0) >> 16) * 1000};
}

/* Who holds memory.manage may archive whatever there is, and so may bring it back. */
static err junk_bring_back(struct ctx *c, struct uuid id, struct uuid space_id, struct uuid run_id, struct junk_undone *out)
{
    struct node n;
    err e;

    space_widen(c, space_id, ACCESS_WRITE);
    e = memory_archive(c, id, false, arena_printf(c->arena, "undo of %s", reason_of(c, run_id)), &n);
    if (e == ERR_CONFLICT || e == ERR_FORBIDDEN) {
        ctx_forgive(c);
        out->kept++;
        return ERR_OK;
    }
    TRY(e);
    out->restored++;
    return ERR_OK;
}

err junk_undo(struct ctx *c, struct uuid run_id, struct junk_undone *out)
{
    struct uuid ids[JUNK_UNDO_MAX], spaces[JUNK_UNDO_MAX], after = {{0}};
    bool known;
    size_t n;

    *out = (struct junk_undone){0};
    TRY(junk_store_has_cleaned(c, reason_of(c, run_id), junk_time_of(run_id), &known));
    if (!known)
        return fail(c, ERR_NOT_FOUND, "no such clean");
    do {
        TRY(junk_store_cleaned(c, reason_of(c, run_id), junk_time_of(run_id), after, ids, spaces, JUNK_UNDO_MAX, &n));
        for (size_t i = 0; i < n && out->restored < JUNK_UNDO_MAX; i++) {
            TRY(junk_bring_back(c, ids[i], spaces[i], run_id, out));
            after = ids[i];
        }
    } while (n == JUNK_UNDO_MAX && out->restored < JUNK_UNDO_MAX);
    out->has_more = out->restored == JUNK_UNDO_MAX;
    return ERR_OK;
}
