-- Jobs: the timetable, its runs, where each job stands, the queue of tasks, and the schedulers that do the work.
-- Re-runnable: each statement may be run again after a failure half-way. All times are UTC, from the database's clock.

CREATE TABLE IF NOT EXISTS job (
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'name of the job; declared in code',
    description VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it does, in one line',
    position INT NOT NULL DEFAULT 0 COMMENT 'order among jobs of the same minute',
    schedule VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'five cron fields, a word such as @daily, or @every',
    time_zone VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'UTC' COMMENT 'UTC, nothing else' CHECK (time_zone = 'UTC'),
    enabled BOOLEAN NOT NULL DEFAULT 1 COMMENT 'off: it never fires',
    paused_at DATETIME(6) NULL COMMENT 'since when it is paused everywhere',
    paused_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'who paused it',
    pause_reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why',
    catchup VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'once' COMMENT 'what becomes of firings missed while nobody ran' CHECK (catchup IN ('once','skip','all')),
    overlap VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'skip' COMMENT 'what becomes of a firing while the run before still goes' CHECK (overlap IN ('skip','queue')),
    after_job VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'job whose run of the same day must have ended first',
    after_policy VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'any' COMMENT 'whether that run must have succeeded' CHECK (after_policy IN ('any','success')),
    time_box_s INT NOT NULL DEFAULT 3600 COMMENT 'seconds a run may take' CHECK (time_box_s BETWEEN 1 AND 86400),
    slice_box_s INT NOT NULL DEFAULT 120 COMMENT 'seconds an account is worked on before others have their turn' CHECK (slice_box_s BETWEEN 1 AND 86400),
    params LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'parameters that differ from the declared ones' CHECK (JSON_VALID(params)),
    next_fire_at DATETIME(6) NULL COMMENT 'when it fires next',
    last_fire_at DATETIME(6) NULL COMMENT 'when it fired last',
    lease_token UUID NULL COMMENT 'pass of a continuous job that is under way',
    lease_until DATETIME(6) NULL COMMENT 'that pass is given up after this',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change by an operator; 1: as declared in code',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (name),
    KEY job_next (next_fire_at)
) COMMENT='the timetable: one row per job of the installation';

CREATE TABLE IF NOT EXISTS job_override (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    job_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the job',
    enabled BOOLEAN NOT NULL DEFAULT 1 COMMENT 'off: the account is left out',
    params LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'parameters of this account, over those of the job' CHECK (JSON_VALID(params)),
    reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it is switched off',
    updated_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'who changed it last',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, job_name)
) COMMENT='what an account changed of a job for itself';

CREATE TABLE IF NOT EXISTS job_run (
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    job_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the job',
    account_id UUID NULL COMMENT 'account of a slice; null: a run',
    parent_id UUID NULL COMMENT 'run a slice belongs to; null: a run',
    `trigger` VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what started it' CHECK (`trigger` IN ('cron','catchup','manual')),
    fire_at DATETIME(6) NOT NULL COMMENT 'the firing it stands for; of a continuous job: the clock hour',
    missed INT NOT NULL DEFAULT 0 COMMENT 'firings it makes up for',
    dry_run BOOLEAN NOT NULL DEFAULT 0 COMMENT 'counts only, changes nothing',
    only_account UUID NULL COMMENT 'a run of this account alone, asked for by its people',
    params LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'parameters of this run, over all others' CHECK (JSON_VALID(params)),
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'how far it is, or how it ended' CHECK (status IN ('waiting','running','succeeded','partial','failed','skipped','cancelled','lost')),
    expanded BOOLEAN NOT NULL DEFAULT 0 COMMENT 'all slices of the run are there',
    cancelled BOOLEAN NOT NULL DEFAULT 0 COMMENT 'somebody asked it to stop',
    guard VARCHAR(150) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'held while it is under way, so that no second one is',
    scanned BIGINT NOT NULL DEFAULT 0 COMMENT 'rows looked at',
    changed BIGINT NOT NULL DEFAULT 0 COMMENT 'rows changed',
    failed BIGINT NOT NULL DEFAULT 0 COMMENT 'rows that failed',
    skipped BIGINT NOT NULL DEFAULT 0 COMMENT 'rows left alone',
    counts LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'further counts by name' CHECK (JSON_VALID(counts)),
    notes LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'the first 20 rows that failed, or of a dry run would change' CHECK (JSON_VALID(notes)),
    progress_done BIGINT NOT NULL DEFAULT 0 COMMENT 'how much is done',
    progress_total BIGINT NOT NULL DEFAULT 0 COMMENT 'of how much; 0: not known',
    error VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'first error outside rows',
    reason VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'why it ended as it did: overlap, after_failed, bound, time_box …',
    host VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'host that worked on it last',
    version VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'version of the program there',
    requested_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'who asked for it',
    created_at DATETIME(6) NOT NULL COMMENT 'when the row was made',
    started_at DATETIME(6) NULL COMMENT 'when work began',
    finished_at DATETIME(6) NULL COMMENT 'when it ended',
    heartbeat_at DATETIME(6) NULL COMMENT 'last sign of life',
    folded_at DATETIME(6) NULL COMMENT 'when the sums of its slices were last taken',
    top TINYINT AS (IF(parent_id IS NULL, 1, NULL)) STORED COMMENT '1 for runs, null for slices',
    PRIMARY KEY (id),
    UNIQUE KEY job_run_once (job_name, fire_at, `trigger`, top),
    UNIQUE KEY job_run_slice (parent_id, account_id),
    UNIQUE KEY job_run_guard (guard),
    KEY job_run_open (top, status, fire_at),
    KEY job_run_list (top, id),
    KEY job_run_of_job (job_name, top, id),
    KEY job_run_account (account_id, id),
    KEY job_run_account_job (account_id, job_name, id)
) COMMENT='history of jobs: a row per run, and one per account that had work in it';

CREATE TABLE IF NOT EXISTS job_state (
    account_id UUID NOT NULL COMMENT 'account the row belongs to; nil: the installation',
    job_name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the job',
    position VARBINARY(255) NULL COMMENT 'the cursor: last key done; null: from the beginning',
    watermark DATETIME(6) NULL COMMENT 'everything changed before this was seen',
    extra LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what else the job keeps' CHECK (JSON_VALID(extra)),
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, job_name)
) COMMENT='where a job stands in an account; written in the transaction of the work it stands for';

CREATE TABLE IF NOT EXISTS task (
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    account_id UUID NOT NULL COMMENT 'account the row belongs to; nil: the installation',
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what is to be done; declared in code',
    priority TINYINT NOT NULL COMMENT '0 goes first' CHECK (priority BETWEEN 0 AND 9),
    payload LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what it is about: ids, never content or secrets' CHECK (JSON_VALID(payload)),
    idem_key VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the same work has the same key',
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'ready' COMMENT 'how far it is' CHECK (status IN ('ready','running','done','dead','cancelled')),
    run_at DATETIME(6) NOT NULL COMMENT 'not before this',
    attempts INT NOT NULL DEFAULT 0 COMMENT 'tries that count',
    max_attempts INT NOT NULL COMMENT 'dead after as many',
    lapses INT NOT NULL DEFAULT 0 COMMENT 'leases lost in a row',
    owner UUID NULL COMMENT 'scheduler that works on it',
    lease_token UUID NULL COMMENT 'who may finish it',
    lease_until DATETIME(6) NULL COMMENT 'taken back after this',
    lane VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'tasks of one lane of an account are done one at a time',
    slot VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'place among the parallel ones of its kind and account, while it runs',
    again BOOLEAN NOT NULL DEFAULT 0 COMMENT 'asked for anew while running: runs once more after',
    run_id UUID NULL COMMENT 'slice or run it works for',
    progress_done BIGINT NOT NULL DEFAULT 0 COMMENT 'how much is done',
    progress_total BIGINT NOT NULL DEFAULT 0 COMMENT 'of how much; 0: not known',
    last_error VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why the last try failed',
    tries LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'times and errors of the failed tries' CHECK (JSON_VALID(tries)),
    created_at DATETIME(6) NOT NULL COMMENT 'when it was asked for',
    started_at DATETIME(6) NULL COMMENT 'when the last try began',
    finished_at DATETIME(6) NULL COMMENT 'when it was done, dead or cancelled',
    PRIMARY KEY (id),
    UNIQUE KEY task_idem (account_id, kind, idem_key),
    UNIQUE KEY task_slot (account_id, kind, slot),
    KEY task_wait (status, priority, kind, account_id, run_at, id),
    KEY task_lease (status, lease_until),
    KEY task_ended (status, finished_at),
    KEY task_run (run_id, status),
    KEY task_list (account_id, id),
    CONSTRAINT task_payload_size CHECK (LENGTH(payload) <= 65536)
) COMMENT='the queue: work that was promised in the transaction of the change that needs it';

CREATE TABLE IF NOT EXISTS task_group (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'kind of task',
    ready BIGINT NOT NULL COMMENT 'how many wait',
    counted_at DATETIME(6) NOT NULL COMMENT 'when they were counted',
    PRIMARY KEY (account_id, kind)
) COMMENT='long queues, counted by the janitor, so that a full one can be refused without counting';

CREATE TABLE IF NOT EXISTS scheduler (
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    host VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'where it runs',
    pid INT NOT NULL COMMENT 'process there',
    version VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'version of the program',
    threads INT NOT NULL COMMENT 'tasks it does at once',
    running INT NOT NULL DEFAULT 0 COMMENT 'tasks it works on',
    skew_us BIGINT NOT NULL DEFAULT 0 COMMENT 'its clock minus the database''s',
    started_at DATETIME(6) NOT NULL COMMENT 'when it began',
    heartbeat_at DATETIME(6) NOT NULL COMMENT 'last sign of life, every 5 s',
    stopping BOOLEAN NOT NULL DEFAULT 0 COMMENT 'takes no new work',
    PRIMARY KEY (id)
) COMMENT='the loci-scheduler processes that live';

CREATE TABLE IF NOT EXISTS job_metric (
    name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'name of the counter',
    subject VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'job or kind of task',
    detail VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'status, or what was counted',
    value DOUBLE NOT NULL DEFAULT 0 COMMENT 'the count so far',
    PRIMARY KEY (name, subject, detail)
) COMMENT='counters of all schedulers since installation, for /metrics';

-- What the cleanup of expired things asks by. Of grants there are few. Of nodes there are many, most of which never expire:
-- an index that begins with the time costs nothing while nothing is due, whatever the optimizer believes of the table.
CREATE INDEX IF NOT EXISTS space_grant_expires ON space_grant (account_id, expires_at);
CREATE INDEX IF NOT EXISTS node_due ON node (expires_at);
DROP INDEX IF EXISTS node_expires ON node;
