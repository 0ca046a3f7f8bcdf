# People, agents, teams and what they prove themselves with.
noinst_LIBRARIES += src/people/libpeople.a
src_people_libpeople_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_people_libpeople_a_SOURCES = \
    src/people/account.c src/people/account.h \
    src/people/account_store.c src/people/account_store.h \
    src/people/agent.c src/people/agent.h \
    src/people/agent_key.c \
    src/people/agent_key_store.c \
    src/people/agent_store.c src/people/agent_store.h \
    src/people/session.c src/people/session.h \
    src/people/session_impl.h \
    src/people/session_store.c \
    src/people/team.c src/people/team.h \
    src/people/team_store.c src/people/team_store.h \
    src/people/token.c src/people/token.h \
    src/people/token_store.c src/people/token_store.h \
    src/people/user.c src/people/user.h \
    src/people/user_store.c src/people/user_store.h

# Operations and pages.
noinst_LIBRARIES += src/people/libpeople_ops.a
src_people_libpeople_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_people) $(see_call) $(see_view) $(see_access) $(see_record) $(see_field) $(see_base)
src_people_libpeople_ops_a_SOURCES = \
    src/people/people_calls.h src/people/people_html.h src/people/people_parts_html.c \
    src/people/agent_calls.c \
    src/people/agents_html.c \
    src/people/role_calls.c \
    src/people/session_calls.c \
    src/people/team_calls.c \
    src/people/teams_html.c \
    src/people/token_calls.c \
    src/people/tokens_html.c \
    src/people/user_calls.c \
    src/people/users_html.c
