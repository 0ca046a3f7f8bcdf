/* The account's own profile as a setting; see fitted.h. */
#include "fitted.h"

#include <string.h>

struct fitted fitted_read(struct arena *a, const char *text, const char *model)
{
    struct fitted f = {0};
    const struct json *meaning;
    struct json *o;
    const char *why, *of;

    if (!text || json_parse(a, text, strlen(text), &o, &why) != JSON_OK)
        return f;
    of = json_get_str(o, "model");
    meaning = json_get(o, "meaning");
    if (!meaning || (meaning->type != JSON_INT && meaning->type != JSON_NUM))
        return f;
    f.meaning = json_number(meaning);
    f.given = (!of || strcmp(of, model) == 0) && f.meaning >= 0 && f.meaning <= FITTED_MOST;
    return f;
}

struct json *fitted_json(struct arena *a, const struct fitted *f, const char *model)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "model", model);
    json_set(a, o, "meaning", json_num(a, f->meaning));
    return o;
}
