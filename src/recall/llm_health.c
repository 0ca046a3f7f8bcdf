/* A question whose answer shows that there is somebody; see llm_health.h. */
#include "llm_health.h"

#include <string.h>

#include "llm.h"

err llm_try(struct ctx *c, struct health_part *p)
{
    static const char SCHEMA[] = "{\"type\":\"object\",\"properties\":{\"word\":{\"type\":\"string\",\"maxLength\":100}},\"required\":[\"word\"]}";
    struct llm_ask ask = {.purpose = "settings_test", .system = "You answer with a JSON object that has the member word.",
                          .user = "Say hello in one word.", .max_tokens = 64};
    struct llm_answer answer;
    struct json *schema;
    const char *why;

    if (!llm_is_configured(c)) {
        p->off = true;
        p->detail = "no language model is configured";
        return ERR_OK;
    }
    if (json_parse(c->arena, SCHEMA, strlen(SCHEMA), &schema, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "the schema of the test: %s", why);
    ask.schema = schema;
    llm_ask(c, &ask, &answer);
    if (answer.used == LLM_USED_LLM) {
        p->detail = arena_printf(c->arena, "it said \"%s\", for %lld tokens", json_get_str(answer.json, "word"), (long long)answer.tokens);
        return ERR_OK;
    }
    if (answer.used == LLM_USED_RULES)
        return fail(c, ERR_UNAVAILABLE, "switched off for the account");
    if (answer.used == LLM_USED_BUDGET)
        return fail(c, ERR_UNAVAILABLE, "the account's tokens of today are used up");
    return fail(c, ERR_UNAVAILABLE, "%s", answer.why ? answer.why : enumx_name(&llm_used_enumx, (int)answer.used));
}
