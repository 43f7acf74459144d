/* SPDX-License-Identifier: MIT */
/*
 * A recorded training, step by step, with one thing of it changed, and what report bottleneck makes
 * of it.
 */
#ifndef TESTS_UNIT_TRAINING_RECORDING_H
#define TESTS_UNIT_TRAINING_RECORDING_H

#include "report/advice/bottleneck.h"
#include "tests/unit/cuda_recording.h"
#include "tests/unit/recording_source.h"

#define MS 1000000u
#define US 1000u
#define USER 7u /* at::RecordScope::USER_SCOPE */

/* What a step has; zeros: nothing of it. */
struct run {
	unsigned int steps, number; /* number: of the first step */
	uint64_t start_ns, step_ns, first_ns;
	unsigned int slow_every;
	uint64_t slow_ns;            /* of communication, on top */
	unsigned int slow_operators; /* of a millisecond each, without gradients, on top */
	uint64_t dataloader_ns, communication_ns, zero_grad_ns, wait_ns;
	unsigned int operators, items, optimizer_operators;
	uint64_t operator_ns, optimizer_ns, gap_ns; /* gap: after each operator */
	const char *optimizer_operator;
	unsigned int typed_every; /* one in so many steps has `types`; 0: none */
	uint64_t types;           /* of the inputs of the operators, as in torch_typed */
	unsigned int device_allocs, device_allocs_until;
	uint64_t copy_bytes, copy_source;
	unsigned int small_copies;         /* of 256 bytes and 50 us each */
	uint64_t tensor_bytes, heap_bytes; /* that stay */
	bool frees, in_loader, has_workers;
	uint64_t closure_ns;     /* of operators in the optimizer's step that record gradients */
	uint64_t wait_in_one_ns; /* between two operators, in each step */
	const char *wait_label;  /* the user's scope that it is in; NULL: none */
	unsigned int wait_once;  /* in this one only; 0: in all */
	unsigned int wait_every; /* in each so many steps only; 0: in all */
	unsigned int compile_every;
	uint64_t compile_ns;
	uint64_t stall_ns; /* in slow steps, at another place in each */
	/*
	 * The thread's clock is read at steps and around wait_in_one_ns, of which it runs for
	 * wait_runs_ns.
	 */
	bool reads_clock;
	uint64_t wait_runs_ns;
	/*
	 * What the second thread is in during wait_in_one_ns: nothing, autograd's backward
	 * functions, operators of its own, or nothing, while it ends a collective that the first
	 * thread began.
	 */
	enum { ALONE, BACKWARD_BESIDE, OPERATORS_BESIDE, COLLECTIVE_BESIDE } beside;
	uint64_t runnable_ns, process_cpu_ns; /* a step, as the collector has looked */
	struct reading {
		unsigned int opens, reads; /* a step */
		uint64_t bytes, call_ns;   /* of a read; of each call */
		bool in_loader;
		bool many;    /* each time that one is opened, it is another file */
	} reading;            /* of one file */
	void (*before)(void); /* writes what is before the first step, from 2 ms on */
	/* Kernels, one after the other from the begin of a step on; none: CUPTI tells nothing. */
	struct device {
		unsigned int kernels; /* a step */
		uint64_t kernel_ns, launch_ns, between_ns;
		const char *kernel, *operator;
		unsigned int gap_every;    /* each so many steps the device is given nothing */
		unsigned int copies, sets; /* a step, by calls that block */
		uint64_t copy_ns;
		uint64_t copied_ns; /* that the copy of copy_bytes takes; kernels wait for it */
		unsigned int
			/* CUpti_ActivityMemoryKind of copy_bytes, told by CUPTI; 0: not told */
			memory;
		bool host_works; /* the other operators work on the CPU */
	} device;
	struct {
		uint64_t looked_up, table, product; /* bytes that operators make; 0: none */
		uint64_t table_ns;
	} embedding;
};

static const struct run well = {
	.steps = 60,
	.start_ns = 2 * MS,
	.step_ns = 10 * MS,
	.first_ns = 12 * MS,
	.dataloader_ns = 200 * US,
	.communication_ns = 500 * US,
	.zero_grad_ns = 50 * US,
	.wait_ns = 100 * US,
	.operators = 10,
	.operator_ns = 700 * US,
	.optimizer_operators = 4,
	.optimizer_operator = "aten::add_",
	.optimizer_ns = 900 * US,
	.device_allocs = 3,
	.device_allocs_until = 2,
	.copy_bytes = 1 << 20,
	.copy_source = 0x100000,
	.tensor_bytes = 4096,
	.heap_bytes = 100000,
	.frees = true,
	.reading = { .reads = 4, .bytes = 65536, .call_ns = 2 * US, .in_loader = true },
};

static struct cuda_recording c;
static struct source *source;
static struct run *reading;
static struct bottleneck bottleneck;
static uint64_t now;     /* where the thread is */
static uint64_t idle_ns; /* for how long it was on no CPU */
static bool reads_clock;
#define WAITS_MAX 64u
static uint64_t waited_from_ns[WAITS_MAX]; /* each wait_in_one_ns begins */
static unsigned int waits;

static uint64_t name(const char *text)
{
	return cuda_recording_name(&c, text);
}

#define LOADER "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
#define LOADER_OF_WORKERS "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"

static void scope_begin(const char *text)
{
	FRAME_PUT(c.r.fw, now, torch_begin_ex, .name = name(text), .scope = USER, .sequence = -1,
		  .thread = 1);
}

static bool calls_cuda;      /* each operator does */
static uint64_t given_types; /* of the inputs of operators; 0: not recorded */

static void scope_end(const char *text, uint64_t kind)
{
	if (kind == USER)
		FRAME_PUT(c.r.fw, now, torch_end_ex, .name = name(text));
	else
		frame_put(c.r.fw, EVT_torch_end, now, &now);
}

/* Before the edge that it is read at. */
static void read_clock(void)
{
	if (reads_clock)
		FRAME_PUT(c.r.fw, now, thread_clock, .cpu_ns = now - idle_ns);
}

static void scope(const char *text, uint64_t kind, uint64_t took_ns)
{
	FRAME_PUT(c.r.fw, now, torch_begin_ex, .name = name(text), .scope = kind, .sequence = -1,
		  .thread = 1);
	if (given_types && kind != USER)
		FRAME_PUT(c.r.fw, now, torch_typed, .types = given_types);
	now += took_ns;
	if (calls_cuda)
		CUDA_PUT(&c, now, cuda_call, "cudaGetDevice", 1, .result = 0);
	read_clock();
	scope_end(text, kind);
}

static void wait_in_one(const struct run *run)
{
	if (run->wait_label)
		scope_begin(run->wait_label);
	if (run->wait_in_one_ns && waits < WAITS_MAX)
		waited_from_ns[waits++] = now;
	now += run->wait_in_one_ns;
	idle_ns += run->wait_in_one_ns - run->wait_runs_ns;
	read_clock();
	if (run->wait_label)
		scope_end(run->wait_label, USER);
}

/* As an evaluation within a step has them. */
static void slow_operators(const struct run *run)
{
	for (unsigned int i = 0; i < run->slow_operators; i++)
		scope("aten::relu", 0, MS);
}

static void mark(uint64_t number)
{
	FRAME_PUT(c.r.fw, now, step, .number = number, .name = name("Optimizer.step#SGD.step"));
}

#define HEAP_BLOCKS 4u /* a step's: fewer than the heap takes at once */

static void step_memory(const struct run *run, unsigned int step)
{
	uint64_t block = 0x1000000 + (uint64_t)step * 0x100000;

	FRAME_PUT(c.r.fw, now, tensor_alloc, .ptr = block, .bytes = run->tensor_bytes);
	for (unsigned int i = 0; i < HEAP_BLOCKS; i++)
		FRAME_PUT(c.r.fw, now, malloc, .ptr = block + i * 0x8000,
			  .size = run->heap_bytes / HEAP_BLOCKS, .caller = 1);
	if (!run->frees)
		return;
	FRAME_PUT(c.r.fw, now, tensor_free, .ptr = block);
	for (unsigned int i = 0; i < HEAP_BLOCKS; i++)
		FRAME_PUT(c.r.fw, now, free, .ptr = block + i * 0x8000);
}

static void step_cuda(const struct run *run, unsigned int step)
{
	for (unsigned int i = 0; i < run->device_allocs && step < run->device_allocs_until; i++) {
		now += 10 * US;
		CUDA_PUT(&c, now, cuda_alloc, "cudaMalloc", 10 * US, .kind = EVT_CUDA_DEVICE,
			 .address = 0x7000000 + step * 16 + i, .bytes = 1);
	}
	for (unsigned int i = 0; i < run->small_copies; i++) {
		now += 50 * US;
		CUDA_PUT(&c, now, cuda_copy, "cudaMemcpyAsync", 50 * US, .kind = EVT_CUDA_COPY_HTOD,
			 .bytes = 256, .destination = 0x7000000, .source = 0x9000000);
	}
	if (run->copy_bytes) {
		now += 5 * US;
		CUDA_PUT(&c, now, cuda_copy, "cudaMemcpyAsync", 5 * US, .kind = EVT_CUDA_COPY_HTOD,
			 .bytes = run->copy_bytes, .destination = 0x7000000,
			 .source = run->copy_source,
			 .correlation = run->device.memory ? (run->number + step) * 1000 + 999 : 0);
	}
	if (run->wait_ns) {
		now += run->wait_ns;
		CUDA_PUT(&c, now, cuda_call, "cudaStreamSynchronize", run->wait_ns, .result = 0);
	}
}

static void step_kernels(const struct device *device, uint64_t number)
{
	uint64_t begin_ns = now + device->copied_ns;

	for (unsigned int i = 0; i < device->kernels; i++) {
		uint64_t correlation = number * 1000 + i + 1;

		if (device->operator)
			FRAME_PUT(c.r.fw, now, torch_begin, .name = name(device->operator));
		now += device->launch_ns;
		CUDA_PUT(&c, now, cuda_launch, "cudaLaunchKernel", device->launch_ns,
			 .kernel = name(device->kernel), .correlation = correlation);
		if (device->operator)
			frame_put(c.r.fw, EVT_torch_end, now, &now);
		begin_ns = begin_ns > now ? begin_ns : now;
		FRAME_PUT(c.r.fw, now, gpu_kernel, .ago_ns = (int64_t)(now - begin_ns),
			  .duration_ns = device->kernel_ns, .correlation = correlation,
			  .kernel = name(device->kernel), .stream = 7);
		begin_ns += device->kernel_ns + device->between_ns;
	}
}

static void step_device(const struct run *run, unsigned int step)
{
	const struct device *device = &run->device;
	uint64_t number = run->number + step;

	if (device->copies || device->sets)
		FRAME_PUT(c.r.fw, now, torch_begin, .name = name("aten::copy_"));
	for (unsigned int i = 0; i < device->copies; i++) {
		now += device->copy_ns;
		CUDA_PUT(&c, now, cuda_copy, "cudaMemcpy", device->copy_ns,
			 .kind = EVT_CUDA_COPY_HTOD, .bytes = 4096, .source = 0x100000);
	}
	for (unsigned int i = 0; i < device->sets; i++) {
		now += device->copy_ns;
		CUDA_PUT(&c, now, cuda_copy, "cudaMemset", device->copy_ns,
			 .kind = EVT_CUDA_COPY_MEMSET, .bytes = 4096);
	}
	if (device->copies || device->sets)
		frame_put(c.r.fw, EVT_torch_end, now, &now);
	if (device->memory)
		FRAME_PUT(c.r.fw, now, gpu_copy, .ago_ns = 0,
			  .duration_ns = device->copied_ns ? device->copied_ns : US,
			  .correlation = number * 1000 + 999, .kind = 1,
			  .source_memory = device->memory, .destination_memory = 3,
			  .bytes = run->copy_bytes, .asynchronous = 1, .stream = 7);
	if (!device->gap_every || step % device->gap_every)
		step_kernels(device, number);
}

/* As in a closure: forward, and a node of the backward pass. */
static void step_closure(const struct run *run)
{
	if (!run->closure_ns)
		return;
	for (unsigned int i = 0; i < 60; i++) {
		FRAME_PUT(c.r.fw, now, torch_begin_ex, .name = name("aten::linear"), .sequence = i);
		now += run->closure_ns / 120;
		frame_put(c.r.fw, EVT_torch_end, now, &now);
		scope("autograd::engine::evaluate_function: AddmmBackward0", 0,
		      run->closure_ns / 120);
	}
}

static void step_compiles(const struct run *run, unsigned int step)
{
	char region[64];

	if (!run->compile_every || !step || step % run->compile_every)
		return;
	now += run->compile_ns;
	snprintf(region, sizeof(region), "Torch-Compiled Region: 0/%u", step / run->compile_every);
	scope(region, 0, 100 * US);
}

/* An operator that makes a tensor, in an operator of its own, and what becomes of it is freed. */
static void step_makes(const char *operator, uint64_t bytes, uint64_t took_ns)
{
	if (!bytes)
		return;
	FRAME_PUT(c.r.fw, now, torch_begin, .name = name(operator));
	FRAME_PUT(c.r.fw, now, torch_begin, .name = name("aten::empty"));
	FRAME_PUT(c.r.fw, now, tensor_alloc, .ptr = 0x70000000, .bytes = bytes);
	frame_put(c.r.fw, EVT_torch_end, now, &now);
	now += took_ns;
	frame_put(c.r.fw, EVT_torch_end, now, &now);
	FRAME_PUT(c.r.fw, now, tensor_free, .ptr = 0x70000000);
}

static void step_embedding(const struct run *run)
{
	step_makes("aten::embedding", run->embedding.looked_up, US);
	step_makes("aten::mm", run->embedding.product, US);
	step_makes("aten::embedding_dense_backward", run->embedding.table, run->embedding.table_ns);
}

static void step_optimizer(const struct run *run)
{
	uint64_t end_ns = now + run->optimizer_ns;

	FRAME_PUT(c.r.fw, now, torch_begin_ex, .name = name("Optimizer.step#SGD.step"),
		  .scope = USER, .sequence = -1);
	step_closure(run);
	for (unsigned int i = 0; i < run->optimizer_operators; i++)
		scope(run->optimizer_operator, 0, US);
	now = now > end_ns ? now : end_ns;
	scope_end("Optimizer.step#SGD.step", USER);
}

#define FILE_FD 5u

static void open_file(uint64_t took_ns, bool another)
{
	static unsigned int number;
	char path[32] = "/data/samples.bin";

	if (another)
		snprintf(path, sizeof(path), "/data/sample%u.bin", number++);
	now += took_ns;
	FRAME_PUT(c.r.fw, now, io_open, .function = name("open"), .fd = FILE_FD,
		  .kind = IO_KIND_FILE, .path = name(path), .duration = took_ns);
}

static void step_reads(const struct reading *how)
{
	for (unsigned int i = 0; i < how->opens; i++)
		open_file(how->call_ns, how->many);
	for (unsigned int i = 0; i < how->reads; i++) {
		now += how->call_ns;
		FRAME_PUT(c.r.fw, now, io_read, .function = name("read"), .fd = FILE_FD,
			  .bytes = how->bytes, .duration = how->call_ns);
	}
}

static void step_loads(const struct run *run)
{
	uint64_t end_ns = now + run->dataloader_ns;

	scope_begin(run->has_workers ? LOADER_OF_WORKERS : LOADER);
	if (run->reading.in_loader)
		step_reads(&run->reading);
	now = now > end_ns ? now : end_ns;
	scope_end(run->has_workers ? LOADER_OF_WORKERS : LOADER, USER);
	if (!run->reading.in_loader)
		step_reads(&run->reading);
}

static void write_step(const struct run *run, unsigned int step)
{
	uint64_t end_ns = now + (step ? run->step_ns : run->first_ns);
	bool slow = run->slow_every && step % run->slow_every == run->slow_every - 1;

	step_loads(run);
	step_device(run, step);
	scope("Optimizer.zero_grad#SGD.zero_grad", USER, run->zero_grad_ns);
	given_types = run->typed_every && step % run->typed_every == 1 ? run->types : 0;
	for (unsigned int i = 0; i < run->operators; i++) {
		scope("aten::mm", 0, run->operator_ns);
		now += run->gap_ns;
		if (i == 0 && (!run->wait_once || run->wait_once == step) &&
		    (!run->wait_every || step % run->wait_every == 0))
			wait_in_one(run);
		if (slow && i == step % run->operators)
			now += run->stall_ns;
	}
	given_types = 0;
	step_compiles(run, step);
	if (run->in_loader)
		scope_begin(LOADER);
	for (unsigned int i = 0; i < run->items; i++)
		scope("aten::item", 0, US);
	if (run->in_loader)
		scope_end(LOADER, USER);
	step_cuda(run, step);
	step_memory(run, step);
	if (run->communication_ns)
		scope("gloo:all_reduce", USER, run->communication_ns);
	if (slow) {
		scope("gloo:all_reduce", USER, run->slow_ns);
		slow_operators(run);
		end_ns += run->slow_ns + (uint64_t)run->slow_operators * MS;
	}
	step_embedding(run);
	step_optimizer(run);
	if (now < end_ns) /* the rest is one operator */
		scope("aten::sum", 0, end_ns - now);
}

static void collector_looks(const struct run *run, uint32_t stream, unsigned int step)
{
	if (!run->reads_clock)
		return;
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now, thread_sched, .stream = stream, .cpu_ns = now - idle_ns,
		  .runnable_ns = (step + 1) * run->runnable_ns);
	FRAME_PUT(c.r.fw, now, process_cpu, .process = stream,
		  .cpu_ns = (step + 1) * run->process_cpu_ns);
	frame_end_block(c.r.fw);
}

static void write_run(uint32_t stream, const struct run *run)
{
	calls_cuda = run->device.kernels && !run->device.host_works;
	frame_begin_block(c.r.fw, stream);
	now = 0;
	CUDA_PUT(&c, MS, cuda_alloc, "cudaHostAlloc", 5, .kind = EVT_CUDA_PINNED,
		 .address = 0x100000, .bytes = 1 << 20);
	open_file(0, false);
	if (run->before)
		run->before();
	now = run->start_ns;
	idle_ns = 0;
	reads_clock = run->reads_clock;
	for (unsigned int step = 0; step < run->steps; step++) {
		read_clock();
		mark(run->number + step);
		write_step(run, step);
		frame_end_block(c.r.fw);
		collector_looks(run, stream, step);
		frame_begin_block(c.r.fw, stream);
	}
	read_clock();
	if (run->steps)
		mark(run->number + run->steps);
	frame_end_block(c.r.fw);
}

/*
 * The second thread of the process; from 50 us after a wait has begun until 50 us before it ends.
 */
static void write_beside(uint32_t stream, const struct run *run)
{
	bool is_backward = run->beside == BACKWARD_BESIDE;

	frame_begin_block(c.r.fw, stream);
	for (unsigned int i = 0; i < waits && run->beside; i++) {
		uint64_t at = waited_from_ns[i] + 50 * US,
			 end = waited_from_ns[i] + run->wait_in_one_ns - 50 * US;

		if (run->beside == COLLECTIVE_BESIDE) {
			FRAME_PUT(c.r.fw, at, torch_async_begin, .name = name("gloo:all_reduce"),
				  .function = 64);
			FRAME_PUT(c.r.fw, end, torch_async_end, .function = 64);
			continue;
		}
		FRAME_PUT(c.r.fw, at, torch_begin,
			  .name = name(is_backward ? "autograd::engine::evaluate_function: Mm"
						   : "aten::sort"));
		FRAME_PUT(c.r.fw, at + US, torch_begin_ex,
			  .name = name(is_backward ? "MmBackward0" : "aten::copy_"),
			  .scope = is_backward, .sequence = is_backward ? (int64_t)i : -1,
			  .thread = 2, .forward_thread = is_backward);
		frame_put(c.r.fw, EVT_torch_end, end - US, &end);
		frame_put(c.r.fw, EVT_torch_end, end, &end);
	}
	frame_end_block(c.r.fw);
}

static void start(unsigned int processes)
{
	waits = 0;
	cuda_recording_start(&c, processes);
}

static void read_back(void)
{
	struct filter_settings all = { .pid = FILTER_NO_ID,
				       .tid = FILTER_NO_ID,
				       .to_ns = UINT64_MAX };

	cuda_recording_finish(&c, now + 1000);
	source = recording_source(&c.r);
	reading = run_new(source, &all);
	bottleneck_want(&bottleneck, reading);
	run_read(reading, false);
	bottleneck_look(&bottleneck);
}

static void release(void)
{
	bottleneck_release(&bottleneck);
	run_free(reading);
	source_close(source);
	cuda_recording_release(&c);
}

#endif
