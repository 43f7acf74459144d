/* SPDX-License-Identifier: MIT */
/*
 * A tool that asks CUPTI for what intercept asks and does nothing with it: callbacks that return at
 * once, buffers that are not read. What a launch costs with it is CUPTI's part (over the fake CUDA:
 * the fake's); the rest is ours. Is named in CUDA_INJECTION64_PATH, and is on until the program
 * ends; or a program loads it and switches it (steps.py).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "preload/gpu/cupti_api.h"

#define BUFFER_BYTES ((size_t)1 << 20)

int InitializeInjection(void);
int empty_cupti_switch(int on, int everything);
int empty_cupti_detach(void);
int empty_cupti_choose(const int *kinds, size_t count, int runtime, int driver);

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

static cupti_result (*cuptiSubscribe)(cupti_subscriber *, cupti_callback_function *, void *);
static cupti_result (*cuptiEnableCallback)(uint32_t, cupti_subscriber, int, uint32_t);
static cupti_result (*cuptiActivityRegisterCallbacks)(cupti_buffer_requested *,
						      cupti_buffer_completed *);
static cupti_result (*cuptiActivityEnable)(int), (*cuptiActivityDisable)(int);
static cupti_result (*cuptiFinalize)(void);
static cupti_result (*cuptiActivityFlushPeriod)(uint32_t), (*cuptiActivityFlushAll)(uint32_t);
static cupti_subscriber subscriber;
static bool has_begun, exits;

static const int kinds[] = { CUPTI_CONCURRENT_KERNEL,
			     CUPTI_MEMCPY,
			     CUPTI_MEMCPY_PEER,
			     CUPTI_MEMSET,
			     CUPTI_DEVICE,
			     CUPTI_MEMORY };

static void at_exit(void)
{
	if (has_begun)
		(void)cuptiActivityFlushAll(CUPTI_FLUSH_FORCED);
}

/* That which the program has loaded, PyTorch's own for one. */
static void *find_cupti(void)
{
	void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);

	if (!cupti)
		cupti = dlopen("libcupti.so.12", RTLD_NOW | RTLD_NOLOAD);
	return cupti ? cupti : dlopen("libcupti.so.13", RTLD_NOW);
}

#define LOOK(name) (*(void **)(void *)&(name) = dlsym(cupti, #name))

static bool begin(void)
{
	void *cupti = find_cupti();

	if (!cupti || !LOOK(cuptiSubscribe) || !LOOK(cuptiEnableCallback) ||
	    !LOOK(cuptiActivityRegisterCallbacks) || !LOOK(cuptiActivityEnable) ||
	    !LOOK(cuptiActivityDisable) || !LOOK(cuptiActivityFlushPeriod) ||
	    !LOOK(cuptiActivityFlushAll) || !LOOK(cuptiFinalize) ||
	    cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed))
		return false;
	(void)cuptiActivityFlushPeriod(1000);
	if (!exits)
		(void)atexit(at_exit);
	return exits = true;
}

static bool switch_callbacks(uint32_t on, bool runtime, bool driver)
{
	if (!subscriber && cuptiSubscribe(&subscriber, call, NULL))
		return false;
#define RUNTIME(id, name, constant) \
	if (runtime)                \
		(void)cuptiEnableCallback(on, subscriber, CUPTI_RUNTIME_API, id);
#define DRIVER(id, name) \
	if (driver)      \
		(void)cuptiEnableCallback(on, subscriber, CUPTI_DRIVER_API, id);
#include "preload/gpu/callbacks.def"
	return true;
}

/* Just these, until the process ends (turns.py). Returns 0, or 1 where CUPTI refuses. */
__attribute__((visibility("default"))) int empty_cupti_choose(const int *chosen, size_t count,
							      int runtime, int driver)
{
	if (!begin() || ((runtime || driver) && !switch_callbacks(1, runtime, driver)))
		return 1;
	for (size_t i = 0; i < count; i++)
		if (cuptiActivityEnable(chosen[i]))
			return 1;
	return 0;
}

/* Records of kernels alone, or all that intercept asks for. Returns 0, or 1 where CUPTI refuses. */
__attribute__((visibility("default"))) int empty_cupti_switch(int on, int everything)
{
	size_t count = everything ? sizeof(kinds) / sizeof(kinds[0]) : 1;

	if (!has_begun && !(has_begun = begin()))
		return 1;
	if (everything && !switch_callbacks((uint32_t)on, true, true))
		return 1;
	for (size_t i = 0; i < count; i++) {
		cupti_result result = (on ? cuptiActivityEnable : cuptiActivityDisable)(kinds[i]);

		if (result && !i)
			return 1;
	}
	return 0;
}

/*
 * CUPTI leaves the process, until the next switch on. After kernels were recorded a launch costs
 * 0.7 to 0.9 us more than bare although all is off, but not once CUPTI has left
 * (docs/BENCHMARKS.md).
 */
__attribute__((visibility("default"))) int empty_cupti_detach(void)
{
	if (!has_begun)
		return 0;
	(void)cuptiActivityFlushAll(CUPTI_FLUSH_FORCED);
	has_begun = false;
	subscriber = NULL;
	return cuptiFinalize() != 0;
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
	return !empty_cupti_switch(1, 1);
}
