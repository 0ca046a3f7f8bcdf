/* A hash table over an object's members; its key is random, so that nobody can choose names that collide. */
#include "json_names.h"

#include <sodium.h>
#include <string.h>

/* The slot of that name: its member's, or the empty one where it belongs. */
static const struct json **json_names_find(const struct json_names *t, const char *name)
{
    uint64_t hash;
    size_t i;

    crypto_shorthash((unsigned char *)&hash, (const unsigned char *)name, strlen(name), t->secret);
    for (i = hash & (t->slots - 1); t->slot[i]; i = (i + 1) & (t->slots - 1))
        if (strcmp(t->slot[i]->key, name) == 0)
            break;
    return &t->slot[i];
}

/* Brings in what was pushed since the last call; the table stays at most half full. */
static void json_names_follow(struct json_names *t, const struct json *obj)
{
    if (!t->slots)
        randombytes_buf(t->secret, sizeof t->secret);
    if (t->slots < 2 * obj->len) {
        while (t->slots < 4 * obj->len)
            t->slots = t->slots ? t->slots * 2 : 64;
        t->slot = ARENA_ARRAY(t->arena, const struct json *, t->slots);
        t->last = NULL;
    }
    for (const struct json *m = t->last ? t->last->next : obj->first; m; m = m->next) {
        *json_names_find(t, m->key) = m;
        t->last = m;
    }
}

const struct json *json_names_get(struct json_names *t, const struct json *obj, const char *name)
{
    _Static_assert(sizeof t->secret == crypto_shorthash_KEYBYTES, "the key of the hash");
    _Static_assert(sizeof(uint64_t) == crypto_shorthash_BYTES, "its result");

    if (!json_is(obj, JSON_OBJ) || obj->len <= JSON_NAMES_WALK)
        return json_get(obj, name);
    json_names_follow(t, obj);
    return *json_names_find(t, name);
}
