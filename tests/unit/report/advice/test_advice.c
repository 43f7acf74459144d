/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/advice*.c: which advice a recording gets. A training that is well is written with
 * one thing wrong at a time: the rule about that says so, and none that is about something else.
 */
#include "tests/unit/unit.h"
#include "report/advice/cause.h"
#include "report/advice/place_text.h"
#include "report/base/text.h"
#include "tests/unit/advice_recording.h"

TEST(a_good_training_gets_no_advice)
{
	write_one(&well);
	for (size_t i = 0; i < bottleneck.advice_count; i++)
		fail_msg("%s: %s", bottleneck.advice[i].rule->id, bottleneck.advice[i].text);
	assert_int_equal(bottleneck.steps->time.count, 60);
	assert_int_equal(bottleneck.first_step_ns, 2 * MS);
	assert_int_equal(bottleneck.operator_calls, 60 * (3 + 10 + 1 + 4 + 1));
	release();
}

TEST(shares_of_a_step)
{
	one_is_wrong(CHANGED(dataloader_ns, 1200 * US), "dataloader", 11.95);
	one_is_wrong(CHANGED(zero_grad_ns, 700 * US), "zero_grad", 6.98);
	one_is_wrong(CHANGED(communication_ns, 1100 * US), "communication", 10.96);
	one_is_wrong(CHANGED(wait_ns, 600 * US), "synchronising", 5.98);
}

TEST(values_read_in_steps)
{
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

/* Types of four steps stand for all; 70 % of each are products. */
TEST(types_of_a_few_steps)
{
	struct run run = CHANGED(device_allocs, 0);
	const struct advice *advice;

	run.copy_bytes = run.wait_ns = 0;
	run.typed_every = 15;
	run.types = 1 << 7 | 1 << 4; /* c10::ScalarType: float64, int64 */
	write_one(&run);
	advice = only("double_precision", NULL);
	assert_true(advice->value > 69 && advice->value < 71);
	assert_non_null(strstr(advice->text, "were recorded in 4 steps"));
	assert_true(advice->gain_ns > 400 * MS && advice->gain_ns < 425 * MS);
	release();
	run.types = 1 << 6 | 1 << 4; /* float32 */
	write_one(&run);
	assert_null(advice_of("double_precision"));
	release();
	run.types = 1 << 7;
	run.operator_ns = 100 * US; /* 10 % */
	write_one(&run);
	assert_null(advice_of("double_precision"));
	release();
}

TEST(small_operators_with_python_between)
{
	struct run run = well;

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

TEST(optimizers_of_one_operator_a_parameter)
{
	struct run run = well;

	run.optimizer_operators = 100;
	write_one(&run);
	only("optimizer", NULL);
	release();
	run.optimizer_operator = "aten::_foreach_add_";
	write_one(&run);
	assert_null(advice_of("optimizer"));
	release();
}

TEST(what_a_closure_runs_is_not_the_optimizers)
{
	struct run run = well;

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

TEST(a_place_between_operators)
{
	struct run run = well;

	run.wait_in_one_ns = 2 * MS;
	run.operator_ns = 400 * US;
	write_one(&run);
	only("between_operators", NULL);
	assert_non_null(
		strstr(advice_of("between_operators")->text, "after aten::mm and before aten::mm"));
	release();
	run.wait_label = "[Callback]Plots.on_train_batch_end"; /* it stands in the place's line */
	write_one(&run);
	only("between_operators", NULL);
	assert_string_equal(advice_of("between_operators")->place.function, run.wait_label);
	release();
	run.wait_label = NULL;
	run.wait_once = 30; /* a machine that did something else */
	run.wait_in_one_ns = 200 * MS;
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/*
 * What the thread waits for is no place of its own: another thread of the process runs the step's
 * work there.
 */
TEST(a_backward_pass_on_another_thread)
{
	struct run run = well;

	run.wait_in_one_ns = 2 * MS;
	run.operator_ns = 400 * US;
	run.beside = BACKWARD_BESIDE;
	write_one(&run);
	for (size_t i = 0; i < bottleneck.advice_count; i++)
		fail_msg("%s: %s", bottleneck.advice[i].rule->id, bottleneck.advice[i].text);
	release();
	run.beside = OPERATORS_BESIDE; /* no link: nobody knows whether it waits for them */
	write_one(&run);
	assert_non_null(strstr(only("between_operators", NULL)->text,
			       "Another thread of the process, 200, was in operators for 95 % of "
			       "that time; whether the step waited for it was not recorded."));
	release();
}

/* A collective is under way on threads of its own, as while gradients are reduced. */
TEST(a_collective_on_another_thread)
{
	struct run run = well;

	run.wait_in_one_ns = 2 * MS;
	run.operator_ns = 400 * US;
	run.beside = COLLECTIVE_BESIDE;
	write_one(&run);
	assert_null(advice_of("between_operators"));
	assert_non_null(advice_of("communication"));
	release();
}

static void is_said(struct run run, const char *text)
{
	const char *said;

	write_one(&run);
	said = only("between_operators", NULL)->text;
	if (text ? !strstr(said, text) : strstr(said, "The thread was") != NULL)
		fail_msg("'%s' is wrong", said);
	release();
}

TEST(whether_it_runs_there)
{
	struct run run = well;

	run.wait_in_one_ns = 2 * MS;
	run.operator_ns = 400 * US;
	is_said(run, NULL); /* clocks were not read */
	run.reads_clock = true;
	is_said(run, "The thread was waiting there: it was on a CPU for 0 % of that time.");
	run.wait_runs_ns = 1900 * US;
	is_said(run, "The thread was running there, for 95 % of that time.");
	run.wait_runs_ns = 1000 * US;
	is_said(run,
		"partly running, partly waiting there: it was on a CPU for 50 % of that time.");
	run.wait_runs_ns = 200 * US;
	run.runnable_ns =
		8 *
		MS; /* of a step of 10: others have the CPUs, which may be all that it waits for */
	is_said(run, NULL);
}

/* `other`: advice that comes instead; NULL: none. */
static void too_many_threads(struct run run, const char *cores, bool wanted, const char *other)
{
	const char *words = run.runnable_ns > run.step_ns ? "no CPU for 100.0 % of the time"
							  : "no CPU for 40.0 % of the time";

	start(1);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 0, meta, .key = name("cores"), .value = name(cores));
	frame_end_block(c.r.fw);
	write_run(1, &run);
	read_back();
	if (wanted)
		assert_non_null(strstr(only("oversubscribed_threads", NULL)->text, words));
	else if (other)
		assert_non_null(strstr(only(other, NULL)->text, words));
	else
		assert_int_equal(bottleneck.advice_count, 0);
	release();
}

TEST(more_threads_than_cpus)
{
	struct run run = well;

	run.steps = 400; /* CPU times are told now and then: a short loop says nothing */
	run.reads_clock = true;
	run.runnable_ns = 4 * MS;
	run.process_cpu_ns = 39 * MS;
	too_many_threads(run, "4", true, NULL);
	/* others keep the rest busy, or a limit does */
	too_many_threads(run, "16", false, "cpu_contention");
	too_many_threads(run, "many", false, NULL);
	/* a look after its time, of a collector that stood still, tells of more than that time */
	run.runnable_ns = 10100 * US;
	too_many_threads(run, "16", false, "cpu_contention");
	run.runnable_ns = MS;
	too_many_threads(run, "4", false, NULL);
	run.runnable_ns = 4 * MS;
	run.steps = 60;
	too_many_threads(run, "4", false, NULL);
}

TEST(functions_that_are_compiled_again)
{
	struct run run = well;

	run.compile_every = 10;
	run.compile_ns = 100 * MS;
	write_one(&run);
	only("recompilations", NULL);
	assert_non_null(strstr(advice_of("recompilations")->text, "in 5 steps (5 times)"));
	release();
}

TEST(slow_steps_without_a_cause)
{
	struct run run = well;

	run.slow_every = 7;
	run.stall_ns = 40 * MS;
	write_one(&run);
	only("slow_steps", NULL);
	assert_int_equal(advice_of("slow_steps")->severity, ADVICE_NOTE);
	assert_non_null(strstr(advice_of("slow_steps")->text, "their cause was not recorded"));
	release();
}

TEST(device_memory_that_does_not_settle)
{
	one_is_wrong(CHANGED(device_allocs_until, 1000), "device_allocations", 3);
}

TEST(copies_from_memory_that_is_not_pinned)
{
	one_is_wrong(CHANGED(copy_source, 0x200000), "pageable_copies", 1 << 20);
}

TEST(memory_that_grows)
{
	struct run run = well;

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

/* They have operators without gradients that the other steps do not have. */
TEST(slow_steps_that_evaluate)
{
	struct run run = CHANGED(slow_every, 10);
	char title[CAUSE_TITLE_BYTES];

	run.slow_operators = 40;
	write_one(&run);
	assert_string_equal(cause_title(only("slow_steps", NULL), title),
			    "One step in 10 takes much longer, as in an evaluation");
	assert_non_null(strstr(advice_of("slow_steps")->todo, "Evaluate less often"));
	release();
}

TEST(steps_that_take_long)
{
	struct run run = well;
	char title[CAUSE_TITLE_BYTES];

	one_is_wrong(CHANGED(first_ns, 50 * MS), "first_step", 5);
	run.slow_every = 30;
	run.slow_ns = 40 * MS;
	write_one(&run);
	only("slow_steps", "communication");
	assert_non_null(strstr(advice_of("slow_steps")->text, "communication"));
	assert_non_null(strstr(advice_of("slow_steps")->text, "the slowest: 29, 59."));
	assert_int_equal(advice_of("slow_steps")->steps_apart, 0); /* two are no rhythm */
	release();
	run.slow_every = 10;
	write_one(&run);
	only("slow_steps", "communication");
	assert_string_equal(cause_title(advice_of("slow_steps"), title),
			    "One step in 10 takes much longer");
	assert_non_null(strstr(advice_of("slow_steps")->text, "are 10 steps apart."));
	release();
	run.slow_every = 100; /* none */
	write_one(&run);
	assert_null(advice_of("slow_steps"));
	release();
}

/* What compiles in the first step makes no advice about the others. */
TEST(first_steps_that_are_most_of_the_time)
{
	struct run run = well;

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

TEST(ranks_that_wait)
{
	struct run slow = well, late = well;

	start(2);
	late.start_ns += MS;
	late.step_ns = slow.step_ns = 12 * MS;
	write_run(1, &late);
	slow.communication_ns = 2 * MS;
	write_run(3, &slow);
	read_back();
	only("ranks_wait", "communication");
	assert_non_null(strstr(advice_of("ranks_wait")->text, "process 101"));
	assert_non_null(strstr(advice_of("ranks_wait")->text, "first waits for the second"));
	release();
	start(2);
	write_run(1, &well);
	write_run(3, &well);
	read_back();
	assert_int_equal(bottleneck.advice_count, 0);
	release();
}

/* The first process is late in the first half of the steps, the second in the other one. */
TEST(ranks_that_wait_in_turn)
{
	struct run before = well, after = well;

	before.step_ns = after.step_ns = 12 * MS;
	after.number = well.steps + 1;
	after.start_ns += (well.steps + 2) * after.step_ns;
	start(2);
	before.start_ns += MS;
	write_run(1, &before);
	write_run(1, &after);
	before.start_ns -= MS;
	after.start_ns += MS;
	before.communication_ns = after.communication_ns = 2 * MS;
	write_run(3, &before);
	write_run(3, &after);
	read_back();
	assert_non_null(strstr(advice_of("ranks_wait")->text, "wait for one another"));
	assert_null(strstr(advice_of("ranks_wait")->text, "the second"));
	assert_string_equal(advice_of("ranks_wait")->late, "one another");
	release();
}

static void tell(const char *key, const char *value)
{
	FRAME_PUT(c.r.fw, now, fact, .key = name(key), .value = name(value));
}

TEST(ranks_that_are_missing)
{
	static const char *const sizes[] = { "4", "1", "many" };

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

TEST(a_long_time_before_the_first_step)
{
	struct run run = well;

	run.start_ns = 20000ull * MS;
	write_one(&run);
	only("startup", NULL);
	release();
	run.start_ns = 5000ull * MS; /* not long, however short the rest is */
	write_one(&run);
	assert_null(advice_of("startup"));
	release();
}

/* Ranks are started by a program that has run for a while: of the run, as everywhere. */
TEST(a_rank_begins_late)
{
	struct run run = well;

	run.start_ns = 20000ull * MS;
	start(1);
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 10000ull * MS, process, .process = 2, .pid = 101, .parent = 1);
	FRAME_PUT(c.r.fw, 10000ull * MS, thread, .stream = 3, .process = 2, .tid = 101);
	frame_end_block(c.r.fw);
	write_run(3, &run);
	read_back();
	assert_int_equal(bottleneck.process->pid, 101);
	only("startup", NULL);
	assert_non_null(strstr(advice_of("startup")->text, "20.0 s passed before the first step"));
	release();
}

static void import_event(uint64_t time_ns, const char *module, const char *file, uint64_t line)
{
	FRAME_PUT(c.r.fw, time_ns, import_begin, .module = name(module), .file = name(file),
		  .line = line);
}

static void import_ends(uint64_t time_ns)
{
	FRAME_PUT(c.r.fw, time_ns, import_end, .failed = 0);
}

/*
 * slow takes 1.6 s, 0.4 s of it for its part's other; torch 5 s, 4 s of it for numpy: both are its
 * own.
 */
static void write_imports(void)
{
	uint64_t at = 100 * MS;

	import_event(at, "slow.part", "/home/u/train.py", 7);
	import_event(at + 200 * MS, "other", "/lib/slow/part.py", 3);
	import_ends(at + 600 * MS);
	import_ends(at + 1600ull * MS);
	import_event(at + 1600ull * MS, "torch", "/home/u/train.py", 8);
	import_event(at + 2000ull * MS, "numpy", "/lib/torch/__init__.py", 1);
	import_ends(at + 6000ull * MS);
	import_ends(at + 6600ull * MS);
}

TEST(slow_imports_before_the_first_step)
{
	struct run run = well;
	const struct advice *advice;

	run.start_ns = 7000ull * MS;
	start(1);
	write_run(1, &run);
	frame_begin_block(c.r.fw, 1);
	import_event(now, "late", "/home/u/train.py", 70); /* after the first step */
	import_ends(now + 9000ull * MS);
	now += 9000ull * MS;
	frame_end_block(c.r.fw);
	read_back();
	assert_null(advice_of("slow_imports"));
	release();
	run.before = write_imports;
	write_one(&run);
	advice = only("slow_imports", NULL);
	assert_int_equal(advice->gain_ns, 1600ull * MS);
	assert_non_null(strstr(advice->text, "step take 1.60 s, "));
	assert_non_null(strstr(advice->text,
			       "each package by itself: slow 1.20 s (imported at train.py:7), "
			       "other 400 ms (imported at part.py:3)."));
	assert_null(strstr(advice->text, "numpy"));
	release();
}

TEST(slow_imports_without_steps)
{
	start(1);
	frame_begin_block(c.r.fw, 1);
	import_event(50 * MS, "a.b", "", 0); /* still open at the end */
	import_event(50 * MS, "quick", "/x.py", 1);
	import_ends(249 * MS); /* not long enough */
	frame_end_block(c.r.fw);
	now = 500 * MS;
	read_back();
	assert_null(advice_of("slow_imports"));
	release();
	start(1);
	frame_begin_block(c.r.fw, 1);
	import_event(50 * MS, "slow", "", 0);
	import_ends(450 * MS);
	import_ends(460 * MS); /* of none */
	frame_end_block(c.r.fw);
	now = 500 * MS;
	read_back();
	assert_non_null(
		strstr(advice_of("slow_imports")->text, "each package by itself: slow 400 ms."));
	release();
}

TEST(no_steps_at_all)
{
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

TEST(recordings_of_a_part)
{
	struct run run = well;

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

TEST(what_failed_comes_first)
{
	struct run run = well;

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

TEST(the_greatest_gain_comes_first)
{
	struct run run = well;

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

static const struct advice_rule *rule_at(size_t place)
{
	return bottleneck.advice[place].rule;
}

/*
 * Small operators are a guess: what the optimizer and zero_grad explain of them does not bring them
 * to the front.
 */
TEST(known_causes_come_before_guesses)
{
	struct run run = well;

	run.operators = 200;
	run.operator_ns = 5 * US;
	run.gap_ns = 40 * US;
	run.zero_grad_ns = 8 * MS; /* more than half of what small operators are about */
	write_one(&run);
	assert_int_equal(bottleneck.advice_count, 2);
	assert_string_equal(rule_at(0)->id, "zero_grad");
	assert_string_equal(rule_at(1)->id, "small_operators");
	assert_true(bottleneck.advice[1].gain_ns > bottleneck.advice[0].gain_ns);
	assert_true(bottleneck.advice[1].weight_ns ==
		    bottleneck.advice[1].gain_ns - bottleneck.advice[0].gain_ns);
	release();
	run.zero_grad_ns = MS;
	write_one(&run);
	assert_string_equal(rule_at(0)->id, "small_operators");
	release();
}

/*
 * Every place is the seconds'; what has none comes last. Notes stand behind all that may be a
 * cause.
 */
TEST(advice_is_in_the_order_of_seconds)
{
	struct run run = well;

	run.operator_ns = 100 * US;
	run.dataloader_ns = 1200 * US;
	run.zero_grad_ns = 3 * MS;
	run.frees = false;
	run.items = 2;
	write_one(&run);
	assert_true(bottleneck.advice_count >= 4);
	assert_string_equal(rule_at(0)->id, "zero_grad");
	assert_string_equal(rule_at(1)->id, "dataloader");
	for (size_t i = 1; i < bottleneck.advice_count; i++) {
		const struct advice *last = &bottleneck.advice[i - 1],
				    *next = &bottleneck.advice[i];
		bool is_note = last->severity == ADVICE_NOTE;

		assert_true(is_note <= (next->severity == ADVICE_NOTE));
		if (is_note == (next->severity == ADVICE_NOTE))
			assert_true(next->weight_ns <= last->weight_ns);
	}
	release();
}

TEST(shares_above_a_half_are_problems)
{
	struct run run = well;

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

TEST(facts_of_the_environment)
{
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

/* A column may have any number of bytes: an accent is drawn over the character before it. */
TEST(a_name_of_accents_stays_in_its_room)
{
	char text[402] = "e", shown[PLACE_NAME_BYTES + 1];
	struct source_name name = { .text = text, .length = 401 };

	for (size_t i = 1; i < 401; i += 2)
		memcpy(text + i, "\xcc\x81", 2);
	shown[PLACE_NAME_BYTES] = 'x';
	place_name(&name, shown);
	assert_int_equal(shown[PLACE_NAME_BYTES], 'x');
	assert_true(memchr(shown, '\0', PLACE_NAME_BYTES) != NULL);
	assert_int_equal(text_width(shown, strlen(shown)), 1);
}
