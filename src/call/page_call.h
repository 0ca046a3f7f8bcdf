/* A request for a page as its handler in a room sees it: what was asked, what to show, where to go. No HTTP in it. */
#ifndef LOCI_PAGE_CALL_H
#define LOCI_PAGE_CALL_H

#include "access.h"
#include "call.h"
#include "ctx.h"
#include "json.h"

#define PAGE_PARAMS 4

struct page_call;

/* One page, or one form that posts. Every *_html.c exports a table of these, ended by a row without path; src/pages.c
 * lists the tables. Everything below /admin asks for admin.access besides perm. */
struct page_row {
    const char *method, *path; /* "GET" or "POST"; ":x" in the path is a param */
    const char *name;          /* for metrics and logs: "page.teams" */
    enum permission perm;
    const char *op; /* GET: the operation that answers the same, to be copied for a shell and for MCP; NULL: none */
    err (*run)(struct ctx *c, struct page_call *p);
    /* POST, in the place of run: runs the operation `does` with the params of the path and the fields of the form, says `said` and goes to `go`, in which
     * ":id" is the param of that name and ":made" the id of what was created. */
    const char *does, *said, *go;
    /* POST: shows the form again with errors and form set, after a refusal that the person can mend; NULL: an error page */
    err (*again)(struct ctx *c, struct page_call *p);
    bool takes_file; /* POST: the form may have a file, and is as long as an upload may be */
    /* GET: the entry in the navigation; label NULL: none */
    struct {
        const char *label, *icon, *key, *heading;
        const char *also[3];                     /* further paths that are below it */
        err (*count)(struct ctx *c, int64_t *n); /* what waits there, by one bounded statement; NULL: nothing is counted */
    } nav;
};

struct page_call {
    const char *here; /* path and query as asked */
    const char *params[PAGE_PARAMS];
    const struct json *query;  /* an object of texts; a name that is repeated has a list */
    const struct json *form;   /* the same of what was posted; NULL: nothing was */
    const struct upload *file; /* that was chosen in the form; NULL: none was */
    bool is_again;             /* the form is shown again: model has errors and form */
    const char *op;            /* another than row.op: of a page with nothing on it the one that makes the first */
    const struct json *asked;  /* what row.op is asked, where it is not what params and query say by name */
    const struct json *once;   /* what page_once() of the request before left, or NULL */

    struct json *model; /* begun by the frame; the handler adds to it */
    const char *view;   /* template */
    const char *go;     /* after a POST: the page to go to */
    struct json *flash; /* sentences for the next page that is shown, here or after go */
    const struct json *next_once;
};

/* ---- reading; NULL when absent or empty */

const char *page_query(const struct page_call *p, const char *name);
const char *page_form(const struct page_call *p, const char *name);
/* All values of a name of the form: a box that is ticked gives one. */
struct strs page_form_all(struct ctx *c, const struct page_call *p, const char *name);
/* The i-th param as an id: ERR_NOT_FOUND when it is none. */
err page_id(struct ctx *c, const struct page_call *p, size_t i, struct uuid *out);

/* ---- answering */

err page_show(struct page_call *p, const char *view);
/* Where to go after a POST that was done. */
err page_go(struct ctx *c, struct page_call *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* kind: ok, warn, bad or info. */
void page_say(struct ctx *c, struct page_call *p, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Something that the page one goes to may show a single time, such as a new token. It travels sealed. */
void page_once(struct page_call *p, const struct json *what);
/* May the caller? For what a page offers; whether it is done is asked again when it is. */
bool page_may(const struct ctx *c, enum permission perm);

/* ---- doing: the operation of the call table, with its checks, as REST would run it */

/* Arguments are the members of extra, then the fields of the operation that the form has; texts become the field's type,
 * an empty one is null where null is allowed and absent where something is wanted. extra may be NULL. A hidden field
 * if_version is what If-Match is over REST. */
err page_run(struct ctx *c, const struct page_call *p, const char *op, const struct json *extra, struct call_result *r);
/* A row with `does`. */
err page_do(struct ctx *c, struct page_call *p, const struct page_row *row);
/* The same for an operation that takes a file: the form's. None was chosen: ERR_INVALID of the field "file". */
err page_take(struct ctx *c, const struct page_call *p, const char *op, const struct json *extra, struct call_result *r);

#endif
