/* Differences of two texts by their longest common lines; see diff.h. */
#include "diff.h"

#include <string.h>

#include "model.h"

struct line {
    const char *p;
    size_t n;
};

struct side {
    struct line *lines;
    size_t n;
};

enum fate { SAME, GONE, NEW };

struct step {
    enum fate fate;
    struct line line;
};

struct script {
    struct step *steps;
    size_t n;
};

static struct side lines_of(struct arena *a, const char *text)
{
    size_t n = 1;
    struct side s = {0};

    for (const char *p = text; (p = strchr(p, '\n')); p++)
        n++;
    s.lines = ARENA_ARRAY(a, struct line, n + 1);
    while (*text) {
        size_t len = strcspn(text, "\n");

        s.lines[s.n++] = (struct line){text, len};
        text += len + (text[len] == '\n');
    }
    return s;
}

static struct side diff_words_of(struct arena *a, const char *text)
{
    static const char SPACES[] = " \t\r\n";
    struct side s = {ARENA_ARRAY(a, struct line, strlen(text) / 2 + 1), 0};

    for (text += strspn(text, SPACES); *text; text += strspn(text, SPACES)) {
        size_t len = strcspn(text, SPACES);

        s.lines[s.n++] = (struct line){text, len};
        text += len;
    }
    return s;
}

static bool equal(struct line x, struct line y)
{
    return x.n == y.n && memcmp(x.p, y.p, x.n) == 0;
}

static void diff_add(struct script *s, enum fate fate, struct line line)
{
    s->steps[s->n++] = (struct step){fate, line};
}

/* longest[i][j]: lines that x from i and y from j have in common. */
static void diff_walk(struct script *s, const uint16_t *longest, struct side x, struct side y)
{
    size_t i = 0, j = 0, width = y.n + 1;

    while (i < x.n && j < y.n) {
        if (equal(x.lines[i], y.lines[j])) {
            diff_add(s, SAME, x.lines[i]);
            i++, j++;
        } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            diff_add(s, GONE, x.lines[i++]);
        } else {
            diff_add(s, NEW, y.lines[j++]);
        }
    }
    while (i < x.n)
        diff_add(s, GONE, x.lines[i++]);
    while (j < y.n)
        diff_add(s, NEW, y.lines[j++]);
}

/* What lies between the lines that both begin and end with. */
static void middle(struct arena *a, struct script *s, struct side x, struct side y)
{
    size_t width = y.n + 1;
    uint16_t *longest;

    if ((x.n + 1) * width > DIFF_CELLS) {
        for (size_t i = 0; i < x.n; i++)
            diff_add(s, GONE, x.lines[i]);
        for (size_t j = 0; j < y.n; j++)
            diff_add(s, NEW, y.lines[j]);
        return;
    }
    longest = ARENA_ARRAY(a, uint16_t, (x.n + 1) * width);
    memset(longest, 0, (x.n + 1) * width * sizeof *longest);
    for (size_t i = x.n; i-- > 0;)
        for (size_t j = y.n; j-- > 0;) {
            uint16_t down = longest[(i + 1) * width + j], right = longest[i * width + j + 1];

            longest[i * width + j] = equal(x.lines[i], y.lines[j]) ? (uint16_t)(longest[(i + 1) * width + j + 1] + 1)
                                     : down > right ? down : right;
        }
    diff_walk(s, longest, x, y);
}

static struct script diff_compare(struct arena *a, struct side x, struct side y)
{
    struct script s = {ARENA_ARRAY(a, struct step, x.n + y.n + 1), 0};
    size_t head = 0, tail = 0;

    while (head < x.n && head < y.n && equal(x.lines[head], y.lines[head]))
        diff_add(&s, SAME, x.lines[head++]);
    while (tail < x.n - head && tail < y.n - head && equal(x.lines[x.n - 1 - tail], y.lines[y.n - 1 - tail]))
        tail++;
    middle(a, &s, (struct side){x.lines + head, x.n - head - tail}, (struct side){y.lines + head, y.n - head - tail});
    for (size_t i = x.n - tail; i < x.n; i++)
        diff_add(&s, SAME, x.lines[i]);
    return s;
}

/* ---- as a model */

static void diff_add_row(struct arena *a, struct json *rows, const char *member, const char *text)
{
    struct json *row = json_obj(a);

    json_set_bool(a, row, member, true);
    json_set_str(a, row, "text", text);
    json_push(rows, row);
}

/* What is compared: lines, or words. */
struct unit {
    const char *one, *many;
    size_t around; /* of them that stayed are shown beside a change */
};
static const struct unit LINES = {"line", "lines", DIFF_AROUND}, WORDS = {"word", "words", DIFF_AROUND_WORDS};

/* Is there a change that near to the i-th? */
static bool diff_is_near(const struct script *s, size_t i, size_t around)
{
    size_t from = i > around ? i - around : 0;

    for (size_t k = from; k < s->n && k <= i + around; k++)
        if (s->steps[k].fate != SAME)
            return true;
    return false;
}

static void add_gap(struct arena *a, struct json *rows, size_t skipped, const struct unit *u)
{
    if (skipped)
        diff_add_row(a, rows, "is_gap", arena_printf(a, "%s %s as before", model_count(a, (int64_t)skipped),
                                                     skipped == 1 ? u->one : u->many));
}

static struct json *diff_model(struct arena *a, struct side before, struct side after, const struct unit *u)
{
    static const char *const MEMBERS[] = {[SAME] = "is_same", [GONE] = "is_gone", [NEW] = "is_new"};
    struct script s = diff_compare(a, before, after);
    struct json *m = json_obj(a), *rows = json_set(a, m, "rows", json_arr(a));
    size_t n[3] = {0}, skipped = 0, shown = 0;

    for (size_t i = 0; i < s.n; i++) {
        const struct step *t = &s.steps[i];

        n[t->fate]++;
        if (shown >= DIFF_ROWS || !diff_is_near(&s, i, u->around)) {
            skipped++;
            continue;
        }
        add_gap(a, rows, skipped, u);
        skipped = 0;
        shown++;
        diff_add_row(a, rows, MEMBERS[t->fate], arena_strndup(a, t->line.p, t->line.n));
    }
    if (shown < DIFF_ROWS)
        add_gap(a, rows, skipped, u);
    json_set_str(a, m, "n_gone", model_count(a, (int64_t)n[GONE]));
    json_set_str(a, m, "n_new", model_count(a, (int64_t)n[NEW]));
    json_set_bool(a, m, "is_same", !n[GONE] && !n[NEW]);
    json_set_bool(a, m, "is_cut", shown >= DIFF_ROWS && skipped);
    return m;
}

struct json *model_diff(struct arena *a, const char *before, const char *after)
{
    return diff_model(a, lines_of(a, before), lines_of(a, after), &LINES);
}

struct json *model_diff_words(struct arena *a, const char *before, const char *after)
{
    return diff_model(a, diff_words_of(a, before), diff_words_of(a, after), &WORDS);
}
