/* The pages of memory: contexts with their entries, pools with their keys; and the parts that these share. */
#ifndef LOCI_MEMORY_HTML_H
#define LOCI_MEMORY_HTML_H

#include "entry.h"
#include "json.h"
#include "node.h"
#include "page_call.h"
#include "parts_html.h"
#include "people_html.h"
#include "pool_data.h"
#include "restore_change.h"

extern const struct page_row contexts_pages[];
extern const struct page_row context_pages[];
extern const struct page_row context_settings_pages[];
extern const struct page_row context_snapshot_pages[];
extern const struct page_row working_pages[];
extern const struct page_row context_log_pages[];
extern const struct page_row entry_pages[];
extern const struct page_row pool_pages[];
extern const struct page_row pool_keys_pages[];
extern const struct page_row pool_feed_pages[];
extern const struct page_row pool_limits_pages[];
extern const struct page_row pool_snapshot_pages[];
extern const struct page_row pool_key_pages[];
extern const struct page_row short_term_pages[];
extern const struct page_row junk_pages[];
extern const struct page_row duplicate_pages[];
extern const struct page_row nodes_pages[];
extern const struct page_row node_pages[];
extern const struct page_row node_change_pages[];

/* ---- memory_parts_html.c */

/* The i-th param, which must be an id, as text. */
err memory_page_ref(struct ctx *c, const struct page_call *p, size_t i, const char **out);

/* A stored value as people read and edit it: a text as it is, all else as JSON with line breaks. Adds `value` and `is_json`. */
void put_value(struct ctx *c, struct json *obj, const struct json *value);
/* The beginning of it on one line. */
const char *value_preview(struct ctx *c, const struct json *value);
/* Adds `formats`, the choices of how what is typed is meant; value: what is edited, or NULL. */
void put_formats(struct ctx *c, struct page_call *p, const struct json *value);
/* What was typed into a text area, with plain line breaks; NULL: nothing. */
const char *form_text(struct ctx *c, const struct page_call *p, const char *name);
/* What was typed into the field, as its `format` says. */
err form_value(struct ctx *c, const struct page_call *p, const char *name, struct json **out);
/* What was typed with commas between, as a list. */
struct json *form_tags(struct ctx *c, const struct page_call *p, const char *name);

/* Adds `owners` and `teams`: whose something new shall be, or nobody's. */
err put_owners(struct ctx *c, struct page_call *p, const char *owner_field);

/* One shot at taking back what was just done: the next page shows a sentence and a button that posts to action. */
void offer_undo(struct ctx *c, struct page_call *p, const char *action, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Adds `undo` to the model of the page that shows it. */
void put_undo(struct ctx *c, struct page_call *p);

/* `tabs` between the pages about memory as a whole; shown: "start", "working" or "". */
void put_memory_tabs(struct ctx *c, struct page_call *p, const char *shown);

/* ---- entry_parts_html.c */

void put_entry(struct ctx *c, struct json *row, const struct entry *e);
/* Adds `find`, `hows`, and `found` when something was asked for: entries of the context, or of all when NULL. */
err put_found(struct ctx *c, struct page_call *p, const char *context);

/* ---- nodes_html.c */

/* The title, or what is said of a node that has none. */
const char *node_name(struct ctx *c, const char *title, const char *kind);
/* Its page. */
const char *node_place(struct ctx *c, struct uuid id);
/* Adds status (a badge), is_pinned, is_out. */
void put_node_status(struct ctx *c, struct json *row, const struct node *n);

/* ---- node_html.c */

/* The page of one node; what changes it shows it again. */
err node_page(struct ctx *c, struct page_call *p);

/* ---- node_parts_html.c: parts of the page of one node, each a member of the model */

/* `versions`, and `diff` with `diff_words`: what a change did. */
err put_versions(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names);
/* `edges` when it has any, `sources` (what it was made from), `results` (what was made of it). */
err put_edges(struct ctx *c, struct page_call *p, const struct node *n);
/* `access`: who may do what, and why. */
err put_access(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names);
/* `snapshots` that hold it. */
err put_snapshots(struct ctx *c, struct page_call *p, const struct node *n);
/* `events` of the audit trail, for those who may see it. */
err put_events(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names);

/* ---- node_more_html.c */

/* `reads`: the end of the access log, where there is one and the caller may see it. */
err put_reads(struct ctx *c, struct page_call *p, const struct node *n, const struct names *names);
/* `chain`: what took whose place, the oldest first; left out when nothing did. */
err put_chain(struct ctx *c, struct page_call *p, const struct node *n);
/* `goes`: sentences on what forgetting would take along, counted in what the model has already. */
void put_goes(struct ctx *c, struct page_call *p);

/* ---- snapshot_parts_html.c: for the partial "comparison" */

/* `counts` {changed, missing, later, lost, same (texts), is_same (bool)} and `changes`, the keys that differ. */
void put_comparison(struct ctx *c, struct page_call *p, const struct restore_counts *counts, const struct page *changes);

#endif
