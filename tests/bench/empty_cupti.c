/* SPDX-License-Identifier: MIT */
/*
 * A tool that asks CUPTI for what intercept asks and does nothing with it: callbacks that return at once, buffers that
 * are not read. What a launch costs with it is CUPTI's part (over the fake CUDA: the fake's); the rest is ours.
 * Is preloaded in intercept's place, and named in CUDA_INJECTION64_PATH.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "preload/gpu/cupti_api.h"

#define BUFFER_BYTES ((size_t)1 << 20)

int InitializeInjection(void);

static void call(void *user, int domain, uint32_t id, const struct cupti_callback *callback)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)callback;
}

static void buffer_requested(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records)
{
	void *buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	*ret_buffer = buffer == MAP_FAILED ? NULL : buffer;
	*ret_bytes = BUFFER_BYTES;
	*ret_records = 0;
}

static void buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			     size_t valid_bytes)
{
	(void)context;
	(void)stream;
	(void)valid_bytes;
	munmap(buffer, bytes);
}

static cupti_result (*flush)(uint32_t);

static void at_exit(void)
{
	(void)flush(CUPTI_FLUSH_FORCED);
}

#define LOOK(name) (*(void **)(void *)&(name) = dlsym(cupti, #name))

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	static const int kinds[] = { CUPTI_CONCURRENT_KERNEL,
				     CUPTI_MEMCPY,
				     CUPTI_MEMCPY_PEER,
				     CUPTI_MEMSET,
				     CUPTI_DEVICE,
				     CUPTI_SYNCHRONIZATION,
				     CUPTI_OVERHEAD,
				     CUPTI_MEMORY };
	void *cupti = dlopen("libcupti.so.13", RTLD_NOW);
	cupti_result (*cuptiSubscribe)(cupti_subscriber *, cupti_callback_function *, void *);
	cupti_result (*cuptiEnableCallback)(uint32_t, cupti_subscriber, int, uint32_t);
	cupti_result (*cuptiActivityRegisterCallbacks)(cupti_buffer_requested *,
						       cupti_buffer_completed *);
	cupti_result (*cuptiActivityEnable)(int);
	cupti_result (*cuptiActivityFlushPeriod)(uint32_t);
	cupti_subscriber subscriber;

	*(void **)(void *)&flush = cupti ? dlsym(cupti, "cuptiActivityFlushAll") : NULL;
	if (!flush || !LOOK(cuptiActivityFlushPeriod) || !LOOK(cuptiSubscribe) ||
	    !LOOK(cuptiEnableCallback) || !LOOK(cuptiActivityRegisterCallbacks) ||
	    !LOOK(cuptiActivityEnable) || cuptiSubscribe(&subscriber, call, NULL) ||
	    cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed))
		return 0;
#define RUNTIME(id, name, constant) (void)cuptiEnableCallback(1, subscriber, CUPTI_RUNTIME_API, id);
#define DRIVER(id, name) (void)cuptiEnableCallback(1, subscriber, CUPTI_DRIVER_API, id);
#include "preload/gpu/callbacks.def"
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		(void)cuptiActivityEnable(kinds[i]);
	(void)cuptiActivityFlushPeriod(1000);
	(void)atexit(at_exit);
	return 1;
}
