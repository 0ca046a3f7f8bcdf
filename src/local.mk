# The programs. They see everything and only start things up.

# Top to bottom, as the floors are: a library needs only what stands after it.
loci_archives = \
    src/admin/libadmin.a \
    src/mcp/libmcp.a \
    src/http/libhttp.a \
    src/jobs/libjobs_ops.a \
    src/transfer/libtransfer_ops.a \
    src/steer/libsteer_ops.a \
    src/evaluation/libevaluation_ops.a \
    src/kgraph/libkgraph_ops.a \
    src/rag/librag_ops.a \
    src/sessionlog/libsessionlog_ops.a \
    src/skillgraph/libskillgraph_ops.a \
    src/attach/libattach_ops.a \
    src/skillmd/libskillmd_ops.a \
    src/skill/libskill_ops.a \
    src/taxonomy/libtaxonomy_ops.a \
    src/page/libpage_ops.a \
    src/feed/libfeed_ops.a \
    src/knowledge/libknowledge_ops.a \
    src/inbox/libinbox_ops.a \
    src/watch/libwatch_ops.a \
    src/trust/libtrust_ops.a \
    src/oversight/liboversight_ops.a \
    src/notify/libnotify_ops.a \
    src/lifecycle/liblifecycle_ops.a \
    src/memory/libmemory_ops.a \
    src/attest/libattest_ops.a \
    src/note/libnote_ops.a \
    src/reading/libreading_ops.a \
    src/brief/libbrief_ops.a \
    src/archival/libarchival_ops.a \
    src/playground/libplayground_ops.a \
    src/work/libwork_ops.a \
    src/policy/libpolicy_ops.a \
    src/rules/librules_ops.a \
    src/belief/libbelief_ops.a \
    src/episode/libepisode_ops.a \
    src/recall/librecall_ops.a \
    src/graph/libgraph_ops.a \
    src/people/libpeople_ops.a \
    src/event/libevent_ops.a \
    src/transfer/libtransfer.a \
    src/steer/libsteer.a \
    src/evaluation/libevaluation.a \
    src/kgraph/libkgraph.a \
    src/rag/librag.a \
    src/page/libpage.a \
    src/attach/libattach.a \
    src/wikitext/libwikitext.a \
    src/sessionlog/libsessionlog.a \
    src/brief/libbrief.a \
    src/archival/libarchival.a \
    src/skillgraph/libskillgraph.a \
    src/skillmd/libskillmd.a \
    src/skill/libskill.a \
    src/feed/libfeed.a \
    src/community/libcommunity.a \
    src/knowledge/libknowledge.a \
    src/passage/libpassage.a \
    src/event/libevent.a \
    src/inbox/libinbox.a \
    src/watch/libwatch.a \
    src/trust/libtrust.a \
    src/oversight/liboversight.a \
    src/lifecycle/liblifecycle.a \
    src/memory/libmemory.a \
    src/advise/libadvise.a \
    src/reading/libreading.a \
    src/work/libwork.a \
    src/policy/libpolicy.a \
    src/attest/libattest.a \
    src/note/libnote.a \
    src/belief/libbelief.a \
    src/rules/librules.a \
    src/episode/libepisode.a \
    src/taxonomy/libtaxonomy.a \
    src/jobs/libjobs.a \
    src/sanitize/libsanitize.a \
    src/extract/libextract.a \
    src/notify/libnotify.a \
    src/recall/librecall.a \
    src/graph/libgraph.a \
    src/people/libpeople.a \
    src/call/libcall.a \
    src/view/libview.a \
    src/access/libaccess.a \
    src/record/librecord.a \
    src/intake/libintake.a \
    src/intake/libextract.a \
    src/llm/libllm.a \
    src/embed/libembed.a \
    src/net/libnet.a \
    src/store/libstore.a \
    src/simd/libsimd.a \
    src/field/libfield.a \
    src/base/libbase.a
loci_syslibs = $(FCGI_LIBS) $(MARIADB_LIBS) $(HIREDIS_LIBS) $(YAJL_LIBS) $(SODIUM_LIBS) $(CURL_LIBS) \
    $(UTF8PROC_LIBS) $(STEMMER_LIBS) -lcmark-gfm-extensions $(CMARK_LIBS) -lpthread -lm

program_sources = src/libraries.c src/libraries.h src/start.c src/start.h src/calls.c src/calls.h src/jobs_list.c src/jobs_list.h src/space_rooms_list.c src/space_rooms_list.h

if HAVE_WEB
bin_PROGRAMS += loci-web
loci_web_SOURCES = src/loci-web.c src/memory_metrics.c src/memory_metrics.h src/pages.c src/pages.h src/serving.c src/serving.h $(program_sources)
loci_web_LDADD = $(loci_archives) $(loci_syslibs)
endif
if HAVE_SCHEDULER
bin_PROGRAMS += loci-scheduler
loci_scheduler_SOURCES = src/loci-scheduler.c $(program_sources)
loci_scheduler_LDADD = $(loci_archives) $(loci_syslibs)
endif
if HAVE_CTL
bin_PROGRAMS += locictl
locictl_SOURCES = src/locictl.c src/ctl.h src/ctl_doctor.c src/ctl_grant.c src/ctl_identity.c src/ctl_job.c src/ctl_mcp.c src/ctl_model.c src/ctl_recall.c src/ctl_space.c src/ctl_system.c src/ctl_transfer.c src/ctl_page.c src/ctl_skill.c src/serving.c src/serving.h $(program_sources)
locictl_LDADD = $(loci_archives) $(loci_syslibs)
endif

# The confined child that reads foreign formats.
libexec_PROGRAMS += loci-extract
loci_extract_SOURCES = src/loci-extract.c
loci_extract_LDADD = src/intake/libextract.a src/base/libbase.a $(GUMBO_LIBS) $(EXPAT_LIBS) $(ZLIB_LIBS) $(YAJL_LIBS) $(SODIUM_LIBS) $(UTF8PROC_LIBS) -lpthread -lm
