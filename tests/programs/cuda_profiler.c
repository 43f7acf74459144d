/* SPDX-License-Identifier: MIT */
/* races: cuda_profiler threads */
/*
 * A user of CUPTI, as torch.profiler is one: what it gets is printed, and must be the same whether
 * another user is there or not. Records by kind with their times, callbacks, results of calls.
 *
 * usage: cuda_profiler WHAT
 *   window     work, then kernels and copies are asked for, work, asked for no longer, work
 *   again N    that N times
 *   late       the work is on its way when the kinds are switched off
 *   calls      as torch.profiler: calls and pushed numbers as well
 *   callbacks  a subscriber that keeps a word from a call's beginning to its end; domains, a second
 *              subscriber
 *   goes       a callback that is switched off between a call's beginning and its end
 *   clock      with a clock of its own, given to CUPTI while work is on its way, and again
 *   serial     CUPTI_ACTIVITY_KIND_KERNEL
 *   finalize   ends CUPTI, and begins anew
 *   early      before the first call of CUDA
 *   period     buffers come by themselves
 *   small      buffers of 3 records; refuse: none after the second
 *   threads    windows while other threads launch
 *   fork       a child does the same calls
 *   rested     after so much work that whoever else uses CUPTI has given it a rest
 *   detached   the same after a range (cudaProfilerStart()), and so long after it that whoever else
 *              uses CUPTI has detached it
 *   context    cuptiActivityEnableContext()
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -l:libcupti.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_client.h"
#include "preload/gpu/cupti_api.h"

/* CUPTI's own functions, through the PLT. */
#define DECLARE(name, parameters, is_needed) extern int name parameters;
CUPTI_FUNCTIONS(DECLARE)
extern int cuptiActivityPushExternalCorrelationId(int whose, uint64_t id);
extern int cuptiActivityPopExternalCorrelationId(int whose, uint64_t *ret_last);

static char kernel_small, kernel_large;
static char host[1 << 16];
static void *device;
static size_t buffer_bytes = 1 << 16, records_max;
static _Atomic int buffers_left = 1000000;
static _Atomic unsigned int buffers_out;

/* --- what it gets --- */

static _Atomic uint64_t counts[CUPTI_KINDS], times[CUPTI_KINDS], numbers;

static void requested(uint8_t **buffer, size_t *bytes, size_t *records)
{
	*buffer = NULL;
	*bytes = 0;
	*records = records_max;
	if (atomic_fetch_sub(&buffers_left, 1) <= 0)
		return;
	*bytes = buffer_bytes;
	*buffer = aligned_alloc(8, *bytes);
	atomic_fetch_add(&buffers_out, 1);
}

static void record_take(const void *record)
{
	const struct cupti_kernel *kernel = record;
	const struct cupti_memcpy *copy = record;
	const struct cupti_external *external = record;
	uint32_t kind = kernel->kind;

	if (kind >= CUPTI_KINDS)
		abort();
	counts[kind]++;
	if (kind == CUPTI_CONCURRENT_KERNEL || kind == CUPTI_KERNEL)
		times[kind] += kernel->end_ns - kernel->start_ns;
	if (kind == CUPTI_MEMCPY || kind == CUPTI_MEMSET)
		times[kind] += copy->end_ns - copy->start_ns;
	if (kind == CUPTI_EXTERNAL_CORRELATION)
		numbers += external->id;
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	void *record = NULL;

	(void)context;
	(void)stream;
	if (valid > bytes)
		abort();
	while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_OK)
		record_take(record);
	free(buffer);
	atomic_fetch_sub(&buffers_out, 1);
}

static void print(const char *what)
{
	printf("%s:", what);
	for (int kind = 0; kind < CUPTI_KINDS; kind++) {
		if (counts[kind])
			printf(" kind %d: %lu in %lu ns,", kind, (unsigned long)counts[kind],
			       (unsigned long)times[kind]);
		counts[kind] = times[kind] = 0;
	}
	printf(" numbers %lu, buffers out %u\n", (unsigned long)numbers, buffers_out);
	numbers = 0;
	fflush(stdout);
}

/* --- work --- */

static void launch(const void *kernel, unsigned int blocks)
{
	OK(cudaLaunchKernel(kernel, (dim3){ blocks, 1, 1 }, (dim3){ 64, 1, 1 }, NULL, 0, NULL));
}

static void work(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
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

static int enable(bool on)
{
	static const int kinds[] = { CUPTI_CONCURRENT_KERNEL, CUPTI_MEMCPY };
	int result = 0;

	for (unsigned int i = 0; i < 2; i++)
		result |= on ? cuptiActivityEnable(kinds[i]) : cuptiActivityDisable(kinds[i]);
	return result;
}

static void begin(void)
{
	OK(cuptiActivityRegisterCallbacks(requested, completed));
	OK(enable(true));
}

static void end(void)
{
	OK(enable(false));
	OK(cuptiActivityFlushAll(1));
}

static void window(unsigned int count)
{
	work(2);
	rest();
	begin();
	work(count);
	rest();
	end();
	print("window");
	work(1);
	rest();
	OK(cuptiActivityFlushAll(0));
	print("after it");
}

static void run_late(void)
{
	begin();
	work(50);
	OK(enable(false));
	work(50);
	rest();
	OK(cuptiActivityFlushAll(1));
	print("late");
}

static void run_calls(void)
{
	uint64_t last = 0;

	begin();
	OK(cuptiActivityEnable(CUPTI_RUNTIME_CALL));
	OK(cuptiActivityEnable(CUPTI_DRIVER_CALL));
	OK(cuptiActivityEnable(CUPTI_EXTERNAL_CORRELATION));
	for (uint64_t i = 1; i <= 20; i++) {
		OK(cuptiActivityPushExternalCorrelationId(3, i));
		work(1);
		OK(cuptiActivityPopExternalCorrelationId(3, &last));
	}
	rest();
	OK(cuptiActivityFlushAll(0));
	print("calls");
	OK(cuptiActivityDisable(CUPTI_RUNTIME_CALL));
	OK(cuptiActivityDisable(CUPTI_DRIVER_CALL));
	OK(cuptiActivityDisable(CUPTI_EXTERNAL_CORRELATION));
	work(3);
	rest();
	end();
	print("calls no longer");
}

/* --- callbacks --- */

static _Atomic unsigned int entered, left, wrong;

static void callback(void *user, int domain, uint32_t id, const struct cupti_callback *data)
{
	if (user != host || domain <= 0 || domain >= CUPTI_DOMAINS || !id)
		wrong++;
	if (data->site == 0) {
		entered++;
		*data->kept = data->correlation * 77 + (uint64_t)domain;
	} else {
		left++;
		if (*data->kept != data->correlation * 77 + (uint64_t)domain || !data->result)
			wrong++;
	}
}

static void print_callbacks(const char *what)
{
	printf("%s: %u entered, %u left, %u wrong\n", what, entered, left, wrong);
	entered = left = 0;
}

static void run_callbacks(void)
{
	cupti_subscriber one = NULL, two = NULL;

	work(1);
	printf("subscribe: %d\n", cuptiSubscribe(&one, callback, host));
	printf("again: %d\n", cuptiSubscribe(&two, callback, host));
	work(3);
	print_callbacks("nothing asked for");
	OK(cuptiEnableCallback(1, one, CUPTI_RUNTIME_API, 211));
	work(3);
	print_callbacks("launches");
	OK(cuptiEnableDomain(1, one, CUPTI_RUNTIME_API));
	OK(cuptiEnableDomain(1, one, CUPTI_DRIVER_API));
	work(3);
	print_callbacks("all");
	OK(cuptiEnableDomain(0, one, CUPTI_DRIVER_API));
	OK(cuptiEnableCallback(0, one, CUPTI_RUNTIME_API, 211));
	work(3);
	print_callbacks("runtime but launches");
	OK(cuptiUnsubscribe(one));
	printf("unsubscribed again: %d\n", cuptiUnsubscribe(one));
	work(3);
	print_callbacks("gone");
	OK(cuptiSubscribe(&one, callback, host));
	OK(cuptiEnableCallback(1, one, CUPTI_RUNTIME_API, 41));
	work(3);
	print_callbacks("copies");
	OK(cuptiUnsubscribe(one));
	rest();
}

static cupti_subscriber self;

static void callback_once(void *user, int domain, uint32_t id, const struct cupti_callback *data)
{
	callback(user, domain, id, data);
	if (data->site == 0)
		OK(cuptiEnableCallback(0, self, domain, id));
}

/* More often than there may be such calls at once. */
static void run_goes(void)
{
	OK(cuptiSubscribe(&self, callback_once, host));
	for (unsigned int i = 0; i < 5000; i++) {
		OK(cuptiEnableCallback(1, self, CUPTI_RUNTIME_API, 211));
		launch(&kernel_small, 1);
	}
	print_callbacks("goes");
	OK(cuptiUnsubscribe(self));
	rest();
	OK(cuptiSubscribe(&self, callback, host));
	OK(cuptiEnableCallback(1, self, CUPTI_RUNTIME_API, 211));
	work(3);
	print_callbacks("stays");
	OK(cuptiUnsubscribe(self));
	rest();
}

/* --- clocks --- */

/* Three times as fast as nanoseconds, and begins elsewhere. */
static uint64_t their_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 3 * ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) + 12345;
}

static void run_clock(void)
{
	work(20); /* on their way when the clock comes */
	OK(cuptiActivityRegisterTimestampCallback(their_clock));
	window(20);
	OK(cuptiActivityRegisterTimestampCallback(their_clock));
	window(20);
}

static void run_serial(void)
{
	work(2);
	rest();
	OK(cuptiActivityRegisterCallbacks(requested, completed));
	printf("kernel: %d\n", cuptiActivityEnable(CUPTI_KERNEL));
	work(5);
	rest();
	OK(cuptiActivityFlushAll(1));
	print("serial");
	OK(cuptiActivityDisable(CUPTI_KERNEL));
	window(5);
}

static void run_finalize(void)
{
	cupti_subscriber one = NULL;

	window(5);
	OK(cuptiSubscribe(&one, callback, host));
	OK(cuptiEnableDomain(1, one, CUPTI_RUNTIME_API));
	work(1);
	OK(cuptiUnsubscribe(one));
	OK(cuptiFinalize());
	work(4);
	rest();
	print("finalized");
	print_callbacks("finalized");
	window(5);
}

static void run_period(void)
{
	begin();
	OK(cuptiActivityFlushPeriod(20));
	work(5);
	rest();
	for (int i = 0; i < 1000 && counts[CUPTI_MEMCPY] < 5; i++)
		usleep(10000);
	print("period");
	OK(cuptiActivityFlushPeriod(0));
	end();
}

/* --- threads --- */

static _Atomic bool is_over;

static void *launch_on(void *unused)
{
	(void)unused;
	for (unsigned int i = 0; !is_over; i++) {
		launch(&kernel_small, 1 + i % 7);
		usleep(100);
	}
	return NULL;
}

/*
 * How many launches fall into a window nobody knows: but a buffer comes back, and nothing after the
 * end.
 */
static void run_threads(void)
{
	pthread_t thread[4];
	uint64_t got = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, launch_on, NULL);
	for (int i = 0; i < 30; i++) {
		begin();
		usleep(20000);
		end();
		got += counts[CUPTI_CONCURRENT_KERNEL];
	}
	is_over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	rest();
	OK(cuptiActivityFlushAll(1));
	printf("threads: %s, buffers out %u\n", got > 100 ? "many" : "few", buffers_out);
}

static void run_fork(void)
{
	pid_t child;

	window(3);
	child = fork();
	if (child == 0) {
		begin();
		OK(cuptiActivityFlushAll(1));
		OK(enable(false));
		exit(0);
	}
	waitpid(child, NULL, 0);
	window(3);
}

static void run_context(void)
{
	OK(cuptiActivityRegisterCallbacks(requested, completed));
	work(2);
	rest();
	OK(cuptiActivityEnableContext(&device, CUPTI_MEMCPY));
	OK(cuptiActivityEnable(CUPTI_CONCURRENT_KERNEL));
	work(5);
	rest();
	OK(cuptiActivityFlushAll(1));
	print("context");
}

static void run_rested(void)
{
	for (unsigned int i = 0; i < 4000; i++)
		launch(&kernel_small, 1);
	window(10);
	run_calls();
}

static void run_detached(void)
{
	OK(cudaProfilerStart());
	work(10);
	OK(cudaProfilerStop());
	for (unsigned int i = 0; i < 4000; i++)
		launch(&kernel_small, 1);
	sleep(3);
	for (unsigned int i = 0; i < 500; i++)
		launch(&kernel_small, 1);
	window(10);
	run_calls();
	OK(cudaProfilerStart());
	work(10);
	OK(cudaProfilerStop());
}

static void run_refuse(void)
{
	size_t dropped = 0;

	buffers_left = 2;
	begin();
	work(10);
	rest();
	OK(cuptiActivityFlushAll(1));
	OK(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	print("refused");
	printf("dropped: %zu\n", dropped);
	OK(enable(false));
}

static const struct {
	const char *what;
	void (*run)(void);
} runs[] = {
	{ "late", run_late },     { "calls", run_calls },       { "callbacks", run_callbacks },
	{ "clock", run_clock },   { "serial", run_serial },     { "finalize", run_finalize },
	{ "period", run_period }, { "refuse", run_refuse },     { "threads", run_threads },
	{ "fork", run_fork },     { "context", run_context },   { "goes", run_goes },
	{ "rested", run_rested }, { "detached", run_detached },
};

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "window";

	if (strcmp(what, "early") == 0)
		begin();
	if (strcmp(what, "small") == 0 || strcmp(what, "refuse") == 0) {
		buffer_bytes = 4096;
		records_max = 3;
	}
	client_kernel(&kernel_small, "_Z5smallPf");
	client_kernel(&kernel_large, "_Z5largePfi");
	OK(cudaMalloc(&device, sizeof(host)));
	for (unsigned int i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (strcmp(what, runs[i].what))
			continue;
		runs[i].run();
		return 0;
	}
	for (int i = argc > 2 ? atoi(argv[2]) : 1; i > 0; i--)
		window(10);
	return 0;
}
