/* Reads `key = value` lines under [sections]; an unknown key or bad value is an error with file, line and remedy. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

#define FILE_MAX (256 * 1024)
#define SECRET_FILES_MAX 32

enum kind { TEXT, SECRET, INTEGER, FLAG };

struct key {
    const char *section, *name, *text; /* text: default of TEXT and SECRET */
    enum kind kind;
    size_t off;
    int64_t number, min, max;
    const char *help;
};

#define KEY_S_(m, sec, key, def, help) {sec, key, def, TEXT, offsetof(struct config, m), 0, 0, 0, help},
#define KEY_P_(m, sec, key, def, help) {sec, key, def, SECRET, offsetof(struct config, m), 0, 0, 0, help},
#define KEY_I_(m, sec, key, def, lo, hi, help) {sec, key, NULL, INTEGER, offsetof(struct config, m), def, lo, hi, help},
#define KEY_B_(m, sec, key, def, help) {sec, key, NULL, FLAG, offsetof(struct config, m), def, 0, 1, help},

static const struct key KEYS[] = {CONFIG_KEYS(KEY_S_, KEY_P_, KEY_I_, KEY_B_)};
#define N_KEYS (sizeof KEYS / sizeof *KEYS)

struct loader {
    struct arena *arena;
    struct config *conf;
    const char **why;
};

static void *config_member(const struct config *conf, const struct key *k)
{
    return (char *)(uintptr_t)conf + k->off;
}

static bool config_set_value(struct loader *l, const struct key *k, const char *value, const char *source)
{
    int64_t number;
    bool flag;

    if (k->kind == TEXT || k->kind == SECRET) {
        *(const char **)config_member(l->conf, k) = arena_strdup(l->arena, value);
    } else if (k->kind == INTEGER) {
        if (!str_to_i64(value, &number) || number < k->min || number > k->max) {
            *l->why = arena_printf(l->arena, "%s: %s.%s must be a whole number from %lld to %lld, not '%s'", source,
                                   k->section, k->name, (long long)k->min, (long long)k->max, value);
            return false;
        }
        *(int64_t *)config_member(l->conf, k) = number;
    } else {
        if (!str_to_bool(value, &flag)) {
            *l->why = arena_printf(l->arena, "%s: %s.%s must be yes or no, not '%s'", source, k->section, k->name, value);
            return false;
        }
        *(bool *)config_member(l->conf, k) = flag;
    }
    l->conf->source[k - KEYS] = source;
    return true;
}

/* The whole file as text in the arena; NULL when it cannot be read or is too large. */
static char *slurp(struct arena *a, const char *path, size_t max)
{
    FILE *f = fopen(path, "re");
    char *text;
    size_t n;

    if (!f)
        return NULL;
    text = arena_alloc(a, max + 2);
    n = fread(text, 1, max + 1, f);
    if (ferror(f) || n > max || memchr(text, 0, n))
        text = NULL;
    fclose(f);
    return text;
}

/* Each once. A secret has one place at a time, but the environment may name another than the file does. */
static void note_secret_file(struct loader *l, const char *path)
{
    size_t n = 0;

    for (; l->conf->secret_files[n]; n++)
        if (strcmp(l->conf->secret_files[n], path) == 0)
            return;
    if (n < SECRET_FILES_MAX)
        l->conf->secret_files[n] = arena_strdup(l->arena, path);
}

static bool set_from_file(struct loader *l, const struct key *k, const char *path, const char *source)
{
    char *text;

    errno = 0;
    text = slurp(l->arena, path, 4096);
    if (!text) {
        *l->why = arena_printf(l->arena, "%s: %s.%s_file: cannot read '%s': %s", source, k->section, k->name, path,
                               errno ? strerror(errno) : "too long, or not text");
        return false;
    }
    text[strcspn(text, "\r\n")] = 0;
    note_secret_file(l, path);
    return config_set_value(l, k, text, source);
}

/* Finds the key; *is_file says that the name was `<secret>_file`. */
static const struct key *config_find(const char *section, const char *name, bool *is_file)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        size_t n = strlen(KEYS[i].name);

        if (strcmp(KEYS[i].section, section) != 0 || strncmp(KEYS[i].name, name, n) != 0)
            continue;
        *is_file = KEYS[i].kind == SECRET && strcmp(name + n, "_file") == 0;
        if (!name[n] || *is_file)
            return &KEYS[i];
    }
    return NULL;
}

static char *config_trim(char *s)
{
    char *end;

    while (isspace((unsigned char)*s))
        s++;
    end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = 0;
    return s;
}

static const char *known_keys(struct arena *a, const char *section)
{
    struct buf b;

    buf_init(&b, a, 128);
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(KEYS[i].section, section) == 0)
            buf_printf(&b, "%s%s", b.len ? ", " : "", KEYS[i].name);
    return b.len ? buf_str(&b) : "none: no such section";
}

static bool read_line(struct loader *l, char *line, char **section, const char *source)
{
    char *eq, *name, *value;
    const struct key *k;
    bool is_file = false;

    line = config_trim(line);
    if (!*line || *line == '#' || *line == ';')
        return true;
    if (*line == '[' && line[strlen(line) - 1] == ']') {
        line[strlen(line) - 1] = 0;
        *section = config_trim(line + 1);
        return true;
    }
    eq = strchr(line, '=');
    if (!eq) {
        *l->why = arena_printf(l->arena, "%s: expected 'key = value' or '[section]'", source);
        return false;
    }
    *eq = 0;
    name = config_trim(line);
    value = config_trim(eq + 1);
    k = config_find(*section, name, &is_file);
    if (!k) {
        *l->why = arena_printf(l->arena, "%s: unknown key '%s' in section [%s]; known there: %s", source, name, *section,
                               known_keys(l->arena, *section));
        return false;
    }
    if (k->kind == SECRET && !is_file && *value)
        note_secret_file(l, l->conf->file);
    return is_file ? set_from_file(l, k, value, source) : config_set_value(l, k, value, source);
}

static bool config_read_file(struct loader *l, const char *path)
{
    char *text, *line, *next, *section = arena_strdup(l->arena, "");
    int number = 1;

    errno = 0;
    text = slurp(l->arena, path, FILE_MAX);
    if (!text) {
        *l->why = arena_printf(l->arena, "cannot read configuration '%s': %s", path,
                               errno ? strerror(errno) : "too long, or not text");
        return false;
    }
    for (line = text; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (!read_line(l, line, &section, arena_printf(l->arena, "%s:%d", path, number)))
            return false;
    }
    return true;
}

static bool read_env(struct loader *l, const struct key *k)
{
    char *name = arena_printf(l->arena, "LOCI_%s_%s", k->section, k->name);
    const char *value, *file;

    for (char *p = name; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    value = getenv(name);
    if (value)
        return config_set_value(l, k, value, name);
    name = arena_printf(l->arena, "%s_FILE", name);
    file = k->kind == SECRET ? getenv(name) : NULL;
    return !file || set_from_file(l, k, file, name);
}

static void config_set_default(struct loader *l, const struct key *k)
{
    if (k->kind == INTEGER)
        *(int64_t *)config_member(l->conf, k) = k->number;
    else if (k->kind == FLAG)
        *(bool *)config_member(l->conf, k) = k->number != 0;
    else
        *(const char **)config_member(l->conf, k) = k->text;
    l->conf->source[k - KEYS] = "default";
}

struct config *config_load(struct arena *a, const char *path, const char **why)
{
    struct config *conf = ARENA_NEW(a, struct config);
    struct loader l = {a, conf, why};

    conf->source = ARENA_ARRAY(a, const char *, N_KEYS);
    conf->secret_files = ARENA_ARRAY(a, const char *, SECRET_FILES_MAX + 1);
    conf->file = arena_strdup(a, path);
    for (size_t i = 0; i < N_KEYS; i++)
        config_set_default(&l, &KEYS[i]);
    if (path && !config_read_file(&l, path))
        return NULL;
    for (size_t i = 0; i < N_KEYS; i++)
        if (!read_env(&l, &KEYS[i]))
            return NULL;
    return conf;
}

static struct json *config_value_json(struct arena *a, const struct config *conf, const struct key *k)
{
    const char *text;

    if (k->kind == INTEGER)
        return json_int(a, *(const int64_t *)config_member(conf, k));
    if (k->kind == FLAG)
        return json_bool(a, *(const bool *)config_member(conf, k));
    text = *(const char *const *)config_member(conf, k);
    return json_str(a, k->kind == SECRET && *text ? "********" : text);
}

struct json *config_json(struct arena *a, const struct config *conf)
{
    struct json *all = json_arr(a);

    for (size_t i = 0; i < N_KEYS; i++) {
        const struct key *k = &KEYS[i];
        struct json *row = json_obj(a);

        json_set_str(a, row, "key", arena_printf(a, "%s.%s", k->section, k->name));
        json_set(a, row, "value", config_value_json(a, conf, k));
        json_set(a, row, "default", k->kind == INTEGER ? json_int(a, k->number)
                                    : k->kind == FLAG  ? json_bool(a, k->number != 0)
                                                       : json_str(a, k->text));
        json_set_str(a, row, "source", conf->source[i]);
        json_set_str(a, row, "help", k->help);
        json_push(all, row);
    }
    return all;
}
