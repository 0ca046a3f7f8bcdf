/* Operations on contacts. */
#include "contact.h"
#include "oversight_calls.h"
#include "thing.h"

#define TAG "contacts"

OP_CALL(CONTACT_LIST, struct thing_page, struct page, thing_list(c, &CONTACT, in, out),
        .name = "contact.list", .method = "GET", .path = "/api/v1/contacts", .tag = TAG,
        .summary = "Lists the contacts of the account, newest first.", .perm = PERM_ACCOUNT_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_GIVE(CONTACT, struct contact));

OP_CALL(CONTACT_GET, struct thing_key, struct contact, thing_get(c, &CONTACT, in->id, out),
        .name = "contact.get", .method = "GET", .path = "/api/v1/contacts/:id", .tag = TAG, .summary = "Returns one contact.",
        .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(CONTACT),
        OP_GIVE(CONTACT, struct contact));

OP_CALL(CONTACT_CREATE, struct contact, struct contact, thing_create(c, &CONTACT, in, out),
        .name = "contact.create", .method = "POST", .path = "/api/v1/contacts", .tag = TAG, .summary = "Creates a contact.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(CONTACT, struct contact),
        OP_GIVE(CONTACT, struct contact));

OP_CALL(CONTACT_UPDATE, struct contact_change, struct contact, thing_update(c, &CONTACT, in, out),
        .name = "contact.update", .method = "PATCH", .path = "/api/v1/contacts/:id", .tag = TAG, .summary = "Changes a contact.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(CONTACT, struct contact_change),
        OP_GIVE(CONTACT, struct contact));

OP_CALL(CONTACT_DELETE, struct thing_key, void, thing_delete(c, &CONTACT, in),
        .name = "contact.delete", .method = "DELETE", .path = "/api/v1/contacts/:id", .tag = TAG, .summary = "Deletes a contact.",
        .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY, OP_KEY(CONTACT));

const struct op *const contact_calls_table[] = {&CONTACT_LIST, &CONTACT_GET, &CONTACT_CREATE, &CONTACT_UPDATE, &CONTACT_DELETE, NULL};
