/* SPDX-License-Identifier: MIT */
/*
 * A user of CUPTI's second form (cuptiSubscribe_v2(), 13.3 and later), as torch.profiler is to be
 * one: what it gets is printed, and must be the same whether another user is there or not.
 * cuda_second_opened is the same by dlsym(), so that nobody sees it come.
 *
 * usage: cuda_second WHAT
 *   window   work, then kernels and copies are asked for, work, asked for no longer, work
 *   again    that three times, each with a subscriber of its own
 *   late     the work is on its way when the kinds are switched off
 *   calls    callbacks that keep a word from a call's beginning to its end
 *   early    before the first call of CUDA
 *   alone    it allows nobody beside it
 *   seconds  work for three seconds, with nothing asked for
 *   two      two of them at once
 *   first    not it, but one who asks dlsym() for the functions of the first form
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -l:libcupti.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cuda_client.h"
#include "preload/gpu/cupti_api.h"

#ifdef OPENED
static struct {
#define MEMBER(name, parameters, is_needed) int(*name) parameters;
	CUPTI_FUNCTIONS(MEMBER)
} cupti;
#define CUPTI(name) cupti.name

static void cupti_open(void)
{
	void *library = dlopen("libcupti.so.13", RTLD_NOW);

#define FIND(name, parameters, is_needed) *(void **)(void *)&cupti.name = dlsym(library, #name);
	CUPTI_FUNCTIONS(FIND)
}
#else
#define DECLARE(name, parameters, is_needed) extern int name parameters;
CUPTI_FUNCTIONS(DECLARE)
#define CUPTI(name) name

static void cupti_open(void)
{
}
#endif

static char kernel_small, kernel_large;
static char host[1 << 16];
static void *device;

/* --- what it gets --- */

#define USERS 2
static struct user {
	cupti_subscriber subscriber;
	_Atomic uint64_t counts[CUPTI_KINDS], times[CUPTI_KINDS];
	_Atomic unsigned int entered, left, wrong;
} users[USERS];

static void requested(uint8_t **buffer, size_t *bytes, size_t *records, void *about)
{
	EXPECT(about != NULL);
	*bytes = 1 << 16;
	*records = 0;
	*buffer = aligned_alloc(8, *bytes);
}

static void completed_by(struct user *user, uint8_t *buffer, size_t valid)
{
	void *at = NULL;

	while (CUPTI(cuptiActivityGetNextRecord_v2)(user->subscriber, buffer, valid, &at) ==
	       CUPTI_OK) {
		const struct cupti_kernel *record = at;

		EXPECT(record->kind < CUPTI_KINDS);
		user->counts[record->kind]++;
		user->times[record->kind] += record->end_ns - record->start_ns;
	}
	free(buffer);
}

static void completed_0(uint8_t *buffer, size_t bytes, size_t valid, void *about)
{
	EXPECT(valid <= bytes && about);
	completed_by(&users[0], buffer, valid);
}

static void completed_1(uint8_t *buffer, size_t bytes, size_t valid, void *about)
{
	EXPECT(valid <= bytes && about);
	completed_by(&users[1], buffer, valid);
}

static void callback(void *context, int domain, uint32_t id, const struct cupti_callback *data)
{
	struct user *user = context;

	if (domain <= 0 || domain >= CUPTI_DOMAINS || !id)
		user->wrong++;
	if (data->site == 0) {
		user->entered++;
		*data->kept = data->correlation * 77 + (uint64_t)domain;
	} else {
		user->left++;
		if (*data->kept != data->correlation * 77 + (uint64_t)domain)
			user->wrong++;
	}
}

static void print(const char *what)
{
	for (struct user *user = users; user < users + USERS; user++) {
		printf("%s:", what);
		for (int kind = 0; kind < CUPTI_KINDS; kind++) {
			if (user->counts[kind])
				printf(" kind %d: %lu in %lu ns,", kind,
				       (unsigned long)user->counts[kind],
				       kind == CUPTI_CONCURRENT_KERNEL
					       ? (unsigned long)user->times[kind]
					       : 0ul);
			user->counts[kind] = user->times[kind] = 0;
		}
		printf(" calls %u %u %u\n", user->entered, user->left, user->wrong);
		user->entered = user->left = 0;
	}
	fflush(stdout);
}

/* --- what it does --- */

static void subscribe(unsigned int number, bool several)
{
	struct user *user = &users[number];
	struct cupti_subscriber_parameters parameters = { .bytes = sizeof(parameters),
							  .name = "a profiler",
							  .several = several };

	OK(CUPTI(cuptiSubscribe_v2)(&user->subscriber, callback, user, &parameters));
	OK(CUPTI(cuptiActivityRegisterCallbacks_v2)(user->subscriber, requested,
						    number ? completed_1 : completed_0));
}

static void enable(unsigned int number)
{
	OK(CUPTI(cuptiActivityEnable_v2)(users[number].subscriber, CUPTI_CONCURRENT_KERNEL, NULL));
	OK(CUPTI(cuptiActivityEnable_v2)(users[number].subscriber, CUPTI_MEMCPY, NULL));
}

static void disable(unsigned int number)
{
	OK(CUPTI(cuptiActivityDisable_v2)(users[number].subscriber, CUPTI_CONCURRENT_KERNEL, NULL));
	OK(CUPTI(cuptiActivityDisable_v2)(users[number].subscriber, CUPTI_MEMCPY, NULL));
}

static void unsubscribe(unsigned int number)
{
	OK(CUPTI(cuptiUnsubscribe)(users[number].subscriber));
}

static void launch(const void *kernel, unsigned int blocks)
{
	OK(cudaLaunchKernel(kernel, (dim3){ blocks, 1, 1 }, (dim3){ 64, 1, 1 }, NULL, 0, NULL));
}

/* As a static runtime or cuBLAS does: no symbol shows it. */
static void launch_unseen(void)
{
	void (*unseen)(const char *, unsigned int);

	*(void **)(void *)&unseen = dlsym(RTLD_DEFAULT, "fake_hidden_launch");
	unseen("unseen", 3);
}

static void work(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		launch_unseen();
		launch(&kernel_small, i + 1);
		launch(&kernel_large, 1000);
		OK(cudaMemcpyAsync(device, host, 512 * (i + 1), 1, NULL));
		OK(cudaMemsetAsync(device, 0, 4096, NULL));
	}
}

static void rest(void)
{
	OK(cudaDeviceSynchronize());
}

static void window(bool several)
{
	work(2);
	rest();
	subscribe(0, several);
	enable(0);
	work(10);
	rest();
	disable(0);
	OK(CUPTI(cuptiActivityFlushAll)(1));
	print("window");
	work(2);
	rest();
	OK(CUPTI(cuptiActivityFlushAll)(1));
	print("after it");
	unsubscribe(0);
	work(2);
	rest();
}

static void run_late(void)
{
	subscribe(0, true);
	enable(0);
	work(50);
	disable(0);
	work(50);
	rest();
	OK(CUPTI(cuptiActivityFlushAll)(1));
	print("late");
}

static void run_calls(void)
{
	work(1);
	rest();
	subscribe(0, true);
	OK(CUPTI(cuptiEnableCallback)(1, users[0].subscriber, CUPTI_RUNTIME_API, 211));
	work(5);
	print("launches");
	OK(CUPTI(cuptiEnableDomain)(1, users[0].subscriber, CUPTI_RUNTIME_API));
	work(5);
	print("all");
	OK(CUPTI(cuptiEnableDomain)(0, users[0].subscriber, CUPTI_RUNTIME_API));
	work(5);
	print("none");
	unsubscribe(0);
	rest();
}

static void run_seconds(void)
{
	time_t until = time(NULL) + 4; /* three seconds at least */

	subscribe(0, true);
	while (time(NULL) < until) {
		work(1);
		usleep(10000);
	}
	rest();
}

static void run_two(void)
{
	work(3);
	rest();
	subscribe(0, true);
	subscribe(1, true);
	enable(0);
	work(5);
	enable(1);
	work(5);
	disable(0);
	work(5);
	rest();
	OK(CUPTI(cuptiActivityFlushAll)(1));
	print("two");
	OK(CUPTI(cuptiFinalize)());
	work(5);
	rest();
	OK(CUPTI(cuptiActivityFlushAll)(1));
	print("one");
	unsubscribe(1);
	unsubscribe(0);
}

/* --- the first form --- */

static int (*next_of_first)(uint8_t *, size_t, void **);

static void requested_first(uint8_t **buffer, size_t *bytes, size_t *records)
{
	requested(buffer, bytes, records, &users);
}

static void completed_first(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			    size_t valid)
{
	void *at = NULL;

	EXPECT(!context && !stream && valid <= bytes);
	while (next_of_first(buffer, valid, &at) == CUPTI_OK) {
		const struct cupti_kernel *record = at;

		users[0].counts[record->kind]++;
		users[0].times[record->kind] += record->end_ns - record->start_ns;
	}
	free(buffer);
}

static void run_first(void)
{
	void *library = dlopen("libcupti.so.13", RTLD_NOW);
	int (*subscribe_first)(cupti_subscriber *, cupti_callback_function *, void *);
	int (*registers)(cupti_buffer_requested *, cupti_buffer_completed *);
	int (*enables)(int), (*disables)(int), (*flush)(uint32_t);
	int (*push)(int, uint64_t), (*pop)(int, uint64_t *);
	uint64_t last = 0;

	work(2);
	rest();
	*(void **)(void *)&subscribe_first = dlsym(library, "cuptiSubscribe");
	*(void **)(void *)&registers = dlsym(library, "cuptiActivityRegisterCallbacks");
	*(void **)(void *)&enables = dlsym(library, "cuptiActivityEnable");
	*(void **)(void *)&disables = dlsym(library, "cuptiActivityDisable");
	*(void **)(void *)&flush = dlsym(library, "cuptiActivityFlushAll");
	*(void **)(void *)&push = dlsym(library, "cuptiActivityPushExternalCorrelationId");
	*(void **)(void *)&pop = dlsym(library, "cuptiActivityPopExternalCorrelationId");
	*(void **)(void *)&next_of_first = dlsym(library, "cuptiActivityGetNextRecord");
	OK(subscribe_first(&users[0].subscriber, callback, &users[0]));
	OK(CUPTI(cuptiEnableCallback)(1, users[0].subscriber, CUPTI_RUNTIME_API, 211));
	OK(registers(requested_first, completed_first));
	OK(enables(CUPTI_CONCURRENT_KERNEL));
	OK(enables(CUPTI_EXTERNAL_CORRELATION));
	OK(enables(CUPTI_RUNTIME_CALL));
	OK(push(3, 7));
	work(5);
	OK(pop(3, &last));
	EXPECT(last == 7);
	rest();
	OK(disables(CUPTI_CONCURRENT_KERNEL));
	OK(disables(CUPTI_EXTERNAL_CORRELATION));
	OK(disables(CUPTI_RUNTIME_CALL));
	work(5);
	rest();
	OK(flush(1));
	print("first");
	OK(CUPTI(cuptiUnsubscribe)(users[0].subscriber));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "window";

	cupti_open();
	if (strcmp(what, "early") == 0)
		subscribe(0, true);
	client_kernel(&kernel_small, "_Z5smallPf");
	client_kernel(&kernel_large, "_Z5largePfi");
	OK(cudaMalloc(&device, sizeof(host)));
	if (strcmp(what, "early") == 0) {
		enable(0);
		work(10);
		rest();
		OK(CUPTI(cuptiActivityFlushAll)(1));
		print("early");
	} else if (strcmp(what, "late") == 0) {
		run_late();
	} else if (strcmp(what, "calls") == 0) {
		run_calls();
	} else if (strcmp(what, "seconds") == 0) {
		run_seconds();
	} else if (strcmp(what, "two") == 0) {
		run_two();
	} else if (strcmp(what, "first") == 0) {
		run_first();
	} else {
		for (int i = strcmp(what, "again") == 0 ? 3 : 1; i > 0; i--)
			window(strcmp(what, "alone") != 0);
	}
	return 0;
}
