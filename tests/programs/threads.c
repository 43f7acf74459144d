/* SPDX-License-Identifier: MIT */
/* races: threads together 50 */
/*
 * Creates NUMBER threads, each of which allocates 3 blocks of 808 bytes and frees one.
 *
 * usage: threads sequence|together NUMBER
 * In sequence 16 are alive at a time; together all of them are.
 */
/* build: -pthread -fno-builtin */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static int waiting, is_released;

static void use_heap(void)
{
	void *block = malloc(808);

	if (!malloc(808) || !malloc(808))
		abort();
	free(block);
}

static void *thread_main(void *wait)
{
	use_heap();
	if (!wait)
		return NULL;
	pthread_mutex_lock(&lock);
	waiting++;
	while (!is_released)
		pthread_cond_wait(&released, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 0, together;
	static pthread_t thread[20000];
	pthread_attr_t attr;

	if (number <= 0 || number > 20000)
		return 2;
	together = !strcmp(argv[1], "together");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (int i = 0; i < number; i++) {
		if (pthread_create(&thread[i], &attr, thread_main, together ? thread : NULL))
			return 3;
		if (!together && i >= 15)
			pthread_join(thread[i - 15], NULL);
	}
	pthread_mutex_lock(&lock);
	is_released = 1;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
	for (int i = together || number < 15 ? 0 : number - 15; i < number; i++)
		pthread_join(thread[i], NULL);
	printf("%d threads\n", number);
	return 0;
}
