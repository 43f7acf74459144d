/* SPDX-License-Identifier: MIT */
/*
 * Waits of threads for each other. The time of a condition includes that until its mutex is held
 * again. These are cancellation points: a cancelled thread leaves the hook without a record.
 */
#include "preload/osrt/wait.h"

#define CONDITION_HOOK(name, parameters, arguments)                                     \
	OSRT_HOOK(int, name, parameters, arguments, condition, (uintptr_t)condition, 0, \
		  OSRT_RETURNED, ENOSYS)

CONDITION_HOOK(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
	       (condition, mutex))
CONDITION_HOOK(pthread_cond_timedwait,
	       (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
	       (condition, mutex, until))
CONDITION_HOOK(pthread_cond_clockwait,
	       (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
		const struct timespec *until),
	       (condition, mutex, clock, until))

#define JOIN_HOOK(name, parameters, arguments) \
	OSRT_HOOK(int, name, parameters, arguments, thread, thread, 0, OSRT_RETURNED, ENOSYS)

JOIN_HOOK(pthread_join, (pthread_t thread, void **result_of), (thread, result_of))
JOIN_HOOK(pthread_timedjoin_np, (pthread_t thread, void **result_of, const struct timespec *until),
	  (thread, result_of, until))
JOIN_HOOK(pthread_clockjoin_np,
	  (pthread_t thread, void **result_of, clockid_t clock, const struct timespec *until),
	  (thread, result_of, clock, until))

/* PTHREAD_BARRIER_SERIAL_THREAD is no error. */
OSRT_HOOK(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier), barrier,
	  (uintptr_t)barrier, 0, result > 0 ? result : 0, ENOSYS)

#define SEMAPHORE_HOOK(name, parameters, arguments)                                     \
	OSRT_HOOK(int, name, parameters, arguments, semaphore, (uintptr_t)semaphore, 0, \
		  OSRT_ERRNO, osrt_missing())

SEMAPHORE_HOOK(sem_wait, (sem_t * semaphore), (semaphore))
SEMAPHORE_HOOK(sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))
SEMAPHORE_HOOK(sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until),
	       (semaphore, clock, until))
