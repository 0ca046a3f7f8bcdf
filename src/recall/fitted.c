/* The account's own profile as a setting; see fitted.h. */
#include "fitted.h"

#include <string.h>

static bool read_share(const struct json *o, const char *key, double otherwise, double *out)
{
    const struct json *v = json_get(o, key);

    *out = v ? json_number(v) : otherwise;
    return !v || ((v->type == JSON_INT || v->type == JSON_NUM) && json_number(v) >= 0 && json_number(v) <= 1);
}

struct fitted fitted_read(struct arena *a, const char *text, const char *model)
{
    struct fitted f = {0};
    struct json *o;
    const char *why, *of, *fusion;
    int word;

    if (!text || json_parse(a, text, strlen(text), &o, &why) != JSON_OK)
        return f;
    of = json_get_str(o, "model");
    fusion = json_get_str(o, "fusion");
    if (!fusion || !enumx_parse(&recall_fusion_enumx, fusion, &word) || (word != FUSION_WEIGHTED && word != FUSION_RRF))
        return f;
    f.fusion = (enum recall_fusion)word;
    f.given = (!of || strcmp(of, model) == 0) && read_share(o, "alpha", 0.5, &f.alpha) &&
              read_share(o, "alpha_short", f.alpha, &f.alpha_short) && read_share(o, "alpha_skill", f.alpha, &f.alpha_skill);
    return f;
}

struct json *fitted_json(struct arena *a, const struct fitted *f, const char *model)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "model", model);
    json_set_str(a, o, "fusion", enumx_name(&recall_fusion_enumx, (int)f->fusion));
    json_set(a, o, "alpha", json_num(a, f->alpha));
    json_set(a, o, "alpha_short", json_num(a, f->alpha_short));
    json_set(a, o, "alpha_skill", json_num(a, f->alpha_skill));
    return o;
}
