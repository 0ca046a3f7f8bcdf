/* The quality formula; see knowledge_score.h. */
#include "knowledge_score.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lifecycle.h"
#include "str.h"

/* ---- structure */

static bool is_heading(const char *line)
{
    size_t n = strspn(line, "#");

    return n >= 1 && n <= 6 && line[n] == ' ';
}

static bool is_item(const char *line)
{
    size_t n;

    line += strspn(line, " \t");
    if (*line && strchr("-*+", *line))
        return line[1] == ' ';
    n = strspn(line, "0123456789");
    return n && (line[n] == '.' || line[n] == ')') && line[n + 1] == ' ';
}

static bool is_fence(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "```", 3) == 0 || strncmp(line, "~~~", 3) == 0;
}

double knowledge_structure(const char *content, size_t n_tags)
{
    bool heading = false, list = false, fence = false;

    for (const char *line = content; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        heading |= is_heading(line);
        list |= is_item(line);
        fence |= is_fence(line);
    }
    return (0.3 + fmin((double)str_code_points(content, strlen(content)) / 2000, 0.2) + 0.1 * heading +
            0.1 * list + 0.1 * fence + fmin(0.03 * (double)n_tags, 0.1)) /
           0.9;
}

/* ---- quality */

static double knowledge_score_days(struct instant from, struct instant to)
{
    return fmax(0, (double)(to.us - from.us) / (double)DAY_US);
}

static double knowledge_score_usage(const struct knowledge_facts *f, struct instant now)
{
    if (f->uses == 0)
        return knowledge_score_days(f->created_at, now) < 14 ? 0.5 : 0.1;
    return fmin(log10((double)f->uses + 1) / 3, 1);
}

static double knowledge_score_recency(const struct knowledge_facts *f, struct instant now)
{
    if (!f->last_used_at.us)
        return knowledge_score_days(f->created_at, now) < 30 ? 0.8 : 0.2;
    return fmax(exp(-0.01 * knowledge_score_days(f->last_used_at, now)), 0.2);
}

double knowledge_quality(const struct knowledge_facts *f, struct instant now)
{
    double rating = (((double)f->rating_sum + 9) / ((double)f->rating_count + 3) - 1) / 4;

    return lifecycle_round(0.30 * f->structure + 0.25 * knowledge_score_usage(f, now) + 0.25 * rating +
                           0.20 * knowledge_score_recency(f, now));
}
