/* See surprise.h; figures in docs/decisions/0027. */
#include "surprise.h"

#include <math.h>

#define USUAL_ROWS 10.0
#define FAR 25.0 /* beyond, erfc() has no digits left */
#define LENGTH_SHARE 0.5
#define LENGTH_MORE 30.0

struct surprise_scale surprise_scale_of(size_t n, double mean, double variance, struct surprise_scale usual)
{
    double rows = (double)n, all = rows + USUAL_ROWS;
    double v = (rows * variance + USUAL_ROWS * usual.deviation * usual.deviation) / all;

    return (struct surprise_scale){(rows * mean + USUAL_ROWS * usual.mean) / all, sqrt(v)};
}

double surprise_of_z(double z)
{
    if (z > FAR)
        return z * z / 2 + log(z * sqrt(2 * M_PI));
    return -log(erfc(z / M_SQRT2) / 2);
}

double surprise_of_cosine(double cosine, struct surprise_scale s)
{
    return s.deviation > 0 ? surprise_of_z((cosine - s.mean) / s.deviation) : surprise_unknown();
}

double surprise_unknown(void)
{
    return M_LN2;
}

double surprise_of_length(double length, double mean)
{
    return -LENGTH_SHARE * log((length + LENGTH_MORE) / (mean + LENGTH_MORE));
}
