/* From a node to its terms; see row_words.h. */
#include "row_words.h"

#include <string.h>
#include <time.h>

#include "str.h"

static void row_words_add(struct analyzer *z, enum text_field field, const char *text, unsigned options,
                struct text_terms *out)
{
    if (text && *text)
        analyze(z, field, text, strlen(text), options, out);
}

/* A string, or each string of a list. */
static void add_attr(struct analyzer *z, enum text_field field, const struct json *v, struct text_terms *out)
{
    if (json_is(v, JSON_STR))
        row_words_add(z, field, v->s, 0, out);
    for (const struct json *m = json_is(v, JSON_ARR) ? v->first : NULL; m; m = m->next)
        if (m->type == JSON_STR)
            row_words_add(z, field, m->s, 0, out);
}

/* "Ann: hello" says already who speaks. */
static bool begins_with(const char *text, const char *name)
{
    size_t n = strlen(name);

    return text && strncmp(text, name, n) == 0 && text[n] == ':';
}

/* As people ask for it: 8 May 2023. */
static void add_date(struct analyzer *z, int64_t us, struct text_terms *out)
{
    time_t seconds = (time_t)(us / SECOND_US);
    struct tm tm;
    char text[64];

    if (gmtime_r(&seconds, &tm) && strftime(text, sizeof text, "%e %B %Y", &tm))
        row_words_add(z, TEXT_BODY, text, 0, out);
}

static void add_turn(struct analyzer *z, const struct index_row *row, struct text_terms *out)
{
    const struct json *speaker = json_get(row->attrs, "speaker");
    int64_t said = row->times.valid_from ? row->times.valid_from : row->times.created;

    if (!json_is(speaker, JSON_STR))
        return;
    if (!begins_with(row->body, speaker->s))
        row_words_add(z, TEXT_BODY, speaker->s, 0, out);
    if (said)
        add_date(z, said, out);
}

void row_words(struct analyzer *z, const struct index_row *row, struct text_terms *out)
{
    row_words_add(z, TEXT_TITLE, row->title, 0, out);
    add_turn(z, row, out);
    row_words_add(z, TEXT_BODY, row->body, 0, out);
    add_attr(z, TEXT_TAGS, json_get(row->attrs, "tags"), out);
    if (strcmp(row->kind, "skill") == 0)
        add_attr(z, TEXT_TITLE, json_get(row->attrs, "triggers"), out);
}
