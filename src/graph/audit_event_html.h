/* An event of the audit trail as pages show it. */
#ifndef LOCI_AUDIT_EVENT_HTML_H
#define LOCI_AUDIT_EVENT_HTML_H

#include "page_call.h"
#include "parts_html.h"
#include "people_html.h"

/* Adds "events", as audit.mustache describes them, of a page of struct audit_event. */
err put_audit_events(struct ctx *c, struct json *m, const struct page *page, const struct names *names);

#endif
