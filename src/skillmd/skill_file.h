/* A skill as a file of Markdown with front matter, read and written. Pure functions of text. */
#ifndef LOCI_SKILL_FILE_H
#define LOCI_SKILL_FILE_H

#include "ctx.h"
#include "skill.h"
#include "yaml_front.h"

#define SKILL_FILE (SKILL_BODY + YAML_BYTES + 16) /* bytes */
#define SKILL_PATH 512
#define SKILL_LINKS 64 /* named relations of one file */

/* requires: [a, b] or correlates: {a: 0.7} */
struct skill_link {
    const char *relation, *slug;
    double weight;
};

struct skill_file {
    const char *path;
    const char *head; /* front matter with its marks, as written; "" where there is none */
    const struct json *front;
    struct skill skill;  /* name, slug, description, category, tags, triggers …, body */
    const char *version; /* NULL: the file names none */
    struct skill_link links[SKILL_LINKS];
    size_t n_links;
};

/* ERR_INVALID with the path's or the text's fault; the message begins with "line N: " where a line is at fault. */
err skill_file_read(struct ctx *c, const char *path, const char *content, struct skill_file *out);
/* Front matter between its two marks. */
const char *skill_head_inside(struct arena *a, const char *head);
/* Is it SKILL.md of a folder? */
bool skill_path_is_folder(const char *path);
/* ERR_INVALID for a path that leaves its folder, or has odd characters. */
err skill_path_check(struct ctx *c, const char *path);

/* The file again: as it was written where nothing changed since, else with the changed keys written anew. */
const char *skill_file_write(struct ctx *c, const struct skill *s);
/* "testing/moor-a-barge.md" */
const char *skill_file_path(struct arena *a, const struct skill *s);

#endif
