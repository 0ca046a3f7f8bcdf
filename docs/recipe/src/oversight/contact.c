/* The columns of contacts. There is no rule, so the services of thing.h are all they need. */
#include "contact.h"

#include "limit.h"

static const struct field CONTACT_COLUMNS[] = {
    F_ID(struct contact, "id of the contact"),
    F_STR(struct contact, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "name of the person", .label = "Name"),
    F_STR(struct contact, email, COL_OPEN | COL_UNIQUE | FIELD_REQUIRED | FIELD_EMAIL, 3, LIMIT_EMAIL,
          "address, unique in the account", .label = "E-mail"),
    F_STR(struct contact, description, COL_OPEN | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "what to ask this person about",
          .label = "Description"),
    F_BOOL(struct contact, on_call, COL_OPEN, false, "can be reached at night", .label = "On call"),
    F_VERSION(struct contact),
    F_TIMES(struct contact),
    F_END
};
const struct thing CONTACT = THING("contact", CONTACT_COLUMNS, struct contact, .schema = "Contact");
