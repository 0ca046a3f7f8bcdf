/* Markers of languages whose words are not parted by spaces, or whose endings vary; see sanitize_impl.h. */
#include <string.h>

#include "sanitize_impl.h"

static const struct {
    unsigned script;
    const char *text;
} PHRASES[] = {
    {SCRIPT_EAST, "忽略之前的"}, {SCRIPT_EAST, "忽略以上"}, {SCRIPT_EAST, "忽略先前的"}, {SCRIPT_EAST, "忽略所有之前"}, {SCRIPT_EAST, "忽略前面的"},
    {SCRIPT_EAST, "忘记之前的指"}, {SCRIPT_EAST, "忘記之前的指"}, {SCRIPT_EAST, "忽略所有先前"}, {SCRIPT_EAST, "無視之前的指"}, {SCRIPT_EAST, "无视之前的指"},
    {SCRIPT_EAST, "以前の指示を無視"}, {SCRIPT_EAST, "前の指示を無視"}, {SCRIPT_EAST, "これまでの指示を無視"}, {SCRIPT_EAST, "上記の指示を無視"},
    {SCRIPT_EAST, "以前の指示をすべて無視"}, {SCRIPT_EAST, "前の命令を無視"}, {SCRIPT_EAST, "이전 지시를 무시"}, {SCRIPT_EAST, "이전 지시 무시"},
    {SCRIPT_EAST, "이전의 모든 지시"}, {SCRIPT_EAST, "이전 명령을 무시"}, {SCRIPT_EAST, "위의 지시를 무시"}, {SCRIPT_ARABIC, "تجاهل التعليمات السابقة"},
    {SCRIPT_ARABIC, "تجاهل جميع التعليمات السابقة"}, {SCRIPT_ARABIC, "تجاهل كل التعليمات السابقة"}, {SCRIPT_ARABIC,
        "انس التعليمات السابقة"},
    {SCRIPT_INDIC, "पिछले निर्देशों को अनदेखा"}, {SCRIPT_INDIC, "पिछले सभी निर्देशों को"}, {SCRIPT_INDIC, "पिछले निर्देशों को भूल"},
        {SCRIPT_INDIC, "सभी पिछले निर्देश"},
};

void sanitize_find_phrases(struct sanitize_hits *h, const struct sanitize_view *v)
{
    for (size_t i = 0; i < sizeof PHRASES / sizeof *PHRASES; i++) {
        struct sanitize_view f;

        if (!(v->scripts & PHRASES[i].script))
            continue;
        f = sanitize_view_folded(h->arena, PHRASES[i].text, strlen(PHRASES[i].text));
        for (size_t at = 0; at < v->n;) {
            const char *hit = memmem(v->p + at, v->n - at, f.p, f.n);

            if (!hit)
                break;
            at = (size_t)(hit - v->p);
            sanitize_marker_add(h, "ignore_or_forget_context", true, at, at + f.n);
            at += f.n;
        }
    }
}
