/* Cutting and escaping what hits show; see serve_text.h. */
#include "serve_text.h"

#include <string.h>

#include "inert.h"
#include "language.h"
#include "recall_tools.h"
#include "snippet.h"

struct lent {
    struct recall_tools *tools;
    struct analyzer *analyzer;
};

static void give_back(void *arg)
{
    struct lent *l = arg;

    recall_tools_give_back(l->tools, LANGUAGE_ENGLISH, l->analyzer);
}

struct analyzer *recall_analyzer(struct recall *r)
{
    struct lent *l;

    if (!r->analyzer) {
        l = ARENA_NEW(r->c->arena, struct lent);
        *l = (struct lent){r->c->app->recall_tools, recall_tools_analyzer(r->c->app->recall_tools, LANGUAGE_ENGLISH)};
        arena_defer(r->c->arena, give_back, l);
        r->analyzer = l->analyzer;
    }
    return r->analyzer;
}

static double serve_text_rarity(const void *arg, uint32_t hash)
{
    return keyword_rarity(arg, hash);
}

const struct query_words *recall_words(struct recall *r)
{
    struct query_words *q;

    if (!r->words) {
        q = query_words(r->c->arena, recall_analyzer(r), r->text, strlen(r->text));
        if (r->sparse)
            query_words_weigh(q, serve_text_rarity, r->sparse);
        r->words = q;
    }
    return r->words;
}

void recall_serve(struct recall *r, struct candidate *k, const char *part)
{
    bool one_line = r->in->body_chars <= SNIPPET_CHARS, cut;
    const char *text = snippet(recall_words(r), r->c->arena, recall_analyzer(r), part, (size_t)r->in->body_chars, one_line, &cut);

    k->served = inert_text(r->c->arena, text);
    k->served_cut = k->served_cut || cut;
}

const char *recall_served(struct recall *r, struct candidate *k)
{
    if (k->served)
        return k->served;
    k->served = "";
    if (!k->text || !k->text->body)
        return k->served;
    k->served_cut = k->text->body_cut;
    if (r->in->body_chars > 0)
        recall_serve(r, k, k->text->body);
    else
        k->served_cut = *k->text->body != 0;
    return k->served;
}

const char *recall_served_title(struct recall *r, const struct candidate *k)
{
    return k->text && k->text->title ? inert_text(r->c->arena, k->text->title) : "";
}
