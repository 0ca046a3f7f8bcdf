/* Enumerations with wire names from one list: the C enum, the parser, the schema and the SQL check all read it.
 *
 *   #define POOL_KIND(X) X(POOL_SHARED, "shared") X(POOL_PRIVATE, "agent_private")
 *   ENUMX_DECLARE(pool_kind, POOL_KIND);      in the header: enum pool_kind and `extern const struct enumx pool_kind_enumx`
 *   ENUMX_DEFINE(pool_kind, POOL_KIND);       in one .c file
 */
#ifndef LOCI_ENUMX_H
#define LOCI_ENUMX_H

#include <stdbool.h>
#include <stddef.h>

struct enumx {
    const char *type;
    const char *const *names;
    size_t n;
};

#define ENUMX_VALUE_(value, wire) value,
#define ENUMX_NAME_(value, wire) wire,

#define ENUMX_DECLARE(type_, LIST) \
    enum type_ { LIST(ENUMX_VALUE_) }; \
    extern const struct enumx type_##_enumx

#define ENUMX_DEFINE(type_, LIST) \
    static const char *const type_##_names_[] = {LIST(ENUMX_NAME_)}; \
    const struct enumx type_##_enumx = {#type_, type_##_names_, sizeof type_##_names_ / sizeof *type_##_names_}

/* The value's wire name; asserts that it is one. */
const char *enumx_name(const struct enumx *e, int value);
bool enumx_parse(const struct enumx *e, const char *name, int *out); /* exact match */

#endif
