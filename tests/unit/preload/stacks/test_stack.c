/* SPDX-License-Identifier: MIT */
/* links: cfi preload:stacks/stack.c,stacks/walk.c,stacks/step.c,stacks/rules.c,stacks/frame_names.c,stacks/ahead.c,stacks/thread.c,stacks/sample.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c */
/*
 * preload/stacks/stack.c: every stack is compared with libgcc's, which reads all of it each time.
 */
#define UNIT_HAS_MAIN
#include "tests/unit/unit.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/stacks/frame_names.h"
#include "preload/stacks/rules.h"
#include "preload/stacks/thread.h"
#include "tests/unit/preload/stacks/stack_judge.h"
#ifdef JUDGE_IS_LIBUNWIND
#include "tests/unit/preload/stacks/unwind_judge.h"
#endif

#define LIMIT 256u
#define NOINLINE __attribute__((noinline))

static __thread struct judge *judge;
static __thread uint64_t random_state = 1;
static volatile int always = 1;

static unsigned int draw(unsigned int below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(random_state >> 33) % below;
}

static NOINLINE uint64_t probe(void)
{
	uint64_t id = stack_id(&judge->lane, STACK_FRAME);

	judge_compare(judge, id, __builtin_return_address(0), LIMIT);
	__asm__ volatile("" ::: "memory");
	return id;
}

static void judge_expect(uint64_t compared)
{
	assert_int_equal(judge->wrong, 0);
	assert_true(judge->compared >= compared);
}

/* --- shapes of frames --- */

static NOINLINE void walk(unsigned int depth);

/* Something after the call, so that it is one. */
static NOINLINE void shape_plain(unsigned int depth)
{
	walk(depth);
	always = 1;
}

static NOINLINE void shape_alloca(unsigned int depth)
{
	volatile char *room = __builtin_alloca(16 * draw(8) + 1);

	room[0] = 1;
	walk(depth);
	room[0] = 2;
}

static NOINLINE void shape_aligned(unsigned int depth)
{
	_Alignas(64) volatile char room[64] __attribute__((unused));

	room[0] = 1;
	walk(depth);
	room[1] = 2;
}

static NOINLINE void shape_aligned_alloca(unsigned int depth)
{
	_Alignas(128) volatile char aligned[128];
	volatile char *room = __builtin_alloca(16 * draw(8) + 1);

	room[0] = aligned[0] = 1;
	walk(depth);
	room[0] = aligned[1] = 2;
}

static NOINLINE void shape_large(unsigned int depth)
{
	volatile char room[9000] __attribute__((unused));

	room[8999] = 1;
	walk(depth);
	room[0] = 2;
}

/* rbp is a register like others */
static NOINLINE void shape_registers(unsigned int depth)
{
	unsigned int a = draw(9), b = draw(9), c = draw(9), d = draw(9), e = draw(9), f = draw(9);

	walk(depth);
	__asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
	walk(depth / 2);
	__asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
}

static NOINLINE void walk(unsigned int depth)
{
	unsigned int calls = 1 + draw(2);

	probe();
	for (unsigned int i = 0; depth && i < calls; i++) {
		switch (draw(6)) {
		case 0:
			shape_plain(depth - 1);
			break;
		case 1:
			shape_alloca(depth - 1);
			break;
		case 2:
			shape_aligned(depth - 1);
			break;
		case 3:
			shape_aligned_alloca(depth - 1);
			break;
		case 4:
			shape_large(depth - 1);
			break;
		default:
			shape_registers(depth / 2);
		}
		if (draw(3) == 0)
			probe();
	}
}

TEST_BOTH(test_shapes, judged, unjudged)
{
	for (unsigned int i = 0; i < 300 && !judge->wrong; i++)
		walk(1 + draw(8));
	judge_expect(1000);
	assert_int_equal(judge->truncated, 0);
}

/* --- what only one rule of soundness finds --- */

static NOINLINE void stale_probe(void)
{
	probe();
	always = 1;
}

/* Has rbp on the stack: the frame that called it is known by what is read there. */
static NOINLINE void stale_probe_saving(void)
{
/* with sanitisers each function has a frame pointer, and saves rbp by itself */
#if !defined(SANITISED) && defined(__x86_64__)
	__asm__ volatile("" ::: "rbp");
#endif
	probe();
	always = 1;
}

static NOINLINE void stale_area(size_t bytes, size_t within, bool saving)
{
	volatile char *room = __builtin_alloca(bytes);

	if (within)
		stale_area(within, 0, saving);
	else if (saving)
		stale_probe_saving();
	else
		stale_probe();
	__asm__ volatile("" ::"r"(room) : "memory");
}

/* Twice from the same place: what the first leaves behind lies in the area of the second. */
static NOINLINE void stale_areas(size_t more, size_t within, bool saving)
{
	volatile size_t area[2] = { 16, more }, inner[2] = { within, 0 };

	for (volatile unsigned int i = 0; i < 2; i++) /* one call, not two copies of it */
		stale_area(area[i], inner[i], saving);
}

/*
 * The return addresses of the second stack are those of the first, at the same places, but for one
 * frame of the first that is gone: only rbp tells.
 */
TEST_BOTH(test_stale_return_address, judged, unjudged)
{
	for (size_t within = 16; within < 200; within += 16) {
		for (size_t more = 16; more < 600; more += 16) {
			stale_areas(more, within, false);
			stale_areas(more, within, true);
		}
	}
	judge_expect(1000);
}

/* --- depth --- */

static NOINLINE unsigned int recurse(unsigned int depth)
{
	unsigned int below = depth ? recurse(depth - 1) : 0;

	probe();
	return below + 1;
}

TEST_BOTH(test_depth_limit, judged, unjudged)
{
	for (unsigned int depth = LIMIT - 40; depth < LIMIT + 40; depth += 3)
		recurse(depth);
	judge_expect(1000);
	assert_true(judge->truncated > 100);
}

/* --- signals --- */

static sigjmp_buf escape;
static volatile int handler_escapes;

static void handler(int number)
{
	(void)number;
	probe();
	walk(2);
	if (handler_escapes)
		siglongjmp(escape, 1);
}

static NOINLINE void raise_within(unsigned int depth)
{
	if (depth)
		raise_within(depth - 1);
	else
		raise(SIGUSR1);
	probe();
}

static void handle(int number, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	assert_int_equal(sigaction(number, &action, NULL), 0);
}

static void signals(int flags)
{
	handle(SIGUSR1, flags);
	for (unsigned int depth = 0; depth < 20; depth++) {
		raise_within(depth);
		handler_escapes = 1;
		if (!sigsetjmp(escape, 1))
			raise_within(depth);
		handler_escapes = 0;
		probe();
	}
}

static void use_alternate_stack(void)
{
	stack_t alternate = { .ss_size = 1u << 18 };

	alternate.ss_sp = mmap(NULL, alternate.ss_size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(sigaltstack(&alternate, NULL), 0);
}

TEST_BOTH(test_signals, judged, unjudged)
{
	signals(0);
	use_alternate_stack();
	signals(SA_ONSTACK);
	judge_expect(100);
	assert_int_equal(judge->truncated, 0);
}

/* An instruction is interrupted, not a call. */
static NOINLINE __attribute__((no_sanitize("undefined"))) void fault(unsigned int depth,
								     volatile int *at)
{
	if (depth)
		fault(depth - 1, at);
	else
		*at = 1;
	probe();
}

TEST_BOTH(test_fault, judged, unjudged)
{
	handle(SIGSEGV, SA_NODEFER);
	handler_escapes = 1;
	for (unsigned int depth = 0; depth < 20; depth++)
		if (!sigsetjmp(escape, 1))
			fault(depth, NULL);
	handler_escapes = 0;
	signal(SIGSEGV, SIG_DFL);
	judge_expect(20);
}

static NOINLINE unsigned int overflow(unsigned int depth)
{
	volatile char room[4000];

	room[0] = (char)depth;
	return always ? overflow(depth + 1) + (unsigned int)room[0] : depth;
}

TEST_BOTH(test_stack_overflow, judged, unjudged)
{
	use_alternate_stack();
	handle(SIGSEGV, SA_ONSTACK | SA_NODEFER);
	handler_escapes = 1;
	if (!sigsetjmp(escape, 1))
		overflow(0);
	handler_escapes = 0;
	signal(SIGSEGV, SIG_DFL);
	judge_expect(2);
	assert_int_equal(judge->truncated, judge->compared); /* more than the limit of depth */
}

/* --- other stacks --- */

#define ROUTINES 8u
static ucontext_t routine[ROUTINES], main_routine;

static void routine_run(int number)
{
	for (unsigned int i = 0; i < 20; i++) {
		walk(2);
		swapcontext(&routine[number], &main_routine);
	}
	for (;;)
		swapcontext(&routine[number], &main_routine);
}

TEST_BOTH(test_coroutines, judged, unjudged)
{
	static char stacks[ROUTINES][1u << 17];

	for (volatile unsigned int i = 0; i < ROUTINES; i++) { /* getcontext() may return twice */
		getcontext(&routine[i]);
		routine[i].uc_stack.ss_sp = stacks[i];
		routine[i].uc_stack.ss_size = sizeof(stacks[i]);
		routine[i].uc_link = &main_routine;
		makecontext(&routine[i], (void (*)(void))routine_run, 1, (int)i);
	}
	for (unsigned int i = 0; i < 100; i++) {
		swapcontext(&main_routine, &routine[draw(ROUTINES)]);
		probe();
	}
	/* libgcc goes on from where makecontext() lets functions return to */
	assert_int_equal(judge->truncated, 0);
	assert_true(judge->compared >= 100);
}

/* --- no unwind information --- */

TEST_BOTH(test_code_without_tables, judged, unjudged)
{
#ifdef __aarch64__
	/* stp x29, x30, [sp, -32]!; mov x29, sp; blr x0; ldp x29, x30, [sp], 32; ret */
	static const uint32_t code[] = { 0xa9be7bfd, 0x910003fd, 0xd63f0000, 0xa8c27bfd,
					 0xd65f03c0 };
#else
	/* push rbp; mov rbp, rsp; sub rsp, 32; call rdi; leave; ret */
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
					0xec, 0x20, 0xff, 0xd7, 0xc9, 0xc3 };
#endif
	void (*run)(void (*)(void)) = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy((void *)(uintptr_t)run, code, sizeof(code));
	__builtin___clear_cache((char *)(uintptr_t)run, (char *)(uintptr_t)run + sizeof(code));
	for (unsigned int i = 0; i < 10; i++) {
		run(stale_probe);
		stale_probe();
	}
	judge_expect(20);
	assert_int_equal(judge->truncated, 10);
}

/* --- threads and processes --- */

static int judged(void **state)
{
	judge = judge_new();
	stack_forked(); /* so that each test's lane has all frames */
	return 0;
}

static int unjudged(void **state)
{
	judge_free(judge);
	return 0;
}

TEST_BOTH(test_fork, judged, unjudged)
{
	int status = 0;
	pid_t child;

	walk(3);
	child = fork();
	if (!child) {
		struct judge *fresh = judge_new();

		stack_forked();
		judge = fresh;
		walk(5);
		_exit(fresh->wrong || !fresh->compared);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	walk(5);
	judge_expect(2);
}

TEST_BOTH(test_vfork, judged, unjudged)
{
	volatile int times = 5;
	int status = 0;
	pid_t child;

	while (times-- > 0) {
		walk(3);
		child = vfork();
		if (!child) {
			walk(4);
			_exit(0);
		}
		waitpid(child, &status, 0);
		walk(3);
	}
	judge_expect(10);
}

/* --- frames that go away in other ways than by returning --- */

#ifdef __clang__
#define HOT __attribute__((noinline)) /* only checked with it */
#else
#define HOT __attribute__((noinline, optimize("O2", "optimize-sibling-calls")))
#endif

/* Each is left by a jump to the next: none of them is on the stack. */
static HOT void tail_last(unsigned int depth)
{
	walk(depth);
	always = 1;
}

static HOT void tail_middle(unsigned int depth)
{
	tail_last(depth + 1);
}

static HOT void tail_first(unsigned int depth)
{
	tail_middle(depth + 1);
}

TEST_BOTH(test_tail_calls, judged, unjudged)
{
	for (unsigned int i = 0; i < 50; i++) {
		tail_first(draw(4));
		walk(draw(4));
	}
	judge_expect(100);
}

static jmp_buf landing;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion" /* it ends by longjmp() */
static NOINLINE void jump_from(unsigned int depth)
{
	char *area = alloca(16 + 8 * draw(64));

	memset(area, 0x5a, 16);
	walk(1 + draw(3));
	if (depth * (unsigned int)always == 0)
		longjmp(landing, 1);
	jump_from(depth - 1);
	always = 1;
	__asm__ volatile("" ::"r"(area) : "memory");
}

#pragma GCC diagnostic pop

TEST_BOTH(test_longjmp, judged, unjudged)
{
	for (volatile unsigned int i = 0; i < 50; i++) {
		if (!setjmp(landing))
			jump_from(1 + draw(20));
		walk(1 + draw(5)); /* where frames lay that nobody has left */
	}
	judge_expect(100);
}

static pthread_key_t ending;
static uint64_t ended_wrong, ended_compared;

static void thread_ends(void *value)
{
	(void)value;
	walk(3);
	ended_wrong = judge->wrong;
	ended_compared = judge->compared;
	judge_free(judge);
}

static void *thread_run(void *arg)
{
	judge = judge_new();
	frame_names_forked(); /* this judge has heard of no frame */
	walk(4);
	pthread_setspecific(ending, judge);
	return arg;
}

/* A destructor of thread-local data, below libc's own end of the thread. */
TEST_BOTH(test_thread_destructor, judged, unjudged)
{
	pthread_t thread;

	assert_int_equal(pthread_key_create(&ending, thread_ends), 0);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(pthread_create(&thread, NULL, thread_run, NULL), 0);
		pthread_join(thread, NULL);
		assert_int_equal(ended_wrong, 0);
		assert_true(ended_compared >= 2);
	}
	pthread_key_delete(ending);
}

#define THREADS 10000u
#define THREADS_AT_ONCE 50u
static pthread_mutex_t one_at_a_time =
	PTHREAD_MUTEX_INITIALIZER; /* frames are in one judge's lane */

static void *thread_of_many(void *arg)
{
	random_state = (uintptr_t)&arg;
	for (unsigned int i = 0; i < 2; i++) {
		pthread_mutex_lock(&one_at_a_time);
		judge = arg;
		walk(2);
		pthread_mutex_unlock(&one_at_a_time);
	}
	stack_thread_ends(); /* as the recorder does it at its end */
	return NULL;
}

/*
 * Each is new: it takes a slot that others have left, at a stack that was theirs. There are fewer
 * slots than threads.
 */
TEST_BOTH(test_many_threads, judged, unjudged)
{
	pthread_t thread[THREADS_AT_ONCE];
	uint64_t missed = judge_missed;

	for (unsigned int n = 0; n < THREADS; n += THREADS_AT_ONCE) {
		for (unsigned int i = 0; i < THREADS_AT_ONCE; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, thread_of_many, judge),
					 0);
		for (unsigned int i = 0; i < THREADS_AT_ONCE; i++)
			pthread_join(thread[i], NULL);
	}
	judge_expect(2 * THREADS);
	assert_int_equal(judge_missed, missed);
}

/* Before main(): only counted here, judged below. */
static uint64_t started_wrong, started_compared;

static __attribute__((constructor)) void before_main(void)
{
#ifdef JUDGE_IS_LIBUNWIND
	if (!judge_is_libunwind())
		return;
#endif
	if (stack_begin(1, 1u << 14, LIMIT))
		return;
	judge = judge_new();
	walk(5);
	started_wrong = judge->wrong;
	started_compared = judge->compared;
	judge_free(judge);
	judge = NULL;
}

TEST_BOTH(test_constructor, judged, unjudged)
{
	assert_int_equal(started_wrong, 0);
	assert_true(started_compared >= 1);
}

/* --- no room --- */

static NOINLINE uint64_t unjudged_probe(void)
{
	return stack_id(&judge->lane, STACK_FRAME);
}

TEST_BOTH(test_no_room, judged, unjudged)
{
	uint64_t missed = judge_missed;

	judge_dropped = 0;
	judge->lane.limit = 10; /* two frames */
	assert_int_equal(unjudged_probe(), 0);
	assert_int_equal(judge_missed, missed + 1);
	assert_int_equal(judge_dropped, 0); /* no event is missing */
	assert_int_equal(judge->lane.head, 8);
	judge->lane.limit = JUDGE_WORDS;
	walk(3);
	judge_expect(1);
}

/* What a heap record has instead of its caller. */
TEST_BOTH(test_records, judged, unjudged)
{
	uint64_t stack = unjudged_probe();
	uint64_t *at = &judge->lane.words[judge->lane.head];

	assert_true(stack_put(&judge->lane, stack, EVT_free, 5, (uint64_t[]){ 99 }, 1));
	assert_int_equal(at[0], record_word(5, RECORD_STACK));
	assert_int_equal(at[1], stack);
	assert_int_equal(at[2], record_word(5, EVT_free));
	assert_int_equal(at[3], 99);
	at = &judge->lane.words[judge->lane.head];
	assert_true(stack_put(&judge->lane, 0, EVT_free, 6, (uint64_t[]){ 98 }, 1));
	assert_int_equal(at[0], record_word(6, EVT_free));
	judge->lane.limit = judge->lane.head + 3; /* room for one of both only */
	assert_false(stack_put(&judge->lane, stack, EVT_free, 7, (uint64_t[]){ 97 }, 1));
	judge->lane.limit = judge->lane.head; /* read as frames otherwise */
}

/*
 * The keys of rules have room for so many epochs: what is left of the first is forgotten before its
 * number comes again. The last test: no rule is kept afterwards.
 */
TEST_BOTH(test_epochs_are_used_up, judged, unjudged)
{
	uint64_t left = 0, large = 0;

	walk(3);
	while ((rules_epoch() >> RULES_EPOCH_SHIFT) % RULES_EPOCHS != RULES_EPOCHS - 1)
		rules_unloading_begins();
	walk(3);
	rules_unloading_begins();
	for (uint64_t i = 0; i < 1ull << RULES_HOT_BITS; i++)
		left += rules.hot[i] != 0;
	for (uint64_t i = 0; i <= rules.mask; i++)
		large += rules.entry[i].word != 0;
	assert_int_equal(left, 0);
	assert_int_equal(large, 0);
	while ((rules_epoch() >> RULES_EPOCH_SHIFT) % 4 != 0)
		rules_unloading_begins();
	walk(3);
	judge_expect(3);
}

int main(void)
{
#ifdef JUDGE_IS_LIBUNWIND
	if (!judge_is_libunwind())
		return 1;
#endif
	if (stack_begin(1, 1u << 14, LIMIT))
		return 77;
	return unit_run();
}
