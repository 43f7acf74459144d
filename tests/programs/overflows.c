/* SPDX-License-Identifier: MIT */
/* races: none, uses up its stacks */
/* build: -pthread -ldl -O1 -fno-optimize-sibling-calls */
/*
 * Its stack overflows, and handlers on other stacks allocate.
 *   overflows note  handlers note their stacks (stack_note.h), and leave by siglongjmp(): from
 *                   frames of 64 KB each, from thousands of small ones, in the main thread and in
 *                   others
 *   overflows hook  400 times in the middle of malloc() and free(): the stack ends at another place
 *                   each time
 *   overflows die   the handler allocates, and the program is killed by what it returns to
 *   overflows exit  the handler allocates, and ends the program with status 7
 *   overflows bare  nobody handles it
 */
#include "tests/programs/stack_note.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_FRAME (64u << 10)
#define GUARD_BYTES (256u << 10) /* no frame is as large, so that none reaches what lies beyond */
#define STACK_BYTES (1u << 20)
#define HOOK_STACK_BYTES (48u << 10)
#define HANDLER_STACK_BYTES (256u << 10)
#define HOOK_TURNS 400
#define HOOK_TURNS_A_STACK 32

static void (*act)(void);
static __thread sigjmp_buf back;
static volatile int always = 1;

static void handler(int number)
{
	(void)number;
	act();
}

static void handle_on(void *stack, size_t bytes)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t alternate = { .ss_sp = stack, .ss_size = bytes };

	if (sigaltstack(&alternate, NULL) || sigaction(SIGSEGV, &action, NULL))
		abort();
}

static void handle(void)
{
	void *stack = mmap(NULL, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		abort();
	handle_on(stack, HANDLER_STACK_BYTES);
}

/* A stack of so many bytes below which nothing can be written. */
static void on_stack_of(size_t bytes, void *(*run)(void *))
{
	char *stack = mmap(NULL, bytes + GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	pthread_attr_t attributes;
	pthread_t thread;

	if (stack == MAP_FAILED || mprotect(stack + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE))
		abort();
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack + GUARD_BYTES, bytes) ||
	    pthread_create(&thread, &attributes, run, NULL))
		abort();
	pthread_join(thread, NULL);
	munmap(stack, bytes + GUARD_BYTES);
}

/* --- noted --- */

/* Here the stack ends, and not within malloc(), which may hold a lock. */
static NOINLINE int room_for_more(void)
{
	volatile char room[LARGE_FRAME];

	room[0] = 1;
	return room[0];
}

static NOINLINE int large(int depth)
{
	volatile char room[LARGE_FRAME];

	room[0] = (char)room_for_more();
	note_block = malloc(24);
	free(note_block);
	return always ? large(depth + 1) + room[0] : depth;
}

static NOINLINE int small(int depth)
{
	if (depth % 500 == 499) {
		room_for_more();
		note_block = malloc(25);
		free(note_block);
	}
	return always ? small(depth + 1) + 1 : depth;
}

static void act_note(void)
{
	note("overflow");
	siglongjmp(back, 1);
}

static void *overflow_twice(void *of_thread)
{
	if (of_thread != &always)
		handle();
	if (!sigsetjmp(back, 1))
		large(0);
	note("between");
	if (!sigsetjmp(back, 1))
		small(0);
	note("after");
	return NULL;
}

static int run_note(void)
{
	if (!note_open())
		return 77;
	act = act_note;
	for (int i = 0; i < 2; i++) {
		on_stack_of(STACK_BYTES, overflow_twice);
		handle();
		overflow_twice((void *)&always);
	}
	note("last");
	return 0;
}

/* --- in hooks --- */

static volatile int returned;

static void act_leave(void)
{
	siglongjmp(back, 1);
}

static NOINLINE int within(int depth)
{
	void *volatile block = malloc(24);

	free(block);
	return always ? within(depth + 1) + 1 : depth;
}

/* Each turn begins 16 bytes further down, so that the stack ends elsewhere. */
static void *hook_turns(void *unused)
{
	handle();
	for (volatile int turn = 0; turn < HOOK_TURNS_A_STACK; turn++) {
		volatile char *room = alloca(16);

		room[0] = 1;
		if (!sigsetjmp(back, 1))
			within(0);
		else
			returned++;
	}
	return unused;
}

static int run_hook(void)
{
	act = act_leave;
	while (returned < HOOK_TURNS)
		on_stack_of(HOOK_STACK_BYTES, hook_turns);
	printf("%d\n", (int)returned);
	return 0;
}

/* --- the end --- */

static void allocate(void)
{
	for (int i = 0; i < 10; i++) {
		note_block = malloc(4000 + (size_t)i);
		free(note_block);
	}
}

static void act_die(void)
{
	allocate();
	signal(SIGSEGV, SIG_DFL);
}

static void act_exit(void)
{
	allocate();
	_exit(7);
}

static int run_end(void (*how)(void))
{
	act = how;
	if (how)
		handle();
	return large(0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "note"))
		return run_note();
	if (!strcmp(what, "hook"))
		return run_hook();
	if (!strcmp(what, "die"))
		return run_end(act_die);
	if (!strcmp(what, "exit"))
		return run_end(act_exit);
	return run_end(NULL);
}
