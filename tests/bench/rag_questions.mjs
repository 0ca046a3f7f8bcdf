// Questions about PostgreSQL, Python and Debian, each with the page of the documentation that answers it.
export const QUESTIONS = [
  ['How do I make a point-in-time recovery of a PostgreSQL server?', /continuous-archiving/], ['Which isolation levels does PostgreSQL offer, and which phenomena do they allow?', /transaction-iso/],
  ['How can I see which queries are running in PostgreSQL right now?', /monitoring-stats|monitoring/], ['What does VACUUM FULL do that VACUUM does not?', /sql-vacuum|routine-vacuuming|maintenance/],
  ['How do I set up logical replication with publications and subscriptions?', /logical-replication|sql-create(publication|subscription)/], ['When should a partial index be used?', /indexes-partial/],
  ['What is a covering index and how does INCLUDE work?', /indexes-index-only|sql-createindex/], ['How are passwords checked with scram-sha-256 in pg_hba.conf?', /auth-(password|pg-hba)|runtime-config-connection/],
  ['How can a table be partitioned by range of dates?', /ddl-partitioning/], ['What does ON CONFLICT DO UPDATE do?', /sql-insert/],
  ['How do I write a recursive query with WITH RECURSIVE?', /queries-with/], ['How is full text search ranked?', /textsearch-controls/],
  ['How do I dump a single table with pg_dump?', /app-pgdump|backup-dump/], ['What do advisory locks protect, and how are they released?', /explicit-locking|functions-admin/],
  ['How do I read the plan that EXPLAIN ANALYZE prints?', /using-explain|sql-explain/], ['How does a Python context manager handle exceptions in __exit__?', /datamodel|contextlib|compound_stmts|stdtypes/],
  ['How do I run several coroutines at the same time and wait for all results?', /asyncio/], ['How is a dataclass made immutable?', /dataclasses/],
  ['How do I read a CSV file with a header into dictionaries?', /csv/], ['What is the difference between a deep copy and a shallow copy?', /copy/],
  ['How does structural pattern matching with match and case work?', /compound_stmts|controlflow|whatsnew\/3.10/], ['How do I start a subprocess and read its output?', /subprocess/],
  ['How can a function cache its results by its arguments?', /functools/], ['How do I format a date as ISO 8601 and parse it again?', /datetime/],
  ['What does the global interpreter lock prevent?', /glossary|threading|init|faq|thread/], ['How do I write a C extension module for Python?', /extending/],
  ['How do I add a repository to APT and verify its key?', /apt|sect.*(package|auth)/i], ['How is software RAID set up in Debian?', /raid|lvm|advanced/i],
  ['How do I configure the network with a static IP address in Debian?', /network|config/i], ['How does a Debian package get built from source?', /packag|debian/i],
];
