/* Subjects, values and attributes; see extract_impl.h. */
#include <string.h>

#include "extract_impl.h"

#define SUBJECT_WORDS 8
#define SUBJECT_CHARS 80
#define OBJECT_CHARS 400

#define ARTICLES "the a an our their its some"
#define FUNCTION \
    "who which that what when where why how if because while although though and or but so than as of to in on at by for " \
    "with from into onto about people one none all each both either neither there here not no never also only just even " \
    "more less most least very too yes ok thing things stuff way lot lots same other others another be is are was were am " \
    "been being have has had do does did can could will would shall should may might must"
#define ENDS \
    "because when while which who that after before so although though since for with as unless until where whereas instead " \
    "rather than via during despite but if once whenever whose along together thanks due"

/* One that names nothing: any, every, no or some with body, one, thing or where behind it. */
static bool noun_is_indefinite(const struct token *t)
{
    static const char *const HEADS[] = {"any", "every", "no", "some"}, *const TAILS[] = {"body", "one", "thing", "where"};

    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            size_t n = strlen(HEADS[i]);

            if (strncmp(t->low, HEADS[i], n) == 0 && strcmp(t->low + n, TAILS[k]) == 0)
                return true;
        }
    return false;
}

/* A word of the language's frame, which is no name. */
static bool noun_is_frame(const struct token *t)
{
    return token_is(t, FUNCTION) || noun_is_indefinite(t);
}

bool noun_is_pronoun(const struct token *t)
{
    return token_is(t, "i me my mine we us our he him his she her hers they them their it its this that these those you your yours myself");
}

const char *tokens_text(struct arena *a, const struct token *t, size_t n)
{
    size_t size = 1;
    char *s, *to;

    for (size_t i = 0; i < n; i++)
        size += strlen(t[i].text) + 3;
    s = to = arena_alloc(a, size);
    for (size_t i = 0; i < n; i++) {
        size_t k = strlen(t[i].text);

        if (i && t[i].start > t[i - 1].end)
            *to++ = ' ';
        memcpy(to, t[i].text, k);
        to += k;
        if (t[i].possessive && i + 1 < n) {
            memcpy(to, "'s", 2);
            to += 2;
        }
    }
    *to = 0;
    return s;
}

static const char *noun_text(struct arena *a, const struct token *t, size_t n, size_t chars)
{
    const char *text;

    while (n && !t[n - 1].is_word)
        n--;
    if (n && token_is(&t[0], ARTICLES)) {
        t++;
        n--;
    }
    if (!n)
        return NULL;
    text = tokens_text(a, t, n);
    return *text && strlen(text) <= chars ? text : NULL;
}

const char *noun_subject(struct arena *a, const struct token *t, size_t n)
{
    bool named = n && token_is(&t[0], "the our");

    if (!n || n > SUBJECT_WORDS || t[n - 1].possessive)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!t[i].is_word || (noun_is_frame(&t[i]) && !(i && i + 1 < n && token_is(&t[i], "of and in"))) || noun_is_pronoun(&t[i])) {
            if (i || !token_is(&t[i], "our"))
                return NULL;
        }
        named |= t[i].capital || t[i].quoted || strpbrk(t[i].text, ".-_0123456789") != NULL;
        if (i + 1 < n && token_is(&t[i], "and"))
            return NULL;
    }
    return named ? noun_text(a, t, n, SUBJECT_CHARS) : NULL;
}

const char *noun_owner(struct arena *a, const struct token *t, size_t n)
{
    struct token last = t[n - 1];

    if (n > 4 || noun_is_pronoun(&t[0]) || noun_is_frame(&last) || (!last.capital && !t[0].capital && !token_is(&t[0], "the")))
        return NULL;
    return noun_text(a, t, n, SUBJECT_CHARS);
}

size_t noun_object_end(const struct token *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (token_is(&t[i], ENDS) && !(i == 0 && token_is(&t[i], "no")))
            return i;
    return n;
}

const char *noun_object(struct arena *a, const struct token *t, size_t n)
{
    while (n && token_is(&t[n - 1], "too instead now anymore again also though today these days yet already currently there here well "
        "much very"))
        n--;
    if (!n || noun_is_pronoun(&t[0]) || noun_is_indefinite(&t[0]) || (n == 1 && noun_is_frame(&t[0])) || token_is(&t[0],
        "to by because if when whether what how who nothing "
                                                                                                   "something anything everything one "
                                                                                                       "ones someone anyone"))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (noun_is_pronoun(&t[i]) && !token_is(&t[i], "her his their our my its"))
            return NULL;
    return noun_text(a, t, n, OBJECT_CHARS);
}

/* ---- attributes */

static const struct {
    const char *name, *predicate;
} ATTRIBUTES[] = {
    {"port", "port_is"}, {"version", "version_is"}, {"deadline", "deadline_is"}, {"due date", "due_on"}, {"status", "status_is"}, {"url",
        "url_is"},
    {"address", "url_is"}, {"path", "path_is"}, {"owner", "owner_is"}, {"role", "role_is"}, {"job", "role_is"}, {"birthday", "born_on"},
    {"wife", "married_to"}, {"husband", "married_to"}, {"spouse", "married_to"}, {"timezone", "timezone_is"}, {"time zone", "timezone_is"},
    {"name", "name_is"}, {"age", "age_is"}, {"manager", "reports_to"}, {"boss", "reports_to"}, {"priority", "priority_is"}, {"goal",
        "goal_is"},
    {"price", "costs"}, {"cost", "costs"}, {"weight", "weighs"}, {"default", "default_is"}, {"diet", "diet_is"}, {"pronouns",
        "pronouns_are"},
    {"employer", "works_at"}, {"hometown", "from_place"}, {"home town", "from_place"}, {"location", "located_in"},
};

const char *noun_attribute(struct arena *a, const struct token *t, size_t n)
{
    char *name;
    size_t k = 0;

    if (!n || n > 3)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!t[i].is_word || t[i].possessive || noun_is_pronoun(&t[i]) || noun_is_frame(&t[i]) || t[i].number)
            return NULL;
    name = arena_strdup(a, tokens_text(a, t, n));
    for (char *p = name; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++)
        if (strcmp(ATTRIBUTES[i].name, name) == 0)
            return ATTRIBUTES[i].predicate;
    for (char *p = name; *p; p++)
        if ((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == ' ' || *p == '-')
            name[k++] = *p == ' ' || *p == '-' ? '_' : *p;
    name[k] = 0;
    if (!k || k > 40)
        return NULL;
    if (strncmp(name, "favorite_", 9) == 0 || strncmp(name, "favourite_", 10) == 0)
        return arena_printf(a, "favorite_%s", strchr(name, '_') + 1);
    return arena_printf(a, "attribute_%s", name);
}
