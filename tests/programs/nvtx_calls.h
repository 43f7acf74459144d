/* SPDX-License-Identifier: MIT */
/*
 * One program for every way into NVTX: nvtx_v2.c, nvtx_v3.c and nvtx_real.c include it after they
 * have declared or defined the functions. Usage: PROGRAM THREADS LOOPS EXPECTED.json
 *
 * It makes an exact number of ranges of each kind and writes down how many, and whether what the
 * functions returned was right (levels, handles, range numbers).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

/* nvtxEventAttributes_t by its layout, so that one source serves all headers. */
struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	union {
		uint64_t u;
		int64_t i;
		double d;
		float f;
	} payload;
	int32_t message_type;
	const void *message;
};

#define ATTRIBUTES(type, text)                                                           \
	{                                                                                \
		.version = 3, .size = sizeof(struct attributes), .message_type = (type), \
		.message = (text)                                                        \
	}

static int loops;
static unsigned long calls, wrong;
static void *io, *step;

#define CALL(call) (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), (call))
#define CHECK(is) ((void)((is) || __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED)))

static void one_loop(void)
{
	struct attributes inner = ATTRIBUTES(1, "inner");
	struct attributes read = ATTRIBUTES(3, step);
	struct attributes wide = ATTRIBUTES(2, L"wide \u00fc\u20ac");
	struct attributes unnamed = ATTRIBUTES(0, NULL);
	uint64_t range;

	inner.category = 7;
	inner.color_type = 1;
	inner.color = 0xff00ff00;
	inner.payload_type = 3;
	inner.payload.d = 1.5;
	CHECK(CALL(nvtxRangePushA("outer")) == 0);
	CHECK(CALL(nvtxRangePushEx((const void *)&inner)) == 1);
	CHECK(CALL(nvtxDomainRangePushEx(io, (const void *)&read)) == 0);
	CHECK(CALL(nvtxDomainRangePop(io)) == 0);
	CHECK(CALL(nvtxRangePop()) == 1);
	CHECK(CALL(nvtxRangePushEx((const void *)&wide)) == 1);
	CHECK(CALL(nvtxRangePushW(L"wide")) == 2);
	CHECK(CALL(nvtxRangePop()) == 2);
	CHECK(CALL(nvtxRangePop()) == 1);
	CHECK(CALL(nvtxRangePop()) == 0);
	range = CALL(nvtxRangeStartA("started"));
	CHECK(range != 0);
	CALL(nvtxMarkA("mark"));
	CALL(nvtxMarkEx((const void *)&unnamed));
	CALL(nvtxRangeEnd(range));
	range = CALL(nvtxDomainRangeStartEx(io, (const void *)&inner));
	CHECK(range != 0);
	CALL(nvtxDomainRangeEnd(io, range));
}

static void *one_thread(void *unused)
{
	CALL(nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "worker"));
	for (int i = 0; i < loops; i++)
		one_loop();
	CHECK(CALL(nvtxRangePop()) < 0); /* nothing is open */
	CHECK(CALL(nvtxRangePushA("left open")) == 0);
	return unused;
}

static int write_expected(const char *path, int threads)
{
	unsigned long (*original_calls)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT,
									       "fake_nvtx_calls");
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	fprintf(file,
		"{\"loops\": %d, \"threads\": %d, \"each\": %d, \"calls\": %lu, \"wrong\": %lu, "
		"\"originals\": %lu}\n",
		loops, threads, loops * threads, calls, wrong,
		original_calls ? original_calls() : 0);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	int threads = argc == 4 ? atoi(argv[1]) : 0;
	pthread_t thread[64];

	if (threads < 1 || threads > 64)
		return 2;
	loops = atoi(argv[2]);
	CALL(nvtxInitialize(NULL));
	io = (void *)(uintptr_t)CALL(nvtxDomainCreateA("io"));
	step = (void *)(uintptr_t)CALL(nvtxDomainRegisterStringA(io, "read"));
	CHECK(io && step);
	CALL(nvtxNameCategoryA(7, "seven"));
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, one_thread, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	CALL(nvtxDomainDestroy(io));
	return write_expected(argv[3], threads);
}
