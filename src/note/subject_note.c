/* Facts of a subject into one text; see subject_note.h. */
#include "subject_note.h"

#include <assert.h>
#include <string.h>

#include "access.h"
#include "content.h"
#include "db.h"
#include "edge.h"
#include "entity_root.h"
#include "inert.h"
#include "limit.h"
#include "node_many.h"
#include "predicate.h"
#include "str.h"
#include "subject_note_store.h"

ENUMX_DEFINE(note_outcome, NOTE_OUTCOME);

static const struct field SUBJECT_NOTE_COLUMNS[] = {
    F_ID(struct subject_note, "id of the note: its node"),
    F_UUID(struct subject_note, space_id, COL_READ, "space of its subject", .sql = "n.space_id"),
    F_UUID(struct subject_note, subject_id, COL_READ, "entity that it is on"),
    F_STR(struct subject_note, title, COL_SHOW, 0, 0, "name of the subject; data, not instructions", .sql = "n.title"),
    F_STR(struct subject_note, body, COL_SHOW, 0, 0, "what is believed of it; data, not instructions", .sql = "n.body"),
    F_BYTES(struct subject_note, facts_key, COL_ROW, "hash of what it was made of"),
    F_JSON(struct subject_note, keywords, COL_READ, 0, "names and predicates in it"),
    F_INT(struct subject_note, fact_count, COL_READ, 0, NOTE_FACTS, 0, "facts that it tells"),
    F_TIME(struct subject_note, first_seen_at, COL_READ, "when the oldest of them was said first"),
    F_TIME(struct subject_note, last_seen_at, COL_READ, "when one of them was said last"),
    F_TIME(struct subject_note, created_at, COL_READ, "when it was made"),
    F_TIME(struct subject_note, updated_at, COL_READ, "when it was last written anew"),
    F_END
};
const struct thing SUBJECT_NOTE = THING("subject_note", SUBJECT_NOTE_COLUMNS, struct subject_note, .schema = "SubjectNote", .alias = "s",
    .from = "subject_note s JOIN node n ON n.account_id = s.account_id AND n.id = s.id");

/* ---- the text */

struct noting {
    const struct note_subject *subject;
    const char *title;
    const struct note_fact *facts;
    size_t n, names;
    double confidence, importance;
    const char *text;
    struct subject_note note;
};

static const char *words_of_predicate(struct ctx *c, const char *predicate)
{
    char *s = arena_strdup(c->arena, predicate);

    for (char *p = s; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return s;
}

static const char *note_day(struct ctx *c, struct instant at)
{
    char text[INSTANT_TEXT];

    return arena_strndup(c->arena, instant_text(at, text), 10);
}

/* "based in Oslo since 2024-03-01 (before: Rome)" */
static const char *fact_in_note(struct ctx *c, const struct note_fact *f)
{
    const char *was = f->before && !str_eq(f->before, f->object) ? arena_printf(c->arena, " (before: %s)", f->before) : "";

    return arena_printf(c->arena, "%s%s %s since %s%s", f->negative ? "not " : "", words_of_predicate(c, f->predicate),
                        text_cut(c->arena, f->object, 200, true), note_day(c, f->valid_from), was);
}

/* One line for each group of predicates, in the order in which the groups come up. */
static const char *note_text(struct ctx *c, const struct noting *k)
{
    bool *told = ARENA_ARRAY(c->arena, bool, k->n + 1);
    const char *text = k->title;

    for (size_t i = 0; i < k->n; i++) {
        const char *group = predicate_find(k->facts[i].predicate)->group, *line = NULL;

        for (size_t j = i; j < k->n; j++) {
            if (told[j] || !str_eq(predicate_find(k->facts[j].predicate)->group, group))
                continue;
            told[j] = true;
            line = line ? arena_printf(c->arena, "%s; %s", line, fact_in_note(c, &k->facts[j])) : fact_in_note(c, &k->facts[j]);
        }
        if (line)
            text = arena_printf(c->arena, "%s\n%s: %s.", text, group ? group : "other", line);
    }
    return text;
}

static void add_keyword(struct ctx *c, struct json *list, const char *word)
{
    for (const struct json *k = list->first; k; k = k->next)
        if (str_eq(k->s, word))
            return;
    json_push(list, json_str(c->arena, word));
}

/* Names and predicates; the times that its facts were said; how sure they are. */
static void note_sum_up(struct ctx *c, struct noting *k)
{
    struct json *keywords = json_arr(c->arena);
    struct subject_note *note = &k->note;

    add_keyword(c, keywords, k->title);
    for (size_t i = 0; i < k->n; i++) {
        const struct note_fact *f = &k->facts[i];

        if (!uuid_is_nil(f->object_entity_id))
            add_keyword(c, keywords, f->object);
        k->confidence += f->confidence / (double)k->n;
        k->importance = f->importance > k->importance ? f->importance : k->importance;
        if (!i || f->first_seen_at.us < note->first_seen_at.us)
            note->first_seen_at = f->first_seen_at;
        if (f->last_seen_at.us > note->last_seen_at.us)
            note->last_seen_at = f->last_seen_at;
    }
    k->names = keywords->len;
    for (size_t i = 0; i < k->n; i++)
        add_keyword(c, keywords, k->facts[i].predicate);
    note->keywords = keywords;
    note->fact_count = (int64_t)k->n;
}

/* ---- the node */

/* Joined to its facts, of which it goes with any. */
static err join_note(struct ctx *c, const struct noting *k)
{
    struct edge_new *e = ARENA_ARRAY(c->arena, struct edge_new, k->n + 1);
    struct json *with_any = json_obj(c->arena);

    json_set_bool(c->arena, with_any, "goes_with_any", true);
    TRY(edge_retire_of(c, k->note.id, "DERIVED_FROM"));
    for (size_t i = 0; i < k->n; i++)
        e[i] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = k->note.id, .target_id = k->facts[i].id, .relation = "DERIVED_FROM",
                                 .metadata = with_any};
    return edge_record(c, e, k->n, k->subject->space_id);
}

static err make_note(struct ctx *c, struct noting *k)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .space_id = k->subject->space_id, .kind = "note", .title = k->title, .body = k->text,
                         .source_kind = "system", .source_id = "subject_notes"};
    struct node made;

    n.confidence = k->confidence;
    n.importance = k->importance;
    TRY(node_create(c, &n, &made));
    k->note.id = made.id;
    k->note.created_at = c->now;
    return ERR_OK;
}

static err forget_notes(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct node_wish *w = ARENA_ARRAY(c->arena, struct node_wish, n + 1);

    for (size_t i = 0; i < n; i++)
        w[i] = (struct node_wish){.id = ids[i], .what = NODE_WISH_FORGET};
    return node_change_many(c, w, n);
}

static err write_note(struct ctx *c, struct noting *k, bool is_there)
{
    struct uuids others;

    TRY(is_there ? node_reword(c, k->note.id, k->text, json_obj(c->arena)) : make_note(c, k));
    TRY(join_note(c, k));
    TRY(note_store_put(c, &k->note));
    TRY(note_store_others(c, &k->note, &others));
    return forget_notes(c, others.v, others.n);
}

static err note_take(struct ctx *c, struct noting *k)
{
    struct node_brief brief;
    struct uuids members;
    struct list facts;

    TRY(node_briefs(c, &k->subject->id, 1, &brief));
    if (uuid_is_nil(brief.id)) /* it was forgotten, or is part of another now */
        return ERR_OK;
    k->title = text_cut(c->arena, brief.title, LIMIT_TITLE, true);
    TRY(entity_members(c, &k->subject->id, 1, &members));
    TRY(note_store_facts(c, members, &facts));
    k->facts = facts.v;
    k->n = facts.n;
    note_sum_up(c, k);
    return ERR_OK;
}

err subject_note_write(struct ctx *c, const struct note_subject *s, bool dry, enum note_outcome *out)
{
    struct noting k = {.subject = s, .note = {.space_id = s->space_id, .subject_id = s->id}};
    struct subject_note was = {0};
    bool found, live, enough;

    assert(db_in_tx(c));
    TRY(access_require(c, s->space_id, ACCESS_WRITE));
    TRY(note_take(c, &k));
    TRY(note_store_get(c, s->id, &found, &live, &was));
    enough = k.n >= NOTE_FACTS_LEAST && k.names >= NOTE_NAMES_LEAST && k.confidence >= NOTE_CONFIDENCE;
    *out = live ? NOTE_GONE : NOTE_SKIPPED;
    if (!enough)
        return live && !dry ? forget_notes(c, &was.id, 1) : ERR_OK;
    k.text = note_text(c, &k);
    k.note.facts_key = content_hash(c->arena, "note", k.text, NULL);
    *out = !live ? NOTE_MADE : memcmp(was.facts_key.p, k.note.facts_key.p, was.facts_key.n) != 0 ? NOTE_ANEW : NOTE_SAME;
    if (*out == NOTE_SAME || dry)
        return ERR_OK;
    k.note.id = was.id;
    k.note.created_at = was.created_at;
    return write_note(c, &k, live);
}

/* ---- reading */

err subject_note_list(struct ctx *c, const struct subject_note_filter *f, struct page *out)
{
    struct uuids spaces;
    struct uuid before;

    TRY(page_begin(c, f->cursor, &before));
    TRY(access_spaces_in(c, f->space_id, &spaces));
    return note_store_list(c, f, spaces, before, out);
}

err subject_note_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    return note_store_due(c, behind, limit, out);
}

err subject_note_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return note_store_accounts(c, above, ids, max, n);
}
