/* Templates' values with their endings: "{{n}} key{{n.s}}" says "1 key" and "2 keys"; see views.h. */
#include "words.h"

#include "str.h"

static const struct json NONE = {.type = JSON_STR, .s = ""}, S = {.type = JSON_STR, .s = "s", .len = 1},
                         Y = {.type = JSON_STR, .s = "y", .len = 1}, IES = {.type = JSON_STR, .s = "ies", .len = 3},
                         WAS = {.type = JSON_STR, .s = "was", .len = 3}, WERE = {.type = JSON_STR, .s = "were", .len = 4};

static const struct {
    const char *name;
    const struct json *one, *many;
} ENDINGS[] = {
    {"s", &NONE, &S},            /* 1 key, 2 keys */
    {"ies", &Y, &IES},           /* 1 entry, 2 entries */
    {"verb", &S, &NONE},         /* 1 key comes, 2 keys come */
    {"were", &WAS, &WERE},
};

const struct json *words_ending(const struct json *count, const char *name)
{
    bool one;

    if (count->type != JSON_STR && count->type != JSON_INT)
        return NULL;
    one = count->type == JSON_INT ? count->i == 1 : str_eq(count->s, "1");
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (str_eq(ENDINGS[i].name, name))
            return one ? ENDINGS[i].one : ENDINGS[i].many;
    return NULL;
}
