/* Charts as shapes in a box of 1000 by 200, which the stylesheet stretches; see chart.h. */
#include "chart.h"

#include <math.h>
#include <string.h>

#include "model.h"

#define WIDTH 1000.0
#define HEIGHT 200.0
#define DOT "h0.1" /* ends a piece of one point, which is seen then: its ends are round */
#define GAP 0.28   /* of a bar's place that stays empty */

static const char *const KEYS[CHART_SERIES] = {"a", "b"};

static const char *chart_number(struct arena *a, double v, int digits)
{
    return digits ? arena_printf(a, "%.*f", digits, v) : model_count(a, llround(v));
}

static double chart_value(const struct chart *ch, int series, size_t i)
{
    double v = ch->series[series].v[i];

    return isnan(v) ? 0 : v;
}

/* 1, 2 or 5 times a power of ten, or all that is asked for. */
static double top_of(const struct chart *ch)
{
    double most = 0, unit;

    if (ch->top > 0)
        return ch->top;
    for (size_t i = 0; i < ch->n; i++) {
        double sum = 0;

        for (int s = 0; s < ch->n_series; s++)
            sum = ch->is_bars ? sum + chart_value(ch, s, i) : fmax(sum, chart_value(ch, s, i));
        most = fmax(most, sum);
    }
    if (most <= 2)
        return ch->digits ? (most > 0 ? most : 1) : 2;
    unit = pow(10, floor(log10(most)));
    return most <= unit ? unit : most <= 2 * unit ? 2 * unit : most <= 5 * unit ? 5 * unit : 10 * unit;
}

static double x_of(const struct chart *ch, size_t i)
{
    return ch->n > 1 ? WIDTH * (double)i / (double)(ch->n - 1) : WIDTH / 2;
}

static void add_rect(struct arena *a, struct json *bars, const char *key, double x, double y, double width, double height)
{
    struct json *one = json_obj(a);

    json_set_str(a, one, "key", key);
    json_set_str(a, one, "x", arena_printf(a, "%.1f", x));
    json_set_str(a, one, "y", arena_printf(a, "%.1f", y));
    json_set_str(a, one, "width", arena_printf(a, "%.1f", width));
    json_set_str(a, one, "height", arena_printf(a, "%.1f", height));
    json_push(bars, one);
}

static void add_bars(struct arena *a, struct json *m, const struct chart *ch, double top)
{
    struct json *bars = json_set(a, m, "bars", json_arr(a));
    double place = ch->n ? WIDTH / (double)ch->n : WIDTH;

    for (size_t i = 0; ch->is_bars && i < ch->n; i++) {
        double base = HEIGHT;

        for (int s = 0; s < ch->n_series; s++) {
            double height = HEIGHT * chart_value(ch, s, i) / top;

            base -= height;
            if (height > 0)
                add_rect(a, bars, KEYS[s], place * ((double)i + GAP / 2), base, place * (1 - GAP), height);
        }
    }
}

/* A curve is in as many pieces as its values are. */
static void chart_add_lines(struct arena *a, struct json *m, const struct chart *ch, double top)
{
    struct json *lines = json_set(a, m, "lines", json_arr(a));

    for (int s = 0; !ch->is_bars && s < ch->n_series; s++) {
        struct json *one = json_obj(a);
        size_t drawn = 0;
        struct buf b;

        buf_init(&b, a, 32 * ch->n + 16);
        for (size_t i = 0; i < ch->n; i++) {
            double v = ch->series[s].v[i];

            if (!isnan(v))
                buf_printf(&b, "%s%.1f %.1f", drawn ? "L" : "M", x_of(ch, i), HEIGHT * (1 - fmin(v, top) / top));
            else if (drawn == 1)
                buf_add(&b, DOT, strlen(DOT));
            drawn = isnan(v) ? 0 : drawn + 1;
        }
        if (drawn == 1)
            buf_add(&b, DOT, strlen(DOT));
        json_set_str(a, one, "key", KEYS[s]);
        json_set_str(a, one, "path", buf_str(&b));
        json_push(lines, one);
    }
}

static void chart_add_table(struct arena *a, struct json *m, const struct chart *ch)
{
    struct json *rows = json_set(a, m, "rows", json_arr(a)), *series = json_set(a, m, "series", json_arr(a));

    for (int s = 0; s < ch->n_series; s++) {
        struct json *one = json_obj(a);

        json_set_str(a, one, "name", ch->series[s].name);
        json_set_str(a, one, "key", KEYS[s]);
        json_push(series, one);
    }
    for (size_t i = 0; i < ch->n; i++) {
        struct json *row = json_obj(a), *values;

        json_set_str(a, row, "x", ch->x[i]);
        values = json_set(a, row, "values", json_arr(a));
        for (int s = 0; s < ch->n_series; s++)
            json_push(values, json_str(a, isnan(ch->series[s].v[i]) ? "–" : chart_number(a, ch->series[s].v[i], ch->digits)));
        json_push(rows, row);
    }
}

struct json *model_chart(struct arena *a, const struct chart *ch)
{
    struct json *m = json_obj(a);
    double top = top_of(ch);

    json_set_str(a, m, "id", ch->id);
    json_set_str(a, m, "label", ch->label);
    json_set_bool(a, m, "is_bars", ch->is_bars);
    json_set_str(a, m, "x_name", ch->x_name);
    json_set_str(a, m, "top", chart_number(a, top, ch->digits));
    json_set_str(a, m, "middle", chart_number(a, top / 2, ch->digits || fmod(top, 2) == 0 ? ch->digits : 1));
    json_set_str(a, m, "first", ch->n ? ch->x[0] : "");
    json_set_str(a, m, "last", ch->n ? ch->x[ch->n - 1] : "");
    json_set_str(a, m, "now", ch->now >= 0 ? arena_printf(a, "%.1f", x_of(ch, (size_t)ch->now)) : NULL);
    add_bars(a, m, ch, top);
    chart_add_lines(a, m, ch, top);
    chart_add_table(a, m, ch);
    return m;
}
