/* Runs a fuzz target over its kept corpus without libFuzzer: replay_x over tests/fuzz/corpus/x, or the folders
   named. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of exactly its size, so that ASan sees a byte read too many. */
static void replay_file(const char *path)
{
    struct stat st;
    uint8_t *data;
    FILE *f = fopen(path, "rb");

    if (!f || fstat(fileno(f), &st) != 0) {
        perror(path);
        exit(1);
    }
    data = malloc((size_t)st.st_size);
    if ((!data && st.st_size) || fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    fclose(f);
    LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
    free(data);
}

static size_t replay_folder(const char *folder)
{
    DIR *d = opendir(folder);
    size_t n = 0;

    if (!d) {
        perror(folder);
        exit(1);
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[4096];

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        fprintf(stderr, "%s\n", path); /* the last one named is the one that failed */
        replay_file(path);
        n++;
    }
    closedir(d);
    return n;
}

static size_t replay_own_corpus(const char *program)
{
    const char *top = getenv("srcdir"), *name = strstr(program, "replay_");
    char folder[2048];

    for (const char *next; name && (next = strstr(name + 1, "replay_")) != NULL;)
        name = next;
    if (!name) {
        fprintf(stderr, "%s: name the folders to replay\n", program);
        exit(1);
    }
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", top ? top : ".", name + strlen("replay_"));
    return replay_folder(folder);
}

int main(int argc, char **argv)
{
    size_t n = 0;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        n += replay_folder(argv[i]);
    if (argc < 2)
        n = replay_own_corpus(argv[0]);
    printf("%zu inputs replayed\n", n);
    return n ? 0 : 1;
}
