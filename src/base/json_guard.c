/* Walks JSON bytes before any parser sees them: depth, number of values, NUL, UTF-8, surrogate pairs. */
#include "json_guard.h"

#include <string.h>

#include "str.h"

/* The value of four hex digits at p, or -1. */
static int hex4(const char *p, const char *end)
{
    uint8_t v[2];

    if (end - p < 4 || !hex_decode(p, 4, v))
        return -1;
    return v[0] << 8 | v[1];
}

/* p is behind the backslash; returns the position behind the escape, NULL when it is not allowed. */
static const char *escape(const char *p, const char *end)
{
    int unit, low;

    if (p == end)
        return NULL;
    if (*p != 'u')
        return strchr("\"\\/bfnrt", *p) && *p ? p + 1 : NULL;
    unit = hex4(p + 1, end);
    if (unit <= 0 || (unit >= 0xdc00 && unit <= 0xdfff))
        return NULL;
    if (unit < 0xd800 || unit > 0xdbff)
        return p + 5;
    if (end - p < 11 || p[5] != '\\' || p[6] != 'u')
        return NULL;
    low = hex4(p + 7, end);
    return low >= 0xdc00 && low <= 0xdfff ? p + 11 : NULL;
}

/* p is behind the opening quote; returns the position behind the closing one, NULL when the string is bad. */
static const char *json_guard_string(const char *p, const char *end)
{
    while (p && p < end && *p != '"') {
        if ((unsigned char)*p < 0x20)
            return NULL;
        p = *p == '\\' ? escape(p + 1, end) : p + 1;
    }
    return p && p < end ? p + 1 : NULL;
}

/* A value stands at the beginning, behind each comma, and in each container that is not empty. p is behind its bracket. */
static bool holds_one(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p == end || (*p != ']' && *p != '}');
}

enum json_fault json_guard(const char *text, size_t n, size_t *nodes, size_t *at)
{
    const char *p = text, *end = text + n, *next;
    size_t most = *nodes;
    int depth = 0;

    *nodes = 1;

    *at = 0;
    if (!str_is_utf8(text, n))
        return JSON_NOT_UTF8;
    while (p < end) {
        *at = (size_t)(p - text);
        if (*p == '"') {
            next = json_guard_string(p + 1, end);
            if (!next)
                return JSON_MALFORMED;
            p = next;
            continue;
        }
        if ((unsigned char)*p < 0x20 && *p != '\t' && *p != '\n' && *p != '\r') /* yajl skips \v and \f */
            return JSON_MALFORMED;
        if (*p == '[' || *p == '{') {
            if (++depth > JSON_DEPTH_READ)
                return JSON_TOO_DEEP;
            *nodes += holds_one(p + 1, end);
        } else if (*p == ']' || *p == '}') {
            depth--;
        } else if (*p == ',') {
            ++*nodes;
        }
        if (*nodes > most)
            return JSON_TOO_MANY;
        p++;
    }
    return JSON_OK;
}
