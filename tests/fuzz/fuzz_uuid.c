/* Fuzzes the reader of identifiers: it takes 36 characters, and writing gives them back in lower case. */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "uuid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = malloc(size + 1), text[UUID_TEXT];
    struct uuid id;

    assert(s);
    if (size)
        memcpy(s, data, size);
    s[size] = 0;
    if (uuid_parse(s, &id)) {
        uuid_text(id, text);
        assert(strlen(s) == 36);
        for (size_t i = 0; i < 36; i++)
            assert(tolower((unsigned char)s[i]) == text[i]);
    }
    free(s);
    return 0;
}
