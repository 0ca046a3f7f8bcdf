/* Messages of a conversation in working memory: {role, content, timestamp}. */
#ifndef LOCI_WORKING_MESSAGE_H
#define LOCI_WORKING_MESSAGE_H

#include "working.h"

#define WORKING_ROLE 64 /* characters */

/* As it is kept; pointer names it in a refusal. */
err working_message_json(struct ctx *c, const char *pointer, const struct working_message *m, const struct json **out);
/* A whole conversation: *value becomes its newest WORKING_MESSAGES. */
err working_messages_check(struct ctx *c, const struct json **value);

#endif
