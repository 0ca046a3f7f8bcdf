/* Markers in brackets: boundaries of prompts, our own fence, tool calls, links that carry data out; see sanitize_impl.h. */
#include <string.h>

#include "sanitize_impl.h"

#define TAG_MAX 400 /* characters up to the end of a tag */

static const struct fence_sign {
    const char *id;
    bool cut;
    bool tag; /* goes on to the > that ends it */
    const char *text; /* spaces in the text do not count */
} SIGNS[] = {
    {"prompt_boundary_spoof", true, true, "<system>"}, {"prompt_boundary_spoof", true, true, "</system>"},
    {"prompt_boundary_spoof", true, true, "<instructions>"}, {"prompt_boundary_spoof", true, true, "</instructions>"},
    {"prompt_boundary_spoof", true, false, "[inst]"}, {"prompt_boundary_spoof", true, false, "[/inst]"},
    {"prompt_boundary_spoof", true, false, "[sys]"}, {"prompt_boundary_spoof", true, false, "[/sys]"},
    {"prompt_boundary_spoof", true, false, "<<sys>>"}, {"prompt_boundary_spoof", true, false, "<</sys>>"},
    {"prompt_boundary_spoof", true, false, "<|im_start|>"}, {"prompt_boundary_spoof", true, false, "<|im_end|>"},
    {"prompt_boundary_spoof", true, false, "<|im_sep|>"}, {"prompt_boundary_spoof", true, false, "<|system|>"},
    {"prompt_boundary_spoof", true, false, "<|user|>"}, {"prompt_boundary_spoof", true, false, "<|assistant|>"},
    {"prompt_boundary_spoof", true, false, "<|endoftext|>"}, {"prompt_boundary_spoof", true, false, "<|eot_id|>"},
    {"prompt_boundary_spoof", true, false, "<|begin_of_text|>"}, {"prompt_boundary_spoof", true, false, "<|start_header_id|>"},
    {"prompt_boundary_spoof", true, false, "--endofprompt--"}, {"prompt_boundary_spoof", true, false, "--endofsystemprompt--"},
    {"prompt_boundary_spoof", true, false, "-endofprompt-"}, {"prompt_boundary_spoof", true, false, "-endofsystemprompt-"},
    {"prompt_boundary_spoof", true, false, "-endofinstructions-"}, {"fence_spoof", true, true, "<recalled-memory-context>"},
    {"fence_spoof", true, true, "</recalled-memory-context>"}, {"fence_spoof", true, true, "<memory>"}, {"fence_spoof", true, true,
        "</memory>"},
    {"fence_spoof", true, true, "<workspace-policies>"}, {"fence_spoof", true, true, "</workspace-policies>"},
    {"fence_spoof", true, true, "<own-notes>"}, {"fence_spoof", true, true, "</own-notes>"}, {"tool_call_spoof", false, false,
        "<tool_call>"},
    {"tool_call_spoof", false, false, "<function_calls>"}, {"tool_call_spoof", false, false, "\"tool_calls\":"},
    {"tool_call_spoof", false, false, "\"function_call\":"}, {"tool_call_spoof", false, false, "\"tool_use\""},
};

/* Behind the sign at `at`, 0: it is not there. A tag may have attributes. */
static size_t fence_sign_at(const struct fence_sign *s, const struct sanitize_view *v, size_t at)
{
    size_t i = at;

    for (const char *p = s->text; *p; p++) {
        while (i < v->n && p != s->text && v->p[i] == ' ' && !(s->tag && *p == '>'))
            i++;
        if (i < v->n && sanitize_lower(v->p[i]) == *p) {
            i++;
            continue;
        }
        if (!s->tag || *p != '>' || i >= v->n || !strchr(" /\"'", v->p[i]))
            return 0;
        for (size_t most = i + TAG_MAX; i < v->n && i < most && v->p[i] != '>' && v->p[i] != '<';)
            i++;
        return i + (i < v->n && v->p[i] == '>');
    }
    return i;
}

/* A link of Markdown whose address has room for what was read. at: its "](". */
static void fence_link(struct sanitize_hits *h, const struct sanitize_view *v, size_t at)
{
    static const char *const CARRIED[] = {"{", "%7b", "context", "memory", "conversation", "prompt", "secret", "data="};
    size_t end = at + 2, query = 0;

    if (v->n - at < 12 || v->p[at + 1] != '(' || !sanitize_starts(v->p + at + 2, v->n - at - 2, "http"))
        return;
    for (; end < v->n && end < at + TAG_MAX && v->p[end] != ')' && v->p[end] != ' '; end++)
        if (v->p[end] == '?' && !query)
            query = end;
    for (size_t i = query; query && i < end; i++)
        for (size_t k = 0; k < sizeof CARRIED / sizeof *CARRIED; k++)
            if (sanitize_starts(v->p + i, end - i, CARRIED[k])) {
                sanitize_marker_add(h, "exfil_link", false, at, end);
                return;
            }
}

void sanitize_find_fences(struct sanitize_hits *h, const struct sanitize_view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        char c = v->p[i];

        if (c == ']')
            fence_link(h, v, i);
        if (c != '<' && c != '[' && c != '-' && c != '"')
            continue;
        for (size_t k = 0; k < sizeof SIGNS / sizeof *SIGNS; k++) {
            size_t end = *SIGNS[k].text == c ? fence_sign_at(&SIGNS[k], v, i) : 0;

            if (end)
                sanitize_marker_add(h, SIGNS[k].id, SIGNS[k].cut, i, end);
        }
    }
}
