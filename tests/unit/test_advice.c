/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/advice*.c: which advice a recording gets. A training that is well is written with one thing wrong
 * at a time: the rule about that says so, and none that is about something else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers it needs */
#include <cmocka.h>

#include "report/advice/bottleneck.h"
#include "report/session/source_open.h"
#include "tests/unit/cuda_recording.h"

#define MS 1000000u
#define US 1000u
#define USER 7u /* at::RecordScope::USER_SCOPE */

/* What a step has; zeros: nothing of it. */
struct run {
	unsigned int steps, number; /* number: of the first step */
	uint64_t start_ns, step_ns, first_ns;
	unsigned int slow_every;
	uint64_t slow_ns; /* of communication, on top */
	uint64_t dataloader_ns, communication_ns, zero_grad_ns, wait_ns;
	unsigned int operators, items, optimizer_operators;
	uint64_t operator_ns, optimizer_ns, gap_ns; /* gap: after each operator */
	const char *optimizer_operator;
	unsigned int device_allocs, device_allocs_until;
	uint64_t copy_bytes, copy_source;
	uint64_t tensor_bytes, heap_bytes; /* that stay */
	bool frees, in_loader;
	uint64_t closure_ns;     /* of operators in the optimizer's step that record gradients */
	uint64_t wait_in_one_ns; /* between two operators, in each step */
	unsigned int wait_once;  /* in this one only; 0: in all */
	unsigned int compile_every;
	uint64_t compile_ns;
	uint64_t stall_ns; /* in slow steps, at another place in each */
	struct reading {
		unsigned int opens, reads; /* a step */
		uint64_t bytes, call_ns;   /* of a read; of each call */
		bool in_loader;
	} reading; /* of one file */
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
static uint64_t now; /* where the thread is */

static uint64_t name(const char *text)
{
	return cuda_recording_name(&c, text);
}

#define LOADER "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"

static void scope_begin(const char *text)
{
	FRAME_PUT(c.r.fw, now, torch_begin_ex, .name = name(text), .scope = USER, .sequence = -1);
}

static void scope_end(const char *text, uint64_t kind)
{
	if (kind == USER)
		FRAME_PUT(c.r.fw, now, torch_end_ex, .name = name(text));
	else
		frame_put(c.r.fw, EVT_torch_end, now, &now);
}

static void scope(const char *text, uint64_t kind, uint64_t took_ns)
{
	FRAME_PUT(c.r.fw, now, torch_begin_ex, .name = name(text), .scope = kind, .sequence = -1);
	now += took_ns;
	scope_end(text, kind);
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
	if (run->copy_bytes) {
		now += 5 * US;
		CUDA_PUT(&c, now, cuda_copy, "cudaMemcpyAsync", 5 * US, .kind = EVT_CUDA_COPY_HTOD,
			 .bytes = run->copy_bytes, .destination = 0x7000000,
			 .source = run->copy_source);
	}
	if (run->wait_ns) {
		now += run->wait_ns;
		CUDA_PUT(&c, now, cuda_call, "cudaStreamSynchronize", run->wait_ns, .result = 0);
	}
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

static void open_file(uint64_t took_ns)
{
	now += took_ns;
	FRAME_PUT(c.r.fw, now, io_open, .function = name("open"), .fd = FILE_FD,
		  .kind = IO_KIND_FILE, .path = name("/data/samples.bin"), .duration = took_ns);
}

static void step_reads(const struct reading *how)
{
	for (unsigned int i = 0; i < how->opens; i++)
		open_file(how->call_ns);
	for (unsigned int i = 0; i < how->reads; i++) {
		now += how->call_ns;
		FRAME_PUT(c.r.fw, now, io_read, .function = name("read"), .fd = FILE_FD,
			  .bytes = how->bytes, .duration = how->call_ns);
	}
}

static void step_loads(const struct run *run)
{
	uint64_t end_ns = now + run->dataloader_ns;

	scope_begin(LOADER);
	if (run->reading.in_loader)
		step_reads(&run->reading);
	now = now > end_ns ? now : end_ns;
	scope_end(LOADER, USER);
	if (!run->reading.in_loader)
		step_reads(&run->reading);
}

static void write_step(const struct run *run, unsigned int step)
{
	uint64_t end_ns = now + (step ? run->step_ns : run->first_ns);
	bool slow = run->slow_every && step % run->slow_every == run->slow_every - 1;

	step_loads(run);
	scope("Optimizer.zero_grad#SGD.zero_grad", USER, run->zero_grad_ns);
	for (unsigned int i = 0; i < run->operators; i++) {
		scope("aten::mm", 0, run->operator_ns);
		now += run->gap_ns;
		if (i == 0 && (!run->wait_once || run->wait_once == step))
			now += run->wait_in_one_ns;
		if (slow && i == step % run->operators)
			now += run->stall_ns;
	}
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
	if (slow)
		scope("gloo:all_reduce", USER, run->slow_ns);
	step_optimizer(run);
	end_ns += slow ? run->slow_ns : 0;
	if (now < end_ns) /* the rest is one operator */
		scope("aten::sum", 0, end_ns - now);
}

static void write_run(uint32_t stream, const struct run *run)
{
	frame_begin_block(c.r.fw, stream);
	now = 0;
	CUDA_PUT(&c, MS, cuda_alloc, "cudaHostAlloc", 5, .kind = EVT_CUDA_PINNED,
		 .address = 0x100000, .bytes = 1 << 20);
	open_file(0);
	now = run->start_ns;
	for (unsigned int step = 0; step < run->steps; step++) {
		mark(run->number + step);
		write_step(run, step);
		frame_end_block(c.r.fw);
		frame_begin_block(c.r.fw, stream);
	}
	if (run->steps)
		mark(run->number + run->steps);
	frame_end_block(c.r.fw);
}

static void start(unsigned int processes)
{
	cuda_recording_start(&c, processes);
}

static void read_back(void)
{
	static char path[] = "memory.evt";
	struct session_file file = { .path = path };
	struct filter_settings all = { .pid = FILTER_NO_ID,
				       .tid = FILTER_NO_ID,
				       .to_ns = UINT64_MAX };
	char message[256];

	cuda_recording_finish(&c, now + 1000);
	file.bytes = bytes_of(c.r.bytes, c.r.length);
	assert_int_equal(source_open_files(&source, &file, 1, message, sizeof(message)), 0);
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

static const struct advice *advice_of(const char *id)
{
	for (size_t i = 0; i < bottleneck.advice_count; i++)
		if (!strcmp(bottleneck.advice[i].rule->id, id))
			return &bottleneck.advice[i];
	return NULL;
}

/* This, and nothing else but `also`, which may be NULL. */
static const struct advice *only(const char *id, const char *also)
{
	for (size_t i = 0; i < bottleneck.advice_count; i++) {
		const char *got = bottleneck.advice[i].rule->id;

		if (strcmp(got, id) && (!also || strcmp(got, also)))
			fail_msg("%s: %s", got, bottleneck.advice[i].text);
	}
	if (!advice_of(id))
		fail_msg("no advice '%s'", id);
	assert_true(advice_of(id)->text[0]);
	return advice_of(id);
}

static void write_one(const struct run *run)
{
	start(1);
	write_run(1, run);
	read_back();
}

/* One thing of `well` is another. */
#define CHANGED(field, value)              \
	({                                 \
		struct run changed = well; \
		changed.field = (value);   \
		changed;                   \
	})

static void a_good_training_gets_no_advice(void **state)
{
	(void)state;
	write_one(&well);
	for (size_t i = 0; i < bottleneck.advice_count; i++)
		fail_msg("%s: %s", bottleneck.advice[i].rule->id, bottleneck.advice[i].text);
	assert_int_equal(bottleneck.steps->time.count, 60);
	assert_int_equal(bottleneck.first_step_ns, 2 * MS);
	assert_int_equal(bottleneck.operator_calls, 60 * (3 + 10 + 1 + 4 + 1));
	release();
}

static void one_is_wrong(struct run run, const char *id, double value)
{
	const struct advice *advice;

	write_one(&run);
	advice = only(id, NULL);
	assert_true(advice->value > value * 0.95 && advice->value < value * 1.05);
	assert_true(advice->value > advice->rule->threshold);
	release();
}

static void shares_of_a_step(void **state)
{
	(void)state;
	one_is_wrong(CHANGED(dataloader_ns, 1200 * US), "dataloader", 11.95);
	one_is_wrong(CHANGED(zero_grad_ns, 700 * US), "zero_grad", 6.98);
	one_is_wrong(CHANGED(communication_ns, 1100 * US), "communication", 10.96);
	one_is_wrong(CHANGED(wait_ns, 600 * US), "synchronising", 5.98);
}

static void values_read_in_steps(void **state)
{
	(void)state;
	struct run run = CHANGED(items, 2);

	one_is_wrong(run, "item", 2);
	run.in_loader = true; /* a sampler's */
	write_one(&run);
	assert_null(advice_of("item"));
	release();
	run.in_loader = false;
	run.device_allocs = 0; /* on a CPU there is nothing to wait for */
	run.copy_bytes = run.wait_ns = 0;
	write_one(&run);
	assert_null(advice_of("item"));
	release();
	run.items = 300; /* but for the time itself */
	write_one(&run);
	only("item", NULL);
	release();
}

static void small_operators_with_python_between(void **state)
{
	struct run run = well;

	(void)state;
	run.operators = 200;
	run.operator_ns = 5 * US;
	run.gap_ns = 40 * US;
	write_one(&run);
	only("small_operators", NULL);
	assert_true(advice_of("small_operators")->value > 60);
	release();
	run.operator_ns = 30 * US; /* large ones */
	write_one(&run);
	assert_null(advice_of("small_operators"));
	release();
	run.operator_ns = 5 * US;
	run.operators = 10; /* not many */
	run.gap_ns = 90 * US;
	write_one(&run);
	assert_null(advice_of("small_operators"));
	release();
}

static void optimizers_of_one_operator_a_parameter(void **state)
{
	struct run run = well;

	(void)state;
	run.optimizer_operators = 100;
	write_one(&run);
	only("optimizer", NULL);
	release();
	run.optimizer_operator = "aten::_foreach_add_";
	write_one(&run);
	assert_null(advice_of("optimizer"));
	release();
}

static void what_a_closure_runs_is_not_the_optimizers(void **state)
{
	struct run run = well;

	(void)state;
	run.operators = 1;
	run.closure_ns = 6 * MS;
	run.optimizer_operators = 100;
	run.optimizer_ns = 0;
	write_one(&run);
	assert_true(bottleneck.loop.work.optimizer_operators == 100 * bottleneck.loop.steps);
	assert_true(bottleneck.loop.work.optimizer_ns == 100 * US * bottleneck.loop.steps);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

static void a_place_between_operators(void **state)
{
	struct run run = well;

	(void)state;
	run.wait_in_one_ns = 2 * MS;
	run.operator_ns = 400 * US;
	write_one(&run);
	only("between_operators", NULL);
	assert_non_null(
		strstr(advice_of("between_operators")->text, "after aten::mm and before aten::mm"));
	release();
	run.wait_once = 30; /* a machine that did something else */
	run.wait_in_one_ns = 200 * MS;
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

static void functions_that_are_compiled_again(void **state)
{
	struct run run = well;

	(void)state;
	run.compile_every = 10;
	run.compile_ns = 100 * MS;
	write_one(&run);
	only("recompilations", NULL);
	assert_non_null(strstr(advice_of("recompilations")->text, "in 5 steps (5 times)"));
	release();
}

static void slow_steps_without_a_cause(void **state)
{
	struct run run = well;

	(void)state;
	run.slow_every = 7;
	run.stall_ns = 40 * MS;
	write_one(&run);
	only("slow_steps", NULL);
	assert_int_equal(advice_of("slow_steps")->severity, ADVICE_NOTE);
	assert_non_null(strstr(advice_of("slow_steps")->text, "nothing in common"));
	release();
}

static void device_memory_that_does_not_settle(void **state)
{
	(void)state;
	one_is_wrong(CHANGED(device_allocs_until, 1000), "device_allocations", 3);
}

static void copies_from_memory_that_is_not_pinned(void **state)
{
	(void)state;
	one_is_wrong(CHANGED(copy_source, 0x200000), "pageable_copies", 1 << 20);
}

static void memory_that_grows(void **state)
{
	struct run run = well;

	(void)state;
	run.frees = false;
	write_one(&run);
	only("tensor_growth", "heap_growth");
	assert_true(advice_of("tensor_growth")->value == 4096);
	assert_true(advice_of("heap_growth")->value == 100000);
	release();
	run.heap_bytes = 4096; /* the tensors' own */
	write_one(&run);
	only("tensor_growth", NULL);
	release();
	run.tensor_bytes = 8;
	run.heap_bytes = 8;
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
	run.heap_bytes = 100000;
	run.steps = 18; /* too few to tell */
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

static void steps_that_take_long(void **state)
{
	struct run run = well;

	(void)state;
	one_is_wrong(CHANGED(first_ns, 50 * MS), "first_step", 5);
	run.slow_every = 30;
	run.slow_ns = 40 * MS;
	write_one(&run);
	only("slow_steps", "communication");
	assert_non_null(strstr(advice_of("slow_steps")->text, "communication"));
	assert_non_null(strstr(advice_of("slow_steps")->text, "the slowest: 29, 59."));
	release();
	run.slow_every = 100; /* none */
	write_one(&run);
	assert_null(advice_of("slow_steps"));
	release();
}

/* What compiles in the first step makes no advice about the others. */
static void first_steps_that_are_most_of_the_time(void **state)
{
	struct run run = well;

	(void)state;
	run.steps = 4;
	run.operators = 60;
	run.operator_ns = 20 * US;
	run.step_ns = run.zero_grad_ns = 0;
	run.dataloader_ns = run.optimizer_ns = run.wait_ns = 10 * US;
	run.communication_ns = 20 * US;
	run.first_ns = 4000u * MS;
	write_one(&run);
	only("first_step", NULL);
	assert_int_equal(bottleneck.loop.steps, 3);
	assert_int_equal(bottleneck.loop.warm_steps, 1);
	assert_true(advice_of("first_step")->gain_ns > 3990ull * MS);
	assert_int_equal(advice_of("first_step")->severity, ADVICE_PROBLEM);
	release();
	run.steps = 3; /* too few to tell */
	write_one(&run);
	assert_null(advice_of("first_step"));
	release();
}

static void ranks_that_wait(void **state)
{
	struct run slow = well;

	(void)state;
	start(2);
	write_run(1, &well);
	slow.communication_ns = 2 * MS;
	write_run(3, &slow);
	read_back();
	only("ranks_wait", "communication");
	assert_true(strstr(advice_of("ranks_wait")->text, "process 101") != NULL);
	release();
	start(2);
	write_run(1, &well);
	write_run(3, &well);
	read_back();
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

static void tell(const char *key, const char *value)
{
	FRAME_PUT(c.r.fw, now, fact, .key = name(key), .value = name(value));
}

static void ranks_that_are_missing(void **state)
{
	static const char *const sizes[] = { "4", "1", "many" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		start(1);
		write_run(1, &well);
		frame_begin_block(c.r.fw, 1);
		tell("WORLD_SIZE", sizes[i]);
		frame_end_block(c.r.fw);
		read_back();
		if (i)
			assert_null(advice_of("ranks_missing"));
		else
			assert_true(only("ranks_missing", NULL)->value == 3);
		release();
	}
}

static void a_long_time_before_the_first_step(void **state)
{
	struct run run = well;

	(void)state;
	run.start_ns = 20000ull * MS;
	write_one(&run);
	only("startup", NULL);
	release();
	run.start_ns = 5000ull * MS; /* not long, however short the rest is */
	write_one(&run);
	assert_null(advice_of("startup"));
	release();
}

static void no_steps_at_all(void **state)
{
	(void)state;
	start(1);
	frame_begin_block(c.r.fw, 1);
	now = 100;
	scope("aten::mm", 0, 10);
	frame_end_block(c.r.fw);
	read_back();
	assert_string_equal(only("no_steps", NULL)->command, "ops");
	release();
	start(1);
	frame_begin_block(c.r.fw, 1);
	for (now = 100; now < 1000; now += 100) {
		scope("one request", USER, 10);
		scope(LOADER, USER, 1);
		scope(LOADER, USER, 1);
	}
	frame_end_block(c.r.fw);
	read_back();
	assert_string_equal(only("no_steps", NULL)->command, "steps --step 'one request'");
	release();
	start(1);
	now = 100;
	read_back();
	assert_int_equal(bottleneck.advice_count, 0);
	assert_non_null(bottleneck.process);
	release();
}

static void recordings_of_a_part(void **state)
{
	struct run run = well;

	(void)state;
	run.frees = false;
	run.copy_source = 0x200000;
	start(1);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, 0, capture_start, .name = name("range"));
	frame_end_block(c.r.fw);
	write_run(1, &run);
	read_back();
	assert_true(bottleneck.steps_ns > 590ull * MS);
	only("limited", NULL); /* what grows and what was pinned before is not known */
	release();
	run = well;
	run.items = 2;
	start(1);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, 0, torch_sampling, .one_in = 50);
	frame_end_block(c.r.fw);
	write_run(1, &run);
	read_back();
	only("sampled", NULL);
	release();
}

static void what_failed_comes_first(void **state)
{
	struct run run = well;

	(void)state;
	run.dataloader_ns = 3 * MS;
	start(1);
	write_run(1, &run);
	frame_begin_block(c.r.fw, 1);
	CUDA_PUT(&c, now, cuda_call, "cudaGetDevice", 1, .result = 100);
	CUDA_PUT(&c, now, cuda_launch, "cudaLaunchKernel", 1, .grid_x = 1, .block_x = 1);
	FRAME_PUT(c.r.fw, now, tensor_oom, .bytes = 1000, .device = 257);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, now, lost, .process = 1, .count = 7);
	frame_end_block(c.r.fw);
	read_back();
	assert_int_equal(bottleneck.advice_count, 5);
	assert_string_equal(bottleneck.advice[0].rule->id, "losses");
	assert_true(bottleneck.advice[0].value == 7);
	assert_string_equal(bottleneck.advice[1].rule->id, "out_of_memory");
	assert_string_equal(bottleneck.advice[2].rule->id, "cuda_errors");
	assert_string_equal(bottleneck.advice[3].rule->id, "dataloader");
	assert_string_equal(bottleneck.advice[4].rule->id, "no_device_time");
	release();
}

static void the_greatest_gain_comes_first(void **state)
{
	struct run run = well;

	(void)state;
	run.operator_ns = 300 * US;
	run.dataloader_ns = 1200 * US;
	run.zero_grad_ns = 3 * MS;
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 2);
	assert_string_equal(bottleneck.advice[0].rule->id, "zero_grad");
	assert_int_equal(bottleneck.advice[0].severity, ADVICE_WARNING);
	assert_string_equal(bottleneck.advice[1].rule->id, "dataloader");
	assert_true(bottleneck.advice[0].gain_ns == 60 * 3ull * MS);
	release();
}

static void shares_above_a_half_are_problems(void **state)
{
	struct run run = well;

	(void)state;
	run.operator_ns = 100 * US;
	run.dataloader_ns = 8 * MS;
	write_one(&run);
	assert_int_equal(only("dataloader", NULL)->severity, ADVICE_PROBLEM);
	assert_non_null(strstr(advice_of("dataloader")->text, "; no worker process was seen."));
	bottleneck.workers = 5; /* of several epochs, perhaps */
	assert_true(advice_dataloader(&bottleneck, &bottleneck.advice[0]));
	assert_non_null(
		strstr(advice_of("dataloader")->text, "; 5 worker processes were seen in all."));
	release();
}

static void facts_of_the_environment(void **state)
{
	(void)state;
	start(1);
	write_run(1, &well);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, now, fact, .key = name("torch_version"), .value = name("2.15.0"),
		  .age_ns = now - MS);
	frame_end_block(c.r.fw);
	read_back();
	assert_string_equal(bottleneck_fact(&bottleneck, "torch_version")->text, "2.15.0");
	assert_null(bottleneck_fact(&bottleneck, "torch_cuda"));
	assert_int_equal(bottleneck.imported_ns, MS);
	release();
}

static void files_that_are_read_badly(void **state)
{
	(void)state;
	struct reading bits = { .reads = 20, .bytes = 100, .call_ns = 30 * US };
	struct reading again = { .opens = 2, .reads = 2, .bytes = 65536, .call_ns = 75 * US };
	struct run run;

	one_is_wrong(CHANGED(reading, bits), "small_reads", 5.96);
	one_is_wrong(CHANGED(reading, again), "reopened_files", 2.98);
	bits.bytes = 100000; /* as often, as long, but not for little */
	again.opens = 1;     /* once a step, 60 times in all */
	run = CHANGED(reading, bits);
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
	run = CHANGED(reading, again);
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* Only where the loop waits for the DataLoader, and the DataLoader for files. */
static void files_below_the_data_loader(void **state)
{
	(void)state;
	struct run run = CHANGED(dataloader_ns, 1500 * US);

	run.reading.call_ns = 187 * US;
	write_one(&run);
	assert_true(only("dataloader_files", "dataloader")->value > 49 &&
		    only("dataloader_files", "dataloader")->value < 51);
	assert_non_null(strstr(advice_of("dataloader_files")->text, "there are no workers"));
	release();
	run.reading.in_loader = false;
	write_one(&run);
	assert_null(advice_of("dataloader_files"));
	release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_training_gets_no_advice),
		cmocka_unit_test(shares_of_a_step),
		cmocka_unit_test(values_read_in_steps),
		cmocka_unit_test(small_operators_with_python_between),
		cmocka_unit_test(optimizers_of_one_operator_a_parameter),
		cmocka_unit_test(device_memory_that_does_not_settle),
		cmocka_unit_test(copies_from_memory_that_is_not_pinned),
		cmocka_unit_test(memory_that_grows),
		cmocka_unit_test(steps_that_take_long),
		cmocka_unit_test(first_steps_that_are_most_of_the_time),
		cmocka_unit_test(what_a_closure_runs_is_not_the_optimizers),
		cmocka_unit_test(a_place_between_operators),
		cmocka_unit_test(functions_that_are_compiled_again),
		cmocka_unit_test(slow_steps_without_a_cause),
		cmocka_unit_test(ranks_that_wait),
		cmocka_unit_test(ranks_that_are_missing),
		cmocka_unit_test(a_long_time_before_the_first_step),
		cmocka_unit_test(no_steps_at_all),
		cmocka_unit_test(recordings_of_a_part),
		cmocka_unit_test(what_failed_comes_first),
		cmocka_unit_test(the_greatest_gain_comes_first),
		cmocka_unit_test(shares_above_a_half_are_problems),
		cmocka_unit_test(facts_of_the_environment),
		cmocka_unit_test(files_that_are_read_badly),
		cmocka_unit_test(files_below_the_data_loader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
