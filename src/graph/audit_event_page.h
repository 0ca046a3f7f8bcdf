/* An event of the audit trail as pages show it. */
#ifndef LOCI_AUDIT_EVENT_PAGE_H
#define LOCI_AUDIT_EVENT_PAGE_H

#include "page_call.h"
#include "parts_page.h"

/* Adds "events", as audit.mustache describes them, of a page of struct audit_event. */
err put_audit_events(struct ctx *c, struct json *m, const struct page *page, const struct names *names);

#endif
