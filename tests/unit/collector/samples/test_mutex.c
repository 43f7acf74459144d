/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/samples/mutex.c: who has a mutex, by its bytes, as glibc's own pthread_mutex_lock()
 * leaves them; and what is no mutex.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "collector/samples/mutex.h"

/* As if another thread waited for it. */
static uint32_t owner_of(const pthread_mutex_t *mutex)
{
	uint8_t bytes[MUTEX_BYTES];

	memcpy(bytes, mutex, sizeof(bytes));
	bytes[0] = 2;
	return mutex_owner_of(bytes);
}

TEST(a_mutex_says_who_has_it)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP };
	pthread_mutexattr_t how;
	pthread_mutex_t mutex;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		pthread_mutexattr_init(&how);
		pthread_mutexattr_settype(&how, types[i]);
		pthread_mutex_init(&mutex, &how);
		pthread_mutex_lock(&mutex);
		assert_int_equal(owner_of(&mutex), gettid());
		pthread_mutex_unlock(&mutex);
		assert_int_equal(owner_of(&mutex), 0);
		pthread_mutex_destroy(&mutex);
	}
}

TEST(what_is_no_mutex_has_no_owner)
{
	uint8_t bytes[MUTEX_BYTES] = { 0 };
	sem_t semaphore;

	assert_int_equal(mutex_owner_of(bytes), 0);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(mutex_owner_of(bytes), 0);
	sem_init(&semaphore, 0, 2);
	memcpy(bytes, &semaphore, sizeof(bytes));
	assert_int_equal(mutex_owner_of(bytes), 0);
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 2; /* nobody has it, and a kind that there is not */
	bytes[8] = 7;
	assert_int_equal(mutex_owner_of(bytes), 0);
	bytes[12] = 1;
	assert_int_equal(mutex_owner_of(bytes), 7);
	bytes[19] = 0x7f;
	assert_int_equal(mutex_owner_of(bytes), 0);
}
