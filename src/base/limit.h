/* Every size that a user could make large, by name; each has a test one past it. */
#ifndef LOCI_LIMIT_H
#define LOCI_LIMIT_H

#define LIMIT_PAGE 100 /* rows of a list */
#define LIMIT_PAGE_DEFAULT 20
#define LIMIT_CURSOR 512 /* characters of a cursor */
#define LIMIT_NAME 255   /* code points of a name or title */
#define LIMIT_SLUG 100
#define LIMIT_TITLE 500
#define LIMIT_DESCRIPTION 4000
#define LIMIT_EMAIL 254
#define LIMIT_PASSWORD_MIN 10
#define LIMIT_PASSWORD 200            /* bytes; Argon2id would take more, a flood should not */
#define LIMIT_NODE_VERSIONS 100       /* old states of a node that are kept */
#define LIMIT_NODE_BODY (256 * 1024)  /* bytes of a node's text */
#define LIMIT_PAGE_BODY (1024 * 1024) /* … of a page or an article */
#define LIMIT_ATTRS (64 * 1024)       /* bytes of a JSON object kept beside a row */
#define LIMIT_SETTINGS (64 * 1024)
#define LIMIT_SCOPES 64    /* permission strings of a token */
#define LIMIT_SPACES 10000 /* spaces one principal can reach */
#define LIMIT_ROLES 16     /* roles of one agent */
#define LIMIT_BULK 10000   /* lines of a bulk upload */
#define LIMIT_IDEMPOTENCY_KEY 255
#define LIMIT_VECTOR_DIM 4096
#define JSON_DEPTH_MAX 30      /* levels of a value, wherever it comes in: docs/decisions/0016 */
#define JSON_DEPTH_READ 64     /* … of a text that holds values: a request, what is stored */
#define JSON_NODES_MAX 200000  /* values of one JSON text: 48 bytes each once it is read */
#define LIMIT_FORM (64 * 1024) /* bytes of a posted form */

#endif
