/* One buffer, and a thread that writes it once something has been in it for a while; see log_queue.h. A line that is written
 * by itself costs 4 us of a request's 70, and all threads wait for one another at the file. */
#include "log_queue.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 65536
#define WAIT_US 20000 /* so long a line waits at most for others */

struct log_queue {
    int fd;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work;
    bool ends;
    size_t n;
    char lines[ROOM];
};

void log_queue_put(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        p += done;
        n -= (size_t)done;
    }
}

static void log_queue_write_out(struct log_queue *q)
{
    log_queue_put(q->fd, q->lines, q->n);
    q->n = 0;
}

void log_queue_add(struct log_queue *q, const char *line, size_t n, bool now)
{
    pthread_mutex_lock(&q->lock);
    if (n > ROOM - q->n)
        log_queue_write_out(q);
    if (n > ROOM) {
        log_queue_put(q->fd, line, n);
    } else {
        memcpy(q->lines + q->n, line, n);
        q->n += n;
        if (now)
            log_queue_write_out(q);
        else if (q->n == n)
            pthread_cond_signal(&q->work);
    }
    pthread_mutex_unlock(&q->lock);
}

static void *log_queue_run(void *arg)
{
    struct log_queue *q = arg;

    pthread_mutex_lock(&q->lock);
    while (!q->ends) {
        if (!q->n) {
            pthread_cond_wait(&q->work, &q->lock);
            continue;
        }
        pthread_mutex_unlock(&q->lock);
        usleep(WAIT_US);
        pthread_mutex_lock(&q->lock);
        log_queue_write_out(q);
    }
    log_queue_write_out(q);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

struct log_queue *log_queue_new(int fd)
{
    struct log_queue *q = calloc(1, sizeof *q);
    int r;

    assert(q);
    q->fd = fd;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->work, NULL);
    r = pthread_create(&q->thread, NULL, log_queue_run, q);
    assert(r == 0);
    return q;
}

void log_queue_free(struct log_queue *q)
{
    if (!q)
        return;
    pthread_mutex_lock(&q->lock);
    q->ends = true;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->work);
    free(q);
}
