/* SPDX-License-Identifier: MIT */
/* links: report format */
/*
 * report/steps/step_phases.c: which phase a loop is in, by what is open on its thread and who works
 * for it.
 */
#include "tests/unit/unit.h"
#include "report/steps/step_phases.h"

static struct step_phases phases;
static uint64_t launches[STEP_PHASE_LIMIT], waits_ns[STEP_PHASE_LIMIT];
static uint64_t nodes; /* of graphs, recorded so far */
static uint64_t now, told_until, sum[STEP_PHASE_LIMIT];

static struct nest_place here(void)
{
	return (struct nest_place){ .time_ns = now };
}

/* Stretches follow each other without a hole. */
static void take(void *state, const struct phase_stretch *stretch)
{
	assert_ptr_equal(state, &phases);
	launches[stretch->phase] += stretch->launches;
	waits_ns[stretch->phase] += stretch->waits_ns;
	if (!stretch->duration_ns)
		return;
	assert_int_equal(stretch->place.time_ns - stretch->duration_ns, told_until);
	told_until = stretch->place.time_ns;
	sum[stretch->phase] += stretch->duration_ns;
}

static void begin(void)
{
	memset(sum, 0, sizeof(sum));
	memset(launches, 0, sizeof(launches));
	memset(waits_ns, 0, sizeof(waits_ns));
	now = told_until = 1000;
	nodes = 7;
	step_phases_init(&phases, take, &phases);
	step_phases_flush(&phases, here());
}

static void pass(uint64_t ns)
{
	now += ns;
}

static void open_scope(enum phase_scope scope)
{
	step_phases_open(&phases, here(), scope);
}

static void close_scope(void)
{
	step_phases_close(&phases, here());
}

/* The scope, and after it the time until the next. */
static void scope(enum phase_scope what, uint64_t ns, uint64_t gap_ns)
{
	open_scope(what);
	pass(ns);
	close_scope();
	pass(gap_ns);
}

/* All parts, in the order of the list; together they are all that passed. */
static void expect(uint64_t data, uint64_t forward, uint64_t backward, uint64_t optimizer,
		   uint64_t evaluation, uint64_t other)
{
	step_phases_flush(&phases, here());
	assert_int_equal(sum[PHASE_data], data);
	assert_int_equal(sum[PHASE_forward], forward);
	assert_int_equal(sum[PHASE_backward], backward);
	assert_int_equal(sum[PHASE_optimizer], optimizer);
	assert_int_equal(sum[PHASE_communication], 0);
	assert_int_equal(sum[PHASE_evaluation], evaluation);
	assert_int_equal(sum[PHASE_other], other);
	assert_int_equal(data + forward + backward + optimizer + evaluation + other, now - 1000);
	step_phases_release(&phases);
}

TEST(a_usual_step)
{
	begin();
	scope(PHASE_SCOPE_DATA, 100, 5);
	scope(PHASE_SCOPE_OPERATOR, 3, 1); /* to the device */
	scope(PHASE_SCOPE_GRADED, 50, 2);
	scope(PHASE_SCOPE_GRADED, 50, 4); /* and what follows, up to backward */
	scope(PHASE_SCOPE_BACKWARD, 70, 6);
	scope(PHASE_SCOPE_BACKWARD, 80, 9); /* nobody knows of the last gap */
	open_scope(PHASE_SCOPE_OPTIMIZER);
	scope(PHASE_SCOPE_OPERATOR, 20, 1);
	close_scope();
	pass(2);
	scope(PHASE_SCOPE_OPTIMIZER, 10, 0); /* zero_grad() */
	expect(100, 5 + 3 + 1 + 50 + 2 + 50 + 4, 70 + 6 + 80, 21 + 10, 0, 9 + 2);
}

TEST(gradients_that_are_accumulated)
{
	begin();
	for (int i = 0; i < 3; i++) {
		scope(PHASE_SCOPE_GRADED, 10, 1);
		scope(PHASE_SCOPE_BACKWARD, 20, 0);
	}
	scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	expect(0, 33, 60, 5, 0, 0);
}

/* --- operators are sampled: passes of autograd, and nodes of graphs at edges --- */

static void edge(void)
{
	step_phases_nodes(&phases, here(), nodes);
}

static void autograd(uint64_t ns, uint64_t gap_ns)
{
	edge();
	step_phases_pass_begins(&phases, here());
	pass(ns);
	step_phases_pass_ends(&phases, here());
	pass(gap_ns);
}

static void phase_scope(enum phase_scope what, uint64_t ns, uint64_t gap_ns)
{
	edge();
	open_scope(what);
	pass(ns);
	edge();
	step_phases_close_one(&phases, here(), what);
	pass(gap_ns);
}

TEST(a_step_by_its_edges)
{
	begin();
	edge();
	phase_scope(PHASE_SCOPE_DATA, 100, 5);
	phase_scope(PHASE_SCOPE_OPTIMIZER, 10, 50); /* zero_grad() */
	nodes += 3;
	autograd(70, 9); /* clipped gradients follow */
	phase_scope(PHASE_SCOPE_OPTIMIZER, 20, 2);
	edge();
	expect(100, 50, 70, 30, 0, 5 + 9 + 2);
	assert_false(phases.is_unsure);
}

/* No graph was recorded between the two passes: that was no forward, nor a part of them. */
TEST(two_passes_over_a_graph)
{
	begin();
	edge();
	pass(50);
	nodes++;
	autograd(30, 8);
	autograd(20, 0);
	phase_scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	expect(0, 50, 50, 5, 0, 8);
}

TEST(a_sample_tells_no_phase)
{
	begin();
	edge();
	scope(PHASE_SCOPE_NONE, 40, 1); /* an operator */
	scope(PHASE_SCOPE_NONE, 40, 1);
	nodes++;
	edge();
	step_phases_pass_begins(&phases, here());
	scope(PHASE_SCOPE_NONE, 7, 3);
	step_phases_pass_ends(&phases, here());
	expect(0, 82, 10, 0, 0, 0);
}

/* The optimizer's own work is before zero_grad() and after the pass. */
TEST(a_closure_by_its_edges)
{
	begin();
	edge();
	open_scope(PHASE_SCOPE_OPTIMIZER);
	for (int i = 0; i < 2; i++) {
		pass(4);
		phase_scope(PHASE_SCOPE_OPTIMIZER, 3, 50);
		nodes += 2;
		autograd(70, 6);
	}
	edge();
	step_phases_close_one(&phases, here(), PHASE_SCOPE_OPTIMIZER);
	expect(0, 100, 140, 26, 0, 0);
	assert_false(phases.is_unsure);
}

TEST(a_closure_whose_forward_begins_somewhere)
{
	begin();
	edge();
	open_scope(PHASE_SCOPE_OPTIMIZER);
	pass(60);
	nodes++;
	autograd(70, 5);
	assert_true(phases.is_unsure);
	step_phases_release(&phases);
}

/* It began before the recording, or was left by longjmp(). */
TEST(a_pass_that_only_ends)
{
	begin();
	edge();
	pass(10);
	step_phases_pass_ends(&phases, here());
	phase_scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	expect(0, 0, 0, 5, 0, 10);
}

TEST(backward_on_another_thread)
{
	begin();
	scope(PHASE_SCOPE_GRADED, 10, 20); /* ones_like, and a thread that has to wake up */
	pass(30);
	step_phases_helped(&phases, here(), 30);
	pass(10);
	step_phases_helped(&phases, here(), 10);
	pass(7); /* it has to wake up again */
	scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	expect(0, 30, 40, 5, 0, 7);
}

/* Two of them with one loss each: both are optimizer. */
TEST(two_optimizers)
{
	begin();
	for (int i = 0; i < 2; i++) {
		scope(PHASE_SCOPE_GRADED, 10, 0);
		scope(PHASE_SCOPE_BACKWARD, 20, 0);
		scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	}
	expect(0, 20, 40, 10, 0, 0);
}

/* The forward pass that backward runs again is backward. */
TEST(checkpointing)
{
	begin();
	scope(PHASE_SCOPE_GRADED, 10, 0);
	open_scope(PHASE_SCOPE_BACKWARD);
	scope(PHASE_SCOPE_GRADED, 10, 1);
	scope(PHASE_SCOPE_BACKWARD, 20, 1);
	close_scope();
	expect(0, 10, 32, 0, 0, 0);
}

TEST(a_closure)
{
	begin();
	open_scope(PHASE_SCOPE_OPTIMIZER);
	scope(PHASE_SCOPE_OPERATOR, 3, 1);
	for (int i = 0; i < 2; i++) {
		scope(PHASE_SCOPE_OPTIMIZER, 2, 0); /* zero_grad() */
		scope(PHASE_SCOPE_GRADED, 10, 1);
		scope(PHASE_SCOPE_BACKWARD, 20, 0);
	}
	scope(PHASE_SCOPE_OPERATOR, 5, 1);
	close_scope();
	expect(0, 22, 40, 4 + 4 + 6, 0, 0);
}

TEST(evaluation_and_inference)
{
	begin();
	scope(PHASE_SCOPE_DATA, 10, 1);
	scope(PHASE_SCOPE_PRODUCT, 40, 1);
	scope(PHASE_SCOPE_OPERATOR, 5, 1);
	scope(PHASE_SCOPE_DATA, 10, 0);
	scope(PHASE_SCOPE_OPERATOR, 5, 1); /* a metric: no forward pass */
	expect(20, 0, 0, 0, 48, 6);
}

/* The loss of a step is detached behind it, then comes an evaluation. */
TEST(an_evaluation_behind_a_detach)
{
	begin();
	scope(PHASE_SCOPE_OPTIMIZER, 10, 0);
	scope(PHASE_SCOPE_GRADED, 2, 1);
	scope(PHASE_SCOPE_PRODUCT, 40, 1);
	scope(PHASE_SCOPE_OPTIMIZER, 10, 0);
	expect(0, 0, 0, 20, 44, 0);
}

/* A part of the network is frozen: that is no evaluation. */
TEST(a_frozen_part)
{
	begin();
	scope(PHASE_SCOPE_PRODUCT, 40, 1);
	scope(PHASE_SCOPE_GRADED_PRODUCT, 10, 1);
	scope(PHASE_SCOPE_BACKWARD, 10, 0);
	expect(0, 52, 10, 0, 0, 0);
}

/*
 * What torch.compile has compiled: its function records gradients, the products in it record none.
 */
TEST(a_compiled_region)
{
	begin();
	open_scope(PHASE_SCOPE_REGION);
	open_scope(PHASE_SCOPE_GRADED);
	scope(PHASE_SCOPE_PRODUCT, 40, 0);
	close_scope();
	close_scope();
	scope(PHASE_SCOPE_BACKWARD, 10, 0);
	scope(PHASE_SCOPE_REGION, 7, 0);
	scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	expect(0, 40, 10, 5, 7, 0);
}

TEST(launches_by_phase)
{
	begin();
	open_scope(PHASE_SCOPE_GRADED_PRODUCT);
	step_phases_launch(&phases, here(), false);
	pass(10);
	close_scope();
	pass(20);
	step_phases_launch(&phases, here(), true); /* before it is known that it helps */
	pass(5);
	step_phases_helped(&phases, here(), 10);
	open_scope(PHASE_SCOPE_OPTIMIZER);
	step_phases_launch(&phases, here(), false);
	step_phases_launch(&phases, here(), false);
	close_scope(); /* which took no time */
	expect(0, 25, 10, 0, 0, 0);
	assert_int_equal(launches[PHASE_forward], 1);
	assert_int_equal(launches[PHASE_backward], 1);
	assert_int_equal(launches[PHASE_optimizer], 2);
}

TEST(waits_by_phase)
{
	begin();
	open_scope(PHASE_SCOPE_GRADED_PRODUCT);
	pass(10);
	step_phases_wait(&phases, here(), 7);
	close_scope();
	scope(PHASE_SCOPE_BACKWARD, 5, 0);
	pass(4); /* a loss is read */
	step_phases_wait(&phases, here(), 3);
	open_scope(PHASE_SCOPE_OPTIMIZER);
	pass(2);
	step_phases_wait(&phases, here(), 1);
	close_scope();
	expect(0, 10, 5, 2, 0, 4);
	assert_int_equal(waits_ns[PHASE_forward], 7);
	assert_int_equal(waits_ns[PHASE_backward], 0);
	assert_int_equal(waits_ns[PHASE_optimizer], 1);
	assert_int_equal(waits_ns[PHASE_other], 3);
}

TEST(names)
{
#define OF(name, scope, graded) phase_scope_of(name, strlen(name), scope, graded)
	assert_int_equal(OF("Optimizer.step#SGD.step", 7, false), PHASE_SCOPE_OPTIMIZER);
	assert_int_equal(OF("Optimizer.zero_grad#SGD.zero_grad", 7, false), PHASE_SCOPE_OPTIMIZER);
	assert_int_equal(OF("enumerate(DataLoader)#X.__next__", 7, false), PHASE_SCOPE_DATA);
	assert_int_equal(OF("MmBackward0", 1, true), PHASE_SCOPE_BACKWARD);
	assert_int_equal(OF("CompiledFunctionBackward", 1, true), PHASE_SCOPE_BACKWARD);
	assert_int_equal(OF("autograd::engine::evaluate_function: MmBackward0", 0, false),
			 PHASE_SCOPE_BACKWARD);
	assert_int_equal(OF("aten::mm", 0, true), PHASE_SCOPE_GRADED_PRODUCT);
	assert_int_equal(OF("aten::detach", 0, true), PHASE_SCOPE_GRADED);
	assert_int_equal(OF("Torch-Compiled Region: 0/0", 7, false), PHASE_SCOPE_REGION);
	assert_int_equal(OF("aten::mm", 0, false), PHASE_SCOPE_PRODUCT);
	assert_int_equal(OF("aten::add", 0, false), PHASE_SCOPE_OPERATOR);
	assert_int_equal(OF("my label", 7, false), PHASE_SCOPE_NONE);
	assert_int_equal(OF("", 0, false), PHASE_SCOPE_OPERATOR);
}

/* What began before a cut, or ends without having begun, leaves nothing open. */
/* An operator that records the node of that number; thread 3 of PyTorch. */
static void graded(enum phase_scope what, uint64_t sequence, uint64_t ns)
{
	open_scope(what);
	step_phases_records(&phases, here(), 3, sequence);
	pass(ns);
	close_scope();
}

/* Backward of nodes `from` to `to` - 1; on a GPU on another thread, so nothing is open here. */
static void backward_of(uint64_t from, uint64_t to)
{
	open_scope(PHASE_SCOPE_BACKWARD);
	while (to-- > from)
		step_phases_uses(&phases, 0, 3, to);
	pass(30);
	close_scope();
}

/*
 * Metrics of the step before, zero_grad(), forward with three nodes from `at` on, backward,
 * clipping, and the optimizer's step. Operators of metrics and clipping record no node, so they
 * have the number of the next one.
 */
static void step_with_metrics(enum phase_scope metrics, uint64_t at)
{
	graded(metrics, at, 500);
	scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
	graded(PHASE_SCOPE_GRADED_PRODUCT, at, 20);
	graded(PHASE_SCOPE_GRADED, at + 2, 20);
	backward_of(at, at + 3);
	graded(PHASE_SCOPE_GRADED, at + 3, 700);
	scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
	step_phases_flush(&phases, here());
}

TEST(metrics_and_clipping)
{
	begin();
	scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
	step_phases_flush(&phases, here());
	step_with_metrics(PHASE_SCOPE_GRADED, 10);
	step_with_metrics(PHASE_SCOPE_GRADED, 13);
	step_with_metrics(PHASE_SCOPE_GRADED, 16);
	/* in the first step nothing is known of the gradients that come then */
	expect(0, 500 + 700 + 3 * 40, 90, 3 * 65 + 60, 0, 2 * (500 + 700));
}

TEST(an_evaluation_that_records_gradients)
{
	begin();
	scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
	for (uint64_t at = 10; at < 50; at += 10) {
		graded(PHASE_SCOPE_GRADED_PRODUCT, at, 500); /* nodes up to at + 5 */
		scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
		graded(PHASE_SCOPE_GRADED_PRODUCT, at + 5, 20);
		backward_of(at + 5, at + 8);
		scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
		step_phases_flush(&phases, here());
	}
	expect(0, 500 + 4 * 20, 4 * 30, 4 * 65 + 60, 3 * 500, 0);
}

/* zero_grad() between forward and backward, as many write it. */
TEST(forward_before_zero_grad)
{
	begin();
	scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
	for (uint64_t at = 10; at < 50; at += 10) {
		graded(PHASE_SCOPE_GRADED_PRODUCT, at, 20);
		scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
		backward_of(at, at + 2);
		scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
		step_phases_flush(&phases, here());
	}
	expect(0, 4 * 20, 4 * 30, 4 * 65 + 60, 0, 0);
}

/* The nodes of a stretch may be used in a later step, and by a pass that is not the next. */
TEST(gradients_that_are_used_late)
{
	begin();
	scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
	for (uint64_t at = 10; at < 50; at += 10) {
		graded(PHASE_SCOPE_GRADED_PRODUCT, at, 100); /* the generator's forward */
		scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
		graded(PHASE_SCOPE_GRADED_PRODUCT, at + 2, 20); /* the other network's */
		backward_of(at + 2, at + 4);
		scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
		graded(PHASE_SCOPE_GRADED_PRODUCT, at + 4, 20);
		scope(PHASE_SCOPE_OPTIMIZER, 5, 0);
		backward_of(at, at + 2);
		backward_of(at + 4, at + 6);
		scope(PHASE_SCOPE_OPTIMIZER, 60, 0);
		step_phases_flush(&phases, here());
	}
	expect(0, 4 * 140, 4 * 90, 4 * 130 + 60, 0, 0);
}

TEST(cuts_and_strange_ends)
{
	begin();
	close_scope();
	pass(5);
	open_scope(PHASE_SCOPE_DATA);
	pass(5);
	step_phases_cut(&phases, here());
	pass(5);
	step_phases_close_one(&phases, here(), PHASE_SCOPE_OPTIMIZER);
	step_phases_cut(&phases, (struct nest_place){ .time_ns = now, .thread = 77 });
	expect(5, 0, 0, 0, 0, 10);
}
