/* The error codes of the house: a service names one of them and a sentence; only transports know statuses. */
#ifndef LOCI_ERR_H
#define LOCI_ERR_H

/* code, HTTP status, JSON-RPC code, wire slug, what it means */
#define ERR_LIST(X) \
    X(ERR_OK, 200, 0, "OK", "no error") \
    X(ERR_BAD_REQUEST, 400, -32600, "BAD_REQUEST", "the request is malformed") \
    X(ERR_UNAUTHORIZED, 401, -32001, "UNAUTHORIZED", "authentication is required") \
    X(ERR_FORBIDDEN, 403, -32003, "FORBIDDEN", "the token or user lacks the permission") \
    X(ERR_NOT_FOUND, 404, -32602, "NOT_FOUND", "not found, or not visible to the caller") \
    X(ERR_METHOD, 405, -32601, "METHOD_NOT_ALLOWED", "the path does not support this method") \
    X(ERR_CONFLICT, 409, -32009, "CONFLICT", "it was changed meanwhile, or exists already") \
    X(ERR_PRECONDITION, 412, -32012, "PRECONDITION_FAILED", "the given version is not the current one") \
    X(ERR_TOO_LARGE, 413, -32013, "PAYLOAD_TOO_LARGE", "larger than the limit, or needs more memory than one request may use") \
    X(ERR_MEDIA_TYPE, 415, -32015, "UNSUPPORTED_MEDIA_TYPE", "unsupported Content-Type") \
    X(ERR_INVALID, 422, -32602, "VALIDATION_ERROR", "a field is missing, malformed or out of range") \
    X(ERR_NEEDS_MATCH, 428, -32028, "PRECONDITION_REQUIRED", "If-Match is required") \
    X(ERR_RATE, 429, -32029, "RATE_LIMITED", "too many requests") \
    X(ERR_INTERNAL, 500, -32603, "INTERNAL_ERROR", "internal error") \
    X(ERR_PROVIDER, 502, -32050, "PROVIDER_ERROR", "a model server failed") \
    X(ERR_UNAVAILABLE, 503, -32051, "UNAVAILABLE", "MariaDB or Redis is unavailable; try again") \
    X(ERR_DEADLINE, 504, -32052, "DEADLINE_EXCEEDED", "request timeout")

#define ERR_ENUM_(code, http, rpc, slug, meaning) code,
enum [[nodiscard]] err { ERR_LIST(ERR_ENUM_) ERR_COUNT };
typedef enum err err;

struct err_info {
    int http;
    int jsonrpc;
    const char *slug;
    const char *meaning;
};
const struct err_info *err_info(err code);

struct ctx;

/* Keeps the first message of a request in ctx (later ones only add their place to the debug log) and returns code. */
err err_fail(struct ctx *c, err code, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#define fail(c, code, ...) err_fail((c), (code), __FILE__, __LINE__, __VA_ARGS__)

/* The same with a word for programs ("quota_exceeded"), where one code has several causes. */
err err_fail_reason(struct ctx *c, err code, const char *file, int line, const char *reason, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

#define fail_reason(c, code, reason, ...) err_fail_reason((c), (code), __FILE__, __LINE__, (reason), __VA_ARGS__)

/* The same, naming the field of the input that is at fault; pointer is a JSON pointer such as "/limit". */
err err_fail_field(struct ctx *c, const char *file, int line, const char *pointer, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#define fail_field(c, pointer, ...) err_fail_field((c), __FILE__, __LINE__, (pointer), __VA_ARGS__)

#define TRY(call) \
    do { \
        err try_e_ = (call); \
        if (try_e_ != ERR_OK) \
            return try_e_; \
    } while (0)

#endif
