# The graph of skills: research and proposals, conflicts, and the services that keep it in order.
noinst_LIBRARIES += src/skillgraph/libskillgraph.a
src_skillgraph_libskillgraph_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_skillgraph) $(see_advise) $(see_skill) $(see_memory) $(see_jobs) $(see_recall) $(see_llm) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_skillgraph_libskillgraph_a_SOURCES = \
    src/skillgraph/skill_proposal.c src/skillgraph/skill_proposal.h src/skillgraph/skill_proposal_store.c src/skillgraph/skill_proposal_store.h \
    src/skillgraph/skill_research.c src/skillgraph/skill_research.h
# Conflicts.
src_skillgraph_libskillgraph_a_SOURCES += \
    src/skillgraph/skill_conflict.c src/skillgraph/skill_conflict.h src/skillgraph/skill_conflict_store.c src/skillgraph/skill_conflict_store.h \
    src/skillgraph/skill_scan.c src/skillgraph/skill_scan.h src/skillgraph/skill_scan_cycles.c src/skillgraph/skill_scan_rules.c
# What keeps them in order.
src_skillgraph_libskillgraph_a_SOURCES += \
    src/skillgraph/skill_bridge.c src/skillgraph/skill_bridge.h src/skillgraph/skill_evolve.c \
    src/skillgraph/skill_health.c src/skillgraph/skill_health.h src/skillgraph/skill_net.c src/skillgraph/skill_net.h \
    src/skillgraph/skill_net_store.c src/skillgraph/skill_net_store.h src/skillgraph/skill_repair.c src/skillgraph/skill_repair.h \
    src/skillgraph/skill_team.c src/skillgraph/skill_team.h src/skillgraph/skill_upkeep.c src/skillgraph/skill_upkeep.h \
    src/skillgraph/skill_upkeep_store.c src/skillgraph/skill_upkeep_store.h
# Their operations and pages.
noinst_LIBRARIES += src/skillgraph/libskillgraph_ops.a
src_skillgraph_libskillgraph_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_skillgraph) $(see_skill) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_skillgraph_libskillgraph_ops_a_SOURCES = \
    src/skillgraph/skillgraph_calls.h src/skillgraph/skillgraph_html.h src/skillgraph/skill_proposal_calls.c src/skillgraph/skill_proposals_html.c \
    src/skillgraph/skill_conflict_calls.c src/skillgraph/skill_service_calls.c src/skillgraph/skill_conflicts_html.c src/skillgraph/skillgraph_job.c src/skillgraph/skillgraph_job.h
