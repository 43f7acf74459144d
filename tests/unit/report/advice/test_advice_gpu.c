/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/advice/advice_gpu.c, gpu_evidence.c: advice on what the GPU did, of trainings where one
 * thing is wrong and where none is.
 */
#include "tests/unit/unit.h"
#include "tests/unit/advice_recording.h"

/* A loop whose GPU is busy for 9 of 10 ms: ten kernels of 900 us. */
static const struct device busy = { .kernels = 10,
				    .kernel_ns = 900 * US,
				    .launch_ns = 5 * US,
				    .kernel = "elementwise_kernel",
				    .operator= "aten::cumsum" };

static struct run on_device(struct device device)
{
	struct run run = well;

	run.operator_ns = 600 * US;
	run.device = device;
	return run;
}

/* With one thing of `busy` that is another. */
#define DEVICE(field, value)                  \
	({                                    \
		struct device changed = busy; \
		changed.field = (value);      \
		on_device(changed);           \
	})

/* But that the GPU is the limit, which it is where it is busy. */
static void expect_no_advice(const struct run *run)
{
	write_one(run);
	for (size_t i = 0; i < bottleneck.advice_count; i++)
		if (strcmp(bottleneck.advice[i].rule->id, "gpu_bound") != 0)
			fail_msg("%s: %s", bottleneck.advice[i].rule->id,
				 bottleneck.advice[i].text);
	release();
}

TEST(a_busy_gpu_gets_no_advice)
{
	struct run run = on_device(busy);

	expect_no_advice(&run);
	run.device.memory = 2; /* pinned, though nobody saw it being pinned */
	run.copy_source = 0x9000000;
	expect_no_advice(&run);
}

TEST(a_gpu_that_waits_is_seen)
{
	struct run run = DEVICE(kernel_ns, 300 * US);

	one_is_wrong(run, "gpu_idle", 70);
	run.dataloader_ns = 6 * MS; /* the cause is said instead */
	run.operator_ns = 100 * US;
	write_one(&run);
	only("dataloader", NULL);
	release();
	run = DEVICE(kernel_ns, 300 * US);
	run.steps = 0; /* no loop, no share */
	write_one(&run);
	assert_null(advice_of("gpu_idle"));
	release();
}

TEST(operators_on_the_cpu)
{
	struct run run = DEVICE(kernel_ns, 300 * US);

	run.device.host_works = true;
	one_is_wrong(run, "host_operators", 82);
}

/* Many small ones are one cause, whatever memory they are of; a few large ones another. */
TEST(copies_one_by_one)
{
	struct run run = DEVICE(kernel_ns, 300 * US);

	run.copy_bytes = 0;
	run.small_copies = 64;
	one_is_wrong(run, "small_copies", 29); /* a step takes longer by them */
	run.small_copies = 8;
	write_one(&run);
	assert_null(advice_of("small_copies"));
	release();
}

/* What the host does while the GPU works costs nothing: at stake is the time that the GPU idles. */
TEST(waiting_for_a_busy_gpu)
{
	struct run run = on_device(busy);
	const struct advice *advice;

	run.operator_ns = 100 * US;
	run.wait_ns = 5 * MS;
	write_one(&run);
	advice = only("synchronising", NULL);
	assert_true(advice->value > 49 && advice->value < 51);
	assert_in_range(advice->gain_ns, 60ull * 950 * US, 60ull * 1050 * US);
	assert_non_null(strstr(advice->text, "The GPU was idle for"));
	release();
	run.device.kernel_ns = 980 * US;
	expect_no_advice(&run);
	run.wait_ns = 100 * US;
	run.dataloader_ns = 5 * MS;
	expect_no_advice(&run);
}

/* Kernels of 4 ms that wait for a copy of 5 ms. */
TEST(copies_that_kernels_wait_for)
{
	struct run run = on_device(busy);

	run.device.kernel_ns = 400 * US;
	run.device.copied_ns = 5 * MS;
	run.device.memory = 2; /* pinned */
	run.copy_source = 0x9000000;
	one_is_wrong(run, "exposed_copies", 20.7); /* its call comes 3 ms later, behind operators */
	run.device.memory = 1;                     /* pageable: that is why */
	write_one(&run);
	only("pageable_copies", NULL);
	release();
}

TEST(losses_leave_idle_times_open)
{
	struct run run = DEVICE(kernel_ns, 300 * US);

	start(1);
	write_run(1, &run);
	frame_begin_block(c.r.fw, 1);
	FRAME_PUT(c.r.fw, now, gpu_lost, .count = 3);
	frame_end_block(c.r.fw);
	read_back();
	assert_null(advice_of("gpu_idle"));
	release();
}

/*
 * 500 kernels of 2 us, each of which the host takes 6 us to launch: the GPU waits for 2 of the 10
 * ms, and then for the CPU.
 */
TEST(a_host_that_is_busy_launching)
{
	struct run run = on_device((struct device){
		.kernels = 500, .kernel_ns = 2 * US, .launch_ns = 6 * US, .kernel = "k",
.operator = "aten::cumsum" });
	const struct advice *advice;

	run.operator_ns = 100 * US;
	run.device.host_works = true;
	write_one(&run);
	advice = only("launch_bound", "host_operators"); /* no other about the same seconds */
	assert_in_range(advice->gain_ns, 60ull * 2000 * US, 60ull * 2030 * US);
	assert_non_null(strstr(advice->text, "500 launches a step"));
	assert_non_null(strstr(advice->text, "a kernel runs for 2.00 us"));
	release();
	run.device.kernel_ns = 19 * US; /* longer, and the GPU is busy */
	expect_no_advice(&run);
	run.device.kernel_ns = 2 * US;
	run.device.kernels = 10; /* few: it is the operators of the CPU that take long */
	write_one(&run);
	assert_null(advice_of("launch_bound"));
	release();
}

/* The GPU is idle for less than half of the time, but the host never waits for it. */
TEST(a_host_that_is_behind)
{
	struct run run = on_device((struct device){
		.kernels = 500, .kernel_ns = 12 * US, .launch_ns = 18 * US, .kernel = "k",
.operator = "aten::cumsum" });

	run.operator_ns = 100 * US;
	write_one(&run);
	only("launch_bound", NULL);
	release();
	run.wait_ns = MS / 2; /* hardly */
	write_one(&run);
	assert_non_null(advice_of("launch_bound"));
	release();
	run.wait_ns = 2 * MS; /* it does: then it is not known who is behind */
	write_one(&run);
	assert_null(advice_of("launch_bound"));
	release();
}

/* Kernels of clone() and contiguous(), for 9 of 10 ms. */
TEST(copies_on_the_device)
{
	struct run run = DEVICE(operator, "aten::clone");
	const struct advice *advice;

	write_one(&run);
	advice = advice_of("copies");
	assert_non_null(advice);
	assert_true(advice->value > 85 && advice->value < 95);
	assert_non_null(strstr(advice->text, "10.0 times and 9.00 ms a step"));
	release();
	run.device.operator= "aten::_to_copy"; /* a conversion, as autocast makes them */
	expect_no_advice(&run);
}

/* --- sums of the GPU's work, of a loop whose operators are sampled --- */

/* What a step does in a phase: so many launches, for so long, while the GPU is busy for a part. */
struct phase {
	unsigned int launches;
	uint64_t ns, gpu_ns;
};
struct phased {
	struct phase forward, backward, optimizer;
	unsigned int copies; /* calls before forward, each for so long */
	uint64_t copy_ns;
	void (*sums)(void); /* tells them at the end */
};

static void phase_passes(const struct phase *phase)
{
	for (unsigned int i = 0; i < phase->launches; i++)
		FRAME_PUT(c.r.fw, now, gpu_call, .function = name("cudaLaunchKernel"));
	now += phase->ns;
	FRAME_PUT(c.r.fw, now, gpu_stretch, .ago_ns = (int64_t)phase->ns, .duration_ns = phase->ns,
		  .process = 1, .kernel_ns = phase->gpu_ns);
}

static void write_phased(const struct phased *step)
{
	uint64_t nodes = 5;

	start(1);
	frame_begin_block(c.r.fw, 1);
	now = MS;
	FRAME_PUT(c.r.fw, now, torch_sampling, .one_in = 100, .passes = 1);
	FRAME_PUT(c.r.fw, now, gpu_cupti, .state = EVT_GPU_STARTED);
	FRAME_PUT(c.r.fw, now, autograd_nodes, .nodes = nodes);
	for (unsigned int number = 0; number < 60; number++) {
		mark(number);
		for (unsigned int i = 0; i < step->copies; i++) {
			now += step->copy_ns;
			FRAME_PUT(c.r.fw, now, gpu_call, .function = name("cudaMemcpyAsync"),
				  .duration_ns = step->copy_ns);
		}
		phase_passes(&step->forward);
		FRAME_PUT(c.r.fw, now, autograd_begin, .nodes = ++nodes);
		phase_passes(&step->backward);
		frame_put(c.r.fw, EVT_autograd_end, now, &now);
		scope_begin("Optimizer.step#SGD.step");
		phase_passes(&step->optimizer);
		scope_end("Optimizer.step#SGD.step", USER);
	}
	mark(60);
	if (step->sums)
		step->sums();
	frame_end_block(c.r.fw);
	read_back();
}

TEST(launches_of_sums)
{
	static const struct phased launching = { .forward = { 20, 3 * MS, 100 * US },
						 .backward = { 40, 4 * MS, 200 * US },
						 .optimizer = { 10, MS, 50 * US } };
	struct phased step = launching;
	const struct advice *advice;

	write_phased(&step);
	advice = advice_of("launch_bound");
	assert_non_null(advice);
	assert_null(advice_of("gpu_idle"));
	/* 95 us each of the other phases' 50 launches, and as much a launch of forward's 20 */
	assert_int_equal(advice->gain_ns, 60ull * 70 * 95 * US);
	assert_non_null(strstr(advice->text, "70 launches a step, 95.0 us of host time each"));
	release();

	step.backward.launches = step.optimizer.launches = 5; /* too long for launches */
	write_phased(&step);
	assert_null(advice_of("launch_bound"));
	assert_non_null(advice_of("gpu_idle"));
	release();

	step = launching;
	step.forward = (struct phase){ 400, 30 * MS, 0 }; /* the others are no measure of so many */
	write_phased(&step);
	assert_null(advice_of("launch_bound"));
	release();

	step.forward = (struct phase){ 400, 10 * MS,
				       0 }; /* 25 us each: no time for anything else */
	write_phased(&step);
	advice = advice_of("launch_bound");
	assert_non_null(advice);
	assert_int_equal(advice->gain_ns, 60ull * (10 * MS + 50 * 95 * US));
	release();

	step = (struct phased){ .forward = { 20, 3 * MS, 2900 * US }, /* the GPU is busy */
				.backward = { 40, 4 * MS, 3900 * US },
				.optimizer = { 10, MS, 950 * US } };
	write_phased(&step);
	assert_null(advice_of("launch_bound"));
	release();
}

/* The GPU is busy for 7.75 of 8 ms of each of the 57 settled steps. */
static const struct phased busy_phased = { .forward = { 20, 3 * MS, 2900 * US },
					   .backward = { 40, 4 * MS, 3900 * US },
					   .optimizer = { 10, MS, 950 * US } };

static const char *summed_kernel;
static uint64_t summed_ns, summed_rest_ns;

static void tells_kernels(void)
{
	FRAME_PUT(c.r.fw, now, gpu_limits, .device = 0, .major = 9);
	FRAME_PUT(c.r.fw, now, gpu_kernel_sum, .process = 1, .interval_ns = now,
		  .kernel = name(summed_kernel), .count = 570, .total_ns = summed_ns, .settled = 1);
	FRAME_PUT(c.r.fw, now, gpu_kernel_sum, .process = 1, .interval_ns = now,
		  .kernel = name("elementwise"), .count = 570, .total_ns = summed_rest_ns,
		  .settled = 1);
	FRAME_PUT(c.r.fw, now, gpu_kernel_sum, .process = 1, .interval_ns = now,
		  .kernel = name("ampere_s16816gemm"), .count = 9,
		  .total_ns = 3 * MS); /* warm-up */
}

static void sums_say(const char *id, const char *kernel)
{
	struct phased step = busy_phased;
	const struct advice *advice;

	step.sums = tells_kernels;
	summed_kernel = kernel;
	summed_ns = 57ull * 5 * MS;
	summed_rest_ns = 57ull * 2750 * US;
	write_phased(&step);
	advice = advice_of(id);
	assert_non_null(advice);
	assert_int_equal(advice->gain_ns, 60ull * 5 * MS);
	assert_non_null(strstr(advice->text, "65 % of the kernels' time, 5.00 ms a step"));
	release();
	summed_rest_ns += 57ull * 3 * MS; /* behind the last step: 2 ms a step are left for sure */
	write_phased(&step);
	assert_non_null(advice_of(id));
	assert_int_equal(advice_of(id)->gain_ns, 60ull * 2 * MS);
	release();
	summed_rest_ns += 57ull * 2 * MS;
	write_phased(&step);
	assert_null(advice_of(id));
	release();
}

TEST(products_of_sums)
{
	struct phased step = busy_phased;

	sums_say("no_tensor_cores", "ampere_sgemm_128x64_nn");
	sums_say("double_precision", "cutlass_80_dgemm_64x64");
	summed_kernel = "ampere_s16816gemm";
	summed_ns = 57ull * 5 * MS;
	summed_rest_ns = 57ull * 2750 * US;
	step.sums = tells_kernels;
	write_phased(&step);
	assert_null(advice_of("no_tensor_cores"));
	assert_null(advice_of("double_precision"));
	release();
}

static uint64_t summed_pageable, summed_to_host, summed_bytes;

static void tells_copies(void)
{
	FRAME_PUT(c.r.fw, now, gpu_copy_sum, .process = 1, .interval_ns = now, .kind = 1,
		  .count = 57 * summed_pageable, .total_ns = 57ull * MS,
		  .bytes = 57 * summed_pageable * summed_bytes, .settled = 2);
	FRAME_PUT(c.r.fw, now, gpu_copy_sum, .process = 1, .interval_ns = now, .kind = 2,
		  .count = 57 * summed_to_host, .total_ns = 57ull * 10 * US,
		  .bytes = 57 * summed_to_host * 4, .settled = 2);
}

/* By the calls that copy, whose kind the sums say. */
TEST(copies_of_sums)
{
	struct phased step = { .forward = { 20, 3 * MS, 100 * US },
			       .backward = { 40, 4 * MS, 200 * US },
			       .optimizer = { 10, MS, 50 * US },
			       .copies = 2,
			       .copy_ns = 2 * MS,
			       .sums = tells_copies };
	const struct advice *advice;

	summed_pageable = 2;
	summed_to_host = 0;
	summed_bytes = 1 << 20;
	write_phased(&step);
	advice = advice_of("pageable_copies");
	assert_non_null(advice);
	assert_int_equal(advice->gain_ns, 60ull * 4 * MS);
	assert_non_null(strstr(advice->text, "2.00 MiB and 4.00 ms a step"));
	assert_null(advice_of("small_copies"));
	assert_null(advice_of("synchronising"));
	release();
	summed_to_host = 1; /* then it is not known which of them waited: what the GPU copied is */
	write_phased(&step);
	assert_int_equal(advice_of("pageable_copies")->gain_ns, 60ull * MS);
	release();
	step.copy_ns = 20 * US; /* they hold up nobody */
	write_phased(&step);
	assert_null(advice_of("pageable_copies"));
	release();

	step.copies = summed_pageable = 100; /* small ones */
	step.copy_ns = 30 * US;
	summed_bytes = 260;
	write_phased(&step);
	advice = advice_of("small_copies");
	assert_non_null(advice);
	assert_int_equal(advice->gain_ns, 60ull * 3 * MS);
	assert_non_null(strstr(advice->text, "100.0 copies a step, nearly all to the device, of "
					     "260 B each"));
	release();

	step.copies = summed_to_host = 2; /* values that are read: the call waits for them */
	step.copy_ns = 2 * MS;
	summed_pageable = 0;
	write_phased(&step);
	assert_non_null(advice_of("synchronising"));
	assert_null(advice_of("pageable_copies"));
	assert_null(advice_of("small_copies"));
	release();
}

/*
 * What allocates on the GPU in each step is known to: that it waits meanwhile is not said once
 * more.
 */
TEST(the_cause_stands_alone)
{
	struct run run = DEVICE(kernel_ns, 300 * US);

	run.device_allocs = 200;
	run.device_allocs_until = 60;
	write_one(&run);
	only("device_allocations", NULL);
	release();
}

static void a_gpu_with_tensor_cores(void)
{
	FRAME_PUT(c.r.fw, now, gpu_limits, .device = 0, .major = 9);
}

TEST(products_without_tensor_cores)
{
	struct run run = DEVICE(operator, "aten::mm");
	const struct advice *advice;

	run.device.kernel = "ampere_sgemm_128x64_nn";
	write_one(&run);
	advice = only("no_tensor_cores", NULL);
	assert_true(advice->value > 99.9);
	assert_int_equal(advice->gain_ns, 57ull * 10 * 900 * US);
	release();
	run.device.kernel = "ampere_fp16_s16816gemm_fp16_128x64_nn";
	expect_no_advice(&run);
	run.device.kernel = "maxwell_sgemm_128x64_nn"; /* it has none */
	expect_no_advice(&run);
	run.before = a_gpu_with_tensor_cores;
	run.device.kernel = "sgemm_largek_lds64";
	write_one(&run);
	only("no_tensor_cores", NULL);
	release();
	run.before = NULL;
	expect_no_advice(&run); /* nobody says that it has them */
	run.device.kernel = "sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize32x32x8_stage3_"
			    "warpsize1x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas";
	write_one(&run);
	only("no_tensor_cores", NULL);
	release();
	run.device.kernel = "ampere_sgemm_128x64_nn"; /* of something that is no product */
	run.device.operator= "aten::cumsum";
	expect_no_advice(&run);
	run.device.operator= "aten::mm"; /* a small part of the steps' time */
	run.device.kernel_ns = 80 * US;
	write_one(&run);
	assert_null(advice_of("no_tensor_cores"));
	release();
}

TEST(calls_that_block)
{
	struct run run = DEVICE(copies, 3);

	run.device.copy_ns = 100 * US;
	one_is_wrong(run, "blocking_copies", 2.85);
	run = DEVICE(sets, 3);
	run.device.copy_ns = 100 * US;
	one_is_wrong(run, "blocking_sets", 2.85);
	run.device.copy_ns = 10 * US;
	expect_no_advice(&run);
	run = DEVICE(copies, 10); /* not counted twice */
	run.operator_ns = 400 * US;
	run.device.copy_ns = 200 * US;
	write_one(&run);
	only("blocking_copies", NULL);
	release();
}

TEST(pageable_memory_as_cupti_tells)
{
	struct run run = DEVICE(memory, 1); /* pageable, though it was pinned once */

	write_one(&run);
	assert_int_equal(only("pageable_copies", NULL)->value, run.copy_bytes);
	assert_int_equal(advice_of("pageable_copies")->gain_ns, 57ull * 5 * US);
	release();
}

TEST(long_gaps_of_the_device)
{
	struct run run = DEVICE(gap_every, 1);
	const struct advice *advice;

	run.steps = 12;
	run.step_ns = run.first_ns = 700 * MS;
	run.operator_ns = 60 * MS;
	run.device.kernels = 1;
	run.device.kernel_ns = 650 * MS;
	run.device.gap_every = 0;
	expect_no_advice(&run);
	run.device.gap_every = 4; /* nothing in steps 0, 4 and 8 */
	write_one(&run);
	assert_int_equal(only("gpu_gaps", NULL)->value, 2);
	release();
	run.device.gap_every = 0;
	run.device.kernel_ns = 100 * MS;
	write_one(&run);
	advice = only("gpu_gaps", NULL);
	assert_int_equal(advice->value, 11);
	assert_in_range(advice->gain_ns, 11ull * 599 * MS, 11ull * 601 * MS);
	release();
}
