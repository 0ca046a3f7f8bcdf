-- Proposals that a job makes of gaps have no proposer. Re-runnable.

ALTER TABLE skill_proposal MODIFY proposed_by UUID NULL COMMENT 'principal who proposed it; NULL: a job';
