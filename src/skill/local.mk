# Skills: their versions, uses and tests, and how they are found and given.
noinst_LIBRARIES += src/skill/libskill.a
src_skill_libskill_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_skill) $(see_taxonomy) $(see_memory) $(see_jobs) $(see_recall) $(see_llm) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_skill_libskill_a_SOURCES = \
    src/skill/agent_skill.c src/skill/agent_skill.h src/skill/agent_skill_store.c src/skill/agent_skill_store.h \
    src/skill/skill.c src/skill/skill.h src/skill/skill_impl.h src/skill/skill_make.c src/skill/skill_change.c src/skill/skill_room.c \
    src/skill/skill_room.h src/skill/skill_score.c src/skill/skill_score.h src/skill/skill_store.c src/skill/skill_store.h \
    src/skill/skill_version.c src/skill/skill_version.h src/skill/skill_version_store.c src/skill/skill_version_store.h
# Finding, giving, and what comes of it.
src_skill_libskill_a_SOURCES += \
    src/skill/skill_activate.c src/skill/skill_activate.h src/skill/skill_activate_store.c src/skill/skill_activate_store.h \
    src/skill/skill_discover.c src/skill/skill_discover.h src/skill/skill_test.c src/skill/skill_test.h src/skill/skill_test_store.c \
    src/skill/skill_test_store.h src/skill/skill_usage.c src/skill/skill_usage.h src/skill/skill_usage_store.c src/skill/skill_usage_store.h
# Their operations and pages.
noinst_LIBRARIES += src/skill/libskill_ops.a
src_skill_libskill_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_skill) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_skill_libskill_ops_a_SOURCES = \
    src/skill/skill_calls.c src/skill/skill_calls.h src/skill/skill_html.h src/skill/skills_html.c src/skill/skill_use_calls.c src/skill/skill_version_calls.c
