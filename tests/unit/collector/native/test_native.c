/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/native/native.c: records that stand in the rings of two CPUs, written by hand: their
 * order, a thread that has two events, one that ends, losses, a process that becomes another
 * program.
 */
#include "tests/unit/unit.h"

#include <stdalign.h>
#include <unistd.h>

#include "collector/native/native.h"
#include "tests/unit/collector/native/perf_bytes.h"

#define RING_BYTES (64u << 10)
#define PAGE 4096u
#define NUMBER 5u
/* id of the event of the thread that started the others; perf_bytes.h has it in mappings */
#define PARENTS 7u
#define OWN 8u     /* of the other thread's own */
#define PARENT 70u /* thread ids, which nobody has to have */
#define OTHER 71u

static struct looked {
	struct common common;
	struct processes processes;
	struct region_process shared[REGION_PROCESSES];
	struct native native;
	struct following following;
	struct perf_cpu cpu[2];
	struct followed_event event[2];
	uint32_t streams, pid;
} looked;

static alignas(4096) uint8_t memory[2][PAGE + RING_BYTES];
static uint8_t copy[2][PERF_RECORD_BYTES_MAX];

static int look_begin(void **state)
{
	memset(&looked, 0, sizeof(looked));
	memset(memory, 0, sizeof(memory));
	looked.pid = (uint32_t)getpid();
	journal_init(&looked.common.journal);
	if (names_init(&looked.common.names, &looked.common.journal) ||
	    tables_init(&looked.following.tables))
		return -1;
	looked.common.view.process = looked.shared;
	looked.processes.limit = 1;
	looked.processes.slot[0] = (struct process){ .number = NUMBER, .pid = looked.pid };
	for (uint32_t i = 0; i < 2; i++) {
		perf_ring_of_memory(&looked.cpu[i].ring, memory[i], RING_BYTES, copy[i]);
		looked.cpu[i].ring.fd = 0; /* there is a ring; nobody closes it */
	}
	looked.event[0] = (struct followed_event){ PARENTS, 0, NUMBER, PARENT };
	looked.event[1] = (struct followed_event){ OWN, 0, NUMBER, OTHER };
	looked.following.cpu = looked.cpu;
	looked.following.cpus = 2;
	looked.following.event = looked.event;
	looked.following.events = 2;
	looked.following.process[0].number = NUMBER;
	looked.following.process[0].pid = looked.pid;
	looked.native = (struct native){ .common = &looked.common,
					 .processes = &looked.processes,
					 .stream_numbers = &looked.streams,
					 .following = &looked.following };
	return 0;
}

static int look_end(void **state)
{
	free(looked.following.process[0].mappings.mapping);
	tables_release(&looked.following.tables);
	names_release(&looked.common.names);
	journal_release(&looked.common.journal);
	free(looked.native.thread);
	free(looked.native.waiting);
	free(looked.native.frame);
	return 0;
}

/* As the kernel writes it. */
static void put(uint32_t cpu, const struct made_record *made)
{
	struct perf_event_mmap_page *page = (void *)memory[cpu];

	assert_int_equal(made->length % 8, 0);
	memcpy(memory[cpu] + PAGE + page->data_head, made->bytes, made->length);
	page->data_head += made->length;
}

static void put_sample(uint32_t cpu, uint64_t id, uint32_t tid, uint64_t time_ns)
{
	const uint64_t registers[3] = { 0x1000, 0x2000, 0x5000 };
	struct made_record made;

	made_sample(&made, id, looked.pid, tid, time_ns, registers, NULL, 0, 0);
	put(cpu, &made);
}

static void put_name(uint32_t cpu, uint16_t misc, uint64_t time_ns, const char *name)
{
	struct made_record made;
	char text[8] = "";

	memcpy(text, name, strlen(name));
	made_begin(&made);
	made_halves(&made, looked.pid, PARENT);
	made_add(&made, text, sizeof(text));
	made_trailer(&made, looked.pid, PARENT, time_ns, PARENTS);
	made_end(&made, PERF_RECORD_COMM, misc);
	put(cpu, &made);
}

static uint32_t told(uint32_t id)
{
	uint32_t count = 0;

	for (size_t i = 0; i < looked.common.journal.count; i++)
		count += looked.common.journal.event[i].id == id;
	return count;
}

TEST_BOTH(samples_are_in_the_order_of_time, look_begin, look_end)
{
	put_sample(0, PARENTS, PARENT, 100);
	put_sample(1, PARENTS, PARENT, 200);
	put_sample(0, PARENTS, PARENT, 300);
	put_sample(1, PARENTS, PARENT, 250);
	put_sample(1, PARENTS, PARENT, 2000);
	native_take(&looked.native, 1000);
	assert_int_equal(looked.native.waiting_count,
			 4); /* the other ring may have more before 2000 */
	assert_int_equal(looked.native.waiting[0].time_ns, 100);
	assert_int_equal(looked.native.waiting[1].time_ns, 200);
	assert_int_equal(looked.native.waiting[2].time_ns, 250);
	assert_int_equal(looked.native.waiting[3].time_ns, 300);
	native_take(&looked.native, 3000);
	assert_int_equal(looked.native.waiting_count, 5);
}

/*
 * One that was inherited while events were being opened may be on some CPUs only: its own event is
 * on all.
 */
TEST_BOTH(own_event_of_a_thread_counts, look_begin, look_end)
{
	put_sample(0, PARENTS, OTHER, 100);
	put_sample(1, OWN, OTHER, 200);
	put_sample(0, PARENTS, OTHER, 300); /* it is counted by its own from here on */
	put_sample(0, OWN, OTHER, 301);
	put_sample(1, OWN, OTHER, 400);
	put_sample(1, PARENTS, PARENT, 500);
	native_take(&looked.native, 1000);
	assert_int_equal(looked.native.waiting_count, 5);
	assert_int_equal(looked.native.waiting[1].time_ns, 200);
	assert_int_equal(looked.native.waiting[2].time_ns, 301);
	assert_int_equal(looked.native.waiting[3].time_ns, 400);
	assert_int_equal(told(EVT_thread), 2);
	assert_int_equal(looked.following.process[0].now.dropped, 0);
}

TEST_BOTH(nothing_of_another_program_counts, look_begin, look_end)
{
	struct followed *process = &looked.following.process[0];
	struct made_record made;

	made_mapping(&made, looked.pid, 0x400000, 0x1000, 0, 11, "/one");
	put(0, &made);
	native_take(&looked.native, 1000);
	assert_int_equal(process->mappings.count, 1);
	put_sample(0, PARENTS, PARENT, 1100);
	put_name(0, 0, 1200, "before");
	put_name(0, PERF_RECORD_MISC_COMM_EXEC, 1300, "after");
	put_name(0, 0, 1400, "later");
	put_sample(0, PARENTS, PARENT, 1500);
	made_mapping(&made, looked.pid, 0x400000, 0x1000, 0, 12, "/other");
	put(0, &made);
	native_take(&looked.native, 2000);
	assert_int_equal(looked.native.waiting_count, 1);
	assert_int_equal(told(EVT_thread_name), 1);
	/* where its code was is other code now, but that is no module of it */
	assert_int_equal(looked.processes.slot[0].modules.ends.count, 0);
	assert_int_equal(process->mappings.count, 1);
	assert_int_equal(process->mappings.mapping[0].file, 1);
}

TEST_BOTH(code_in_the_place_of_other_code_is_told, look_begin, look_end)
{
	const struct module_ends *ends = &looked.processes.slot[0].modules.ends;
	struct made_record made;

	made_mapping(&made, looked.pid, 0x400000, 0x1000, 0, 11, "/one");
	put(0, &made);
	native_take(&looked.native, 1000);
	assert_int_equal(ends->count, 0);
	made_mapping(&made, looked.pid, 0x400000, 0x2000, 0, 12, "/other");
	put(0, &made);
	native_take(&looked.native, 2000);
	assert_int_equal(ends->count, 1);
	assert_int_equal(ends->noted[0].start, 0x400000);
	assert_int_equal(ends->noted[0].end, 0x402000);
	assert_int_equal(ends->noted[0].path, 0);
	module_ends_release(&looked.processes.slot[0].modules.ends);
}

TEST_BOTH(losses_are_counted, look_begin, look_end)
{
	struct followed *process = &looked.following.process[0];
	struct made_record made;

	made_begin(&made);
	made_word(&made, PARENTS);
	made_word(&made, 3);
	made_trailer(&made, looked.pid, PARENT, 100, PARENTS);
	made_end(&made, PERF_RECORD_LOST, 0);
	put(1, &made);
	looked.native.written_ns = 150; /* a frame of the file that has been written */
	put_sample(1, PARENTS, PARENT, 140);
	put_sample(1, PARENTS, PARENT, 160);
	put_sample(1, 99, PARENT, 170); /* of an event that nobody has opened */
	native_take(&looked.native, 1000);
	assert_int_equal(process->now.lost, 4);
	assert_int_equal(looked.native.waiting_count, 1);
}

TEST_BOTH(thread_that_ends_gets_another_stream, look_begin, look_end)
{
	struct made_record made;

	put_sample(0, PARENTS, PARENT, 100);
	made_begin(&made);
	made_halves(&made, looked.pid, 1);
	made_halves(&made, PARENT, 1);
	made_word(&made, 150);
	made_trailer(&made, looked.pid, PARENT, 150, PARENTS);
	made_end(&made, PERF_RECORD_EXIT, 0);
	put(0, &made);
	put_sample(0, PARENTS, PARENT, 200);
	native_take(&looked.native, 1000);
	assert_int_equal(looked.native.waiting_count, 2);
	assert_int_equal(told(EVT_thread_end), 1);
	assert_int_not_equal(looked.native.waiting[0].stream, looked.native.waiting[1].stream);
}
