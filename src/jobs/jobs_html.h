/* The tables of pages about jobs, each ended by a row without path, and how runs are shown wherever they are. */
#ifndef LOCI_JOBS_HTML_H
#define LOCI_JOBS_HTML_H

#include "page_call.h"
#include "run.h"

extern const struct page_row timetable_pages[];
extern const struct page_row runs_pages[];
extern const struct page_row job_settings_pages[];
extern const struct page_row queue_pages[];
extern const struct page_row task_pages[];

/* One job: GET, and again after a form of it was refused. */
err job_page(struct ctx *c, struct page_call *p);

/* {name, href}: who did something, found among the users by their address; href null: not to be looked up. NULL: null. */
void put_person(struct ctx *c, struct json *m, const char *name, const char *who);

/* ---- the queue */

struct task_row;
/* The account's short name, of others the id; NULL: the installation. */
const char *account_text(struct ctx *c, struct uuid id);
/* A row of tasks.mustache. */
void put_task(struct ctx *c, struct json *row, const struct task_row *t);
/* "kinds": the choices of a filter. */
err put_task_kinds(struct ctx *c, struct json *m, bool everywhere, const char *shown);

/* ---- runs */

/* A row of the partial "runs". */
void put_run(struct ctx *c, struct json *row, const struct run *r);
/* The run's status as a badge, as "status". */
void put_run_status(struct ctx *c, struct json *row, const struct run *r);
/* What the run's end means: "nothing was due", "some rows failed" …; NULL when the status says it all. */
const char *run_words(struct ctx *c, const struct run *r);
/* How long it took, or has been going; NULL: it has not begun, or nobody knows. A continuous job's row stands for an hour of
 * short firings: the time they worked. */
const char *run_duration(struct ctx *c, const struct run *r);
/* "fired 42 times" of such a row; NULL of others. */
const char *run_passes(struct ctx *c, const struct run *r);

/* {words, marks: [{kind, text, href}]} of a job's last runs (newest first as given), the newest last; null: there are none. */
struct json *run_strip(struct ctx *c, const struct run *runs, size_t n);

/* on, see and n_dead for the partial "job_tabs"; tab is one of timetable, runs, queue, dead, schedulers. */
err put_job_tabs(struct ctx *c, struct json *m, const char *tab);
/* "every day at 04:00 UTC"; schedules that have no short words are named as they are. */
const char *schedule_words(struct ctx *c, const char *schedule);

#endif
