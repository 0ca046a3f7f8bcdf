/* Secrets that are known by their shape: keys of services, tokens, private keys; see sanitize_impl.h. */
#include <string.h>

#include "sanitize_impl.h"

/* What follows a prefix. */
enum secret_tail { TAIL_UPPER, TAIL_ALNUM, TAIL_TOKEN, TAIL_HEX };

static const struct secret_shape {
    const char *id, *prefix;
    enum secret_tail tail;
    size_t min;
} SHAPES[] = {
    {"aws_key", "AKIA", TAIL_UPPER, 16}, {"aws_key", "ASIA", TAIL_UPPER, 16}, {"aws_key", "ABIA", TAIL_UPPER, 16}, {"aws_key", "ACCA",
        TAIL_UPPER, 16},
    {"github_token", "ghp_", TAIL_ALNUM, 20}, {"github_token", "gho_", TAIL_ALNUM, 20}, {"github_token", "ghu_", TAIL_ALNUM, 20},
    {"github_token", "ghr_", TAIL_ALNUM, 20}, {"github_token", "ghs_", TAIL_ALNUM, 20}, {"github_token", "github_pat_", TAIL_TOKEN, 20},
    {"gitlab_token", "glpat-", TAIL_TOKEN, 20}, {"slack_token", "xoxa-", TAIL_TOKEN, 10}, {"slack_token", "xoxb-", TAIL_TOKEN, 10},
    {"slack_token", "xoxe-", TAIL_TOKEN, 10}, {"slack_token", "xoxo-", TAIL_TOKEN, 10}, {"slack_token", "xoxp-", TAIL_TOKEN, 10},
    {"slack_token", "xoxr-", TAIL_TOKEN, 10}, {"slack_token", "xoxs-", TAIL_TOKEN, 10}, {"stripe_key", "sk_live_", TAIL_ALNUM, 16},
    {"stripe_key", "sk_test_", TAIL_ALNUM, 16}, {"stripe_key", "rk_live_", TAIL_ALNUM, 16}, {"stripe_key", "rk_test_", TAIL_ALNUM, 16},
    {"stripe_key", "whsec_", TAIL_ALNUM, 16}, {"model_key", "sk-ant-", TAIL_TOKEN, 20}, {"model_key", "sk-proj-", TAIL_TOKEN, 20},
    {"model_key", "sk-", TAIL_TOKEN, 20}, {"google_key", "AIza", TAIL_TOKEN, 35}, {"google_token", "ya29.", TAIL_TOKEN, 20},
    {"npm_token", "npm_", TAIL_ALNUM, 36}, {"pypi_token", "pypi-", TAIL_TOKEN, 16}, {"hf_token", "hf_", TAIL_ALNUM, 20},
    {"digitalocean_token", "dop_v1_", TAIL_HEX, 64}, {"mailgun_key", "key-", TAIL_HEX, 32}, {"twilio_key", "SK", TAIL_HEX, 32},
    {"twilio_account", "AC", TAIL_HEX, 32}, {"account_key", "AccountKey=", TAIL_TOKEN, 20},
};

static bool tail_has(enum secret_tail t, char c)
{
    switch (t) {
    case TAIL_UPPER: return sanitize_is_digit(c) || (c >= 'A' && c <= 'Z');
    case TAIL_ALNUM: return sanitize_is_alnum(c);
    case TAIL_HEX: return sanitize_is_digit(c) || (sanitize_lower(c) >= 'a' && sanitize_lower(c) <= 'f');
    case TAIL_TOKEN: break;
    }
    return sanitize_is_token(c);
}

static size_t tail_length(enum secret_tail t, const char *p, size_t n)
{
    size_t i = 0;

    while (i < n && tail_has(t, p[i]))
        i++;
    return i;
}

static size_t secret_by_prefix(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        const struct secret_shape *s = &SHAPES[i];
        size_t n = strlen(s->prefix), tail;

        if (*s->prefix != v->p[at] || v->n - at < n + s->min || memcmp(v->p + at, s->prefix, n) != 0)
            continue;
        tail = tail_length(s->tail, v->p + at + n, v->n - at - n);
        if (tail < s->min || (s->tail == TAIL_UPPER && tail > s->min))
            continue;
        while (at + n + tail < v->n && strchr("+/=", v->p[at + n + tail]) && v->p[at + n + tail])
            tail++;
        sanitize_hit_add(h, s->id, SANITIZE_SECRET, at, at + n + tail);
        return n + tail;
    }
    return 0;
}

/* Three parts with dots between them; *first: bytes of the first. 0: it is not of that shape. */
static size_t dotted(const struct sanitize_view *v, size_t at, const size_t min[3], size_t *first)
{
    size_t i = at;

    for (int part = 0; part < 3; part++) {
        size_t n = tail_length(TAIL_TOKEN, v->p + i, v->n - i);

        if (n < min[part])
            return 0;
        if (!part)
            *first = n;
        i += n;
        if (part < 2 && (i >= v->n || v->p[i++] != '.'))
            return 0;
    }
    return i - at;
}

/* {"alg… in base64 begins with eyJ, whatever stands before alg. */
static bool is_jwt_header(struct arena *a, const char *p, size_t n)
{
    struct bytes header;

    if (!b64url_decode(a, arena_strndup(a, p, n), &header) || header.n < 8)
        return false;
    return memmem(header.p, header.n, "\"alg\"", 5) || memmem(header.p, header.n, "\"typ\"", 5);
}

static size_t secret_dotted(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    static const size_t JWT[3] = {10, 4, 0}, SENDGRID[3] = {2, 16, 16}, DISCORD[3] = {23, 6, 27};
    size_t first, n;

    if (sanitize_starts(v->p + at, v->n - at, "eyj")) {
        n = dotted(v, at, JWT, &first);
        if (n && first < 4096 && is_jwt_header(h->arena, v->p + at, first)) {
            sanitize_hit_add(h, "jwt", SANITIZE_SECRET, at, at + n);
            return n;
        }
    }
    if (v->n - at > 3 && memcmp(v->p + at, "SG.", 3) == 0 && (n = dotted(v, at, SENDGRID, &first))) {
        sanitize_hit_add(h, "sendgrid_key", SANITIZE_SECRET, at, at + n);
        return n;
    }
    if (strchr("MNO", v->p[at]) && v->p[at] && (n = dotted(v, at, DISCORD, &first)) && first <= 28) {
        sanitize_hit_add(h, "discord_token", SANITIZE_SECRET, at, at + n);
        return n;
    }
    return 0;
}

static size_t secret_telegram(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    size_t i = at, n;

    while (i < v->n && i < at + 11 && sanitize_is_digit(v->p[i]))
        i++;
    if (i - at < 8 || i - at > 10 || i + 3 > v->n || memcmp(v->p + i, ":AA", 3) != 0)
        return 0;
    n = tail_length(TAIL_TOKEN, v->p + i + 1, v->n - i - 1);
    if (n < 33)
        return 0;
    sanitize_hit_add(h, "telegram_token", SANITIZE_SECRET, at, i + 1 + n);
    return i + 1 + n - at;
}

/* ---- blocks and addresses */

#define PEM_BEGIN "-----BEGIN "
#define PEM_END "-----END "

static size_t secret_pem(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    const char *p = v->p + at, *stop;
    size_t n = v->n - at, line = 0, end = n;

    if (n < sizeof PEM_BEGIN || memcmp(p, PEM_BEGIN, sizeof PEM_BEGIN - 1) != 0)
        return 0;
    while (line < n && line < 120 && p[line] != '\n')
        line++;
    if (!memmem(p, line, "PRIVATE KEY", 11))
        return 0;
    stop = memmem(p + 11, n - 11, PEM_END, sizeof PEM_END - 1);
    if (stop) {
        const char *close = memmem(stop + 9, n - (size_t)(stop + 9 - p), "-----", 5);

        end = close ? (size_t)(close + 5 - p) : n;
    }
    sanitize_hit_add(h, "private_key", SANITIZE_SECRET, at, at + end);
    return end;
}

#define ADDRESS_MAX 512

/* The password in scheme://user:password@host; at is behind the "://". */
static void secret_in_address(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    size_t colon = 0, last = 0, i = at;

    for (; i < v->n && i < at + ADDRESS_MAX; i++) {
        if (strchr(" \t\n/?#\"'<>`", v->p[i]))
            break;
        if (v->p[i] == ':' && !colon && !last)
            colon = i;
        if (v->p[i] == '@')
            last = i;
    }
    if (colon && last > colon + 1 && !(v->p[colon + 1] == '$' && v->p[colon + 2] == '{') && v->p[colon + 1] != '*')
        sanitize_hit_add(h, "address_password", SANITIZE_SECRET, colon + 1, last);
}

static void secret_slack_hook(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    static const char HOOK[] = "hooks.slack.com/services/";
    size_t n;

    if (!sanitize_starts(v->p + at, v->n - at, HOOK))
        return;
    at += sizeof HOOK - 1;
    for (n = 0; at + n < v->n && (sanitize_is_token(v->p[at + n]) || v->p[at + n] == '/');)
        n++;
    if (n >= 16)
        sanitize_hit_add(h, "slack_hook", SANITIZE_SECRET, at, at + n);
}

void sanitize_find_secrets(struct sanitize_hits *h, const struct sanitize_view *v)
{
    for (size_t i = 0; i < v->n;) {
        bool begins = !i || !sanitize_is_token(v->p[i - 1]);
        size_t n = 0;

        if (v->p[i] == '-' && (!i || v->p[i - 1] != '-'))
            n = secret_pem(h, v, i);
        else if (begins && sanitize_is_digit(v->p[i]))
            n = secret_telegram(h, v, i);
        else if (begins && sanitize_is_letter(v->p[i])) {
            n = secret_by_prefix(h, v, i);
            n = n ? n : secret_dotted(h, v, i);
        }
        if (v->p[i] == ':' && v->n - i > 4 && v->p[i + 1] == '/' && v->p[i + 2] == '/') {
            secret_in_address(h, v, i + 3);
            secret_slack_hook(h, v, i + 3);
        }
        i += n ? n : 1;
    }
}
