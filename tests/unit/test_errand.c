/* Errands: done by a helper that is idle, else by whoever needs them; each once; nobody waits for a busy helper. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errand.h"

#define PEOPLE 6
#define ROUNDS 3000

/* Work that says who did it, and can be made to last. */
struct work {
    int times, policy; /* how its thread is scheduled */
    pthread_t by;
    sem_t begun, may_end;
    struct errand errand;
};

static void quick(void *arg)
{
    struct work *w = arg;
    struct sched_param param;

    w->times++;
    w->by = pthread_self();
    pthread_getschedparam(w->by, &w->policy, &param);
}

static void lasting(void *arg)
{
    struct work *w = arg;

    quick(w);
    sem_post(&w->begun);
    sem_wait(&w->may_end);
}

static void prepare(struct work *w, void (*run)(void *arg))
{
    *w = (struct work){.errand = {.run = run, .arg = w}};
    sem_init(&w->begun, 0, 0);
    sem_init(&w->may_end, 0, 0);
}

static bool was_mine(const struct work *w)
{
    assert_int_equal(w->times, 1);
    return pthread_equal(w->by, pthread_self());
}

/* Keeps the only helper busy. */
static void occupy(struct helpers *h, struct work *w)
{
    prepare(w, lasting);
    errand_begin(h, &w->errand);
    sem_wait(&w->begun);
}

static void without_helpers_it_is_done_at_the_end(void **state)
{
    struct helpers *none = helpers_new(0);
    struct work w;

    (void)state;
    for (int i = 0; i < 2; i++) {
        prepare(&w, quick);
        errand_begin(i ? none : NULL, &w.errand);
        assert_int_equal(w.times, 0);
        errand_end(&w.errand);
        assert_true(was_mine(&w));
        errand_drop(&w.errand);
        assert_true(was_mine(&w));
    }
    helpers_free(none);
    helpers_free(NULL);
}

static void an_idle_helper_does_it_meanwhile(void **state)
{
    struct helpers *h = helpers_new(1);
    struct work w;

    (void)state;
    occupy(h, &w);
    sem_post(&w.may_end);
    errand_end(&w.errand);
    assert_false(was_mine(&w));
    assert_int_equal(w.policy, SCHED_BATCH); /* else it would interrupt who woke it, where no processor is idle */
    helpers_free(h);
}

static void nobody_waits_for_a_busy_helper(void **state)
{
    struct helpers *h = helpers_new(1);
    struct work long_one, mine, unwanted;

    (void)state;
    occupy(h, &long_one);
    prepare(&mine, quick);
    errand_begin(h, &mine.errand);
    errand_end(&mine.errand);
    assert_true(was_mine(&mine));
    prepare(&unwanted, quick);
    errand_begin(h, &unwanted.errand);
    errand_drop(&unwanted.errand);
    assert_int_equal(unwanted.times, 0);
    sem_post(&long_one.may_end);
    errand_drop(&long_one.errand);
    assert_false(was_mine(&long_one));
    helpers_free(h);
}

static void *a_person(void *arg)
{
    struct helpers *h = arg;
    uintptr_t wrong = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct work w = {.errand = {.run = quick, .arg = &w}};

        errand_begin(h, &w.errand);
        if (i % 3)
            errand_end(&w.errand);
        else
            errand_drop(&w.errand);
        wrong += i % 3 ? w.times != 1 : w.times > 1;
    }
    return (void *)wrong;
}

static void many_at_once(void **state)
{
    struct helpers *h = helpers_new(3);
    pthread_t people[PEOPLE];
    void *wrong;

    (void)state;
    for (int i = 0; i < PEOPLE; i++)
        assert_int_equal(pthread_create(&people[i], NULL, a_person, h), 0);
    for (int i = 0; i < PEOPLE; i++) {
        pthread_join(people[i], &wrong);
        assert_null(wrong);
    }
    helpers_free(h);
}

static void who_is_patient_waits_for_an_idle_thread(void **state)
{
    struct helpers *h = helpers_new_idle(1);
    struct work w, keeps_busy;

    (void)state;
    prepare(&w, quick);
    errand_begin(h, &w.errand);
    errand_end_patiently(&w.errand, 60000000);
    assert_false(was_mine(&w));
    assert_int_equal(w.policy, SCHED_IDLE);
    occupy(h, &keeps_busy);
    prepare(&w, quick);
    errand_begin(h, &w.errand);
    errand_end_patiently(&w.errand, 1000); /* not for ever */
    assert_true(was_mine(&w));
    sem_post(&keeps_busy.may_end);
    errand_end_patiently(&keeps_busy.errand, 0);
    assert_false(was_mine(&keeps_busy));
    prepare(&w, quick);
    errand_begin(NULL, &w.errand);
    errand_end_patiently(&w.errand, 60000000); /* there is nobody to wait for */
    assert_true(was_mine(&w));
    helpers_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_helpers_it_is_done_at_the_end),
        cmocka_unit_test(an_idle_helper_does_it_meanwhile),
        cmocka_unit_test(nobody_waits_for_a_busy_helper),
        cmocka_unit_test(who_is_patient_waits_for_an_idle_thread),
        cmocka_unit_test(many_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
