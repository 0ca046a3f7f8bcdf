/* The operations of the junk audit. */
#include "job_service.h"
#include "junk.h"
#include "junk_job.h"
#include "memory_calls.h"

#define TAG .tag = "memory"
#define PATH "/api/v1/ai/memory/audit"
#define COUNT_MAX 9e15

static const struct field CLASS_OUT[] = {
    F_ENUM(struct junk_class, class, 0, finding_class, FINDING_EXACT_COPY, "class of the finding"),
    F_INT(struct junk_class, found, 0, 0, COUNT_MAX, 0, "memories of this class"),
    F_NUM(struct junk_class, share, 0, 0, 1, 0, "share of all memories"),
    F_STRS(struct junk_class, samples, 0, JUNK_SAMPLES, "ids of some of them, worst first"),
    F_END
};

static const struct field SPACE_OUT[] = {
    F_UUID(struct junk_space, space_id, 0, "the space"),
    F_INT(struct junk_space, nodes, 0, 0, COUNT_MAX, 0, "number of memories"),
    F_INT(struct junk_space, junk, 0, 0, COUNT_MAX, 0, "junk memories"),
    F_NUM(struct junk_space, junk_ratio, 0, 0, 1, 0, "share of junk"),
    F_END
};

static const struct field DAY_OUT[] = {
    F_STR(struct junk_day, day, 0, 10, 10, "YYYY-MM-DD, UTC"),
    F_INT(struct junk_day, nodes, 0, 0, COUNT_MAX, 0, "number of memories"),
    F_INT(struct junk_day, junk, 0, 0, COUNT_MAX, 0, "junk memories"),
    F_NUM(struct junk_day, junk_ratio, 0, 0, 1, 0, "share of junk"),
    F_END
};

static const struct field REPORT_OUT[] = {
    F_STR(struct junk_report, day, FIELD_NULLABLE, 10, 10, "day of the last audit; null: none yet"),
    F_INT(struct junk_report, nodes, 0, 0, COUNT_MAX, 0, "memories audited"),
    F_INT(struct junk_report, junk, 0, 0, COUNT_MAX, 0, "junk: exact copies, echoes, texts without content, and staleness of 0.9 or more"),
    F_NUM(struct junk_report, junk_ratio, 0, 0, 1, 0, "share of junk"),
    F_LIST(struct junk_report, classes, 0, FINDING_CLASSES, CLASS_OUT, struct junk_class, "by class"),
    F_LIST(struct junk_report, spaces, 0, JUNK_SPACES, SPACE_OUT, struct junk_space, "by space, most junk first"),
    F_LIST(struct junk_report, curve, 0, JUNK_DAYS + 1, DAY_OUT, struct junk_day, "by day, newest first"),
    F_END
};

OP_CALL(MEMORY_AUDIT, void, struct junk_report, junk_report(c, out),
        .name = "memory.audit", .method = "GET", .path = PATH, .tool = "memory_audit", TAG,
        .summary = "Returns the data quality audit: counts of copies, echoes, stale memories …, with samples and history.",
        .perm = PERM_MEMORY_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT,
        OP_OUT(REPORT_OUT, struct junk_report));

/* ---- rows */

static const struct field ITEMS_IN[] = {
    F_ENUM(struct junk_filter, class, FIELD_REQUIRED, finding_class, FINDING_EXACT_COPY,
           "class of the finding; stale: the review list of rot_detection"),
    F_UUID(struct junk_filter, space_id, 0, "only of this space"),
    F_PAGE(struct junk_filter),
    F_END
};

static const struct field ITEM_OUT[] = {
    F_UUID(struct junk_item, node_id, 0, "id of the memory"),
    F_UUID(struct junk_item, space_id, 0, "space of the memory"),
    F_STR(struct junk_item, kind, 0, 0, 32, "kind"),
    F_STR(struct junk_item, title, FIELD_NULLABLE, 0, 500, "title or key; null if the caller may not read it"),
    F_ENUM(struct junk_item, class, 0, finding_class, FINDING_EXACT_COPY, "class of the finding"),
    F_NUM(struct junk_item, value, 0, 0, 1, 0, "severity, by the rule of its class"),
    F_UUID(struct junk_item, other_id, FIELD_NULLABLE, "for a copy: id of the original"),
    F_STR(struct junk_item, other_title, FIELD_NULLABLE, 0, 500, "the title or key of that; null where the caller may not read it"),
    F_TIME(struct junk_item, found_at, 0, "time of the last finding"),
    F_END
};

OP_CALL(MEMORY_AUDIT_ITEMS, struct junk_filter, struct page, junk_items(c, in, out),
        .name = "memory.audit_items", .method = "GET", .path = PATH "/items", TAG,
        .summary = "Lists the memories of one class of the audit, newest first.",
        .perm = PERM_MEMORY_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(ITEMS_IN, struct junk_filter), OP_OUT(ITEM_OUT, struct junk_item));

/* ---- now */

struct run_out {
    struct uuid id;
};

static const struct field RUN_OUT[] = {
    F_UUID(struct run_out, id, 0, "id of the run"),
    F_END
};

static err junk_call_run(struct ctx *c, const void *in, void *out)
{
    struct run_request r = {.job = junk_audit_job.name};
    struct instant now;

    (void)in;
    TRY(jobs_now(c, &now));
    return job_run_request(c, &r, now, &((struct run_out *)out)->id);
}

static const struct op MEMORY_AUDIT_RUN = {
    .name = "memory.audit_run", .method = "POST", .path = PATH "/run", TAG,
    .summary = "Audits all memories of the account now, like the nightly job.",
    .help = "Only one requested run at a time: 409 while another is in progress.",
    .perm = PERM_MEMORY_MANAGE, .flags = OP_ACCEPTED,
    OP_OUT(RUN_OUT, struct run_out), .run = junk_call_run,
};

struct clean_in {
    struct given given;
    struct strs classes;
    struct uuids node_ids;
    bool dry_run;
};

static const struct field CLEAN_IN[] = {
    F_STRS(struct clean_in, classes, FIELD_REQUIRED, FINDING_CLASSES, "classes whose findings are archived"),
    F_UUIDS(struct clean_in, node_ids, 0, JUNK_CLEAN_MAX, "only these of what was found"),
    F_BOOL(struct clean_in, dry_run, 0, true, "dry run: only count"),
    F_END
};

static const struct field CLEAN_OUT[] = {
    F_UUID(struct junk_cleaned, run_id, 0, "id of this clean; named in the audit trail"),
    F_BOOL(struct junk_cleaned, dry_run, 0, true, "dry run: nothing was archived"),
    F_INT(struct junk_cleaned, matched, 0, 0, JUNK_CLEAN_MAX, 0, "memories of these classes, without pinned ones and pool keys"),
    F_INT(struct junk_cleaned, archived, 0, 0, JUNK_CLEAN_MAX, 0, "archived memories"),
    F_BOOL(struct junk_cleaned, has_more, 0, false, "there are more: call again"),
    F_END
};

static err junk_call_clean(struct ctx *c, const void *in, void *out)
{
    const struct clean_in *i = in;
    bool classes[FINDING_CLASSES] = {0};

    for (size_t k = 0; k < i->classes.n; k++) {
        int class;

        if (!enumx_parse(&finding_class_enumx, i->classes.v[k], &class))
            return fail_field(c, arena_printf(c->arena, "/classes/%zu", k), "unknown class '%s'", i->classes.v[k]);
        classes[class] = true;
    }
    return junk_clean(c, classes, given(i, node_ids) ? &i->node_ids : NULL, i->dry_run, out);
}

static const struct op MEMORY_AUDIT_CLEAN = {
    .name = "memory.audit_clean", .method = "POST", .path = PATH "/clean", TAG,
    .summary = "Archives memories found by the audit; by default a dry run.",
    .help = "All can be restored by the run_id, or one by one by id. Of copies the first one is kept.",
    .perm = PERM_MEMORY_MANAGE, .flags = OP_DESTRUCTIVE | OP_GIVEN,
    OP_IN(CLEAN_IN, struct clean_in), OP_OUT(CLEAN_OUT, struct junk_cleaned), .run = junk_call_clean,
};

struct undo_in {
    struct uuid run_id;
};

static const struct field UNDO_IN[] = {
    F_UUID(struct undo_in, run_id, FIELD_REQUIRED, "run_id of the clean"),
    F_END
};

static const struct field UNDONE_OUT[] = {
    F_INT(struct junk_undone, restored, 0, 0, JUNK_UNDO_MAX, 0, "memories restored"),
    F_INT(struct junk_undone, kept, 0, 0, JUNK_CLEAN_MAX, 0, "memories not restored because their key is in use"),
    F_BOOL(struct junk_undone, has_more, 0, false, "more may remain: call again"),
    F_END
};

OP_CALL(MEMORY_AUDIT_UNDO, struct undo_in, struct junk_undone, junk_undo(c, in->run_id, out),
        .name = "memory.audit_undo", .method = "POST", .path = PATH "/undo", TAG,
        .summary = "Restores the memories archived by a clean.", .help = "200 per call. Memories already restored stay unchanged.",
        .perm = PERM_MEMORY_MANAGE, .flags = OP_IDEMPOTENT,
        OP_IN(UNDO_IN, struct undo_in), OP_OUT(UNDONE_OUT, struct junk_undone));

const struct op *const junk_calls_table[] = {&MEMORY_AUDIT, &MEMORY_AUDIT_ITEMS, &MEMORY_AUDIT_RUN, &MEMORY_AUDIT_CLEAN, &MEMORY_AUDIT_UNDO,
                                             NULL};
