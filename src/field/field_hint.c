/* What somebody may have meant by a field that is not there: another common name of the same thing, or a slip of the keyboard. */
#include <string.h>

#include "field.h"

#define NAME_MAX_BYTES 48
#define SLIPS 2 /* letters that may be wrong, missing, too many or swapped */
#define HINTS 3

/* Names that clients use for the same thing. Each row ends with NULL. */
static const char *const SAME[][8] = {
    {"text", "content", "body", "value", "memory", "message", "memory_value"},
    {"name", "title", "label", "slug"},
    {"q", "query", "search", "question"},
    {"key", "entry_key", "memory_key"},
    {"ttl", "ttl_s", "ttl_seconds", "expires_at"},
    {"tags", "context_tags", "labels"},
    {"type", "kind", "memory_type", "entry_type", "pool_type", "context_type"},
    {"importance", "importance_score"},
    {"confidence", "confidence_score"},
    {"run_id", "workflow_run_id"},
    {"agent", "agent_id", "grantee_id"},
    {"space", "space_id", "namespace", "context_id"},
    {"top_k", "limit", "k", "n"},
    {"metadata", "meta", "attrs"},
};

static bool field_hint_has_name(const char *const *names, const char *name)
{
    for (size_t i = 0; i < sizeof *SAME / sizeof **SAME && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_same_thing(const char *a, const char *b)
{
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++)
        if (field_hint_has_name(SAME[i], a) && field_hint_has_name(SAME[i], b))
            return true;
    return false;
}

/* Optimal string alignment: how many single-letter changes or swaps of neighbours make b of a. */
static size_t slips_between(const char *a, const char *b)
{
    size_t rows[3][NAME_MAX_BYTES + 1], n = strlen(a), m = strlen(b);

    if (n > NAME_MAX_BYTES || m > NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *before = rows[(i - 1) % 3], *earlier = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);

            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

static bool field_hint_is_near(const char *said, const char *known)
{
    return is_same_thing(said, known) || (strlen(known) > SLIPS + 1 && slips_between(said, known) <= SLIPS);
}

const char *field_hint(struct arena *a, const struct field *table, const char *said)
{
    struct buf b;
    int n = 0;

    buf_init(&b, a, 128);
    for (const struct field *f = table; f && f->type != FT_END && n < HINTS; f++)
        if (field_hint_is_near(said, f->name))
            buf_printf(&b, "%s%s", n++ ? " or " : "; did you mean ", f->name);
    if (n)
        buf_puts(&b, "?");
    return buf_str(&b);
}
