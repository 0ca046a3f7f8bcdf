/* Wire names of the kinds of callers and of what they are shown. */
#include "principal.h"

ENUMX_DEFINE(principal_kind, PRINCIPAL_KIND);
ENUMX_DEFINE(toolset, TOOLSET);
