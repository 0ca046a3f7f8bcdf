/* What the benches of loci-web are measured against: a bare FastCGI program with threads that answers a constant, reads
 * one row by primary key, inserts one row, or gets or sets one key of Redis.
 * usage: hello SOCKET THREADS DB-SOCKET DB-USER DB-NAME REDIS-SOCKET (the database's password on stdin) */
#include <fcgiapp.h>
#include <hiredis/hiredis.h>
#include <mysql.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    int fd;
    const char *db_socket, *db_user, *db_name, *redis_socket;
    char db_password[256];
};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "hello: %s: %s\n", what, why);
    exit(1);
}

static MYSQL *connect_db(const struct bench *b)
{
    MYSQL *m = mysql_init(NULL);

    if (!mysql_real_connect(m, "localhost", b->db_user, b->db_password, b->db_name, 0, b->db_socket, 0))
        die("connect", mysql_error(m));
    return m;
}

static MYSQL_STMT *prepare(MYSQL *m, const char *sql)
{
    MYSQL_STMT *s = mysql_stmt_init(m);

    if (!s || mysql_stmt_prepare(s, sql, strlen(sql)))
        die(sql, mysql_error(m));
    return s;
}

static unsigned long read_row(MYSQL_STMT *s, long long id, char *out, unsigned long size)
{
    unsigned long n = 0;
    MYSQL_BIND in = {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &id};
    MYSQL_BIND col = {.buffer_type = MYSQL_TYPE_STRING, .buffer = out, .buffer_length = size, .length = &n};

    if (mysql_stmt_bind_param(s, &in) || mysql_stmt_execute(s) || mysql_stmt_bind_result(s, &col) ||
        mysql_stmt_store_result(s))
        die("read", mysql_stmt_error(s));
    if (mysql_stmt_fetch(s))
        n = 0;
    mysql_stmt_free_result(s);
    return n;
}

static void insert_row(MYSQL_STMT *s, const char *body)
{
    unsigned long n = strlen(body);
    MYSQL_BIND in = {.buffer_type = MYSQL_TYPE_STRING, .buffer = (char *)(size_t)body, .buffer_length = n, .length = &n};

    if (mysql_stmt_bind_param(s, &in) || mysql_stmt_execute(s))
        die("insert", mysql_stmt_error(s));
}

static const char BODY[] = "The harbour master closes the gate at ten, and the tide is out of everyone's hands.";

static redisContext *connect_redis(const struct bench *b)
{
    redisContext *rc = redisConnectUnix(b->redis_socket);

    if (!rc || rc->err)
        die("connect to Redis", rc ? rc->errstr : "no memory");
    return rc;
}

static unsigned long get_key(redisContext *rc, char *out, unsigned long size)
{
    redisReply *r = redisCommand(rc, "GET bench:hello");
    unsigned long n = r && r->type == REDIS_REPLY_STRING && r->len < size ? r->len : 0;

    if (!r)
        die("GET", rc->errstr);
    memcpy(out, r->str ? r->str : "", n);
    freeReplyObject(r);
    return n;
}

static void set_key(redisContext *rc)
{
    redisReply *r = redisCommand(rc, "SET bench:hello %b EX 3600", BODY, sizeof BODY - 1);

    if (!r)
        die("SET", rc->errstr);
    freeReplyObject(r);
}

static void *serve(void *arg)
{
    const struct bench *b = arg;
    FCGX_Request r;
    redisContext *rc = connect_redis(b);
    MYSQL *m = connect_db(b);
    MYSQL_STMT *rd = prepare(m, "SELECT body FROM bench_hello WHERE id = ?");
    MYSQL_STMT *ins = prepare(m, "INSERT INTO bench_hello (body) VALUES (?)");
    char row[512];

    FCGX_InitRequest(&r, b->fd, 0);
    for (long long n = 0; FCGX_Accept_r(&r) == 0; n++) {
        const char *uri = FCGX_GetParam("REQUEST_URI", r.envp);
        unsigned long len = 0;

        if (strstr(uri, "/read"))
            len = read_row(rd, 1 + n % 1000, row, sizeof row);
        else if (strstr(uri, "/insert"))
            insert_row(ins, BODY);
        else if (strstr(uri, "/get"))
            len = get_key(rc, row, sizeof row);
        else if (strstr(uri, "/set"))
            set_key(rc);
        FCGX_PutS("Content-Type: text/plain\r\n\r\nhello\n", r.out);
        FCGX_PutStr(row, (int)len, r.out);
        FCGX_Finish_r(&r);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    pthread_t t;

    if (argc != 7)
        die("usage", "hello SOCKET THREADS DB-SOCKET DB-USER DB-NAME REDIS-SOCKET");
    if (!fgets(b.db_password, sizeof b.db_password, stdin))
        die("password", "none on standard input");
    b.db_password[strcspn(b.db_password, "\n")] = 0;
    b.db_socket = argv[3];
    b.db_user = argv[4];
    b.db_name = argv[5];
    b.redis_socket = argv[6];
    if (FCGX_Init() || (b.fd = FCGX_OpenSocket(argv[1], 1024)) < 0)
        die(argv[1], "cannot listen");
    for (int i = 1; i < strtol(argv[2], NULL, 10); i++)
        if (pthread_create(&t, NULL, serve, &b))
            die("thread", "cannot start");
    serve(&b);
    return 0;
}
