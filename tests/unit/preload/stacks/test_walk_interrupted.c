/* SPDX-License-Identifier: MIT */
/* links: cfi preload:stacks/stack.c,stacks/walk.c,stacks/step.c,stacks/rules.c,stacks/frame_names.c,stacks/ahead.c,stacks/thread.c,stacks/sample.c,stacks/pages.c,stacks/wrappers.c,base/object_span.c,base/symbols.c */
/*
 * preload/stacks/walk.c: a signal handler that records a stack before each instruction of a walk,
 * one walk for each. The processor's trap flag lists them and a breakpoint stops there: neither
 * time nor chance says where.
 */
#define UNIT_HAS_MAIN
#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "preload/stacks/frame_names.h"
#include "preload/stacks/thread.h"
#include "tests/unit/preload/stacks/stack_judge.h"

#define LIMIT 256u
#define NOINLINE __attribute__((noinline))
#define TRAP_FLAG 0x100
#define PAGE 4096u
#define DEPTH 24u       /* of the walk that is interrupted, below this file's own frames */
#define OTHER_DEPTH 16u /* of the handler's: more than the frames of main(), fewer than all */
#define INSTRUCTIONS_MAX 16384u
#define INSTRUCTIONS_MIN 150u
#define BREAKPOINT 0xcc

/*
 * `inner` is the handler's: a lane of its own, as a recorder has it, but the same names of frames.
 */
static struct judge *judge, *inner;
static volatile int always = 1;

/* --- what the handler does --- */

static void (*handle)(void);
static volatile uint64_t handled_id;
static unsigned int handled_at; /* innermost frame of the judge's that belongs to it */

static NOINLINE void handle_here(void)
{
	handled_id = stack_id(&inner->lane, STACK_FRAME);
	inner->frames = 0;
	judge_collect(inner);
	handled_at = judge_inner(inner, __builtin_return_address(0));
}

static void handle_deep(void)
{
	volatile char room[4096] __attribute__((unused));

	room[0] = 1;
	handle_here();
	room[1] = 2;
}

/* On another stack: one that has few frames, none of which are those of the walk. */
static ucontext_t other, here;
static volatile bool is_over; /* it never is */

static NOINLINE void other_deep(unsigned int depth)
{
	if (depth)
		other_deep(depth - 1);
	else
		while (!is_over) { /* the frames stay as they are from one signal to the next */
			handle_here();
			swapcontext(&other, &here);
		}
	always = 1;
}

static void other_run(void)
{
	other_deep(OTHER_DEPTH);
}

static void handle_elsewhere(void)
{
	swapcontext(&here, &other);
}

/* A stack that cannot be had leaves part of what was known. */
static void handle_missed(void)
{
	uint64_t limit = inner->lane.limit;

	inner->lane.limit = 0;
	handle_elsewhere();
	inner->lane.limit = limit;
}

/* --- where it comes --- */

extern const char __executable_start[], etext[];

static uintptr_t instruction[INSTRUCTIONS_MAX]; /* of this program, each once */
static unsigned int instructions;
static uintptr_t breakpoint; /* 0: the instructions are listed */
static uint8_t replaced;     /* by the breakpoint */
static bool came;

static void text_put(uintptr_t at, uint8_t byte)
{
	*(volatile uint8_t *)at = byte;
}

static void list_instruction(uintptr_t at)
{
	if (at < (uintptr_t)__executable_start || at >= (uintptr_t)etext)
		return;
	for (unsigned int i = 0; i < instructions; i++)
		if (instruction[i] == at)
			return;
	if (instructions < INSTRUCTIONS_MAX)
		instruction[instructions++] = at;
}

static void handle_trap(int number, siginfo_t *info, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	if (!breakpoint) {
		list_instruction((uintptr_t)*rip);
		return;
	}
	text_put(breakpoint, replaced);
	*rip = (greg_t)breakpoint;
	came = true;
	handle();
}

static inline __attribute__((always_inline)) void trap_flag(bool on)
{
	uint64_t flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}

static inline __attribute__((always_inline)) uint64_t interrupted_id(void)
{
	uint64_t id;

	if (breakpoint) {
		replaced = *(volatile uint8_t *)breakpoint;
		text_put(breakpoint, BREAKPOINT);
		id = stack_id(&judge->lane, STACK_FRAME);
		text_put(breakpoint, replaced);
		return id;
	}
	trap_flag(true);
	id = stack_id(&judge->lane, STACK_FRAME);
	trap_flag(false);
	return id;
}

/* The stack is right or missed, and so is the handler's; the one after both is right. */
static NOINLINE void probe_interrupted(void)
{
	uint64_t id;

	handled_id = 0;
	id = interrupted_id();
	judge_read_lane(judge);
	judge_read_lane(inner);
	if (id)
		judge_compare(judge, id, __builtin_return_address(0), LIMIT);
	if (handled_id)
		judge_collected(inner, handled_at, handled_id, LIMIT);
	id = stack_id(&judge->lane, STACK_FRAME);
	judge_compare(judge, id, __builtin_return_address(0), LIMIT);
}

static NOINLINE void probe(void)
{
	uint64_t id = stack_id(&judge->lane, STACK_FRAME);

	judge_compare(judge, id, __builtin_return_address(0), LIMIT);
}

static NOINLINE void descend(unsigned int depth, void (*last)(void))
{
	if (depth)
		descend(depth - 1, last);
	else
		last();
	always = 1;
}

/* Two stacks of the same frames, at the same places, but for one of the outermost. */
static NOINLINE void walk_twice(uintptr_t at, bool frames_are_sent)
{
	if (!frames_are_sent)
		frame_names_forked();
	breakpoint = at;
	came = false;
	descend(DEPTH, probe);
	descend(DEPTH, probe_interrupted);
	always = 1;
}

/* In walks whose frames the collector has been given, and in those that give it all of them. */
static void interrupt_everywhere(bool frames_are_sent)
{
	unsigned int interrupted = 0;

	for (unsigned int i = 0; i < 4; i++) { /* the last is as all that follow */
		instructions = 0;
		walk_twice(0, frames_are_sent);
	}
	assert_in_range(instructions, INSTRUCTIONS_MIN, INSTRUCTIONS_MAX - 1);
	for (unsigned int i = 0; i < instructions; i++) {
		walk_twice(instruction[i], frames_are_sent);
		interrupted += came;
		if (judge->wrong || inner->wrong)
			fail_msg("at instruction %#lx: %lu stacks are wrong, %lu of the handler",
				 instruction[i] - (uintptr_t)__executable_start, judge->wrong,
				 inner->wrong);
	}
	/* but for what sets and clears the trap flag */
	assert_in_range(interrupted, instructions * 9 / 10, instructions);
}

static void interrupt_by(void (*handler)(void))
{
	handle = handler;
	interrupt_everywhere(true);
	interrupt_everywhere(false);
}

TEST_BOTH(test_on_the_same_stack, begin, end)
{
	interrupt_by(handle_deep);
	assert_true(inner->compared > INSTRUCTIONS_MIN);
}

TEST_BOTH(test_on_another_stack, begin, end)
{
	interrupt_by(handle_elsewhere);
	assert_true(inner->compared > INSTRUCTIONS_MIN);
}

TEST_BOTH(test_missed, begin, end)
{
	uint64_t missed = judge_missed;

	interrupt_by(handle_missed);
	assert_true(judge_missed > missed);
}

static int begin(void **state)
{
	static char stack[1u << 17];
	struct sigaction action = { .sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO };

	judge = judge_new();
	inner = judge_new();
	free(inner->name);
	inner->name = judge->name;
	stack_forked(); /* so that each test's lane has all frames */
	if (getcontext(&other))
		return 1;
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	makecontext(&other, other_run, 0);
	return sigaction(SIGTRAP, &action, NULL);
}

static int end(void **state)
{
	signal(SIGTRAP, SIG_DFL);
	inner->name = NULL;
	judge_free(inner);
	judge_free(judge);
	return 0;
}

/* May breakpoints not be put into the program? */
static bool text_is_closed(void)
{
	uintptr_t begin = (uintptr_t)__executable_start & -(uintptr_t)PAGE;

	if (!mprotect((void *)begin, (uintptr_t)etext - begin, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	puts("the system lets no program write to its own code");
	return true;
}

int main(void)
{
	if (stack_begin(1, 1u << 14, LIMIT) || text_is_closed())
		return 77;
	return unit_run();
}
