/* SPDX-License-Identifier: MIT */
/*
 * What the fake CUDA libraries share: counting, injected failures, kernels, memory, handles.
 *
 * It is a library of its own, libfakecuda.so, which stays when the others are unloaded: a runtime
 * that is closed and opened again counts on. All counters are of calls that the program made; a
 * call that a fake library makes to itself is announced by SELF() and counts for nothing.
 * Everything here may be called by any thread; launches, which signal handlers make as well, take
 * no lock.
 *
 * Environment: FAKE_CUDA_COUNTS (file for the JSON, %p is the pid), FAKE_CUDA_FAIL
 * ("cudaMalloc:3=2,cudaMemcpyAsync:*=700": the third call, or all, fail with this code and do
 * nothing), FAKE_CUDA_DELAY ("cudaDeviceSynchronize=1000000": nanoseconds), FAKE_CUDA_DEVICES (1),
 * CUDA_VISIBLE_DEVICES (numbers). Of the fake libcupti: cupti.h.
 */
#ifndef TESTS_FAKE_CORE_H
#define TESTS_FAKE_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "preload/cuda/cuda_api.h"

#ifndef CUDA_DIM
#define CUDA_DIM(x_, y_, z_) ((dim3){ .x = (x_), .y = (y_), .z = (z_) })
#endif
#define FAKE_EXPORT __attribute__((visibility("default")))
#pragma GCC visibility push(default)

enum fake_error {
	FAKE_INVALID_VALUE = 1,
	FAKE_OUT_OF_MEMORY = 2,
	FAKE_NO_DRIVER = 35,
	FAKE_BAD_DIRECTION = 21,
	FAKE_BAD_FUNCTION = 98,
	FAKE_NO_DEVICE = 101,
	FAKE_BAD_HANDLE = 400,
	FAKE_NOT_FOUND = 500,
	FAKE_NO_CAPTURE = 900,
};

/* --- functions (counts.c) --- */

#define FAKE_LIBRARIES 8

struct fake_rule {
	uint64_t nth; /* 0: every one */
	int code;
	struct fake_rule *next;
};

struct fake_function {
	const char *name;
	_Atomic uint64_t calls, errors;
	uint64_t delay_ns;
	struct fake_rule *rules;
	uint32_t callback; /* CUPTI's number of it, 0 when it has none for work of the device */
};

struct fake_library {
	const char *soname;
	unsigned int count, hooked; /* the first `hooked` are those of hooks.def */
	bool is_runtime;            /* its errors are what cudaGetLastError() tells */
	struct fake_function *functions;
};

struct fake_call {
	struct fake_function *function;
	bool is_runtime;
	bool outer_nested;
	uint32_t outer_correlation;
	uint64_t kept[2]; /* for those who are told of the call, by domain */
	uint64_t start_ns;
};

struct fake_thread {
	const char *self; /* the function that a fake library is about to call */
	bool nested;      /* the call in progress is such a one */
	int last_error;
	uint32_t correlation; /* of the program's call in progress */
	int device;
	CUcontext context;
	CUstream copy_stream; /* of the copy in progress */
	bool copy_is_pinned;  /* its host side */
	struct {
		dim3 grid, block;
		size_t shared;
		void *stream;
	} configuration;
};

extern __thread struct fake_thread fake_thread __attribute__((tls_model("initial-exec")));
extern struct fake_library fake_libraries[FAKE_LIBRARIES];
extern _Atomic uint64_t fake_stub_calls;

/* The same soname again gives the same counters. */
struct fake_library *fake_library_open(const char *soname, const char *const *names,
				       unsigned int count, unsigned int hooked);

/* Returns the code to fail with, 0 to go on. fake_leave() returns `result`. */
int fake_enter(struct fake_call *call, struct fake_library *library, unsigned int function);
int fake_leave(struct fake_call *call, int result);
/* Tells the tool of device.h; the call has a correlation id from then on, until it is done. */
void fake_call_tell(struct fake_call *call, bool is_done, int result);
/* Correlation ids count from 1 again, as those of the real CUPTI 13.0 after cuptiFinalize(). */
void fake_correlations_begin(void);
/* For functions whose result is no error code. */
void fake_leave_plain(struct fake_call *call);

/* A call of one exported function by another, through the PLT. */
#define SELF(name, ...) (fake_thread.self = #name, name(__VA_ARGS__))

void fake_cuda_write(void);
unsigned int fake_device_count(void);
/* Which device of the machine the process' device is: CUDA_VISIBLE_DEVICES. */
unsigned int fake_device_physical(unsigned int device);

/* --- copies (counts.c) --- */

extern _Atomic uint64_t fake_copy_calls[EVT_CUDA_COPY_LIMIT], fake_copy_bytes[EVT_CUDA_COPY_LIMIT];

/* Counts a copy that is done; returns 0, or an error of that kind. */
int fake_copied(unsigned int kind, size_t bytes);

/* --- kernels (kernels.c) --- */

struct fake_kernel;

struct fake_name {
	struct fake_name *next;
	_Atomic(struct fake_kernel *) module; /* the one without host function */
	_Atomic uint64_t launches;
	_Atomic uint64_t device_calls, device_ns; /* what the device did: device.h */
	char text[];
};

struct fake_link {
	struct fake_link *next;
	const void *key;
	struct fake_kernel *kernel;
};

/* A cudaKernel_t is the address of `kernel`, a CUfunction that of `function`. */
struct fake_kernel {
	struct fake_link host; /* key NULL: of a module or library */
	struct fake_link kernel, function;
	struct fake_name *name;
};

/* Of each (host, name) there is one, until a host function is registered with another name. */
struct fake_kernel *fake_kernel_register(const void *host, const char *name);
/* By host function, cudaKernel_t or CUfunction; NULL: none. */
struct fake_kernel *fake_kernel_find(const void *handle);
struct fake_launch {
	const void *handle;
	dim3 grid, block;
	size_t shared_bytes;
	CUstream stream;
};
int fake_kernel_launch(const struct fake_launch *launch);
/* Visits every name. */
void fake_names_each(void (*visit)(struct fake_name *name, void *context), void *context);

/* --- memory (memory.c) --- */

struct fake_memory {
	uint64_t allocations, frees, bytes_allocated, live_bytes, peak_bytes;
};

struct fake_block {
	uintptr_t address;
	size_t size;
	unsigned int kind; /* enum evt_cuda_memory */
	int device;
	bool is_counted; /* the program asked for it, not a fake library */
	bool is_ours;
};

#define FAKE_DEVICES 16
extern struct fake_memory fake_memory[FAKE_DEVICES][EVT_CUDA_MEMORY_LIMIT];

/* `ret_address` gets memory of `size` bytes that the program may read and write. */
int fake_allocate(unsigned int kind, size_t size, void **ret_address);
/* The program asked for this block, though a fake library allocated it. */
int fake_claim(const void *address);
/* Notes memory of the program's own as registered. */
int fake_adopt(void *address, size_t size);
/* `kind` EVT_CUDA_ANY: whatever cudaFree() takes. NULL is nothing to do. */
int fake_release(unsigned int kind, const void *address);
/* Of the thread's device; what cudaDeviceReset() does. */
void fake_release_all(void);
/* The block that `address` lies in. */
bool fake_block_find(const void *address, struct fake_block *ret_block);
/* The host memory at `address` is one that the device can read by itself. */
bool fake_is_pinned(const void *address);
/* In a forked child: what is inherited is not its own. */
void fake_memory_forget(void);
void fake_memory_lock(void);
void fake_memory_unlock(void);

/* --- streams, events, graphs (objects.c) --- */

/* A kernel of a graph. */
struct fake_node {
	struct fake_node *next; /* the one before it */
	const char *kernel;
	dim3 grid, block;
	uint32_t shared_bytes;
	uint64_t id; /* CUPTI's number */
};

struct CUgraph_st {
	uint32_t id;
	_Atomic uint64_t nodes;
	_Atomic(struct fake_node *) last;
};

struct CUgraphExec_st {
	uint32_t id;
	struct CUgraph_st copy; /* of the graph: its nodes are copies, too */
	struct fake_node *last;
};

struct CUstream_st {
	_Atomic(CUgraph) capturing;
	int priority;
	uint32_t id;
	_Atomic uint64_t busy_ns; /* device.h */
};

struct CUevent_st {
	uint64_t time_ns;
	_Atomic uint64_t done_ns; /* device.h */
};

int fake_stream_create(CUstream *ret_stream, int priority);
int fake_stream_destroy(CUstream stream);
/* NULL when it is no stream that was made, or does not capture. */
CUgraph fake_stream_graph(CUstream stream);
/* A number of CUPTI's for a node of the graph. */
uint64_t fake_node_number(CUgraph graph);
int fake_graph_create(CUgraph *ret_graph);
int fake_capture_begin(CUstream stream, CUgraph graph);
int fake_capture_end(CUstream stream, CUgraph *ret_graph);
int fake_event_record(CUevent event, CUstream stream);
int fake_event_elapsed(float *ret_ms, CUevent start, CUevent end);
int fake_graph_instantiate(CUgraphExec *ret_exec, CUgraph graph);
int fake_graph_launch(CUgraphExec exec, CUstream stream);
/* A handle that means nothing, of something that is freed by fake_object_free(). */
int fake_object_create(void **ret_object);
int fake_object_free(void *object);
uint64_t fake_now(void);

#pragma GCC visibility pop
#endif
