/* What all pages have in common: the model's members that the layout wants, headers, redirects, failures as pages. */
#ifndef LOCI_FRAME_H
#define LOCI_FRAME_H

#include "exchange.h"
#include "page_call.h"

struct admin {
    const struct page_row *const *tables; /* ended by NULL */
};

/* c->who may be NULL: a page for nobody, without navigation. */
struct json *frame_model(struct ctx *c, struct exchange *x, const struct admin *a);
void frame_show(struct ctx *c, struct exchange *x, int status, const char *view, const struct json *model);
/* The failure kept in ctx as a page. */
void frame_error(struct ctx *c, struct exchange *x, const struct admin *a, err e);
/* 303 to a path of ours. */
void frame_go(struct ctx *c, struct exchange *x, const char *path);
/* The same for htmx, whose fetch would follow that and put the page into the frame: the browser leaves the page it is on. */
void frame_leave(struct ctx *c, struct exchange *x, const char *path);

/* text when it is a path on this host that a redirect may go to ("/…", neither "//" nor a backslash), else NULL. */
const char *frame_local_path(const char *text);
/* "no such space" as "No such space." */
const char *frame_sentence(struct ctx *c, const char *message);
/* In constant time; NULL equals nothing. */
bool frame_same_secret(const char *a, const char *b);
/* The posted form. */
err frame_form(struct ctx *c, struct exchange *x, const struct json **out);
/* One that may have a file (*file NULL: it has none). */
struct upload;
err frame_form_with_file(struct ctx *c, struct exchange *x, const struct json **out, const struct upload **file);

#endif
