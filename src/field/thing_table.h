/* A thing is what has rows: its table of columns says how they are read, written, changed, shown, audited and put into forms. */
#ifndef LOCI_THING_TABLE_H
#define LOCI_THING_TABLE_H

#include "field.h"

struct thing {
    const char *name; /* of its table and of its audit events: "team" gives team.create */
    const struct field *columns;
    size_t size;                   /* of its struct */
    err (*changed)(struct ctx *c); /* after each change, in its transaction; NULL: nobody is told */
    const char *from, *alias;      /* what it is selected from, where that is more than its table: "team t", "t" */
    const char *schema;            /* its name in OpenAPI: "Team"; NULL: it has none */
    bool is_news;                  /* its changes go into the event stream, too */
    const char *taken;             /* what is said of a second one (COL_UNIQUE); NULL: "team 'x' exists already" */
};

/* Which one is meant, and in which version; 0: any. */
struct thing_key {
    struct uuid id;
    int64_t if_version;
};

/* Which page of a list, where nothing else is asked. */
struct thing_page {
    int64_t limit;
    const char *cursor;
};

#define THING(name_, columns_, type_, ...) \
    {.name = (name_), .columns = (columns_), .size = sizeof(type_) __VA_OPT__(,) __VA_ARGS__}

#endif
