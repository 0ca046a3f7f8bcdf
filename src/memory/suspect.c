/* Looking for secrets and instructions; see suspect.h. */
#include "suspect.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* How keys begin, and how many letters, digits, - or _ follow at least. */
struct key_shape {
    const char *begins;
    size_t follows;
};

static const struct key_shape SHAPES[] = {
    {"AKIA", 16}, {"ASIA", 16}, {"ghp_", 36}, {"gho_", 36}, {"ghs_", 36}, {"github_pat_", 40}, {"glpat-", 20},
    {"sk-", 20}, {"sk_live_", 20}, {"rk_live_", 20}, {"xoxb-", 20}, {"xoxp-", 20}, {"AIza", 35}, {"eyJhbGciOi", 20},
};

static size_t key_letters(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == '_')
        n++;
    return n;
}

static bool has_key(const char *text, const struct key_shape *k)
{
    size_t n = strlen(k->begins);

    for (const char *p = text; (p = strstr(p, k->begins)); p += n)
        if ((p == text || !isalnum((unsigned char)p[-1])) && key_letters(p + n) >= k->follows)
            return true;
    return false;
}

/* password = hunter22, api_key: "…": a name of secrets, a sign, and a word that could be one. */
static bool has_named_secret(const char *text)
{
    static const char *const NAMES[] = {"password", "passwd", "api_key", "apikey", "secret_key", "access_token", "client_secret"};

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        for (const char *p = text; (p = strcasestr(p, NAMES[i]));) {
            p += strlen(NAMES[i]);
            p += strspn(p, " \t\"'");
            if (*p != ':' && *p != '=')
                continue;
            p++;
            p += strspn(p, " \t\"'");
            if (strcspn(p, " \t\r\n\"',;") >= 8)
                return true;
        }
    return false;
}

/* scheme://user:password@host */
static bool has_address_secret(const char *text)
{
    for (const char *p = text; (p = strstr(p, "://"));) {
        size_t user, password;

        p += 3;
        user = strcspn(p, ":@/ \t\r\n");
        if (p[user] != ':')
            continue;
        password = strcspn(p + user + 1, "@/ \t\r\n");
        if (password >= 4 && p[user + 1 + password] == '@')
            return true;
    }
    return false;
}

bool suspect_secret(const char *text)
{
    const char *key = strstr(text, "-----BEGIN ");

    if (key && strstr(key, "PRIVATE KEY-----"))
        return true;
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        if (has_key(text, &SHAPES[i]))
            return true;
    return has_named_secret(text) || has_address_secret(text);
}

bool suspect_instruction(const char *text)
{
    static const char *const PHRASES[] = {
        "ignore previous instructions", "ignore all previous", "ignore the above", "ignore your instructions",
        "disregard previous", "disregard all previous", "disregard the above", "disregard your instructions",
        "forget your instructions", "forget everything above", "reveal your system prompt", "print your system prompt",
        "you are now in developer mode", "do not tell the user", "without telling the user", "<|im_start|>", "[/INST]",
    };

    for (size_t i = 0; i < sizeof PHRASES / sizeof *PHRASES; i++)
        if (strcasestr(text, PHRASES[i]))
            return true;
    return false;
}
