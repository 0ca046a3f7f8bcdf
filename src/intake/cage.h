/* The cage of a process that reads what strangers made: limits, no new privileges, namespaces, Landlock, seccomp. */
#ifndef LOCI_CAGE_H
#define LOCI_CAGE_H

#include <stdbool.h>
#include <sys/types.h>

/* The first three are needed; the others hold where the kernel lets us. */
#define CAGE_LAYERS(X) \
    X(CAGE_LIMITS, "rlimits") X(CAGE_PRIVILEGES, "no_new_privs") X(CAGE_SECCOMP, "seccomp") X(CAGE_PARENT, "parent-death signal") \
    X(CAGE_LANDLOCK, "landlock") X(CAGE_NAMESPACES, "namespaces")
#define CAGE_ENUM(name, text) name,
enum cage_layer { CAGE_LAYERS(CAGE_ENUM) CAGE_LAYER_COUNT };

struct cage {
    bool holds[CAGE_LAYER_COUNT];
};

/* For good, of this process. program: what it will become, and may read what programs need; NULL: it opens no file any more. False:
 * a layer that is needed cannot be had. parent: who must still live. */
bool cage_close(struct cage *c, const char *program, pid_t parent);
const char *cage_layer_name(int layer);

#endif
