/* Learnings from the text of finished work, by its markers and by what it says of its failure; see learning.h. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "audience.h"
#include "inert.h"
#include "learning_impl.h"
#include "str.h"

#define LINES_MAX 100      /* markers of one text; what comes later is left out */
#define FAILURE_CHARS 2000 /* of a failure's text */

struct marker {
    const char *word;
    enum learning_category category;
    double importance;
};

static const struct marker *marker_at(const char *line)
{
    static const struct marker MARKERS[] = {
        { "Discovery:", LEARNING_DISCOVERY, 0.6 },
        { "Pattern:", LEARNING_PATTERN, 0.7 },
        { "Anti-pattern:", LEARNING_ANTI_PATTERN, 0.9 },
        { "Best practice:", LEARNING_BEST_PRACTICE, 0.8 },
        { "Fact:", LEARNING_FACT, 0.5 },
    };

    for (size_t i = 0; i < sizeof MARKERS / sizeof *MARKERS; i++)
        if (strncasecmp(line, MARKERS[i].word, strlen(MARKERS[i].word)) == 0)
            return &MARKERS[i];
    return NULL;
}

/* The first class that a word of it names. */
static double failure_importance(const char *text)
{
    static const struct {
        const char *word;
        double importance;
    } CLASSES[] = {
        { "timeout", 0.75 },          { "timed out", 0.75 },        { "rate limit", 0.7 },
        { "too many requests", 0.7 }, { "unauthorized", 0.8 },      { "authentication", 0.8 },
        { "forbidden", 0.8 },         { "permission denied", 0.8 }, { "token limit", 0.75 },
        { "context length", 0.75 },   { "out of memory", 0.85 },    { "memory", 0.85 },
        { "network", 0.65 },          { "connection", 0.65 },       { "unreachable", 0.65 },
    };

    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (strcasestr(text, CLASSES[i].word))
            return CLASSES[i].importance;
    return 0.7;
}

struct extraction {
    const struct learning_source *in;
    struct uuid space_id;
    struct learning_extracted *out;
};

static err learning_extract_keep(struct ctx *c, const struct extraction *x, const char *content,
                                 enum learning_category category, double importance, enum learning_method method)
{
    const struct learning_new n = { .content = content,
                                    .category = category,
                                    .method = method,
                                    .importance_score = importance,
                                    .confidence_score = 0.5,
                                    .execution_id = x->in->execution_id };
    struct learning_made made;
    struct uuids *list;

    TRY(learning_write(c, &n, x->space_id, &made));
    list = made.stored                   ? &x->out->stored
           : str_eq(made.reason, "echo") ? &x->out->echoes
                                         : &x->out->duplicates;
    list->v[list->n++] = made.stored ? made.learning.id : made.of;
    return ERR_OK;
}

static err keep_line(struct ctx *c, const struct extraction *x, const struct marker *m, const char *line,
                     size_t n)
{
    const char *content;
    double length;

    line += strlen(m->word);
    n -= strlen(m->word);
    content = text_cut(c->arena, arena_strndup(c->arena, line, n), LEARNING_CHARS, true);
    length = (double)str_code_points(content, strlen(content));
    if (!*content)
        return ERR_OK;
    return learning_extract_keep(c, x, content, m->category, fmin(m->importance + fmin(length / 500, 0.1), 1),
                                 LEARNING_BY_MARKER);
}

/* Markers may stand in a list: "- Fact: …". */
static const char *line_start(const char *line)
{
    return line + strspn(line, " \t-*>");
}

err learning_extract(struct ctx *c, const struct learning_source *in, struct learning_extracted *out)
{
    struct extraction x = {.in = in, .out = out};
    size_t kept = 0;

    out->stored = (struct uuids){ARENA_ARRAY(c->arena, struct uuid, LINES_MAX + 1), 0};
    out->duplicates = (struct uuids){ARENA_ARRAY(c->arena, struct uuid, LINES_MAX + 1), 0};
    out->echoes = (struct uuids){ARENA_ARRAY(c->arena, struct uuid, LINES_MAX + 1), 0};
    TRY(audience_space(c, AUDIENCE_TEAM, in->team_id, &x.space_id));
    for (const char *line = in->text, *end; *line && kept < LINES_MAX; line = *end ? end + 1 : end) {
        const char *start = line_start(line);
        const struct marker *m = marker_at(start);

        end = strchrnul(line, '\n');
        if (!m || start + strlen(m->word) > end)
            continue;
        TRY(keep_line(c, &x, m, start, (size_t)(end - start)));
        kept++;
    }
    if (in->successful)
        return ERR_OK;
    return learning_extract_keep(c, &x, text_cut(c->arena, in->text, FAILURE_CHARS, false), LEARNING_FAILURE_MODE,
                                 failure_importance(in->text), LEARNING_BY_FAILURE);
}
