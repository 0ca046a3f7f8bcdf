/* Injection markers in words; see sanitize_impl.h. A pattern is a row of slots; each holds words, "?" lets it be left out, and ":" at the
 * end wants a colon in the text. */
#include <string.h>

#include "sanitize_impl.h"

#define WHAT \
    " instruction|instructions|prompt|prompts|rule|rules|direction|directions|directive|directives|guideline|guidelines|context|command|" \
    "commands|message|messages"
#define BEFORE " previous|prior|above|earlier|preceding|foregoing|existing"

static const struct marker_source {
    const char *id;
    bool cut;
    const char *words;
} SOURCES[] = {
    {"ignore_or_forget_context", true, "ignore|disregard|forget|skip|bypass all|any|every? of? the|your|my|these|those|our? "
        "all?" BEFORE " system|given|safety?" WHAT},
    {"ignore_or_forget_context", true, "ignore|disregard|forget|skip all|any? of? the|your|my|these|those? instructions|rules|prompts "
        "above|before|earlier|previously"},
    {"forget_everything", true, "forget|ignore|disregard everything that? we|i|you|that|above|before|said "
        "said|wrote|discussed|above|before?"},
    {"override_instructions", true, "override|overwrite all|any? of? your|the|my|these? previous|prior|current|existing? "
        "instruction|instructions|system|prompt|prompts"},
    {"new_instructions", true, "new|updated instructions :"},
    {"system_prompt", true, "system prompt :"},
    {"do_anything_now", true, "do anything now"},
    {"do_anything_now", true, "developer mode enabled|on|activated"},
    {"do_anything_now", true, "enable|enter|activate developer mode"},
    {"reveal_system_prompt", true, "reveal|show|print|repeat|output|display|tell|give me|us? all? of? your|the system|initial|hidden "
        "prompt|prompts|instructions|message"},
    {"reveal_system_prompt", false, "reveal|show|print|repeat|output|display|tell|give me|us? your prompt|instructions"},
    {"role_override_persona", true, "you are now a|an|the? dan|jailbroken|evil|unrestricted|unfiltered|uncensored|unhinged"},
    {"role_override_persona", true, "act|behave|roleplay as a|an|the|if? dan|jailbroken|evil|unrestricted|unfiltered|uncensored|unhinged"},
    {"role_override_persona", true, "pretend to be a|an|the? dan|jailbroken|evil|unrestricted|unfiltered|uncensored|unhinged"},
    {"role_override_persona", true, "stop being a|an|the? safe|aligned|filtered|restricted|harmless"},
    {"role_override_persona", false, "act|behave|roleplay as a|an|the? admin|administrator|root|superuser"},
    {"role_override_persona", false, "you are now a|an|the? admin|administrator|root|superuser"},
    {"role_override_persona", false, "pretend to be a|an|the? admin|administrator|root|superuser"},
    /* German */
    {"ignore_or_forget_context", true, "ignoriere|ignorier|ignorieren|missachte|missachten|vergiss|vergessen sie? "
        "alle|die|deine|ihre|meine|samtliche? alle|deine|die|ihre? "
     "vorherigen|vorigen|bisherigen|obigen|fruheren|vorangegangenen anweisung|anweisungen|instruktionen|befehle|regeln|vorgaben"},
    {"reveal_system_prompt", true, "zeige|zeig|verrate|nenne mir? deinen|den|deine systemprompt|systemanweisungen"},
    /* French */
    {"ignore_or_forget_context", true, "ignore|ignorez|oublie|oubliez toutes|tous? les|tes|vos|mes "
        "instructions|consignes|directives|regles precedentes|anterieures"},
    /* Spanish, Portuguese */
    {"ignore_or_forget_context", true, "ignora|ignore|olvida|olvide todas|todos? las|tus|mis|los|sus "
        "instrucciones|ordenes|reglas|indicaciones anteriores|previas"},
    {"ignore_or_forget_context", true, "ignora|ignore|esqueca|esquece todas|todos? as|suas|minhas|os|tuas instrucoes|regras|ordens "
        "anteriores|previas"},
    /* Italian */
    {"ignore_or_forget_context", true, "ignora|ignorate|dimentica tutte|tutti? le|tue|i|gli istruzioni|regole|ordini precedenti|anteriori"},
    /* Dutch */
    {"ignore_or_forget_context", true, "negeer|vergeet alle|al? de|je|jouw|mijn? eerdere|vorige|voorgaande|bovenstaande "
        "instructies|aanwijzingen|opdrachten|regels"},
    /* Polish */
    {"ignore_or_forget_context", true, "zignoruj|ignoruj|zapomnij|pomin wszystkie|wszystkich|moje|twoje? "
        "poprzednie|wczesniejsze|powyzsze|poprzednich instrukcje|polecenia|zasady|instrukcji"},
    /* Turkish */
    {"ignore_or_forget_context", true, "onceki|yukaridaki tum|butun? talimatlari|komutlari|kurallari unut|yoksay|gormezden"},
    {"ignore_or_forget_context", true, "tum|butun onceki|yukaridaki talimatlari|komutlari|kurallari unut|yoksay|gormezden"},
    /* Russian */
    {"ignore_or_forget_context", true, "игнорируй|игнорируйте|проигнорируй|забудь|забудьте все|свои? "
        "предыдущие|прежние|прошлые|вышеуказанные инструкции|указания|команды|правила"},
};
#define SOURCES_N (sizeof SOURCES / sizeof *SOURCES)

#define SLOTS_MAX 14
#define WORDS_MAX 24 /* of a slot */
#define TABLE 2048   /* places for words; a power of two */

struct marker_slot {
    uint16_t words[WORDS_MAX]; /* numbers of words */
    size_t n;
    bool optional, colon;
};

struct marker_pattern {
    struct marker_slot slots[SLOTS_MAX];
    size_t n;
};

struct marker_word {
    const char *p;
    size_t n;
    size_t first[SOURCES_N]; /* patterns that begin with it */
    size_t n_first;
};

struct sanitize_markers {
    struct marker_pattern patterns[SOURCES_N];
    struct marker_word *words; /* from 1 on */
    size_t n_words;
    uint16_t table[TABLE];
    size_t longest;
};

static uint16_t *marker_place(struct sanitize_markers *m, const char *p, size_t n)
{
    size_t i = hash_bytes(p, n, 1) & (TABLE - 1);

    while (m->table[i] && (m->words[m->table[i]].n != n || memcmp(m->words[m->table[i]].p, p, n) != 0))
        i = (i + 1) & (TABLE - 1);
    return &m->table[i];
}

#define MARKER_WORDS 600

static uint16_t marker_word_new(struct sanitize_markers *m, const char *p, size_t n)
{
    uint16_t *place = marker_place(m, p, n);

    if (!*place) {
        *place = (uint16_t)++m->n_words;
        m->words[m->n_words] = (struct marker_word){.p = p, .n = n};
        m->longest = n > m->longest ? n : m->longest;
    }
    return *place;
}

static void marker_slot_read(struct sanitize_markers *m, struct marker_slot *s, const char *p, size_t n)
{
    s->colon = n == 1 && *p == ':';
    s->optional = p[n - 1] == '?';
    n -= s->optional;
    for (size_t i = 0; i < n && !s->colon;) {
        size_t k = i;

        while (k < n && p[k] != '|')
            k++;
        if (s->n < WORDS_MAX)
            s->words[s->n++] = marker_word_new(m, p + i, k - i);
        i = k + 1;
    }
}

static void marker_pattern_read(struct arena *a, struct sanitize_markers *m, size_t which)
{
    struct marker_pattern *p = &m->patterns[which];
    struct sanitize_view v = sanitize_view_folded(a, SOURCES[which].words, strlen(SOURCES[which].words));

    for (size_t i = 0; i < v.n && p->n < SLOTS_MAX;) {
        size_t k = i;

        while (k < v.n && v.p[k] != ' ')
            k++;
        marker_slot_read(m, &p->slots[p->n++], v.p + i, k - i);
        i = k + 1;
    }
    for (size_t i = 0; i < p->slots[0].n; i++) {
        struct marker_word *w = &m->words[p->slots[0].words[i]];

        w->first[w->n_first++] = which;
    }
}

struct sanitize_markers *sanitize_markers_new(struct arena *a)
{
    struct sanitize_markers *m = ARENA_NEW(a, struct sanitize_markers);

    m->words = ARENA_ARRAY(a, struct marker_word, MARKER_WORDS);
    for (size_t i = 0; i < SOURCES_N; i++)
        marker_pattern_read(a, m, i);
    return m;
}

/* ---- a text as words */

#define APART 4 /* characters between two words of a pattern */

struct marker_token {
    uint16_t word; /* 0: none of the patterns' */
    bool near;     /* the next word is */
    bool colon;    /* a colon follows */
    uint32_t start, end;
};

struct marker_tokens {
    struct marker_token *v;
    size_t n, cap;
};

static void marker_token_add(struct arena *a, struct marker_tokens *t, struct marker_token token)
{
    if (t->n == t->cap) {
        struct marker_token *v = ARENA_ARRAY(a, struct marker_token, t->cap * 2 + 64);

        if (t->n)
            memcpy(v, t->v, t->n * sizeof *v);
        t->v = v;
        t->cap = t->cap * 2 + 64;
    }
    t->v[t->n++] = token;
}

#define MARKER_WORD_MAX 64 /* bytes */

static uint16_t marker_word_find(const struct sanitize_markers *m, const char *p, size_t n)
{
    char small[MARKER_WORD_MAX];

    if (n > m->longest || n > sizeof small)
        return 0;
    for (size_t i = 0; i < n; i++)
        small[i] = sanitize_lower(p[i]);
    return *marker_place((struct sanitize_markers *)(uintptr_t)m, small, n);
}

static void marker_tokens_read(struct arena *a, const struct sanitize_markers *m, const struct sanitize_view *v, struct marker_tokens *out)
{
    for (size_t i = 0; i < v->n;) {
        size_t start = i, after;
        struct marker_token t;

        while (i < v->n && sanitize_is_word(v->p[i]))
            i++;
        if (i == start) {
            i++;
            continue;
        }
        for (after = i; after < v->n && after - i < APART && !sanitize_is_word(v->p[after]);)
            after++;
        t = (struct marker_token){marker_word_find(m, v->p + start, i - start), after < v->n && sanitize_is_word(v->p[after]), false,
                                  (uint32_t)start, (uint32_t)i};
        t.colon = i < v->n && (v->p[i] == ':' || (v->p[i] == ' ' && i + 1 < v->n && v->p[i + 1] == ':'));
        marker_token_add(a, out, t);
    }
}

/* ---- V3: letters that stand apart */

#define SPELLED_MIN 6

/* The run of single letters that begins with token i: how many of them. */
static size_t spelled_run(const struct marker_tokens *t, size_t i)
{
    size_t n = 0;

    while (i + n < t->n && t->v[i + n].end - t->v[i + n].start == 1 && (t->v[i + n].near || n + 1 >= SPELLED_MIN)) {
        n++;
        if (!t->v[i + n - 1].near)
            break;
    }
    return n;
}

/* Words of the patterns in the letters that begin there, the longest first. */
static void spelled_words(struct arena *a, const struct sanitize_markers *m, const struct sanitize_view *v,
    const struct marker_tokens *t, size_t i,
                          size_t n, struct marker_tokens *out)
{
    char letters[MARKER_WORD_MAX];

    for (size_t at = 0; at < n;) {
        size_t most = n - at < m->longest ? n - at : m->longest, k;
        uint16_t word = 0;

        most = most < sizeof letters ? most : sizeof letters;
        for (size_t j = 0; j < most; j++)
            letters[j] = v->p[t->v[i + at + j].start];
        for (k = most; k > 1 && !word; k--)
            word = marker_word_find(m, letters, k);
        k = word ? k + 1 : 1;
        marker_token_add(a, out, (struct marker_token){word, t->v[i + at + k - 1].near, t->v[i + at + k - 1].colon, t->v[i + at].start,
                                                       t->v[i + at + k - 1].end});
        at += k;
    }
}

static bool spelled_join(struct arena *a, const struct sanitize_markers *m, const struct sanitize_view *v, const struct marker_tokens *t,
                         struct marker_tokens *out)
{
    bool any = false;

    for (size_t i = 0; i < t->n;) {
        size_t n = spelled_run(t, i);

        if (n < SPELLED_MIN) {
            marker_token_add(a, out, t->v[i++]);
            continue;
        }
        spelled_words(a, m, v, t, i, n, out);
        any = true;
        i += n;
    }
    return any;
}

/* ---- matching */

static bool marker_slot_has(const struct marker_slot *s, uint16_t word)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->words[i] == word)
            return true;
    return false;
}

/* A slot that may be left out is passed at once. */
static uint32_t marker_pass_optional(const struct marker_pattern *p, uint32_t states)
{
    for (size_t s = 0; s < p->n; s++)
        if (states >> s & 1 && p->slots[s].optional)
            states |= 1u << (s + 1);
    return states;
}

/* Behind the last token of the longest match of the pattern that begins at token `at`; 0: there is none. States are sets of slots:
   linear. */
static size_t marker_match(const struct marker_pattern *p, const struct marker_tokens *t, size_t at)
{
    uint32_t states = marker_pass_optional(p, 1);
    size_t best = 0;

    for (size_t i = at; i < t->n && states; i++) {
        uint32_t next = 0;

        for (size_t s = 0; s < p->n; s++)
            if (states >> s & 1 && t->v[i].word && marker_slot_has(&p->slots[s], t->v[i].word))
                next |= 1u << (s + 1);
        next = marker_pass_optional(p, next);
        if (next >> (p->n - 1) & 1 && p->slots[p->n - 1].colon && t->v[i].colon)
            next |= 1u << p->n;
        if (next >> p->n & 1)
            best = i + 1;
        states = t->v[i].near ? next : 0;
    }
    return best;
}

/* Where the match that ends with this token ends: behind its colon, if it wants one. */
static size_t marker_end(const struct marker_pattern *p, const struct sanitize_view *v, const struct marker_token *last)
{
    size_t end = last->end;

    while (p->slots[p->n - 1].colon && end < v->n && v->p[end - 1] != ':')
        end++;
    return end;
}

static void marker_match_all(struct sanitize_hits *h, const struct sanitize_markers *m, const struct sanitize_view *v,
    const struct marker_tokens *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct marker_word *w = t->v[i].word ? &m->words[t->v[i].word] : NULL;

        for (size_t k = 0; w && k < w->n_first; k++) {
            const struct marker_pattern *p = &m->patterns[w->first[k]];
            size_t end = marker_match(p, t, i);

            if (end)
                sanitize_marker_add(h, SOURCES[w->first[k]].id, SOURCES[w->first[k]].cut, t->v[i].start, marker_end(p, v, &t->v[end - 1]));
        }
    }
}

void sanitize_find_markers(struct sanitize_hits *h, const struct sanitize_markers *m, const struct sanitize_view *v, bool spelled)
{
    struct marker_tokens plain = {0}, joined = {0};

    marker_tokens_read(h->arena, m, v, &plain);
    marker_match_all(h, m, v, &plain);
    if (spelled && spelled_join(h->arena, m, v, &plain, &joined))
        marker_match_all(h, m, v, &joined);
}
