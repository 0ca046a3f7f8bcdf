/* The two things systemd tells and wants to hear, without its library. */
#ifndef LOCI_SYSTEMD_H
#define LOCI_SYSTEMD_H

/* The first socket handed over by socket activation, or -1. */
int systemd_listen_fd(void);
/* The second one. */
int systemd_listen_fd_second(void);
/* "READY=1", "STOPPING=1", "WATCHDOG=1"; nothing happens when nobody listens. */
void systemd_notify(const char *state);

#endif
