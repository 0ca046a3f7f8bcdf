/* Files beside a SKILL.md; see skill_resource.h. */
#include "skill_resource.h"

#include <sodium.h>
#include <string.h>

#include "skill.h"
#include "skill_file.h"
#include "skill_ingest_store.h"

static const struct skill_resource *resource_among(const struct list *have, const char *path)
{
    const struct skill_resource *v = have->v;

    for (size_t i = 0; i < have->n; i++)
        if (str_eq(v[i].path, path))
            return &v[i];
    return NULL;
}

err skill_resources_put(struct ctx *c, struct uuid skill_id, const struct skill_resource *v, size_t n, int64_t *changed)
{
    struct list have, want = {(void *)(uintptr_t)v, n};
    const struct skill_resource *old;
    int64_t bytes = 0;

    *changed = 0;
    for (size_t i = 0; i < n; i++)
        bytes += (int64_t)v[i].content.n;
    if (n > RESOURCE_FILES || bytes > RESOURCE_BYTES)
        return fail(c, ERR_TOO_LARGE, "a skill has at most %d files of %d bytes together", RESOURCE_FILES, RESOURCE_BYTES);
    TRY(skill_ingest_store_resources(c, skill_id, &have));
    for (size_t i = 0; i < n; i++) {
        struct skill_resource r = v[i];
        uint8_t *sum = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

        TRY(skill_path_check(c, r.path));
        crypto_hash_sha256(sum, r.content.p ? r.content.p : "", r.content.n);
        r.hash = (struct bytes){sum, crypto_hash_sha256_BYTES};
        old = resource_among(&have, r.path);
        if (old && memcmp(old->hash.p, sum, crypto_hash_sha256_BYTES) == 0)
            continue;
        TRY(skill_ingest_store_resource_put(c, skill_id, &r));
        (*changed)++;
    }
    old = have.v;
    for (size_t i = 0; i < have.n; i++)
        if (!resource_among(&want, old[i].path)) {
            TRY(skill_ingest_store_resource_drop(c, skill_id, old[i].path));
            (*changed)++;
        }
    return ERR_OK;
}

static void resource_present(struct ctx *c, struct skill_resource *r)
{
    char *text = arena_alloc(c->arena, 2 * r->hash.n + 1);

    hex_encode(r->hash.p, r->hash.n, text);
    r->sha256 = text;
}

err skill_resources_list(struct ctx *c, struct uuid skill_id, struct list *out)
{
    struct skill_resource *v;
    struct skill s;

    TRY(skill_get(c, skill_id, &s));
    TRY(skill_ingest_store_resources(c, skill_id, out));
    v = out->v;
    for (size_t i = 0; i < out->n; i++)
        resource_present(c, &v[i]);
    return ERR_OK;
}

err skill_resource_get(struct ctx *c, const char *skill, const char *path, struct skill_resource *out)
{
    struct skill s;
    bool found;

    TRY(skill_get_whole(c, skill, &s));
    TRY(skill_path_check(c, path));
    TRY(skill_ingest_store_resource(c, s.id, path, &found, out));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "the skill has no such file");
    resource_present(c, out);
    return ERR_OK;
}
