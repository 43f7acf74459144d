/* SPDX-License-Identifier: MIT */
/*
 * Resident memory of the processes over time, as the kernel counted it (process_memory), and beside
 * it what was recorded of the same moment: blocks of the heap and what is mapped.
 *
 * The collector looks every few milliseconds and tells what has moved by a hundredth. What holds at
 * the end is the last look of the kernel's figures, and what was recorded up to that very moment.
 *
 * What was recorded is what the program asked for; pages that it never touched are not resident. So
 * the parts are bounds from above, and what they leave of the anonymous memory is a bound from
 * below. Tensors of the CPU are blocks of the heap. Heap and mappings are those of the analyses,
 * which know nothing of what came before recording.
 */
#ifndef REPORT_HEAP_RESIDENT_H
#define REPORT_HEAP_RESIDENT_H

#include "report/base/curve.h"
#include "report/core/analysis.h"
#include "report/core/work.h"
#include "report/heap/heap_events.h"
#include "report/heap/mappings.h"

#define RESIDENT_CURVES_MAX 256u /* processes; the others have none */

struct resident_moment {
	uint64_t time_ns;
	/* by the kernel; without has_kinds it tells the first alone */
	uint64_t resident, anonymous, file, shared;
	bool has_kinds;
	/*
	 * recorded: live blocks, and mapped bytes; without has_blocks the recording had ended
	 * before
	 */
	bool has_blocks;
	bool knows_all; /* of the C library's blocks, so that those that were freed can be told */
	uint64_t heap, arenas, mapped, mapped_shared, reserved;
	uint64_t tensors; /* of the heap's */
	uint64_t brk;     /* addresses that malloc of the C library fills first; 0: unknown */
};

struct resident_process {
	bool was_seen;
	bool is_done; /* its program, seen or not: what comes now is its runtime's end */
	bool has_ended;
	bool had_blocks;
	/* Where most was seen; and when it was done, had ended, or what was recorded ends. */
	struct resident_moment peak, end;
	struct resident_moment last; /* as of the last event */
	struct curve *curve;         /* owned; NULL: none */
};

/* Bytes of a row of the mappings at these moments of its process. */
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
	struct resident_row *row; /* as mappings->row */
	size_t row_room;
};

/*
 * The heap that is followed is that of these options: whatever its rows are by, its live bytes are
 * the same.
 */
struct resident_options {
	struct heap_options heap;
};
ANALYSIS(resident, struct resident)

/* The process that had most, of those that were seen; NULL when none was. *ret_index: its own. */
const struct resident_process *resident_most(const struct resident *resident, uint32_t *ret_index);
/* NULL: nothing was seen of it. */
const struct resident_process *resident_of(const struct resident *resident, uint32_t process);

/*
 * What the C library's malloc has of brk() beyond live blocks, as far as nothing else explains that
 * memory: blocks that were freed and that it keeps, and its own bookkeeping. An estimate: it may be
 * resident or not, and blocks of the heap may lie elsewhere. Arenas of threads other than the first
 * are not in it.
 */
uint64_t resident_kept(const struct resident_moment *moment);
/*
 * Anonymous memory that nothing of that explains, at least; and of what was asked for that is not
 * resident, at least.
 */
uint64_t resident_rest(const struct resident_moment *moment);
uint64_t resident_untouched(const struct resident_moment *moment);

#endif
