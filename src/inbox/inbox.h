/* The inbox: all that waits for a person, from every room, in one order. A source is a row of INBOX_SOURCES; what is decided is decided
 * by the operation of the room that owns the item. */
#ifndef LOCI_INBOX_H
#define LOCI_INBOX_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "permission.h"

#define INBOX_COUNTED 100 /* of each source, and in all: shown as 99+ */
#define INBOX_TEXT 4000   /* characters of a text that are shown */
#define INBOX_NOTE 4000

/* What can be done with an item: an operation, and what it is given. */
struct inbox_action {
    const char *name, *label;   /* name NULL: there is none */
    const char *op, *path;      /* ":id" stands for the item */
    const char *body;           /* JSON: "$id" stands for the item, "$note" for what the person wrote, left out where that is nothing;
                                 * "$note!" for that or, where it is nothing, the label; NULL: nothing */
    bool needs_note;            /* it cannot be done without one */
    const char *key;            /* of the keyboard: a or r; NULL: none */
    const char *said;           /* when it is done */
    const char *undo, *undo_by; /* operation that takes it back; member of the answer that it is given, NULL: the item's id */
};

#define INBOX_ACTIONS 3
struct inbox_source {
    const char *kind, *label;
    enum permission perm; /* who may decide */
    /* SQL: "FROM … WHERE x.account_id = ? …", without other parameters. The spaces that the viewer may read are `mine`, he himself is
     * `me`: (SELECT id FROM mine). */
    const char *from;
    /* Columns: id, what of it is read by the viewer (NULL: nothing), the other text, severity 1 to 4, due or NULL, since, title, space. */
    const char *columns;
    const char *href; /* page; ":id" and ":subject" are put in */
    struct inbox_action actions[INBOX_ACTIONS];
};
const struct inbox_source *inbox_source_find(const char *kind); /* NULL: there is none */
/* All of them, ended by one without kind. */
extern const struct inbox_source INBOX_SOURCES[];

struct inbox_item {
    const struct inbox_source *source;
    const char *kind; /* of the source */
    struct uuid id, subject_id, other_id, space_id;
    const char *title, *severity;
    const char *text, *other_text; /* two that stand against each other, or one; NULL: none */
    struct instant due_at, at;
    const char *sort_key;
    struct list actions; /* of struct inbox_offer */
};

/* An action as callers are told of it. */
struct inbox_offer {
    const char *name, *method, *path;
    const struct json *body;
    const char *note; /* member of the body that takes what is written; NULL: none */
};

struct inbox_filter {
    const char *kind; /* NULL: any */
    int severity;     /* 0: any, else 1 (low) to 4 */
    struct instant due_before;
    int64_t limit;
    const char *cursor;
};
/* What the viewer may decide and read, by due time, then severity, then age. */
err inbox_list(struct ctx *c, const struct inbox_filter *f, struct page *out);
/* How much that is, at most INBOX_COUNTED: one statement. */
err inbox_count(struct ctx *c, int64_t *n);

/* The body of an action for this item; what its path holds is not in it. */
struct json *inbox_body(struct ctx *c, const struct inbox_action *a, struct uuid id, const char *note);

#endif
