/* Contacts: people to ask who have no login here. */
#ifndef LOCI_CONTACT_H
#define LOCI_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

#include "thing_table.h"

struct contact {
    struct uuid id;
    const char *name, *email, *description;
    bool on_call;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing CONTACT;

struct contact_change {
    struct thing_change change;
    struct contact to;
};

#endif
