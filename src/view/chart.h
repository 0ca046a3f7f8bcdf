/* Curves and bars that the server draws as SVG, without a script or a style: for the partial "chart". */
#ifndef LOCI_CHART_H
#define LOCI_CHART_H

#include <stdbool.h>

#include "json.h"

#define CHART_SERIES 2 /* what can be told apart without colour: by line and dash, by fill and outline */

struct chart {
    const char *id;       /* unique on its page */
    const char *label;    /* what it shows, for those who do not see it */
    const char *x_name;   /* head of the table's first column */
    const char *const *x; /* n names of points, from left to right */
    size_t n;
    struct {
        const char *name;
        const double *v; /* n values, none below 0; NAN: there is none */
    } series[CHART_SERIES];
    int n_series;
    bool is_bars; /* stacked, the first below; else curves */
    double top;   /* of the scale; 0: a round number above the largest value */
    int digits;   /* behind the point */
    int now;      /* point at which a line stands for now; -1: none */
};

/* {id, label, is_bars, x_name, series: [{name, key, index}], bars, lines, now, top, middle, first, last, rows: [{x, values}]} */
struct json *model_chart(struct arena *a, const struct chart *ch);

#endif
