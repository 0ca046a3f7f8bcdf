# Skills as files of Markdown: ingest, export, resources, the registry as a folder.
noinst_LIBRARIES += src/skillmd/libskillmd.a
src_skillmd_libskillmd_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_skillmd) $(see_intake) $(see_skill) $(see_taxonomy) $(see_memory) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_skillmd_libskillmd_a_SOURCES = \
    src/skillmd/skill_file.c src/skillmd/skill_file.h src/skillmd/skill_ingest.c src/skillmd/skill_ingest.h \
    src/skillmd/skill_ingest_store.c src/skillmd/skill_ingest_store.h src/skillmd/skill_resource.c src/skillmd/skill_resource.h \
    src/skillmd/yaml_front.c src/skillmd/yaml_front.h src/skillmd/docs_snapshot.c src/skillmd/docs_snapshot.h \
    src/skillmd/docs_folder.c src/skillmd/docs_folder.h \
    src/skillmd/skill_served.c src/skillmd/skill_served.h src/skillmd/skill_served_store.c src/skillmd/skill_served_store.h
# Their operations.
noinst_LIBRARIES += src/skillmd/libskillmd_ops.a
src_skillmd_libskillmd_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_skillmd) $(see_skill) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_skillmd_libskillmd_ops_a_SOURCES = src/skillmd/skillmd_calls.c src/skillmd/skillmd_calls.h src/skillmd/skill_served_calls.c src/skillmd/skillmd_job.c src/skillmd/skillmd_job.h
