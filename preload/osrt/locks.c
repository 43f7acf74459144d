/* SPDX-License-Identifier: MIT */
/*
 * Locks. Who holds one is read before the wait, from glibc's own fields: they are written without
 * a lock of ours, so it is who held it just before, or 0. A read lock has many holders, of which
 * glibc keeps none.
 */
#include "preload/osrt/wait.h"

/* __owner is a thread's id while the mutex is locked, whatever its type. */
static inline uint64_t mutex_owner(const pthread_mutex_t *mutex)
{
	int owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);

	return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) && owner > 0
		       ? (uint64_t)owner
		       : 0;
}

static inline uint64_t rwlock_writer(const pthread_rwlock_t *lock)
{
	int writer = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);

	return writer > 0 ? (uint64_t)writer : 0;
}

/* A program whose libc has no such lock has no other thread either: it has the lock. */
#define MUTEX_HOOK(name, parameters, arguments)                                                  \
	OSRT_HOOK(int, name, parameters, arguments, mutex, (uintptr_t)mutex, mutex_owner(mutex), \
		  OSRT_RETURNED, 0)

MUTEX_HOOK(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
MUTEX_HOOK(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until),
	   (mutex, until))
MUTEX_HOOK(pthread_mutex_clocklock,
	   (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
	   (mutex, clock, until))

#define RWLOCK_HOOK(name, parameters, arguments)                                                  \
	OSRT_HOOK(int, name, parameters, arguments, rwlock, (uintptr_t)lock, rwlock_writer(lock), \
		  OSRT_RETURNED, 0)

RWLOCK_HOOK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
RWLOCK_HOOK(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *until),
	    (lock, until))
RWLOCK_HOOK(pthread_rwlock_clockrdlock,
	    (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
	    (lock, clock, until))
RWLOCK_HOOK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
RWLOCK_HOOK(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *until),
	    (lock, until))
RWLOCK_HOOK(pthread_rwlock_clockwrlock,
	    (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
	    (lock, clock, until))
