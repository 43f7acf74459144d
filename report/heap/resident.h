/* SPDX-License-Identifier: MIT */
/*
 * Resident memory of the processes over time, as the kernel counts it (process_memory), together
 * with what was recorded at the same moment: blocks of the heap, and mappings.
 *
 * The collector reads the kernel's numbers every few milliseconds and records changes of one
 * percent or more. The values at the end are the kernel's last numbers, and what was recorded up to
 * that very moment.
 *
 * What was recorded is what the program asked for; pages that it never touched are not resident. So
 * the parts are upper bounds, and the rest of the anonymous memory is a lower bound. CPU tensors
 * are blocks of the heap. Heap and mappings are those of the analyses, which do not know what was
 * allocated before recording.
 */
#ifndef REPORT_HEAP_RESIDENT_H
#define REPORT_HEAP_RESIDENT_H

#include "report/base/curve.h"
#include "report/core/analysis.h"
#include "report/core/work.h"
#include "report/heap/heap_events.h"
#include "report/heap/mappings.h"

#define RESIDENT_CURVES_MAX 256u /* of processes; further ones have no curve */

struct resident_moment {
	uint64_t time_ns;
	/* by the kernel; without has_kinds only the first is known */
	uint64_t resident, anonymous, file, shared;
	bool has_kinds;
	/*
	 * recorded: live blocks and mapped bytes; without has_blocks the recording had ended before
	 */
	bool has_blocks;
	/* all of the C library's blocks are known, so the freed ones can be computed */
	bool knows_all;
	uint64_t heap, arenas, mapped, mapped_shared, reserved;
	uint64_t tensors; /* part of the heap */
	uint64_t brk;     /* addresses that the C library's malloc fills first; 0: unknown */
};

/*
 * Bytes over time, at the collector's looks: by the kernel, and of what was recorded live blocks
 * and Python's arenas.
 */
struct resident_curves {
	struct curve resident, heap, arenas;
};

struct resident_process {
	bool was_seen;
	/*
	 * the program itself has finished, whether that was seen or not: what follows is the end of
	 * its runtime
	 */
	bool is_done;
	bool has_ended;
	bool had_blocks;
	/*
	 * The moment with the most memory; and the moment when it had finished, had ended, or when
	 * the recording ends.
	 */
	struct resident_moment peak, end;
	struct resident_moment last;    /* at the last event */
	struct resident_curves *curves; /* owned; NULL: none */
};

/* The bytes of a row of the mappings at these moments of its process. */
struct resident_row {
	uint64_t at_peak, at_end;
};

struct resident {
	const struct run *run;
	struct source *source;
	struct heap *heap;
	struct mappings *mappings;
	struct works *works;
	struct resident_process *process; /* by index */
	size_t process_room;
	size_t curves;
	struct resident_row *row; /* parallel to mappings->row */
	size_t row_room;
};

/* The heap with these options is followed: its live bytes do not depend on what its rows are by. */
struct resident_options {
	struct heap_options heap;
};
ANALYSIS(resident, struct resident)

/* Returns the process that had the most; NULL: none was read. *ret_index: its index. */
const struct resident_process *resident_most(const struct resident *resident, uint32_t *ret_index);
/* NULL: nothing was read of it. */
const struct resident_process *resident_of(const struct resident *resident, uint32_t process);

/*
 * Returns the memory of brk() that the C library's malloc has beyond live blocks, as far as nothing
 * else explains it: freed blocks that it keeps, and its own data. This is an estimate: the memory
 * may be resident or not, and blocks of the heap may be elsewhere. Arenas of threads other than the
 * first are not included.
 */
uint64_t resident_kept(const struct resident_moment *moment);
/*
 * Returns the anonymous memory that none of that explains (a lower bound), and the memory that was
 * asked for and is not resident (a lower bound).
 */
uint64_t resident_rest(const struct resident_moment *moment);
uint64_t resident_untouched(const struct resident_moment *moment);

#endif
