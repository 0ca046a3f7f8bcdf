/* loci-extract: reads one file (fd 0) of a foreign format and writes its text (fd 1), in a cage that it closes about itself first.
 * It is started by intake_child.c and by nobody else. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cage.h"
#include "extract.h"

#define PDFTOTEXT "/usr/bin/pdftotext"
#define ARENA_BYTES (480u * 1024 * 1024)

#ifdef __SANITIZE_ADDRESS__
/* To look for leaks it would begin a second process, which the cage refuses. */
__attribute__((visibility("default"), used)) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static const struct {
    const char *name;
    enum extract_fault (*read)(struct extract *x);
} FORMATS[] = {{"html", extract_html}, {"docx", extract_docx}, {"odt", extract_odt},  {"epub", extract_epub},
               {"pptx", extract_pptx}, {"xlsx", extract_xlsx}, {"eml", extract_eml},   {"zip", extract_files}};

static bool write_all(const char *p, size_t n)
{
    ssize_t k;

    while (n && (k = write(STDOUT_FILENO, p, n)) > 0) {
        p += k;
        n -= (size_t)k;
    }
    return !n;
}

/* A letter, a length, a line feed, so many bytes. */
static bool write_record(char kind, const void *p, size_t n)
{
    char head[32];
    int k = snprintf(head, sizeof head, "%c%zu\n", kind, n);

    return write_all(head, (size_t)k) && write_all(p, n);
}

static bool write_said(char kind, const char *s)
{
    return !s || write_record(kind, s, strlen(s));
}

static int answer(struct extract *x, enum extract_fault fault)
{
    bool ok = true, has_text = x->text.len && buf_str(&x->text)[strspn(buf_str(&x->text), " \t\n\f#|-")];

    if (fault == EXTRACT_OK && x->is_full)
        fault = EXTRACT_TOO_LARGE;
    if (fault == EXTRACT_OK && !has_text && !x->n_parts)
        fault = EXTRACT_NO_TEXT;
    if (fault != EXTRACT_OK)
        return EXTRACT_EXIT + (int)fault;
    ok = write_said('T', x->title) && write_said('L', x->language) && write_said('D', x->date) &&
         write_record('B', buf_str(&x->text), x->text.len);
    for (size_t i = 0; i < x->n_parts && ok; i++)
        ok = write_said('A', x->parts[i].name) && write_record('C', x->parts[i].bytes.p, x->parts[i].bytes.n);
    return ok ? 0 : EXTRACT_EXIT + EXTRACT_TOO_LARGE;
}

static int read_here(enum extract_fault (*read_format)(struct extract *x))
{
    struct extract x = {0};
    off_t size = lseek(STDIN_FILENO, 0, SEEK_END); /* fstat() is newfstatat(), which may name a path: it is refused */
    void *map;

    if (size <= 0)
        return EXTRACT_EXIT + EXTRACT_NO_TEXT;
    map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
    if (map == MAP_FAILED)
        return EXTRACT_EXIT + EXTRACT_NO_MEMORY;
    x.arena = arena_new(ARENA_BYTES);
    x.bytes = map;
    x.n = (size_t)size;
    buf_init(&x.text, x.arena, 65536);
    return answer(&x, read_format(&x));
}

/* What the layers are, and whether they hold: for locictl doctor and the tests. */
static int probe(void)
{
    struct cage cage;
    bool ok = cage_close(&cage, NULL, getppid());

    for (int i = 0; i < CAGE_LAYER_COUNT; i++)
        printf("%s %s\n", cage.holds[i] ? "holds" : "missing", cage_layer_name(i));
    printf("%s opens a file\n", open("/", O_RDONLY | O_CLOEXEC) < 0 ? "refused" : "done");
    printf("%s opens a socket\n", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? "refused" : "done");
    fflush(stdout);
    printf("%s makes a process\n", fork() < 0 ? "refused" : "done");
    fflush(stdout);
    return ok ? 0 : EXTRACT_EXIT + EXTRACT_NO_CAGE;
}

static int become_pdftotext(pid_t parent)
{
    char *const args[] = {(char[]){"pdftotext"}, (char[]){"-enc"}, (char[]){"UTF-8"}, (char[]){"-eol"}, (char[]){"unix"},
                                 (char[]){"-"}, (char[]){"-"}, NULL};
    static char *const NOTHING[] = {NULL};
    struct cage cage;

    if (!cage_close(&cage, PDFTOTEXT, parent))
        return EXTRACT_EXIT + EXTRACT_NO_CAGE;
    execve(PDFTOTEXT, args, NOTHING);
    return EXTRACT_EXIT + EXTRACT_USAGE;
}

int main(int argc, char **argv)
{
    struct cage cage;
    long parent = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

    if (argc == 2 && strcmp(argv[1], "--probe") == 0)
        return probe();
    if (argc != 3) {
        fprintf(stderr, "loci-extract is started by loci-scheduler; loci-extract --probe shows its cage\n");
        return EXTRACT_EXIT + EXTRACT_USAGE;
    }
    (void)close_range(3, ~0u, 0);
    if (strcmp(argv[1], "pdf") == 0)
        return become_pdftotext((pid_t)parent);
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (strcmp(argv[1], FORMATS[i].name) == 0)
            return cage_close(&cage, NULL, (pid_t)parent) ? read_here(FORMATS[i].read) : EXTRACT_EXIT + EXTRACT_NO_CAGE;
    return EXTRACT_EXIT + EXTRACT_USAGE;
}
