/* The settings of a process: one table of keys, read from loci.conf and the environment. */
#ifndef LOCI_CONFIG_H
#define LOCI_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "json.h"

/* S: text, P: secret text (masked; key_file reads it from a file), I: integer with range, B: yes/no.
 * member, section, key, default, min, max, help */
#define CONFIG_KEYS(S, P, I, B) \
    S(db_socket, "db", "socket", "", "unix socket of MariaDB; empty: host and port are used") \
    S(db_host, "db", "host", "127.0.0.1", "host of MariaDB, used when no socket is set") \
    I(db_port, "db", "port", 3306, 1, 65535, "port of MariaDB") \
    S(db_hosts, "db", "hosts", "", "nodes of a Galera cluster, host:port or sockets, with commas; empty: db.socket, or db.host") \
    S(db_user, "db", "user", "loci", "user of MariaDB") \
    P(db_password, "db", "password", "", "password of that user") \
    B(db_tls, "db", "tls", false, "require TLS to MariaDB, with a valid certificate for db.host") \
    S(db_tls_ca, "db", "tls_ca", "", "file with the CA certificates to trust; empty: those of the system") \
    S(db_tls_cert, "db", "tls_cert", "", "file with the client certificate, if MariaDB requires one") \
    S(db_tls_key, "db", "tls_key", "", "file with the key of the client certificate") \
    S(db_name, "db", "name", "loci", "database (schema) that holds Loci's tables") \
    S(redis_socket, "redis", "socket", "", "unix socket of Redis; empty: host and port are used") \
    S(redis_host, "redis", "host", "127.0.0.1", "host of Redis, when no socket is set") \
    I(redis_port, "redis", "port", 6379, 1, 65535, "port of Redis") \
    S(redis_sentinels, "redis", "sentinels", "", "Sentinels of Redis, host:port, with commas; empty: redis.socket, or redis.host") \
    S(redis_master, "redis", "master", "loci", "name of the master that the sentinels watch") \
    P(redis_password, "redis", "password", "", "password of Redis, if it needs one") \
    I(redis_timeout_ms, "redis", "timeout_ms", 1000, 10, 60000, "timeout of one Redis command") \
    S(web_socket, "web", "socket", "", "FastCGI unix socket to listen on; empty: standard input is the socket (systemd, spawn-fcgi)") \
    I(web_threads, "web", "threads", 24, 1, 512, "requests served at once; keep the number of nginx's kept FastCGI connections below it") \
    I(web_request_memory_mb, "web", "request_memory_mb", 192, 32, 1048576, "memory of a loci-web for all running requests, in MiB; a request that needs more gets 413, one that would fit later 503") \
    S(web_public_url, "web", "public_url", "http://127.0.0.1:8080", "public address of the pages; used for links and the Origin check") \
    S(web_upload_dir, "web", "upload_dir", "/var/tmp", "folder for uploads while they are read") \
    S(transfer_dir, "transfer", "dir", "/var/lib/loci/transfer", "folder of export and import files; must be shared by all hosts of Loci") \
    I(transfer_keep_days, "transfer", "keep_days", 7, 1, 365, "days an export or import and its file are kept") \
    I(transfer_max_mb, "transfer", "max_mb", 10240, 1, 1048576, "maximum size of an export in megabytes") \
    I(http_max_body, "http", "max_body", 1048576, 1024, 67108864, "maximum size of a request body in bytes") \
    I(http_max_upload, "http", "max_upload", 67108864, 1024, 1073741824, "maximum size of an upload in bytes; uploads are streamed to disk") \
    I(http_deadline_s, "http", "deadline_s", 30, 1, 600, "request timeout in seconds") \
    I(http_rate_per_s, "http", "rate_per_s", 200, 1, 1000000, "average requests per second and token") \
    I(http_rate_burst, "http", "rate_burst", 400, 1, 1000000, "burst of requests per token") \
    S(http_cors_origins, "http", "cors_origins", "", "origins allowed to call the API from a browser, separated by spaces; empty: none") \
    P(http_metrics_token, "http", "metrics_token", "", "bearer token for /metrics; empty: loopback only") \
    S(mcp_hosts, "mcp", "hosts", "", "further host names under which /mcp may be called, besides web.public_url and loopback, separated by spaces") \
    B(mcp_conformance_fixtures, "mcp", "conformance_fixtures", false, "tools, resources and prompts of the MCP conformance suite: for tests only, refused unless public_url is loopback") \
    I(session_idle_s, "session", "idle_s", 43200, 60, 604800, "idle timeout of a browser session") \
    I(session_max_s, "session", "max_s", 604800, 60, 2592000, "maximum lifetime of a browser session") \
    I(login_tries, "session", "login_tries", 10, 1, 1000, "failed logins allowed per account and address in 15 minutes") \
    I(scheduler_threads, "scheduler", "threads", 2, 1, 64, "tasks that loci-scheduler runs at once") \
    I(cache_node_mb, "cache", "node_mb", 32, 0, 65536, "memory of a loci-web for its cache of nodes read by id, in MiB; 0: no cache") \
    I(recall_memory_mb, "recall", "memory_mb", 2048, 1, 1048576, "memory of a loci-web for the recall index of all accounts, in MiB") \
    I(recall_max_staleness_ms, "recall", "max_staleness_ms", 0, 0, 60000, "milliseconds the index may lag behind before a recall refreshes it; 0: every recall sees every commit") \
    I(recall_scan_threads, "recall", "scan_threads", 4, 1, 64, "threads of one recall: word search runs in parallel to vector search, which uses several threads from 100,000 rows on; 1: sequential") \
    S(recall_rerank_url, "recall", "rerank_url", "", "cross-encoder for rerank=http: POST <url>/rerank; empty: none") \
    S(recall_rerank_model, "recall", "rerank_model", "", "rerank model, for servers like Jina and Cohere; empty: a server like text-embeddings-inference") \
    P(recall_rerank_key, "recall", "rerank_key", "", "bearer token for the rerank server") \
    I(recall_rerank_ms, "recall", "rerank_ms", 1500, 10, 60000, "rerank timeout in milliseconds; after that the order is left unchanged") \
    B(recall_rerank_private, "recall", "rerank_private", false, "allow a loopback or private address") \
    S(recall_web_url, "recall", "web_url", "", "web search server with SearXNG's JSON interface, used when no memory answers a graded recall; empty: none") \
    B(recall_web_private, "recall", "web_private", false, "allow a loopback or private address") \
    I(audit_days, "retention", "audit_days", 400, 1, 36500, "days audit events are kept") \
    I(outbox_days, "retention", "outbox_days", 7, 1, 365, "days events are kept for subscribers") \
    I(job_run_days, "retention", "job_run_days", 90, 1, 3650, "days job runs are kept") \
    S(events_socket, "events", "socket", "", "FastCGI unix socket for event streams; empty: web.socket with -events before .sock; none without web.socket") \
    I(events_listeners, "events", "listeners", 4000, 1, 100000, "maximum number of open event streams of one loci-web") \
    I(events_per_account, "events", "per_account", 1000, 1, 100000, "maximum number of open event streams of one account") \
    I(events_per_token, "events", "per_token", 50, 1, 100000, "maximum number of open event streams of one token, or of one person's sessions") \
    I(events_stream_length, "events", "stream_length", 10000, 100, 1000000, "events of an account kept in Redis; older ones are read from MariaDB") \
    B(webhooks_private, "webhooks", "private_addresses", false, "allow webhooks to loopback or private addresses, and there without TLS") \
    I(webhooks_days, "webhooks", "log_days", 30, 1, 365, "days the delivery log is kept") \
    S(embed_provider, "embed", "provider", "builtin", "embedding provider, unless an account sets another: builtin, http or none") \
    S(embed_model_dir, "embed", "model_dir", "", "folder of the built-in models; empty: models below paths.data") \
    S(embed_model_file, "embed", "model_file", "", "file of a built-in model, instead of the one in that folder") \
    S(embed_precision, "embed", "precision", "int8", "precision of the built-in models: int8, bf16 or f32") \
    S(embed_url, "embed", "url", "", "base address of the embedding server, for embed.provider = http") \
    S(embed_api, "embed", "api", "openai", "interface of that server: openai, ollama or tei") \
    S(embed_model, "embed", "model", "", "model, unless an account sets another; built-in: all-minilm-l6-v2 (default) or use-lite-en") \
    P(embed_key, "embed", "key", "", "bearer token for that server") \
    B(embed_private_addresses, "embed", "private_addresses", false, "it may be at a loopback or private address") \
    I(embed_queue, "embed", "queue", 65536, 64, 1048576, "new nodes that a process holds in line for their vectors; further ones are read from the database again") \
    I(embed_timeout_ms, "embed", "timeout_ms", 10000, 50, 120000, "longest wait for one answer of it") \
    I(embed_query_ms, "embed", "query_ms", 2000, 50, 60000, "timeout for the vector of a query; after that recall searches by words only") \
    I(embed_batch, "embed", "batch", 64, 1, 512, "texts in one call") \
    I(embed_window, "embed", "window", 2000, 100, 100000, "bytes of text per vector; longer texts are split") \
    S(llm_url, "llm", "url", "", "base address of an OpenAI-compatible chat server; empty: no language model is used") \
    S(llm_model, "llm", "model", "", "name of the language model") \
    P(llm_key, "llm", "key", "", "bearer token for that server") \
    B(llm_private_addresses, "llm", "private_addresses", false, "allow a loopback or private address") \
    I(llm_timeout_ms, "llm", "timeout_ms", 8000, 50, 120000, "timeout of one call to the language model") \
    I(llm_daily_tokens, "llm", "daily_tokens", 200000, 0, 1000000000, "tokens an account may use per day, unless it sets another limit") \
    S(fetch_allow, "fetch", "allow", "", "hosts to fetch from though private or on unusual ports: host:port or host:*, in a row") \
    S(ingest_folders, "ingest", "folders", "", "folders that connectors may read, absolute, in a row; empty: none") \
    S(intake_extract, "intake", "extract", "", "program that reads foreign formats; empty: loci-extract in libexec") \
    S(docs_dir, "docs", "dir", "", "folder below which each account's registry is written as Markdown every day; empty: nowhere") \
    S(data_dir, "paths", "data", LOCI_DATADIR, "folder with rules/, sql/, templates/ and static/") \
    S(log_level, "log", "level", "info", "debug, info, warn or error") \
    P(secret, "security", "secret", "", "key of token hashes, at least 32 characters. Changing it invalidates every token") \
    B(argon_fast, "security", "argon_fast", false, "cheap password hashes: for tests only, refused unless public_url is loopback") \
    S(debug_clock_file, "debug", "clock_file", "", "lead of the clock (locictl clock move): for tests, refused unless all is on loopback")

#ifndef LOCI_DATADIR
#define LOCI_DATADIR "/usr/local/share/loci"
#endif

#define CONFIG_S_(m, ...) const char *m;
#define CONFIG_I_(m, ...) int64_t m;
#define CONFIG_B_(m, ...) bool m;

struct config {
    CONFIG_KEYS(CONFIG_S_, CONFIG_S_, CONFIG_I_, CONFIG_B_)
    const char *file;        /* where it was read from; NULL: defaults and environment only */
    const char **secret_files; /* that hold a secret: those of *_file, and file itself; ended by NULL */
    const char **source;       /* of each key, in table order: "default", "file:line" or the variable's name */
};

/* Reads defaults, then the file (NULL: none), then LOCI_<SECTION>_<KEY>. On failure NULL, and *why says file, line and remedy. */
struct config *config_load(struct arena *a, const char *path, const char **why);
/* [{key, value, default, source, help}], secrets masked. */
struct json *config_json(struct arena *a, const struct config *conf);

#endif
