/* Wire names of the kinds of callers. */
#include "principal.h"

ENUMX_DEFINE(principal_kind, PRINCIPAL_KIND);
