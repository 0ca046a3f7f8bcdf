/* Daily summaries; see daily_summary.h. */
#include "daily_summary.h"

#include <string.h>

#include "daily_summary_store.h"
#include "str.h"
#include "wiki_page.h"
#include "wiki_page_store.h"

#define TITLES 100 /* of pages that are named */

struct instant daily_summary_yesterday(struct instant now)
{
    return (struct instant){now.us - now.us % DAY_US - DAY_US};
}

/* ---- the text */

struct summary_text {
    struct buf text;
    int64_t events; /* 0: nothing happened */
    struct json *counts;
    struct ctx *c;
};

static void summary_counts(struct summary_text *t, const char *heading, const char *name, const struct list *counts)
{
    const struct day_count *v = counts->v;

    if (!counts->n)
        return;
    buf_printf(&t->text, "\n## %s\n\n", heading);
    for (size_t i = 0; i < counts->n; i++) {
        buf_printf(&t->text, "- %s: %lld\n", v[i].name, (long long)v[i].n);
        json_set_int(t->c->arena, t->counts, arena_printf(t->c->arena, "%s.%s", name, v[i].name), v[i].n);
        t->events += v[i].n;
    }
}

static void summary_number(struct summary_text *t, const char *words, const char *name, int64_t n, bool is_event)
{
    buf_printf(&t->text, "- %s: %lld\n", words, (long long)n);
    json_set_int(t->c->arena, t->counts, name, n);
    t->events += is_event ? n : 0;
}

static void summary_pages(struct summary_text *t, const struct strs *titles, int64_t n)
{
    if (!n)
        return;
    buf_printf(&t->text, "\n## Pages changed\n\n%lld in all.\n\n", (long long)n);
    for (size_t i = 0; i < titles->n; i++)
        if (!strpbrk(titles->v[i], "[]|\n"))
            buf_printf(&t->text, "- [[%s]]\n", titles->v[i]);
    json_set_int(t->c->arena, t->counts, "pages.changed", n);
    t->events += n;
}

static err summary_write(struct ctx *c, const struct day_span *d, const char *date, struct summary_text *t)
{
    struct list nodes, learnings, escalations;
    struct day_totals totals;
    struct strs titles;
    int64_t pages;

    TRY(daily_store_nodes(c, d, &nodes));
    TRY(daily_store_learnings(c, d, &learnings));
    TRY(daily_store_escalations(c, d, &escalations));
    TRY(daily_store_totals(c, d, &totals));
    TRY(daily_store_pages(c, d, TITLES, &titles, &pages));
    *t = (struct summary_text){.counts = json_obj(c->arena), .c = c};
    buf_init(&t->text, c->arena, 2048);
    buf_printf(&t->text, "What happened on %s (UTC).\n", date);
    summary_counts(t, "New", "new", &nodes);
    summary_counts(t, "Learnings that are new or changed, by status", "learnings", &learnings);
    summary_counts(t, "Questions to people", "escalations", &escalations);
    summary_pages(t, &titles, pages);
    buf_puts(&t->text, "\n## Graph\n\n");
    summary_number(t, "new edges", "graph.new_edges", totals.new_edges, true);
    summary_number(t, "archived", "memory.archived", totals.archived, true);
    summary_number(t, "forgotten", "memory.forgotten", totals.forgotten, true);
    return ERR_OK;
}

/* ---- the page */

/* Whether the text is still the one that was made, whoever asked for it. */
static const char *summary_hash(struct ctx *c, const char *text)
{
    return arena_printf(c->arena, "%016llx", (unsigned long long)hash_bytes(text, strlen(text), 19));
}

static struct json *summary_metadata(struct ctx *c, const char *date, const char *text, struct json *counts)
{
    struct json *o = json_obj(c->arena);

    json_set_bool(c->arena, o, "generated", true);
    json_set_str(c->arena, o, "date", date);
    json_set_str(c->arena, o, "text_hash", summary_hash(c, text));
    json_set(c->arena, o, "counts", counts);
    return o;
}

static err summary_create(struct ctx *c, const char *date, struct summary_text *t, struct daily_summary *out)
{
    struct wiki_page made, in = {.title = arena_printf(c->arena, "Daily Summary %s", date), .slug = out->slug, .content = buf_str(&t->text),
                                 .status = WIKI_PUBLISHED, .metadata = summary_metadata(c, date, buf_str(&t->text), t->counts)};

    TRY(wiki_page_create(c, WIKI_PAGE, &in, &made));
    out->page_id = made.id;
    out->created = out->changed = true;
    return ERR_OK;
}

/* One that a person has edited is left alone. */
static err summary_update(struct ctx *c, const struct wiki_page *p, const char *date, struct summary_text *t, struct daily_summary *out)
{
    struct wiki_page_change ch = {.to.ref = out->slug};
    struct wiki_page now;

    out->page_id = p->id;
    if (!str_eq(json_get_str(json_opened(c->arena, p->metadata), "text_hash"), summary_hash(c, p->content)) ||
        str_eq(p->content, buf_str(&t->text)))
        return ERR_OK;
    change_to(&ch, content, buf_str(&t->text));
    change_to(&ch, metadata, summary_metadata(c, date, buf_str(&t->text), t->counts));
    TRY(wiki_page_update(c, WIKI_PAGE, &ch, &now));
    out->changed = true;
    return ERR_OK;
}

err daily_summary_make(struct ctx *c, struct instant day, struct daily_summary *out)
{
    struct day_span d = {day, {day.us + DAY_US}};
    const char *date;
    struct summary_text t;
    struct wiki_page p;
    char at[INSTANT_TEXT];
    bool found;

    date = arena_strndup(c->arena, instant_text(day, at), 10);
    *out = (struct daily_summary){.slug = arena_printf(c->arena, "daily-summary-%s", date)};
    TRY(summary_write(c, &d, date, &t));
    TRY(wiki_page_store_by_slug(c, WIKI_PAGE, out->slug, &found, &p));
    if (found)
        return summary_update(c, &p, date, &t, out);
    return t.events ? summary_create(c, date, &t, out) : ERR_OK;
}

err daily_summary_of_date(struct ctx *c, const char *date, struct daily_summary *out)
{
    struct instant day;

    if (strlen(date) != 10 || !instant_parse(arena_printf(c->arena, "%sT00:00:00Z", date), &day))
        return fail_field(c, "/date", "date must be a day such as 2026-11-19");
    if (day.us + DAY_US > c->now.us)
        return fail_field(c, "/date", "the day is not over");
    return daily_summary_make(c, day, out);
}
