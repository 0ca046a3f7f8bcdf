/* Judging one memory; see junk_look.h. */
#include "junk_look.h"

#include <math.h>
#include <string.h>

#include "content.h"
#include "echo.h"
#include "entropy.h"
#include "node_kind.h"
#include "str.h"
#include "suspect.h"

#define SPACES " \t\r\n"

static int junk_look_words_of(const char *p)
{
    int n = 0;

    for (p += strspn(p, SPACES); *p; p += strspn(p, SPACES), n++)
        p += strcspn(p, SPACES);
    return n;
}

static double junk_look_when(bool holds, double value)
{
    return holds ? value : -1;
}

/* Of what is a text: keys of pools are values of programs, and as short as they like. */
static void look_at_text(struct ctx *c, const struct junk_row *r, const char *text, double value[FINDING_CLASSES])
{
    struct entropy e = entropy_of(c->arena, text);
    int words = junk_look_words_of(text);

    value[FINDING_LOW_ENTROPY] = junk_look_when(e.score <= ENTROPY_LOW, lifecycle_round(1 - e.score));
    value[FINDING_TOO_SHORT] = junk_look_when(words < JUNK_WORDS, lifecycle_round(1 - (double)words / JUNK_WORDS));
    value[FINDING_NO_VECTOR] = junk_look_when(!r->has_vector && r->updated_at.us < c->now.us - JUNK_VECTOR_US, 1);
}

static void look_at_use(const struct ctx *c, const struct junk_row *r, double value[FINDING_CLASSES])
{
    struct lifecycle life = r->facts.life;
    double importance, stale;

    life.floor = node_kind_floor(r->kind);
    life.is_pinned = r->is_pinned;
    importance = lifecycle_now(&life, c->now);
    value[FINDING_UNUSED] = junk_look_when(!r->is_pinned && importance < JUNK_UNUSED_IMPORTANCE &&
                                           r->facts.used_at.us < c->now.us - JUNK_UNUSED_DAYS * DAY_US, lifecycle_round(1 - importance));
    if (r->is_entry || r->is_pinned) /* entries: rot_detection knows what their contexts say */
        return;
    stale = staleness(&(struct stale_facts){r->facts.content_at, r->facts.used_at, life}, c->now);
    value[FINDING_STALE] = junk_look_when(stale >= STALE_REVIEW, stale);
}

/* A text that was read only in part is not judged. */
static bool is_changed_behind_us(struct ctx *c, const struct junk_row *r)
{
    struct bytes hash;

    if (!r->text_hash.n || r->chars > JUNK_CHARS)
        return false;
    hash = content_hash(c->arena, "", r->body, NULL);
    return hash.n != r->text_hash.n || memcmp(hash.p, r->text_hash.p, hash.n) != 0;
}

void junk_look(struct ctx *c, const struct junk_row *r, double value[FINDING_CLASSES])
{
    const char *text = str_empty(r->body) ? r->title : r->body;

    for (int i = 0; i < FINDING_CLASSES; i++)
        value[i] = -1;
    value[FINDING_ECHO] = junk_look_when(r->echo >= ECHO_DOUBTED, lifecycle_round(r->echo));
    value[FINDING_NEAR_COPY] = junk_look_when(r->near_copy > 0, lifecycle_round(r->near_copy));
    value[FINDING_OVERSIZED] = junk_look_when(r->chars > JUNK_CHARS, fmin(1, (double)r->chars / 10 / JUNK_CHARS));
    value[FINDING_SECRET] = junk_look_when(suspect_secret(r->title) || suspect_secret(r->body), 1);
    value[FINDING_INSTRUCTION] = junk_look_when(suspect_instruction(r->title) || suspect_instruction(r->body), 1);
    value[FINDING_ORPHAN] = junk_look_when(r->is_orphan, 1);
    value[FINDING_CONTRADICTION] = junk_look_when(r->is_contradicted, 1);
    value[FINDING_INTEGRITY] = junk_look_when(is_changed_behind_us(c, r), 1);
    look_at_use(c, r, value);
    if (!str_eq(r->kind, "pool_entry"))
        look_at_text(c, r, text, value);
}
