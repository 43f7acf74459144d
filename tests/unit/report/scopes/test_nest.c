/* SPDX-License-Identifier: MIT */
/* links: report */
/* report/scopes/nest.c: what is open on threads, whose time is whose, and what a cut ends. */
#include "tests/unit/unit.h"
#include "report/scopes/nest.h"

enum { A = 1, B, C };

static struct nest nest;
static struct nest_end ended[16];
static size_t count;

static void note(void *state, const struct nest_end *end)
{
	assert_ptr_equal(state, &count);
	if (count < sizeof(ended) / sizeof(ended[0]))
		ended[count] = *end;
	count++;
}

static void start(struct nest_options options)
{
	count = 0;
	nest_init(&nest, options, note, &count);
}

static uint32_t begin(uint64_t time_ns, uint32_t thread, uint64_t key)
{
	return nest_begin(&nest, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 }, key, false);
}

static bool end(uint64_t time_ns, uint32_t thread)
{
	return nest_end(&nest, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 });
}

static bool end_key(uint64_t time_ns, uint32_t thread, uint64_t key)
{
	return nest_end_key(&nest, (struct nest_place){ time_ns, thread, 0, 0, NULL, 0 }, key);
}

static uint32_t begin_held(uint64_t time_ns, uint32_t thread, uint64_t key, uint64_t identity)
{
	return nest_begin(&nest, (struct nest_place){ time_ns, thread, 0, identity, NULL, 0 }, key,
			  false);
}

static bool end_held(uint64_t time_ns, uint32_t thread, uint64_t identity)
{
	return nest_end(&nest, (struct nest_place){ time_ns, thread, 0, identity, NULL, 0 });
}

static void is(size_t at, uint64_t key, uint64_t total_ns, uint64_t children_ns)
{
	assert_true(at < count);
	assert_int_equal(ended[at].key, key);
	assert_int_equal(ended[at].total_ns, total_ns);
	assert_int_equal(ended[at].children_ns, children_ns);
}

TEST(scopes_nest_per_thread)
{
	uint32_t outer;

	start((struct nest_options){ 0 });
	assert_false(end(5, 0));
	outer = begin(10, 0, A);
	begin(20, 0, B);
	begin(20, 1, C);
	assert_true(end(30, 0));
	assert_true(end(50, 0));
	assert_false(end(60, 0));
	is(0, B, 10, 0);
	is(1, A, 40, 10);
	assert_int_equal(ended[0].parent, outer);
	assert_int_equal(ended[1].parent, NEST_NONE);
	assert_int_equal(nest.scope[nest_innermost(&nest, 1)].key, C);
	assert_int_equal(nest_innermost(&nest, 0), NEST_NONE);
	assert_int_equal(nest_covered_ns(&nest, 0), 40);
	nest_release(&nest);
}

/* Keyed or not, the innermost of a key ends, and what is inside goes on in what was around. */
TEST(ends_by_key_leave_what_is_inside)
{
	for (int keyed = 0; keyed < 2; keyed++) {
		uint32_t first;

		start((struct nest_options){ .is_keyed = keyed });
		first = begin(0, 0, A);
		begin(10, 0, B);
		begin(20, 0, C);
		assert_true(end_key(40, 0, B)); /* C was in it for 20 */
		assert_false(end_key(41, 0, B));
		assert_true(end_key(50, 0, C)); /* and in A for 10 */
		assert_true(end_key(100, 0, A));
		is(0, B, 30, 20);
		is(1, C, 30, 0);
		is(2, A, 100, 30 + 10);
		assert_int_equal(ended[0].parent, first);
		assert_int_equal(ended[1].parent, first);
		assert_int_equal(nest.thread[0].depth, 0);
		nest_release(&nest);
	}
}

TEST(hidden_scopes_are_around_nothing)
{
	start((struct nest_options){ 0 });
	begin(0, 0, A);
	nest_begin(&nest, (struct nest_place){ 10, 0, 0, 0, NULL, 0 }, B, true);
	assert_int_equal(nest.scope[nest_innermost(&nest, 0)].key, A);
	begin(20, 0, C);
	assert_true(end(25, 0));
	assert_true(end(30, 0)); /* the hidden one */
	assert_true(end(40, 0));
	is(0, C, 5, 0);
	is(2, A, 40, 5);
	nest_release(&nest);
}

TEST(one_ends_on_another_thread_of_its_process)
{
	start((struct nest_options){ 0 });
	begin(0, 0, A);
	nest_begin(&nest, (struct nest_place){ 0, 2, 7, 0, NULL, 0 }, A,
		   false); /* another process */
	assert_false(nest_end_elsewhere(&nest, (struct nest_place){ 10, 0, 0, 0, NULL, 0 }, A));
	assert_true(nest_end_elsewhere(&nest, (struct nest_place){ 10, 1, 0, 0, NULL, 0 }, A));
	is(0, A, 10, 0);
	assert_int_equal(ended[0].thread, 0);
	nest_release(&nest);
}

TEST(a_cut_ends_what_is_open_on_its_thread)
{
	start((struct nest_options){ .is_keyed = true });
	begin(0, 0, A);
	begin(10, 0, B);
	begin(10, 1, A);
	nest_cut(&nest, (struct nest_place){ 30, 0, 0, 0, NULL, 0 }, NEST_CUT);
	assert_int_equal(count, 2);
	is(0, B, 20, 0);
	is(1, A, 30, 20);
	assert_int_equal(ended[0].how, NEST_CUT);
	assert_false(end_key(40, 0, A));
	begin(50, 0, B);
	nest_cut(&nest, (struct nest_place){ 60, 0, 0, 0, NULL, 0 }, NEST_RUNS_ON);
	assert_int_equal(ended[2].how, NEST_RUNS_ON);
	assert_true(end_key(70, 1, A));
	nest_cut(&nest, (struct nest_place){ 80, 99, 0, 0, NULL, 0 },
		 NEST_CUT); /* of no thread that is known */
	nest_release(&nest);
}

TEST(what_is_too_deep_is_counted)
{
	start((struct nest_options){ .depth_max = 2 });
	begin(0, 0, A);
	begin(1, 0, B);
	assert_int_equal(begin(2, 0, C), NEST_NONE);
	assert_int_equal(nest_top(&nest, 0), NEST_NONE);
	assert_int_equal(nest.scope[nest_innermost(&nest, 0)].key, B);
	assert_true(end(3, 0)); /* C */
	assert_int_equal(count, 0);
	assert_true(end(5, 0));
	is(0, B, 4, 0);
	nest_release(&nest);
}

TEST(places_are_used_again)
{
	start((struct nest_options){ .is_keyed = true });
	for (uint64_t i = 0; i < 100000; i++) {
		begin(i, (uint32_t)(i % 3), A);
		assert_true(end_key(i + 1, (uint32_t)(i % 3), A));
	}
	assert_int_equal(count, 100000);
	assert_int_equal(nest.count, 1);
	nest_release(&nest);
}

/*
 * In a session of many ranks the threads of others are nobody's business, nor are those of its own
 * that have nothing open.
 */
TEST(ends_are_found_among_thousands_of_threads)
{
	enum { THREADS = 20000, PROCESSES = 40 };

	start((struct nest_options){ 0 });
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		struct nest_place place = { 10, thread, thread % PROCESSES, 0, NULL, 0 };

		nest_begin(&nest, place, A, false);
		if (thread % PROCESSES)
			continue;
		place.time_ns = 20;
		assert_true(nest_end(&nest, place)); /* of process 0 all have ended */
	}
	begin(30, THREADS, B);
	assert_false(nest_end_elsewhere(&nest, (struct nest_place){ 40, 0, 0, 0, NULL, 0 }, A));
	count = 0;
	assert_true(nest_end_elsewhere(&nest, (struct nest_place){ 40, 0, 0, 0, NULL, 0 }, B));
	is(0, B, 10, 0);
	assert_int_equal(ended[0].thread, THREADS);
	count = 0;
	assert_true(nest_end_elsewhere(&nest, (struct nest_place){ 50, 39, 39, 0, NULL, 0 }, A));
	assert_int_equal(ended[0].thread, 39 + PROCESSES);
	nest_release(&nest);
}

TEST(an_identity_ends_its_own)
{
	start((struct nest_options){ 0 });
	begin_held(0, 0, A, 0x1000);
	begin(10, 0, B);
	begin_held(20, 0, C, 0x2000);
	assert_true(end(30, 0)); /* B: C is not ended by what has no identity */
	is(0, B, 20, 10);
	assert_true(end_held(50, 1, 0x1000)); /* on another thread */
	is(1, A, 50, 40);
	assert_int_equal(ended[1].thread, 0);
	assert_true(ended[1].is_elsewhere);
	assert_false(end(60, 0));
	assert_false(end_held(60, 0, 0x1000));
	assert_true(end_held(70, 0, 0x2000));
	is(2, C, 50, 0);
	assert_false(ended[2].is_elsewhere);
	assert_int_equal(nest_covered_ns(&nest, 0), 70);
	assert_int_equal(nest_top(&nest, 0), NEST_NONE);
	nest_release(&nest);
}

/* Identities of processes that differ in upper bits only: LA57, LVA, tags of allocators. */
TEST(identities_are_of_their_process)
{
	enum { PROCESSES = 4, FIRST_BIT = 40 };

	start((struct nest_options){ 0 });
	for (unsigned int bit = FIRST_BIT; bit < 64; bit++) {
		struct nest_place place = { .time_ns = 10 };

		for (place.process = 0; place.process < PROCESSES; place.process++) {
			place.thread = place.process;
			place.identity = 0x1000 ^ (uint64_t)(place.process + 1) << bit;
			nest_begin(&nest, place, A, false);
		}
		assert_int_equal(count, 0);
		place.time_ns = 20;
		for (place.process = 0; place.process < PROCESSES; place.process++) {
			place.thread = place.process;
			place.identity = 0x1000 ^ (uint64_t)(place.process + 1) << bit;
			assert_true(nest_end(&nest, place));
			assert_int_equal(ended[place.process].thread, place.thread);
			assert_int_equal(ended[place.process].how, NEST_ENDS);
		}
		assert_int_equal(count, PROCESSES);
		count = 0;
	}
	nest_release(&nest);
}

TEST(an_identity_that_begins_again_has_lost_its_end)
{
	start((struct nest_options){ .is_keyed = true });
	begin_held(0, 0, A, 0x1000);
	begin_held(10, 1, B, 0x1000);
	is(0, A, 10, 0);
	assert_int_equal(ended[0].how, NEST_CUT);
	assert_true(nest_end_key(&nest, (struct nest_place){ 30, 0, 0, 0x1000, NULL, 0 }, A));
	is(1, B, 20, 0);
	begin_held(40, 0, C, 0x1000);
	assert_false(nest_end(
		&nest, (struct nest_place){ 50, 0, 1, 0x1000, NULL, 0 })); /* of another process */
	nest_cut(&nest, (struct nest_place){ 60, 0, 0, 0, NULL, 0 }, NEST_RUNS_ON);
	is(2, C, 20, 0);
	assert_false(end_held(70, 0, 0x1000));
	nest_release(&nest);
}

/* On thread 0, as events say it. */
static struct task now;

static struct nest_place at(uint64_t time_ns, uint64_t task)
{
	now = (struct task){ .now = task };
	return (struct nest_place){ time_ns, 0, 0, 0, &now, 0 };
}

TEST(tasks_end_their_own)
{
	for (int keyed = 0; keyed < 2; keyed++) {
		start((struct nest_options){ .is_keyed = keyed });
		nest_begin(&nest, at(0, 0), A, false);
		nest_begin(&nest, at(10, 7), A, false);
		nest_begin(&nest, at(20, 8), A, false);
		assert_true(nest_end_key(&nest, at(30, 7), A));
		is(0, A, 20, 10);
		nest_begin(&nest, at(40, 7), A, false);
		nest_begin(&nest, at(45, 7), A, false);
		assert_true(nest_end_key(&nest, at(50, 8), A));
		is(1, A, 30, 10);
		assert_true(nest_end_key(&nest, at(60, 7), A));
		assert_true(nest_end_key(&nest, at(70, 7), A));
		is(2, A, 15, 0);
		is(3, A, 30, 15);
		assert_true(nest_end_key(&nest, at(80, 9), A)); /* of none */
		is(4, A, 80, 60);
		assert_false(nest_end_key(&nest, at(90, 9), A));
		nest_begin(&nest, at(100, 7), A, false);
		assert_true(nest_end_key(&nest, at(110, 9), A)); /* of any */
		assert_int_equal(nest_top(&nest, 0), NEST_NONE);
		nest_release(&nest);
	}
}

static struct nest_place by(uint64_t time_ns, uint64_t task, uint64_t generator)
{
	struct nest_place place = at(time_ns, task);

	now.generator = generator;
	return place;
}

TEST(generators_end_their_own)
{
	start((struct nest_options){ .is_keyed = true, .by_generators = true });
	nest_begin(&nest, by(0, 0, 0), A, false);
	nest_begin(&nest, by(10, 0, 77), A, false);
	nest_begin(&nest, by(20, 0, 88), A, false);
	nest_begin(&nest, by(25, 5, 77), A, false); /* of another task */
	assert_true(nest_end_key(&nest, by(30, 0, 77), A));
	is(0, A, 20, 10);
	assert_true(ended[0].overlaps && !ended[0].is_guessed);
	assert_true(nest_end_key(&nest, by(40, 0, 77), A)); /* has none left: the innermost */
	is(1, A, 20, 15);
	assert_true(ended[1].is_guessed);
	assert_true(nest_end_key(&nest, by(50, 5, 0), A)); /* the only one of its task */
	is(2, A, 25, 0);
	assert_false(ended[2].is_guessed);
	assert_true(nest_end_key(&nest, by(60, 0, 99), A));
	assert_false(ended[3].is_guessed);
	nest_release(&nest);

	start((struct nest_options){ .is_keyed = true }); /* others do not tell it */
	nest_begin(&nest, by(0, 0, 77), A, false);
	nest_begin(&nest, by(10, 0, 88), A, false);
	assert_true(nest_end_key(&nest, by(20, 0, 77), A));
	is(0, A, 10, 0);
	nest_release(&nest);
}

TEST(what_is_around_is_of_the_task)
{
	uint32_t outer, one, two;

	start((struct nest_options){ .is_keyed = true });
	outer = nest_begin(&nest, at(0, 0), A, false);
	one = nest_begin(&nest, at(10, 7), B, false);
	two = nest_begin(&nest, at(20, 8), C, false);
	assert_int_equal(nest_innermost(&nest, 0), two);
	assert_int_equal(nest_outer(&nest, two), outer);
	now.now = 7; /* the thread's, which changes without an event of the nest's */
	assert_int_equal(nest_innermost(&nest, 0), one);
	assert_int_equal(nest_outer(&nest, one), outer);
	now.now = 9;
	assert_int_equal(nest_innermost(&nest, 0), outer);
	now.outer = 8;
	assert_int_equal(nest_innermost(&nest, 0), two);
	now = (struct task){ 0 };
	assert_int_equal(nest_innermost(&nest, 0), outer);
	nest_cut(&nest, at(30, 0), NEST_CUT);
	nest_release(&nest);
}

TEST(an_outer_one_ends_by_how_many_are_inside)
{
	struct nest_place place = at(30, 0);

	start((struct nest_options){ 0 });
	begin(0, 0, A);
	begin(10, 0, B);
	begin_held(15, 0, C, 0x1000);
	place.inside = 1;
	assert_true(nest_end(&nest, place));
	is(0, A, 30, 20);
	place.inside = 1;
	assert_false(nest_end(&nest, place));
	assert_true(end(40, 0));
	is(1, B, 30, 25);
	assert_true(end_held(50, 0, 0x1000));
	nest_release(&nest);
}
