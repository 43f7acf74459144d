/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/stacks/helped_stacks.c: the line of work that autograd's threads do is the one at which
 * their caller waits in backward(), where that is known. Launches ask for their stacks.
 */
#include "tests/unit/unit.h"
#include "collector/format/frame_flags.h"
#include "report/session/stacks.h"
#include "report/stacks/helped_stacks.h"
#include "tests/unit/gpu_recording.h"

#define ENGINE "autograd::engine::evaluate_function: MmBackward0"
#define AUTOGRAD "/site-packages/torch/autograd/__init__.py"
#define LOOKS_MAX 16

/* Threads of the recording, by stream. */
enum { CALLER = 1, ENGINE_THREAD };

/* Lines of Python. */
enum { MAIN = 1, METHOD, BACKWARD, MAKE_GRADS, FUNCTION, APPLY };

static uint32_t found[LOOKS_MAX]; /* the stack, by the number of the look */

struct probe {
	struct helped_stacks *helped;
};

static void take_look(void *state, const struct source_event *event, bool counts)
{
	const struct probe *probe = state;
	uint64_t number = event->event.id == EVT_gpu_call
				  ? EVENT_AS(gpu_call, &event->event)->correlation
				  : EVENT_AS(cuda_launch, &event->event)->correlation;

	(void)counts;
	found[number] = helped_stacks_of(probe->helped, event);
}

static void probe_start(void *state, struct run *asked, const void *options)
{
	struct probe *probe = state;

	(void)options;
	probe->helped = helped_stacks_want(asked);
	run_reads(asked, EVT_cuda_launch, FIELDS_ALL, take_look, probe);
	run_reads(asked, EVT_gpu_call, FIELDS_ALL, take_look, probe);
}

static const struct analysis_kind analysis_probe = { .name = "probe",
						     .state_bytes = sizeof(struct probe),
						     .start = probe_start };

static uint64_t address_of(unsigned int line)
{
	return PYTHON_LINE_BIT | line;
}

static void define(unsigned int line, const char *function, const char *file)
{
	FRAME_PUT(c.r.fw, 0, python_line, .id = address_of(line), .function = name(function),
		  .file = name(file), .first_line = 1, .line = line);
}

static void begin_recording(void)
{
	memset(found, 0, sizeof(found));
	cuda_recording_start(&c, 1);
	frame_begin_block(c.r.fw, 0);
	define(MAIN, "main", "/home/me/train.py");
	define(METHOD, "backward", "/site-packages/torch/_tensor.py");
	define(BACKWARD, "backward", AUTOGRAD);
	define(MAKE_GRADS, "_make_grads", AUTOGRAD);
	define(FUNCTION, "backward", "/home/me/function.py");
	define(APPLY, "apply", "/site-packages/torch/autograd/function.py");
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, CALLER);
}

/* Lines, the outermost one first. */
#define STACK(...)                                      \
	stack_of((const unsigned int[]){ __VA_ARGS__ }, \
		 sizeof((const unsigned int[]){ __VA_ARGS__ }) / sizeof(unsigned int))

static uint64_t stack_of(const unsigned int *line, size_t count)
{
	uint64_t id = 0;

	for (size_t i = 0; i < count; i++)
		id = recording_stack(&c.r, id, address_of(line[i]), FRAME_IS_PYTHON);
	return id;
}

static void put(enum evt_id id, uint64_t time_ns, const uint64_t *words, uint64_t stack)
{
	if (stack)
		frame_put_stack(c.r.fw, id, time_ns, words, stack);
	else
		frame_put(c.r.fw, id, time_ns, words);
}

static void begin(uint64_t time_ns, const char *text, uint64_t scope, uint64_t stack)
{
	struct evt_torch_begin_ex begin = { .name = name(text),
					    .scope = scope,
					    .sequence = 1,
					    .thread = scope == 1 ? 2 : 1,
					    .forward_thread = scope == 1 };
	uint64_t words[EVT_WORDS_MAX] = { 0 };

	memcpy(words, &begin, sizeof(begin));
	put(EVT_torch_begin_ex, time_ns, words, stack);
}

static void end(uint64_t time_ns)
{
	frame_put(c.r.fw, EVT_torch_end, time_ns, &time_ns);
}

static void operator_on(uint64_t time_ns, const char *text, uint64_t stack)
{
	begin(time_ns, text, 0, stack);
	end(time_ns + 10);
}

/* A launch within a node of the engine's thread. */
static void node(uint64_t time_ns, uint64_t look, uint64_t stack)
{
	struct evt_cuda_launch launch = { .function = name("cudaLaunchKernel"),
					  .kernel = name("k"),
					  .correlation = look };
	uint64_t words[EVT_WORDS_MAX] = { 0 };

	memcpy(words, &launch, sizeof(launch));
	FRAME_PUT(c.r.fw, time_ns, torch_begin, .name = name(ENGINE));
	begin(time_ns + 10, "MmBackward0", 1, 0);
	put(EVT_cuda_launch, time_ns + 20, words, stack);
	end(time_ns + 30);
	end(time_ns + 40);
}

static void read_it(uint64_t end_ns)
{
	close_recording(end_ns);
	open_run(NULL);
	run_want(run, &analysis_probe, NULL);
	run_read(run, false);
}

static void check(uint64_t look, const unsigned int *line, unsigned int count)
{
	const struct stacks *stacks = source_stacks(source);
	uint32_t stack = found[look];

	assert_int_equal(stacks_depth(stacks, stack), count);
	for (unsigned int i = count; i-- > 0; stack = stacks_frame(stacks, stack)->parent)
		assert_int_equal(stacks_frame(stacks, stack)->address, address_of(line[i]));
}

#define CHECK(look, ...)                                   \
	check(look, (const unsigned int[]){ __VA_ARGS__ }, \
	      sizeof((const unsigned int[]){ __VA_ARGS__ }) / sizeof(unsigned int))

/* Up to the call of torch.autograd: what it did before it called the engine is over. */
TEST(backward_is_at_its_callers_line)
{
	begin_recording();
	operator_on(1000, "aten::mm", STACK(MAIN));
	operator_on(2000, "aten::ones_like", STACK(MAIN, METHOD, BACKWARD, MAKE_GRADS));
	on_stream(ENGINE_THREAD);
	node(3000, 1, 0);
	node(3100, 2, STACK(APPLY, FUNCTION)); /* a backward function in Python */
	node(3200, 3, 0);
	read_it(9000);
	CHECK(1, MAIN, METHOD);
	CHECK(2, MAIN, METHOD, APPLY, FUNCTION);
	assert_int_equal(found[3], found[1]);
	release();
}

/* With an explicit gradient the last operator says nothing of where the thread waits. */
TEST(a_line_that_is_not_known_is_none)
{
	begin_recording();
	operator_on(1000, "aten::mm", STACK(MAIN));
	on_stream(ENGINE_THREAD);
	node(3000, 1, 0);
	on_stream(CALLER);
	operator_on(4000, "aten::ones_like", STACK(MAIN, METHOD, BACKWARD, MAKE_GRADS));
	operator_on(5000, "aten::mm", 0); /* without a stack: INTERCEPT_STACKS_MIN_TIME */
	on_stream(ENGINE_THREAD);
	node(6000, 2, 0);
	on_stream(CALLER);
	operator_on(7000, "aten::mm", STACK(APPLY, FUNCTION)); /* apply() calls no engine */
	on_stream(ENGINE_THREAD);
	node(7100, 3, 0);
	read_it(9000);
	for (unsigned int i = 1; i <= 3; i++)
		assert_int_equal(found[i], STACK_NONE);
	release();
}

static void block_on(uint64_t time_ns, uint64_t stack)
{
	const struct evt_malloc fields = { .ptr = 0x1000 + time_ns * 16, .size = 16 };

	frame_put_stack(c.r.fw, EVT_malloc, time_ns, (const uint64_t *)&fields, stack);
}

/*
 * The engine allocates before it begins: that stack is in torch.autograd as long as the thread
 * waits.
 */
TEST(explicit_gradients_are_at_their_callers_line)
{
	begin_recording();
	operator_on(1000, "aten::mm", STACK(MAIN));
	block_on(1500, STACK(MAIN, METHOD, BACKWARD));
	on_stream(ENGINE_THREAD);
	node(2000, 1, 0);
	node(2100, 2, STACK(APPLY, FUNCTION));
	on_stream(CALLER);
	block_on(2500, STACK(MAIN)); /* it is back, and has begun no operator since */
	on_stream(ENGINE_THREAD);
	node(3000, 3, 0);
	on_stream(CALLER);
	block_on(3500, STACK(MAIN, METHOD, BACKWARD));
	operator_on(4000, "aten::mm", STACK(MAIN)); /* whatever it was in before is over */
	on_stream(ENGINE_THREAD);
	node(5000, 4, 0);
	read_it(9000);
	CHECK(1, MAIN, METHOD);
	CHECK(2, MAIN, METHOD, APPLY, FUNCTION);
	assert_int_equal(found[3], STACK_NONE);
	assert_int_equal(found[4], STACK_NONE);
	release();
}

/*
 * Of calls that only CUPTI saw: by the operator around them, but not by a scope in which Python may
 * run.
 */
TEST(hidden_calls_are_at_their_operators_line)
{
	begin_recording();
	begin(1000, "aten::linear", 0, STACK(MAIN));
	begin(1010, "aten::addmm", 0, STACK(MAIN, METHOD));
	FRAME_PUT(c.r.fw, 1020, gpu_call, .function = name("cuLaunchKernelEx"), .correlation = 1);
	end(1030);
	FRAME_PUT(c.r.fw, 1040, gpu_call, .function = name("cuLaunchKernelEx"), .correlation = 2);
	end(1050);
	FRAME_PUT(c.r.fw, 1060, gpu_call, .function = name("cuLaunchKernelEx"), .correlation = 3);
	begin(1070, "step", 7, STACK(MAIN));
	FRAME_PUT(c.r.fw, 1080, gpu_call, .function = name("cuLaunchKernelEx"), .correlation = 4);
	end(1090);
	launch(2000, 5); /* recorded without: that is said, and nothing is made up */
	read_it(9000);
	CHECK(1, MAIN, METHOD);
	CHECK(2, MAIN);
	for (unsigned int i = 3; i <= 5; i++)
		assert_int_equal(found[i], STACK_NONE);
	release();
}
