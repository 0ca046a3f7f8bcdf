/* What of an account is exported: its tables in the order in which they are imported, and their columns. */
#include "transfer_table.h"

#include <assert.h>
#include <string.h>

#include "json.h"

/* A new table with an account_id belongs here, or into LEFT_OUT: tests/api/transfer.test.mjs compares both with the schema.
 * name:type; a ? behind it: may be null. Types: u id, s text, r text that may end in an id, i whole number, d number, t time,
 * b bytes, D day, V vector. Tables that others refer to come first; ids of those with words of their own (their third column) may already
 * be there under another id. */
static const struct declared {
    const char *name, *key, *words;
    enum transfer_part part;
    const char *columns;
} TABLES[] = {
    {"account", "", NULL, TRANSFER_ALWAYS,
     "name:s settings:s version:i created_at:t updated_at:t"},
    {"role", "name", NULL, TRANSFER_ALWAYS,
     "name:s kind:s description:s"},
    {"role_permission", "role permission", NULL, TRANSFER_ALWAYS,
     "role:s permission:s"},
    {"user", "id", "email", TRANSFER_ALWAYS,
     "id:u email:s name:s role:s status:s last_login_at:t? version:i created_at:t updated_at:t"},
    {"agent", "id", "slug", TRANSFER_ALWAYS,
     "id:u slug:s name:s kind:s description:s? role:s parent_id:u? status:s trust:d version:i created_at:t "
     "updated_at:t"},
    {"agent_role", "agent_id role", NULL, TRANSFER_ALWAYS,
     "agent_id:u role:s created_at:t"},
    {"agent_key", "id", "agent_id public_key", TRANSFER_ALWAYS,
     "id:u agent_id:u name:s public_key:b valid_from:t valid_to:t? revoked_at:t? created_at:t"},
    {"team", "id", "slug", TRANSFER_ALWAYS,
     "id:u slug:s name:s description:s? version:i created_at:t updated_at:t"},
    {"team_member", "team_id agent_id", NULL, TRANSFER_ALWAYS,
     "team_id:u agent_id:u role:s is_lead:i created_at:t"},
    {"job_override", "job_name", NULL, TRANSFER_ALWAYS,
     "job_name:s enabled:i params:s reason:s? updated_by:s version:i updated_at:t"},
    {"space", "id", "kind slug", TRANSFER_ALWAYS,
     "id:u kind:s slug:r name:s description:s? parent_id:u? owner_agent_id:u? team_id:u? settings:s status:s "
     "version:i created_at:t updated_at:t archived_at:t? expires_at:t? deleted_at:t?"},
    {"space_grant", "id", "space_id grantee_kind grantee_id", TRANSFER_ALWAYS,
     "id:u space_id:u grantee_kind:s grantee_id:r level:s granted_by:u? created_at:t expires_at:t?"},
    {"context", "space_id", NULL, TRANSFER_ALWAYS,
     "space_id:u context_type:s scope:s agent_id:u? created_by_user_id:u? context_data:s metadata:s "
     "retention_policy:s entry_count:i data_size_bytes:i last_modified_at:t access_count:i last_accessed_at:t?"},
    {"pool", "space_id", NULL, TRANSFER_ALWAYS,
     "space_id:u pool_type:s scope:s persist_across_executions:i task_execution_id:s? workflow_run_id:s? "
     "session_id:s? metadata:s retention_policy:s version:i key_count:i data_size_bytes:i access_count:i "
     "write_count:i evicted_count:i expired_count:i last_write_at:t?"},
    {"workflow_run", "run_id", NULL, TRANSFER_ALWAYS,
     "run_id:s started_by_kind:s started_by:u started_at:t finished_at:t?"},
    {"workflow_participant", "run_id agent_id", NULL, TRANSFER_ALWAYS,
     "run_id:s agent_id:u joined_at:t"},
    {"node", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u kind:s title:s body:s attrs:s status:s importance:d confidence:d trust:d surprise:d "
     "decay_rate:d access_count:i referenced_count:i last_access_at:t? decayed_at:t is_pinned:i source_kind:s? "
     "source_id:r? author_kind:s author_id:u content_hash:b occurrences:i version:i previous_id:u? "
     "superseded_by:u? tokens:i valid_from:t? valid_to:t? created_at:t updated_at:t expires_at:t? "
     "archived_at:t? forgotten_at:t?"},
    {"entry", "node_id", NULL, TRANSFER_ALWAYS,
     "node_id:u space_id:u head_id:u? entry_key:s live:i? version:i entry_type:s memory_type:s content:s "
     "content_hash:b size_bytes:i context_tags:s task_context:s? metadata:s outcome_success:i?"},
    {"fact", "node_id", NULL, TRANSFER_ALWAYS,
     "node_id:u space_id:u slot_key:b current:i? predicate:s object_json:s object_key:b mention_count:i "
     "first_seen_at:t last_seen_at:t"},
    {"knowledge", "id", NULL, TRANSFER_ALWAYS,
     "id:u content_type:s access_level:s source_type:s provenance:s creator_id:u structure:d quality_score:d "
     "rating_sum:i rating_count:i last_quality_recalc_at:t stale_at:t? text_hash:b live_key:b? echo_ratio:d title_hash:b?"},
    {"knowledge_rating", "knowledge_id principal_id", NULL, TRANSFER_ALWAYS,
     "knowledge_id:u principal_id:u rating:i rated_at:t"},
    {"learning", "id", NULL, TRANSFER_ALWAYS,
     "id:u category:s scope:s extraction_method:s injection_count:i positive_outcome_count:i "
     "negative_outcome_count:i applicable_domains:s source_agent_id:u? source_execution_id:s? "
     "source_execution_successful:i? learned_at:t verified_at:t? verified_by:u? disproven_at:t? disproven_by:u? "
     "before_dispute:s? contradiction_note:s? contradiction_resolved_at:t? promoted_at:t? last_injected_at:t? "
     "text_hash:b live_key:b? echo_ratio:d imported_at:t?"},
    {"node_use", "node_id", NULL, TRANSFER_ALWAYS,
     "node_id:u uses:i last_used_at:t"},
    {"pool_entry", "space_id entry_key", NULL, TRANSFER_ALWAYS,
     "space_id:u entry_key:s node_id:u value:s size:i version:i writer_kind:s writer_id:u created_at:t "
     "updated_at:t expires_at:t? deleted_at:t?"},
    {"edge", "id", NULL, TRANSFER_ALWAYS,
     "id:u source_id:u target_id:u relation:s weight:d confidence:d bidirectional:i status:s valid_from:t? "
     "valid_to:t? recorded_at:t retired_at:t? metadata:s version:i updated_at:t"},
    {"snapshot", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u name:s is_automatic:i entry_count:i context_data:s data_hash:b author_kind:s author_id:u "
     "created_at:t"},
    {"snapshot_item", "snapshot_id entry_key", NULL, TRANSFER_ALWAYS,
     "snapshot_id:u entry_key:s node_id:u version:i content_hash:b"},
    {"pool_snapshot", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u name:s is_automatic:i pool_version:i key_count:i data_size_bytes:i data_hash:b author_kind:s author_id:u "
     "created_at:t"},
    {"pool_snapshot_item", "snapshot_id entry_key", NULL, TRANSFER_ALWAYS,
     "snapshot_id:u entry_key:s value:s expires_at:t?"},
    {"short_term_memory", "id", "agent_id session_id memory_key", TRANSFER_ALWAYS,
     "id:u agent_id:u session_id:s memory_key:s memory_value:s memory_type:s tags:s ttl_seconds:i expires_at:t "
     "access_count:i last_accessed_at:t? version:i content_hash:b promote_state:s promote_attempts:i "
     "promote_error:s? promoted_node_id:u? created_at:t updated_at:t"},
    {"node_merge", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u kind:s keeper_id:u loser_id:u loser_key:s nth:i similarity:d rule:s keeper_importance:d "
     "keeper_decayed_at:t keeper_confidence:d set_importance:d? set_confidence:d? loser_status:s given_uses:i "
     "given_named:i given_tags:s actor_kind:s actor_id:u? merged_at:t undone_at:t?"},
    {"duplicate_candidate", "id", "a_id b_id", TRANSFER_ALWAYS,
     "id:u space_id:u kind:s a_id:u b_id:u similarity:d reason:s state:s found_at:t decided_at:t? decided_by:u?"},
    {"memory_finding", "node_id class", NULL, TRANSFER_ALWAYS,
     "node_id:u class:s space_id:u value:d other_id:u? found_at:t"},
    {"memory_census", "day space_id class", NULL, TRANSFER_ALWAYS,
     "day:D space_id:u class:s found:i"},
    {"escalation", "id", "dedup_key", TRANSFER_ALWAYS,
     "id:u asker_kind:s agent_id:u title:s escalation_type:s severity:s status:s context:s question_hash:b "
     "dedup_key:b? seen_count:i last_seen_at:t resolved_at:t? resolved_by:u? resolution:s? answer_node_id:u? "
     "version:i created_at:t updated_at:t"},
    {"embedding_model", "id", "provider name", TRANSFER_VECTORS,
     "id:u provider:s name:s dim:i state:s created_at:t at_zero:d? at_half:d? measured_at:t? retired_at:t?"},
    {"vector", "node_id model_id", NULL, TRANSFER_VECTORS,
     "node_id:u model_id:u dim:i data:V text_hash:b updated_at:t precision_name:s"},
    {"audit_event", "id", NULL, TRANSFER_AUDIT,
     "id:u at:t kind:s actor_kind:s actor_id:u? subject_kind:s subject_id:u? space_id:u? request_id:s ip:s "
     "before_state:s? after_state:s? payload:s? signature:b? is_news:i"},
    {"access_log", "id", NULL, TRANSFER_AUDIT,
     "id:u space_id:u entry_id:u? action:s access_type:s success:i error_message:s? user_id:u? agent_id:u? "
     "version_before:i? version_after:i? size_change:i? request_id:s ip:s user_agent:s metadata:s? created_at:t"},
};

/* What has an account_id and stays where it is, and why. */
static const struct transfer_left LEFT_OUT[] = {
    {"token", "secrets: whoever moves makes new ones"},
    {"outbox", "news on its way"},
    {"idempotency_key", "answers of the last day"},
    {"event_stream", "where the relay of this installation stands"},
    {"event_batch", "news by the numbers of this installation"},
    {"webhook", "secrets sealed by this installation: whoever moves makes new ones"},
    {"webhook_delivery", "what was posted from here"},
    {"job_run", "history of this installation"},
    {"job_state", "where this installation's jobs stand"},
    {"task", "work promised here"},
    {"task_group", "counted from task"},
    {"llm_usage", "what was spent here"},
    {"recall_pack", "made from the nodes"},
    {"recall_pack_head", "made from the nodes"},
    {"transfer", "exports and imports themselves"},
    {NULL, NULL},
};

const struct transfer_left *transfer_left_out(void)
{
    return LEFT_OUT;
}

static enum transfer_type type_of(char letter)
{
    static const char LETTERS[] = "usridtbDV";
    const char *at = strchr(LETTERS, letter);

    assert(at && letter);
    return (enum transfer_type)(at - LETTERS);
}

static size_t count_words(const char *s)
{
    size_t n = 0;

    for (; *s; n++) {
        s += strcspn(s, " ");
        s += strspn(s, " ");
    }
    return n;
}

static struct transfer_column *read_columns(struct arena *a, const char *s, size_t *n)
{
    struct transfer_column *v = ARENA_ARRAY(a, struct transfer_column, count_words(s));

    for (*n = 0; *s; ++*n) {
        size_t len = strcspn(s, " "), name = strcspn(s, ":");

        v[*n] = (struct transfer_column){arena_strndup(a, s, name), type_of(s[name + 1]), s[len - 1] == '?'};
        s += len;
        s += strspn(s, " ");
    }
    return v;
}

/* Where the columns stand that the words name. */
static size_t *places_of(struct arena *a, const struct transfer_table *t, const char *words, size_t *n)
{
    size_t *places = ARENA_ARRAY(a, size_t, words ? count_words(words) + 1 : 1);

    for (*n = 0; words && *words; ++*n) {
        size_t len = strcspn(words, " "), i = 0;

        while (i < t->n_columns && (strlen(t->columns[i].name) != len || strncmp(t->columns[i].name, words, len) != 0))
            i++;
        assert(i < t->n_columns);
        places[*n] = i;
        words += len;
        words += strspn(words, " ");
    }
    return places;
}

const struct transfer_tables *transfer_tables_read(struct arena *a)
{
    struct transfer_tables *all = ARENA_NEW(a, struct transfer_tables);

    all->n = sizeof TABLES / sizeof *TABLES;
    all->v = ARENA_ARRAY(a, struct transfer_table, all->n);
    for (size_t i = 0; i < all->n; i++) {
        struct transfer_table *t = &all->v[i];

        t->name = TABLES[i].name;
        t->part = TABLES[i].part;
        t->columns = read_columns(a, TABLES[i].columns, &t->n_columns);
        assert(t->n_columns <= TRANSFER_COLUMNS_MAX);
        t->key = places_of(a, t, TABLES[i].key, &t->n_key);
        t->words = places_of(a, t, TABLES[i].words, &t->n_words);
    }
    return all;
}

const struct transfer_table *transfer_table_find(const struct transfer_tables *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].name, name) == 0)
            return &all->v[i];
    return NULL;
}

const struct transfer_column *transfer_column_find(const struct transfer_table *t, const char *name, size_t *place)
{
    for (*place = 0; *place < t->n_columns; ++*place)
        if (strcmp(t->columns[*place].name, name) == 0)
            return &t->columns[*place];
    return NULL;
}
