/* locictl doctor: asks every store and the web server, and looks at the files that they are set up by. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "ctl.h"
#include "db.h"
#include "health.h"
#include "intake.h"
#include "intake_child.h"
#include "kv.h"
#include "net.h"
#include "nginx_conf.h"
#include "vector_health.h"

/* A line of the report. "warn" does not stop anything today; "DOWN" does. */
static bool doctor_say(const char *state, const char *name, const char *detail)
{
    printf("%-5s %-11s %s\n", state, name, detail);
    return strcmp(state, "DOWN") != 0;
}

/* The way people come: through the web server, to /readyz. */
static bool doctor_ask_web(struct ctl *t)
{
    const char *url = arena_printf(t->c.arena, "%s/readyz", t->p.app.conf->web_public_url), *detail = "answers";
    struct net_answer a = {0};
    bool ok = net_get(&t->c, url, 5, 65536, &a) == ERR_OK && a.status == 200;

    if (!ok)
        detail = a.status ? arena_printf(t->c.arena, "%s says %d", url, a.status) : t->c.fault.message;
    ctx_forgive(&t->c);
    return doctor_say(ok ? "ok" : "DOWN", "web", detail);
}

/* That nobody listens there is plainer than what Connector/C says of it. */
static const char *doctor_mariadb_reason(struct ctl *t)
{
    const struct config *conf = t->p.app.conf;
    const char *why = *conf->db_hosts ? NULL : net_why_unreached(t->c.arena, conf->db_socket, conf->db_host, conf->db_port);

    return why ? arena_printf(t->c.arena, "cannot connect to MariaDB at %s", why) : db_last_error(&t->c);
}

/* The operator may hear what a client may not: which address, and what the system says. */
static const char *doctor_reason(struct ctl *t, const struct health_part *p)
{
    const char *why = NULL;

    if (!p->ok && strcmp(p->name, "mariadb") == 0)
        why = doctor_mariadb_reason(t);
    else if (!p->ok && strcmp(p->name, "redis") == 0)
        why = kv_why_away(t->c.arena, t->p.app.conf);
    return why && *why ? why : p->detail;
}

/* May the account that the services run as read it? */
static bool doctor_service_reads(const struct stat *st, const struct passwd *service)
{
    if (st->st_uid == service->pw_uid)
        return st->st_mode & S_IRUSR;
    return st->st_mode & (st->st_gid == service->pw_gid ? S_IRGRP : S_IROTH);
}

/* What is wrong with the modes or the owner of a file with secrets; NULL: nothing. service: NULL where none is installed. */
static const char *doctor_file_fault(struct ctl *t, const char *path, const struct passwd *service)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return arena_printf(t->c.arena, "%s: %s", path, strerror(errno));
    if (st.st_mode & (S_IROTH | S_IWOTH))
        return arena_printf(t->c.arena, "everyone on this machine may %s %s, which holds a secret: chmod 640 %s",
                            st.st_mode & S_IWOTH ? "change" : "read", path, path);
    if (st.st_uid != 0 && st.st_uid != geteuid() && !(service && st.st_uid == service->pw_uid))
        return arena_printf(t->c.arena, "%s holds a secret and belongs to user %d: chown root %s", path, (int)st.st_uid, path);
    if (service && !doctor_service_reads(&st, service))
        return arena_printf(t->c.arena, "the user %s cannot read %s: chgrp %s %s && chmod 640 %s", service->pw_name, path,
                            service->pw_name, path, path);
    return NULL;
}

/* The services run as `loci` where they are installed with the installed configuration. */
static const struct passwd *doctor_service(const struct config *conf)
{
    return conf->file && strcmp(conf->file, LOCI_SYSCONFDIR "/loci.conf") == 0 ? getpwnam("loci") : NULL;
}

static void doctor_look_at_files(struct ctl *t)
{
    const struct config *conf = t->p.app.conf;
    const struct passwd *service = doctor_service(conf);
    const char *fault;
    size_t n = 0, faults = 0;

    for (; conf->secret_files[n]; n++)
        if ((fault = doctor_file_fault(t, conf->secret_files[n], service)) != NULL) {
            (void)doctor_say("warn", "files", fault);
            faults++;
        }
    if (!faults)
        (void)doctor_say(n ? "ok" : "off", "files", n ? arena_printf(t->c.arena, "%zu with secrets: modes and owners are right", n)
                                                      : "no secret is read from a file");
}

/* nginx beside the configuration: /etc/loci and /etc/nginx, or the two folders of a stack of ./up. */
static const char *doctor_nginx_file(struct ctl *t)
{
    const char *file = t->p.app.conf->file, *slash = file ? strrchr(file, '/') : NULL;

    return slash ? arena_printf(t->c.arena, "%.*s/../nginx/nginx.conf", (int)(slash - file), file) : "/etc/nginx/nginx.conf";
}

static bool doctor_nginx_files_served(struct ctl *t, const struct nginx_conf *n)
{
    const char *css = n->data ? arena_printf(t->c.arena, "%s/static/loci.css", n->data) : NULL;

    if (!css)
        return doctor_say("DOWN", "nginx", "$loci_data is not set: style sheets and scripts are not served");
    if (access(css, R_OK) != 0)
        return doctor_say("DOWN", "nginx", arena_printf(t->c.arena, "$loci_data: %s: %s", css, strerror(errno)));
    return true;
}

static bool doctor_nginx_threads(struct ctl *t, const struct nginx_conf *n)
{
    long long kept = n->workers * n->keepalive, threads = t->p.app.conf->web_threads;

    if (kept < threads)
        return doctor_say("ok", "nginx", arena_printf(t->c.arena, "keeps up to %lld connections, loci-web has %lld threads", kept,
                                                      threads));
    return doctor_say("warn", "nginx", arena_printf(t->c.arena, "%lld workers times keepalive %lld can occupy all %lld threads of loci-web: "
                      "lower worker_processes or keepalive, or raise web.threads", (long long)n->workers, (long long)n->keepalive, threads));
}

static bool doctor_look_at_nginx(struct ctl *t)
{
    const char *file = doctor_nginx_file(t);
    struct nginx_conf n;

    if (!nginx_conf_read(t->c.arena, file, &n)) {
        const char *why = strerror(errno);

        return doctor_say("off", "nginx", arena_printf(t->c.arena, "not looked at: %s: %s", file, why));
    }
    if (n.unread)
        return doctor_say("off", "nginx", arena_printf(t->c.arena, "not looked at: %s", n.unread));
    if (!n.serves_loci)
        return doctor_say("off", "nginx", arena_printf(t->c.arena, "%s does not serve Loci", file));
    if (n.clash)
        return doctor_say("DOWN", "nginx", n.clash);
    return doctor_nginx_files_served(t, &n) && doctor_nginx_threads(t, &n);
}

/* The cage of the child that reads foreign formats: which layers it lacks. */
static void doctor_look_at_intake(struct ctl *t)
{
    const char *report = intake_probe(&t->c), *missing = "", *line;

    if (!report) {
        (void)doctor_say("warn", "intake", arena_printf(t->c.arena, "%s cannot be started: PDF, HTML and office files are not read",
                                                        intake_program(&t->c)));
        return;
    }
    for (line = strstr(report, "missing "); line; line = strstr(line + 1, "missing "))
        missing = arena_printf(t->c.arena, "%s%s%.*s", missing, *missing ? ", " : "", (int)strcspn(line + 8, "\n"), line + 8);
    if (access("/usr/bin/pdftotext", X_OK) != 0)
        (void)doctor_say("warn", "intake", "/usr/bin/pdftotext is missing: PDF files are not read (Debian: poppler-utils)");
    (void)doctor_say(*missing ? "warn" : "ok", "intake", *missing ? arena_printf(t->c.arena, "the cage of loci-extract lacks: %s", missing)
                                                                  : "the cage of loci-extract holds");
}

static int doctor_command(struct ctl *t)
{
    struct health_part parts[HEALTH_PARTS];
    bool well = true;
    size_t n;

    ctl_no_more(t);
    t->p.app.ask_model = vector_health_try;
    n = health_check_hosts(&t->c, parts);
    for (size_t i = 0; i < n; i++)
        well &= doctor_say(parts[i].off ? "off" : parts[i].ok ? "ok" : "DOWN", parts[i].name, doctor_reason(t, &parts[i]));
    doctor_look_at_files(t);
    well &= doctor_look_at_nginx(t);
    doctor_look_at_intake(t);
    well &= doctor_ask_web(t);
    return well ? 0 : CTL_FAILED;
}

const struct ctl_command ctl_doctor_commands[] = {
    {"doctor", "", "asks every store and the web server whether it is well; looks at files with secrets and at nginx", doctor_command},
    {0},
};
