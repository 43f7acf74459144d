/* SPDX-License-Identifier: MIT */
/*
 * The memory that the traced processes and their collector share: a header, a process table, a ring
 * directory and the rings. Layout and arithmetic only: no allocation, no system call.
 *
 * Who writes what: preload creates the region (region_format()), claims processes and rings by
 * compare-and-swap and writes records; the collector frees them. The collector trusts nothing here:
 * sizes and offsets follow from the length of the memfd and from constants (struct region_shape),
 * never from a number found inside.
 *
 * The first process maps the region MAP_SHARED, and it is inherited over fork. It contains no lock,
 * so a process may die at any instruction.
 */
#ifndef COLLECTOR_REGION_REGION_H
#define COLLECTOR_REGION_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGION_MAGIC 0x31676572746e69e9ull /* "\xe9intreg1": no text starts so */
#define REGION_VERSION 18u

#define REGION_BYTES_MIN (1ull << 20)
#define REGION_BYTES_MAX (1ull << 38)
#define REGION_PROCESSES 1024u /* at once; entries are used again */
#define REGION_CLASSES 4u      /* ring sizes; a thread gets the largest free ring */
#define REGION_RING_BYTES_MIN 4096u
#define REGION_PATH_BYTES 4096u
#define REGION_TEXT_BYTES 256u
#define REGION_PRESET_BYTES 16u
#define REGION_FAMILIES 64u            /* words for families: more than there are families */
#define REGION_START_BYTES (32u << 10) /* enough for some three hundred modules */
#define REGION_STEPS 32u               /* lengths of the newest steps of a process */

enum region_redact {
#define REDACT(name) REGION_REDACT_##name,
#include "collector/region/redact.def"
	REGION_REDACT_LIMIT,
};

/* region_header.place: what determines the file's name */
enum region_place {
	REGION_PLACE_OUTPUT, /* it may be `output` itself; else a name beside it */
	/*
	 * its program uses neither Python, CUDA nor NVTX, as far as is known: others have
	 * precedence
	 */
	REGION_PLACE_PLAIN,
	REGION_PLACE_FIRST,       /* its program is the first of the session */
	REGION_PLACE_TALK,        /* the program wants a message that says where the file is */
	REGION_PLACE_METRICS_OWN, /* the name of its metrics contains its pid or rank */
};

/* region_header.collector_state; never decreases */
enum region_collector_state {
	REGION_COLLECTOR_STARTING = 0,
	REGION_COLLECTOR_RUNNING = 1,
	REGION_COLLECTOR_FINISHED = 2, /* the file is complete; nobody reads the rings any more */
	REGION_COLLECTOR_FAILED = 3,   /* no file; collector_error says why */
};

/* region_process.state */
enum region_process_state {
	REGION_PROCESS_FREE = 0,
	REGION_PROCESS_PENDING = 1, /* claimed by a parent that is about to fork */
	REGION_PROCESS_FILLING = 2, /* being filled in by its owner */
	REGION_PROCESS_LIVE = 3,
	REGION_PROCESS_EXITING =
		4, /* has written its last record; waits for REGION_PROCESS_FLUSHED */
	REGION_PROCESS_FLUSHED = 5, /* set by the collector: all its events are in the file */
};

struct region_process {
	_Atomic uint32_t state;
	_Atomic uint32_t serial; /* counts the claims of this entry */
	uint32_t pid;            /* in the pid namespace of the process */
	uint32_t parent_pid;
	uint32_t parent;                 /* entry of its recorded parent; UINT32_MAX: none */
	_Atomic uint32_t python_threads; /* number, as the collector last saw it */
	_Atomic int32_t exit_status;     /* REGION_STATUS_UNKNOWN until known */
	_Atomic uint32_t exit_how;       /* enum evt_end_how */
	_Atomic uint64_t exit_cpu_ns;    /* CPU time at exit, 0 until known */
	uint64_t start_tsc;
	_Atomic uint64_t lost_no_ring;
	_Atomic uint64_t lost_nested;
	_Atomic uint64_t lost_early;
	/* records that have only their caller because the stack was lost */
	_Atomic uint64_t lost_stacks;
	/* blocks of a sample of the heap that nobody could remember: preload/heap */
	_Atomic uint64_t lost_sampled;
	_Atomic uint64_t waits;
	_Atomic uint64_t
		exit_tsc; /* when it announced its end, 0 before; own clock, base not subtracted */
	_Atomic uint64_t exec_tsc; /* when it called exec, 0 if it did not */
	/* CPU time of children that it had before it became this program */
	uint64_t children_before_ns;
	_Atomic uint64_t rank; /* region_rank(); 0: none */
	/* for sampling, python_layout.h; `python` is written last */
	_Atomic uint64_t python;           /* struct python_word, 0: none */
	_Atomic uint64_t python_runtime;   /* address of _PyRuntime */
	_Atomic uint64_t python_code_type; /* address of PyCode_Type */
	_Atomic uint64_t region_at;        /* address of this region */
	_Atomic uint64_t limitations; /* 1 << enum limitation, collector/format/limitations.h */
	_Atomic uint64_t
		gates; /* address of EVT_FAMILY_LIMIT words: while all are 0, nothing is recorded */
	/*
	 * Only under INTERCEPT_CAPTURE=trigger: the number of the capture that the process makes
	 * (0: none) and of the last one that it ended, both written after the gates are set; steps
	 * that ended, when the last one did, and the lengths of the newest ones, all in ticks (own
	 * clock, base not subtracted).
	 * `steps` is written last.
	 */
	_Atomic uint32_t capture_open, capture_done;
	_Atomic uint64_t capture_begin_tsc, capture_end_tsc; /* of the last one */
	_Atomic uint64_t steps, step_tsc;
	_Atomic uint64_t step_ticks[REGION_STEPS];
	/*
	 * written by the collector: which share of the steps is to have detail, in 1 / 2^32; 0: all
	 */
	_Atomic uint32_t detail_share;
	uint32_t unused;
	/*
	 * written by the collector while the process has no steps: odd: no detail is wanted, even:
	 * detail is. Each change adds 1
	 */
	_Atomic uint64_t detail_asked;
};

/* region_asked.from: the capture begins with the step that begins next */
#define REGION_FROM_NEXT UINT64_MAX

/*
 * What the collector asks of all processes of the region. It writes the numbers of steps while
 * `word` is even, and `word` last; it makes `word` odd to begin a capture and even to end it.
 */
struct region_asked {
	_Atomic uint64_t word;  /* odd: capture (word + 1) / 2 is wanted */
	_Atomic uint64_t steps; /* how many steps each process records; 0: all until the end */
	_Atomic uint64_t from;  /* number of the first of these steps, or REGION_FROM_NEXT */
};

static inline uint32_t region_asked_number(uint64_t word)
{
	return (uint32_t)((word + 1) / 2);
}

/*
 * Rank, number of ranks (0: unknown) and the line of ranks.def that gave it, in one word that is
 * not 0.
 */
enum region_rank_variable {
#define RANK_VARIABLE(rank, world) REGION_RANK_OF_##rank,
#include "collector/region/ranks.def"
	REGION_RANK_OF_GROUP, /* none of these variables: torch.distributed.init_process_group() */
};
#define REGION_RANK_OF_TORCH REGION_RANK_OF_RANK
#define REGION_RANK_MASK ((1u << 30) - 1)
#define REGION_RANK_MAX (REGION_RANK_MASK - 1)
static inline uint64_t region_rank(uint32_t rank, uint32_t world, uint32_t variable)
{
	return (rank + 1) | (uint64_t)world << 30 | (uint64_t)variable << 60;
}

static inline uint32_t region_rank_number(uint64_t word)
{
	return (uint32_t)(word & REGION_RANK_MASK) - 1;
}

static inline uint32_t region_rank_world(uint64_t word)
{
	return (uint32_t)(word >> 30) & REGION_RANK_MASK;
}

static inline uint32_t region_rank_variable(uint64_t word)
{
	return (uint32_t)(word >> 60) & 7;
}

#define REGION_STATUS_UNKNOWN (-1)
#define REGION_NO_PARENT UINT32_MAX

/* region_ring.state */
enum region_ring_state {
	REGION_RING_FREE = 0,
	REGION_RING_FILLING = 1, /* being claimed */
	REGION_RING_LIVE = 2,
	REGION_RING_RETIRED = 3, /* the thread has announced its end; it may still write */
	/* overwritten by the program: the collector has stopped reading it */
	REGION_RING_CLOSED = 4,
};

#define REGION_CPU_UNKNOWN UINT64_MAX
#define REGION_NAME_WORDS 2u /* 16 bytes, zeros if unknown */

/*
 * A call that the thread is in, written before the original runs, so that it is known if the call
 * never returns. `start` is written last and is 0 while there is no call. If a thread leaves the
 * call by longjmp(), it does not clear it; then `head` shows that the thread has recorded something
 * since. The texts of its names have been sent already.
 */
enum region_open {
	REGION_OPEN_io,
	REGION_OPEN_cuda,
	REGION_OPEN_LIMIT,
};

struct region_open_call {
	_Atomic uint64_t start;    /* ticks of the records, at least 1 */
	_Atomic uint64_t function; /* hash of the function's name */
	_Atomic int64_t fd;        /* the descriptor; -1: none */
	_Atomic uint64_t head;     /* head of the ring when it began */
};

/*
 * One ring: single producer (the thread), single consumer (the collector). Positions count 64-bit
 * words since the claim and never wrap. One cache line for each side, and one for the calls that
 * the thread is in.
 */
struct region_ring {
	/* written by the producer */
	_Atomic uint64_t head;    /* words published; release, pairs with the collector's acquire */
	_Atomic uint64_t dropped; /* records that found no room */
	_Atomic uint32_t state;
	_Atomic uint32_t serial; /* counts the claims of this ring */
	uint32_t process;        /* entry in the process table */
	uint32_t process_serial;
	uint32_t tid;
	uint32_t level;
	uint64_t start_tsc;
	_Atomic uint64_t end_tsc; /* when it was retired, 0 before */
	/* written by the collector */
	_Alignas(64) _Atomic uint64_t
		tail;              /* words consumed; release, pairs with the producer's acquire */
	_Atomic uint32_t progress; /* futex: changes whenever tail does */
	_Atomic uint32_t waiters;  /* set by the producer: I am sleeping on progress */
	/*
	 * written by the producer when it retires or ends its process: the thread's last name, in
	 * the form of prctl(PR_GET_NAME); 0 before
	 */
	_Atomic uint64_t name[REGION_NAME_WORDS];
	/*
	 * written by the producer: the thread's CPU time when it claimed the ring and when it
	 * retired, 0 if unknown
	 */
	_Atomic uint64_t start_cpu_ns, end_cpu_ns;
	/*
	 * the same when recording of the process began: 0 for a thread that began later,
	 * REGION_CPU_UNKNOWN
	 */
	_Atomic uint64_t before_cpu_ns;
	uint64_t reserved[1];
	/* written by the producer */
	_Alignas(64) struct region_open_call open[REGION_OPEN_LIMIT];
};

_Static_assert(sizeof(struct region_ring) == 192, "three cache lines");

enum region_wait {
#define WAIT_CALL(name) REGION_WAIT_##name,
#include "collector/region/wait_calls.def"
	REGION_WAIT_LIMIT,
};
#define REGION_WAITS 60u

_Static_assert(REGION_WAIT_LIMIT <= REGION_WAITS, "each function has a sum");

/*
 * The waits of one thread (families osrt and io), written by it: the one that it is in, and the
 * number and time of those that were too short for a record. `start` is 0 while there is none, and
 * is written last; what is said at struct region_open_call holds. Sums grow from the claim of the
 * ring on. Only the first rings have such a block (struct region_shape), the others record every
 * wait.
 */
struct region_waits {
	_Atomic uint64_t start;  /* ticks of the records, at least 1 */
	_Atomic uint64_t object; /* what it waits for, by `kind` */
	_Atomic uint64_t owner;  /* thread that held the lock just before, 0: unknown */
	_Atomic uint64_t head;   /* head of the ring when it began */
	_Atomic uint32_t call;   /* enum region_wait */
	_Atomic uint32_t kind;   /* place in collector/format/wait_objects.def */
	/*
	 * Calls of input and output that were too short for a record (INTERCEPT_IO_MIN) and are in
	 * no io_short yet. They grow until the thread writes that event.
	 */
	_Atomic uint64_t io_calls, io_ticks;
	_Atomic uint64_t caller; /* return address of the call, 0: not known */
	struct region_wait_sum {
		_Atomic uint64_t calls, ticks;
	} sum[REGION_WAITS];
};

#define REGION_WAITS_BYTES 1024u
#define REGION_WAITS_MAX 1024u        /* blocks */
#define REGION_WAITS_SHARE (1u << 17) /* bytes of the region for each block */

_Static_assert(sizeof(struct region_waits) == REGION_WAITS_BYTES, "a quarter of a page");

/*
 * What the process was when its recording began, in case it ends, or becomes another program,
 * before the collector has examined it. It also holds for the processes that it forks. Written
 * once, before the collector starts. `room` contains the command line (words with spaces between
 * them, padded to 8 bytes), then modules: each a struct, its path, its build-id, padded in the same
 * way. The first module is the program, by the name that /proc/self/exe gives it.
 */
#define REGION_STARTED_BYTES 64u

struct region_start {
	_Atomic uint32_t bytes; /* how many bytes of `room` are written; written last, 0: nothing */
	uint32_t command_bytes;
	uint32_t left_out; /* modules without room */
	uint32_t unused;
	char started_as
		/*
		 * the program's name as passed to exec(), without its directory; filled with zeros
		 */
		[REGION_STARTED_BYTES];
	char room[REGION_START_BYTES - REGION_STARTED_BYTES - 16];
};

struct region_start_module {
	uint64_t start, end;
	uint64_t bias; /* address in memory minus address in its file */
	uint32_t path_bytes, build_id_bytes;
};

#define REGION_LIMITATIONS 64u

/*
 * What a sentence of collector/format/limitations.def is about. All processes of a region belong to
 * one program, so one is enough.
 */
struct region_limitation {
	_Atomic uint32_t state; /* 0: none, 1: being written, 2: there */
	char subject[REGION_TEXT_BYTES - 4];
};

/* The clock of the records. */
enum region_clock {
	REGION_CLOCK_TSC = 1,       /* rdtsc, invariant */
	REGION_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC nanoseconds, if the TSC cannot be trusted */
};

struct region_header {
	uint64_t magic;
	uint32_t version;
	uint32_t clock;     /* enum region_clock */
	uint64_t bytes;     /* whole region; the collector compares it with the memfd */
	uint64_t base_tsc;  /* records hold time minus this, in 56 bits */
	uint64_t base_mono; /* CLOCK_MONOTONIC at base_tsc, ns */
	uint64_t base_real; /* CLOCK_REALTIME at base_tsc, ns */

	/* What the collector is to do; written before it starts. */
	uint64_t max_file_bytes; /* 0: no limit */
	/* only the newest part of the file is kept: at most one of them is not 0 */
	uint64_t keep_last_ns, keep_last_bytes, keep_last_steps;
	uint32_t keep;   /* finished files of earlier runs to keep */
	uint32_t redact; /* 1 << enum region_redact: what the file must not contain */
	uint32_t place;  /* 1 << enum region_place */
	/*
	 * For each family, in the order of collector/format/families.def: what its source in the
	 * collector is to do; 0: nothing.
	 */
	uint64_t family[REGION_FAMILIES];
	uint32_t families; /* number of families, which distinguishes builds */
	char session[REGION_TEXT_BYTES];
	char output
		/* absolute; patterns are expanded, except those of the name beside */
		[REGION_PATH_BYTES];
	char preset[REGION_PRESET_BYTES]; /* INTERCEPT_PRESET; "" if it is the default */
	char trace[REGION_TEXT_BYTES];    /* families recorded, for the file's meta events */
	char capture[REGION_TEXT_BYTES];  /* the capture range; "" if everything is recorded */
	char budget[REGION_TEXT_BYTES];   /* INTERCEPT_BUDGET; "" if it is off */
	char step[REGION_TEXT_BYTES];     /* what ends a step, if the user has set it, else "" */
	/* what counts as the user's own code, if the user has set it, else "" */
	char own[REGION_TEXT_BYTES];
	char metrics[REGION_PATH_BYTES]; /* absolute; "": no metrics are wanted */
	char version_text[REGION_TEXT_BYTES];

	/* Words that change, each in a cache line of its own. */
	_Alignas(64) _Atomic uint32_t doorbell; /* futex: producers add 1 and wake the collector */
	_Atomic uint32_t asleep;                /* the collector is sleeping on doorbell */
	_Alignas(64) _Atomic uint32_t collector_state; /* futex; enum region_collector_state */
	/* set by the process that started it, then by itself */
	_Atomic uint32_t collector_pid;
	_Atomic uint32_t starter; /* who starts it: nursery.h */
	/* 1: a program has printed what went wrong */
	_Atomic uint32_t trouble_said;
	_Atomic uint64_t heartbeat;              /* grows with every turn of the collector */
	char collector_error[REGION_TEXT_BYTES]; /* the first byte is written last */
	/* final name of the file, set by the collector before it is RUNNING */
	char file[REGION_PATH_BYTES];
	_Alignas(64) _Atomic uint32_t flushed; /* futex: changes when a process becomes FLUSHED */
	/* number of entries ever used: the end for a scan */
	_Alignas(64) _Atomic uint32_t process_limit;
	_Atomic uint32_t ring_limit[REGION_CLASSES]; /* the same for the rings of each class */
	_Atomic uint32_t ring_free
		/* where to look for a free ring first: a hint, region_ring_is_free() */
		[REGION_CLASSES];
	_Atomic uint64_t lost_no_process;
	struct region_limitation limitation[REGION_LIMITATIONS];
	/*
	 * The collector adds 1 to ask threads to define the frames of stacks again before they use
	 * them.
	 */
	_Alignas(64) _Atomic uint32_t stacks_asked;
	/* Read by every hook while the gates are shut. */
	_Alignas(64) struct region_asked asked;
	/* INTERCEPT_TRIGGER, "" if it is not set: a file, or rules */
	_Alignas(64) char trigger[REGION_PATH_BYTES];
	/* the region is a sealed memfd, so the collector may make one, too: no filter kills it */
	uint32_t is_memfd;
};

/* Where everything is, computed from the region's length alone. */
struct region_shape {
	uint64_t bytes;
	uint64_t process_offset;
	uint64_t start_offset; /* struct region_start */
	uint64_t waits_offset; /* struct region_waits[waits_count], of the first rings */
	uint32_t waits_count;
	uint64_t ring_offset; /* directory: struct region_ring[ring_count] */
	uint32_t ring_count;
	struct region_class {
		uint32_t first; /* index of its first ring */
		uint32_t count;
		uint32_t ring_bytes; /* power of two */
		uint64_t offset;     /* of its first ring's words */
	} class[REGION_CLASSES];
};

/*
 * The room for rings is 9 parts: one for each class but the last, which has 6. A part is a quarter
 * of INTERCEPT_BUFFER. With its default, 64 MiB, these are 8 rings of 2 MiB (a busy thread fills
 * one in 1 ms), 32 of 512 KiB, 256 of 64 KiB and 24,576 of 4 KiB, for as many threads at once.
 * Pages are touched only when they are used, so with few threads the last class costs only address
 * space. A larger buffer has larger rings, and also more of the last class: twice as many of twice
 * the size in four times the room. The directory and the tables are before the parts.
 */
#define REGION_PARTS 9u
#define REGION_PARTS_LAST 6u

/* The region's length for a value of INTERCEPT_BUFFER, in whole pages. */
static inline uint64_t region_bytes_of(uint64_t buffer_bytes)
{
	return (buffer_bytes / 4 * REGION_PARTS + 4095) / 4096 * 4096;
}

static inline uint32_t region_ring_bytes(uint64_t part, unsigned int tier)
{
	static const uint32_t share[REGION_CLASSES] = { 8, 32, 256, 4096 };
	uint64_t wanted = part / share[tier], bytes = REGION_RING_BYTES_MIN;
	bool is_last = tier == REGION_CLASSES - 1;

	while (bytes < (1u << 30) && (is_last ? bytes * bytes * 4 <= wanted * REGION_RING_BYTES_MIN
					      : bytes * 2 <= wanted))
		bytes *= 2;
	return (uint32_t)bytes;
}

static inline uint64_t region_class_bytes(uint64_t part, unsigned int tier)
{
	return tier == REGION_CLASSES - 1 ? part * REGION_PARTS_LAST : part;
}

static inline uint64_t region_align(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Returns 0, or -1 if `bytes` is no valid length of a region. */
static inline int region_shape_of(uint64_t bytes, struct region_shape *ret_shape)
{
	struct region_shape s = { .bytes = bytes };
	uint64_t part = bytes / REGION_PARTS, tables, room, at;

	if (bytes < REGION_BYTES_MIN || bytes > REGION_BYTES_MAX || bytes % 4096)
		return -1;
	s.process_offset = region_align(sizeof(struct region_header), 4096);
	s.start_offset = region_align(
		s.process_offset + REGION_PROCESSES * sizeof(struct region_process), 4096);
	s.waits_offset = s.start_offset + REGION_START_BYTES;
	s.waits_count = bytes / REGION_WAITS_SHARE < REGION_WAITS_MAX
				? (uint32_t)(bytes / REGION_WAITS_SHARE)
				: REGION_WAITS_MAX;
	s.ring_offset = s.waits_offset +
			region_align((uint64_t)s.waits_count * REGION_WAITS_BYTES, 4096);
	/*
	 * the directory's length depends on the number of rings, and that on the room left. It is
	 * counted for the whole region first, which gives slightly too many, and then cut to what
	 * fits
	 */
	tables = s.ring_offset;
	for (unsigned int i = 0; i < REGION_CLASSES; i++)
		tables += region_class_bytes(part, i) / region_ring_bytes(part, i) *
			  sizeof(struct region_ring);
	at = region_align(tables, 4096);
	if (at >= bytes)
		return -1;
	room = (bytes - at) / REGION_PARTS / 4096 * 4096;
	for (unsigned int i = 0; i < REGION_CLASSES; i++) {
		struct region_class *c = &s.class[i];

		c->first = s.ring_count;
		c->ring_bytes = region_ring_bytes(part, i);
		c->count = (uint32_t)(region_class_bytes(room, i) / c->ring_bytes);
		c->offset = at;
		at += (uint64_t)c->count * c->ring_bytes;
		s.ring_count += c->count;
	}
	*ret_shape = s;
	return 0;
}

static inline struct region_process *region_processes(void *region, const struct region_shape *s)
{
	return (struct region_process *)((char *)region + s->process_offset);
}

static inline struct region_start *region_start(void *region, const struct region_shape *s)
{
	return (struct region_start *)((char *)region + s->start_offset);
}

static inline struct region_ring *region_rings(void *region, const struct region_shape *s)
{
	return (struct region_ring *)((char *)region + s->ring_offset);
}

/* The block of ring `index`; NULL: it has none. */
static inline struct region_waits *region_waits_of(void *region, const struct region_shape *s,
						   uint64_t index)
{
	if (index >= s->waits_count)
		return NULL;
	return (struct region_waits *)((char *)region + s->waits_offset) + index;
}

/*
 * Ring `index` of the class has become free. If a thread moves the hint at the same time, the ring
 * may be passed over for a while.
 */
static inline void region_ring_is_free(struct region_header *header, unsigned int tier,
				       uint32_t index)
{
	uint32_t hint = atomic_load_explicit(&header->ring_free[tier], memory_order_relaxed);

	while (index < hint &&
	       !atomic_compare_exchange_weak(&header->ring_free[tier], &hint, index))
		;
}

static inline uint64_t *region_ring_words(void *region, const struct region_shape *s,
					  unsigned int tier, uint32_t index)
{
	const struct region_class *c = &s->class[tier];

	return (uint64_t *)((char *)region + c->offset +
			    (uint64_t)(index - c->first) * c->ring_bytes);
}

#endif
