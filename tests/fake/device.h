/* SPDX-License-Identifier: MIT */
/*
 * The device of the fake CUDA: what is launched gets a start and an end by a simple model of time,
 * when a tool (the fake libcupti) is there to be told of it. Nothing is computed, nothing waits but
 * what synchronises.
 *
 * FAKE_CUDA_KERNELS ("gemm=2000000,*=5000": nanoseconds of kernels whose names have that part, the
 * first that fits; "*" is any, "[copy]" are copies) makes it a slow device that works on its own,
 * so that a program's shares of time do not depend on the machine: the host runs ahead by
 * QUEUE_DEPTH kernels, copies of pageable memory hold it up, and streams wait for events.
 * With FAKE_CUDA_LONG=N each Nth kernel takes a hundred times as long.
 * FAKE_CUDA_GEMM is the name of the kernels that the fake cuBLAS launches.
 *
 *   a stream does one thing after the other; there is one engine for copies in each direction
 *   work begins DEVICE_LATENCY_NS after it was asked for at the earliest
 *   a kernel takes 1,000 ns and 10 ns a block up to 100; a copy 500 ns and 1 ns for 16 bytes; a
 *   memset 300 ns and 1 ns for 64
 *
 * The device's clock is CLOCK_REALTIME, FAKE_CUPTI_CLOCK nanoseconds later. Any thread, signal
 * handlers too.
 */
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

#include "tests/fake/core.h"

#pragma GCC visibility push(default)

#define DEVICE_LATENCY_NS 2000u
#define QUEUE_DEPTH 1024u

/* From FAKE_CALL on they are the tool's own. */
enum fake_work_kind {
	FAKE_KERNEL,
	FAKE_COPY,
	FAKE_SET,
	FAKE_WAIT,
	FAKE_MEMORY, /* given out or given back */
	FAKE_POOL,   /* of memory: trimmed */
	FAKE_GRAPH,  /* all of a graph's launch */
	FAKE_CALL,
	FAKE_EXTERNAL,
	FAKE_OVERHEAD,
	FAKE_DEVICE,
	FAKE_WORK_KINDS
};

struct fake_work {
	enum fake_work_kind kind;
	uint32_t device, stream, correlation, thread;
	uint64_t start_ns, end_ns, bytes;
	const char *name; /* of a kernel */
	dim3 grid, block;
	uint32_t shared_bytes;
	uint32_t
		/*
		 * enum evt_cuda_copy_kind; of FAKE_WAIT CUpti_ActivitySynchronizationType; of
		 * FAKE_MEMORY enum evt_cuda_memory
		 */
		copy;
	bool is_release;
	bool is_pinned; /* of a copy: the host's side */
	uint64_t graph_node;
	uint32_t graph;
	uint64_t address;               /* of FAKE_MEMORY */
	uint64_t pool_bytes, pool_used; /* of FAKE_POOL, and FAKE_MEMORY of a pool */
	uint32_t id; /* of FAKE_CALL: which function; of FAKE_EXTERNAL: whose number */
	bool is_runtime;
	uint8_t clients;      /* of the fake libcupti, a bit each: who has asked for it */
	bool has_their_clock; /* the user of the tool had given it one when this was asked for */
};

/* Who wants to know; one at a time. */
struct fake_tool {
	/* A function of CUDA that the program called is about to run, or has run. */
	void (*call)(struct fake_call *call, bool is_done, int result);
	/* The device has something to do. False: nobody wants to know, it is not counted. */
	bool (*work)(const struct fake_work *work);
	/* A graph has got a node; `original`: as the copy of that one. */
	void (*node)(CUgraph graph, const void *node, const void *original);
	/* Graphs are told as one piece of work. */
	bool (*has_whole_graphs)(void);
};

extern _Atomic(const struct fake_tool *) fake_tool;
extern _Atomic bool fake_is_subscribed;

/*
 * The work of a kernel, a copy or a memset; its stream, device, thread, times and ids are filled in
 * here.
 */
void fake_device_submit(struct fake_work *work, CUstream stream);
/* Memory was given out or given back: at once. */
void fake_device_memory(const struct fake_block *block, bool is_release);
/* The pool of the present device gives back what nobody has of it. */
void fake_device_trim(void);
/* All of a graph whose nodes are to be told by nobody: they take place all the same. */
void fake_device_graph(struct fake_work *nodes, unsigned int count, CUstream stream);
void fake_device_node(CUgraph graph, const void *node, const void *original);
/*
 * Sleeps until the stream, or the whole device, is done. `what`: CUpti_ActivitySynchronizationType
 */
void fake_device_wait(CUstream stream, bool all, uint32_t what);
/* A launch by a library that calls no function that anybody can interpose. */
void fake_hidden_launch(const char *kernel, unsigned int blocks);
/* FAKE_CUDA_GEMM, or that name. */
const char *fake_gemm(const char *name);

/* The event is done when the stream is; what comes to the stream later waits for the event. */
void fake_device_record(CUevent event, CUstream stream);
void fake_device_follow(CUstream stream, CUevent event);
void fake_device_wait_event(CUevent event);
/* Holds the host up until a copy is done that the driver has to stage. */
void fake_device_stage(const struct fake_work *copy);

uint64_t fake_device_now(void);

/*
 * Of what was told to the tool: by kind of copy; memsets at EVT_CUDA_COPY_MEMSET. Kernels: struct
 * fake_name.
 */
struct fake_device_sum {
	_Atomic uint64_t calls, bytes, total_ns;
};
extern struct fake_device_sum fake_device_copies[EVT_CUDA_COPY_LIMIT];
extern struct fake_device_sum fake_device_overheads, fake_device_graphs;
extern struct fake_device_sum fake_device_given, fake_device_taken; /* memory */
extern _Atomic uint64_t fake_device_waits, fake_device_dropped;

#pragma GCC visibility pop
#endif
