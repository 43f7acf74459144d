/* SPDX-License-Identifier: MIT */
/*
 * The heap of all processes over time: which blocks live, counted in all, by size and by one key.
 *
 * A block is known by process and address. An allocation of an address that is live ends the old
 * block (`reused`); across threads an order that is wrong by at most RECENT_TOLERANCE_NS is put
 * right; a free of a block never seen is unmatched; a forked child starts with no blocks (its
 * process number is new). Peak: greatest sum of live bytes over all processes that run; what one
 * never freed is live in the rows after heap_finish(), but in no sum over time from its end on.
 *
 * Most blocks live for a moment, and for many of them the file says so in advance
 * (event_is_brief()): these are kept in a table of their own, which stays in the cache.
 *
 * Of a sample of the heap (weight.h) all figures are estimates, each with its variance.
 *
 * Memory grows with live blocks and with rows. A block takes 16 bytes at a load of at most 1/2;
 * one of 4 GiB or more takes a second entry.
 */
#ifndef REPORT_HEAP_HEAP_H
#define REPORT_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/curve.h"
#include "report/base/layers.h"
#include "report/base/map.h"
#include "report/base/size_class.h"
#include "report/core/key.h"
#include "report/heap/estimate.h"
#include "report/heap/weight.h"
#include "report/session/source.h"

#define HEAP_QUEUE 16 /* as many misses of the cache are waited for at once */

/* Whose blocks. The values are the choices of option --allocator, in their order. */
enum heap_of {
	HEAP_OF_C,
	HEAP_OF_PYTHON, /* of CPython's allocators: family pymem */
	/* no choices */
	HEAP_OF_TENSORS, /* of PyTorch's tensors, on any device */
	HEAP_OF_ARENAS,  /* what CPython's small objects lie in: mappings as long as its arenas */
};

enum heap_by {
	HEAP_BY_CALLER,
	HEAP_BY_SIZE,
	HEAP_BY_STACK, /* of source_stacks(), in the process */
	HEAP_BY_KEY,   /* of core/key.h, told by the event */
};

enum heap_kind {
	HEAP_ALLOCATION,
	HEAP_FREE,
	HEAP_REALLOC_FREE,
	HEAP_REALLOC_FAILED,
};

struct heap_op {
	uint64_t time_ns, address, size;
	uint64_t caller;          /* by key or stack: that */
	uint32_t process, thread; /* indices of the source */
	enum heap_kind kind;
	bool counts;    /* the filters hold: an allocation that does not count is only remembered */
	bool brief;     /* of an allocation: event_is_brief() */
	uint64_t every; /* of an allocation: it is one of a sample, see weight.h; 0: it is not */
};

/*
 * The counters of one key. Callers and stacks are one row a (process, address or stack, generation
 * of its modules).
 */
struct heap_row {
	uint64_t allocations, bytes_allocated, live_allocations, live_bytes, temporary_allocations;
	uint64_t kept_allocations, kept_bytes; /* as those of struct heap_totals */
	uint64_t
		/* of this row at the moment of the heap's peak; heap_finish() completes it */
		peak_bytes;
	uint64_t peak_allocations; /* likewise */
	uint64_t peak_seen;        /* number of the peak that peak_bytes belongs to */
	uint64_t key;              /* caller's address, class, stack, or of HEAP_BY_KEY */
	uint64_t last_ns;          /* of the last new use of the key, to find its module */
	uint64_t latest_ns;        /* of the last allocation */
	/* of the bytes with these names, where they are estimates: see weight.h */
	double variance, live_variance, peak_variance, kept_variance;
	uint16_t fraction, live_fraction, peak_fraction, kept_fraction; /* of blocks */
	bool is_sample; /* blocks of a sample are in it */
	uint32_t process;
	uint32_t changes_seen; /* it is among those of heap_take_changes() with that number */
};

struct heap_totals {
	uint64_t allocations, frees, frees_unmatched, bytes_allocated, bytes_freed;
	uint64_t peak_bytes, peak_time_ns, peak_allocations, live_allocations, live_bytes;
	uint64_t temporary_allocations, reused, reallocs_failed;
	/*
	 * Live blocks when the processes' programs were done and their runtimes had not begun to
	 * shut down; valid once all is read. If that moment is not recorded: live blocks at the
	 * end.
	 */
	uint64_t kept_allocations, kept_bytes;
	/* as those of struct heap_row */
	double variance, live_variance, peak_variance, kept_variance;
	uint16_t fraction, live_fraction, peak_fraction, kept_fraction, freed_fraction;
	uint64_t sampled; /* blocks of a sample that were recorded; 0: all figures are counts */
	uint64_t every;   /* of the first of them */
};

struct heap {
	enum heap_by by;
	struct source *source; /* of HEAP_BY_STACK; borrowed */
	struct run_key key;    /* of HEAP_BY_KEY, for who takes events to it and makes rows */
	struct heap_totals totals;
	/*
	 * What happened before is left out, so that segments of the file can be passed over. A free
	 * of a block that is not known is then most likely of an older one: not counted.
	 */
	uint64_t from_ns;
	bool has_ends;        /* at least one process recorded when its program was done */
	uint64_t peak_number; /* how often the peak was raised */
	struct heap_row *row;
	size_t row_count, row_room;
	bool may_estimate;              /* stacks of these blocks may be a sample */
	struct heap_estimate *estimate; /* by row; NULL: no stack is a sample */
	size_t estimate_room;
	struct stack_share *share; /* by stack: of heap_share.h, made when it is asked for first */
	uint64_t class_allocations[SIZE_CLASSES], class_bytes[SIZE_CLASSES];
	uint16_t class_fraction[SIZE_CLASSES];
	struct curve curve;
	struct layers *layers;  /* of rows' live bytes; NULL: nobody wants them */
	uint64_t layers_due_ns; /* as layers->due_ns */
	uint64_t *held;         /* by row, within heap_end_layers(): bytes of ended processes */
	bool keeps_changes;
	/* See heap_look_at(). */
	uint64_t look_due;
	void (*look)(void *looker, uint64_t time_ns);
	void *looker;
	struct heap_process *
		*process;           /* by index, NULL before its first event, and after its end */
	struct heap_process *ended; /* list */
	size_t process_room;
	struct heap_thread *thread; /* by index */
	size_t thread_room;
	struct map key_rows;              /* key + 1 to row, for every key but callers */
	struct heap_op queue[HEAP_QUEUE]; /* waiting for the lines of memory they need */
	unsigned int queued;
};

/* Whether what grows cannot be said, because stacks or the blocks themselves are a sample. */
static inline bool heap_is_sample(const struct heap *heap)
{
	return heap->estimate || heap->totals.sampled;
}

void heap_init(struct heap *heap, enum heap_by by);
void heap_release(struct heap *heap);
/*
 * Live bytes of the rows over time are kept, too; before the first event. A second time changes
 * nothing.
 */
void heap_keep_layers(struct heap *heap);
/*
 * Also keeps track of which rows change, for heap_take_changes(). Call it before the first event.
 */
void heap_keep_changes(struct heap *heap);
/*
 * The rows of the process whose live bytes have changed since the last call, or since the first
 * event, in no order; each once. Returns how many. Valid until the next event.
 */
size_t heap_take_changes(struct heap *heap, uint32_t process, const uint32_t **ret_rows);
/*
 * Marks all live rows as changed, taken or not, for the next heap_take_changes() of each process.
 */
void heap_change_live(struct heap *heap);
/*
 * Calls `look` once, after `allocations` counted allocations; `look` may schedule itself again.
 * With records this is right behind that allocation, with events it is when the operation is taken
 * from the queue: the same operation in every reading, whatever else is read. HEAP_NO_LOOK: never.
 * A heap has one looker.
 */
#define HEAP_NO_LOOK UINT64_MAX
void heap_look_at(struct heap *heap, uint64_t allocations,
		  void (*look)(void *looker, uint64_t time_ns), void *looker);
/* For who takes events to the heap: after each. */
static inline void heap_pass_look(struct heap *heap, uint64_t time_ns)
{
	if (__builtin_expect(heap->totals.allocations >= heap->look_due, 0)) {
		heap->look_due = HEAP_NO_LOOK;
		heap->look(heap->looker, time_ns);
	}
}
/*
 * All layers, after heap_finish(): the last is what lives at end_ns, of processes that have not
 * ended; if all have, what lived as the last one ended.
 */
const struct layers *heap_end_layers(struct heap *heap, uint64_t end_ns);
/* The counters show an event after heap_finish() or heap_live_bytes() at the latest. */
void heap_take(struct heap *heap, const struct heap_op *op);
/* The same for records of one thread, where all events count; only by caller. */
void heap_take_records(struct heap *heap, const struct source_heap *records);
/* Live bytes of all processes, after all operations that were taken. */
uint64_t heap_live_bytes(struct heap *heap);
/* Live bytes of one process; if it has ended, at its end. */
uint64_t heap_live_bytes_of(struct heap *heap, uint32_t process);
/* The process's program is done: what it frees from here on was never freed by the program. */
void heap_end_program(struct heap *heap, uint32_t process);
bool heap_program_is_done(const struct heap *heap, uint32_t process);
/* It holds nothing from here on. */
void heap_end_process(struct heap *heap, uint32_t process, uint64_t time_ns);
/*
 * The modules of a process have changed: what its callers' addresses mean may be another thing now.
 */
void heap_forget_callers(struct heap *heap, uint32_t process);
/*
 * Recording has stopped in the process, or events of it were lost: an address may not be what it
 * seems.
 */
void heap_distrust(struct heap *heap, uint32_t process);
/* A window begins. If it is the first one, blocks from before it were not seen. */
void heap_enter(struct heap *heap, uint32_t process);
/*
 * From here on only windows of the process's events are recorded: which blocks live, and the peak,
 * stay as they are now, and so do frees. What is allocated in windows counts as such.
 */
void heap_leave(struct heap *heap, uint32_t process);
/* After the last event, before rows are read. */
void heap_finish(struct heap *heap);

#endif
