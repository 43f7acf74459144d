/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's operators, backward functions and user scopes as they nest on their threads: the time
 * and work inside of them, by name and scope, and also by the shapes of their inputs if that is
 * wanted.
 *
 * Self is the total minus the operators directly inside on the same thread. As in torch.profiler,
 * an only child that has the name of its parent is folded into it (aten::conv2d in aten::conv2d is
 * one call), also in chains. Whether a child is the only one is known when its parent ends, so each
 * open operator keeps at most one call back. User scopes are not folded. Nothing is folded into an
 * operator that another thread ended, because that operator need not have called the child. Hidden
 * operators (utility operators that torch.profiler leaves out) are no rows and no parents.
 *
 * An end with nothing open on its thread belongs to an operator that began while nothing was
 * recorded. Operators that are open when recording stops end there (operators_cut()).
 *
 * Names and shapes are indices that the caller assigns. Memory grows with rows and open operators.
 */
#ifndef REPORT_TORCH_OPERATORS_H
#define REPORT_TORCH_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/base/timing.h"
#include "report/scopes/cover.h"
#include "report/deferred/deferred_scopes.h"
#include "report/scopes/nest.h"

#define OPERATOR_NONE UINT32_MAX
#define OPERATOR_SCOPE_MAX 255u  /* larger ones, from damaged files, become this value */
#define OPERATOR_DEPTH_MAX 4096u /* deeper operators of a thread are followed, but are no rows */

/*
 * What is done in an operator: time, and the thread's work while it is the innermost one. Bytes are
 * those of tensors, with freed ones subtracted: modulo 2^64, to be read as signed numbers.
 */
#define OPERATOR_WORK(FIELD) \
	FIELD(ns)            \
	FIELD(cpu_bytes) FIELD(device_bytes) FIELD(cuda_calls) FIELD(cuda_ns) FIELD(launches)
struct operator_work {
#define FIELD(name) uint64_t name;
	OPERATOR_WORK(FIELD)
#undef FIELD
};

struct operator_row {
	uint32_t name, scope;
	uint32_t shapes; /* OPERATOR_NONE: rows are not by shapes, or shapes were not recorded */
	uint64_t caller; /* by stack: assigned by the caller; 0: none */
	uint32_t threads, last_thread;
	uint64_t apart;       /* the calls that took no part in the nesting */
	uint64_t calls, open; /* open: calls that were ended by a cut, not by the program */
	uint64_t flops;       /* 0: not known */
	struct timing time;   /* of the total of each call */
	struct operator_work total, self;
	uint64_t gpu_total_ns, gpu_self_ns; /* on the GPU, of kernels, copies and memsets */
};

/*
 * Which operators have rows: none if they are only followed. Each value includes the rows of the
 * ones before it.
 */
enum operators_kept { OPERATORS_FOLLOWED, OPERATORS_OF_USER, OPERATORS_ALL };

struct drawn_ops;

struct operators {
	bool by_shapes, by_process;
	enum operators_kept kept;      /* at first OPERATORS_ALL */
	bool has_memory;               /* tensors were recorded; false: 0 bytes means not known */
	bool has_gpu;                  /* GPU work was recorded */
	bool has_gpu_windows;          /* but not all the time (INTERCEPT_GPU_STEPS) */
	const struct drawn_ops *drawn; /* estimates of the run; NULL: everything was recorded */
	/* INTERCEPT_GPU=sums: pieces of work that could not be divided among these rows */
	uint64_t gpu_left_out;
	struct operator_row *row;
	size_t row_count, row_room;
	struct map rows;            /* name and scope to row */
	struct map shaped_rows;     /* row of name and scope, and shapes, to row */
	struct map placed_rows;     /* the same by places */
	struct map row_threads;     /* pairs of row and thread that occurred */
	struct nest nest;           /* by name */
	struct operator_open *open; /* parallel to its scopes */
	size_t open_room;
	/*
	 * Groups: a row + 1, and 0 for all rows; places: threads, or processes with `by_process`.
	 */
	struct cover cover;
	struct cover busy;               /* group 0: all rows; places: processes */
	struct deferred_scopes deferred; /* of operators that launched GPU work */
	/* one of so many operators was recorded (INTERCEPT_OPERATORS); 0: all */
	uint64_t one_in;
	uint64_t unmatched; /* ends of operators whose begin was not seen */
	uint64_t crossed;   /* calls that ended before one that began in them, on the same thread */
};

void operators_init(struct operators *operators, bool by_shapes);
void operators_release(struct operators *operators);

struct operator_opening {
	struct nest_place place;
	uint32_t name;
	uint64_t scope;  /* at::RecordScope */
	uint64_t caller; /* the place that called it; 0: rows are not by that, or it is not known */
	/*
	 * A backward function that has the place of its forward operator: what is inside belongs
	 * there, too.
	 */
	bool is_placed_by_forward;
	bool hidden;
	bool counts; /* the filters hold */
};
void operators_begin(struct operators *operators, const struct operator_opening *opening);
void operators_end(struct operators *operators, struct nest_place place);
/*
 * Ends the innermost operator of that name, on this thread or on another one of the process.
 * Operators that began in it and are still open continue in the enclosing one.
 */
void operators_end_named(struct operators *operators, struct nest_place place, uint32_t name,
			 bool elsewhere);

/*
 * From here on operators of the process are not recorded: what is open does not count, because what
 * runs in it is not known.
 */
void operators_leave_out_open(struct operators *operators, struct nest_place place);

/*
 * Adds an operator that is over and takes no part in the nesting: it has no self time, as in
 * torch.profiler.
 */
void operators_add_apart(struct operators *operators, const struct operator_opening *opening,
			 uint64_t end_ns);
/* The same for one that the program did not end; `how` as in a cut. */
void operators_cut_apart(struct operators *operators, const struct operator_opening *opening,
			 uint64_t end_ns, enum nest_ending how);

/*
 * Returns how long at least one call of the row, or of all rows (OPERATOR_NONE), was open in a
 * place. The value for all rows is the whole, of which the others are parts. Calls apart are not
 * included.
 */
uint64_t operators_covered_ns(const struct operators *operators, uint32_t row);

/*
 * INTERCEPT_GPU=sums: work of the GPU that was asked for in calls of the row with that name and
 * scope. Returns false if no call of it was recorded.
 */
bool operators_add_gpu(struct operators *operators, uint32_t name, uint64_t scope,
		       uint64_t total_ns, uint64_t self_ns);
/* Sets the inputs of the operator that has just begun; flops 0: not known. */
void operators_describe(struct operators *operators, uint32_t thread, uint32_t shapes,
			uint64_t flops);
/*
 * After the reading: row i becomes part of row into[i], which is at most i, and has no calls any
 * more; into[i] = i: it stays.
 */
void operators_join(struct operators *operators, const uint32_t *into);
/* Adds work of the thread. */
void operators_note(struct operators *operators, uint32_t thread, const struct operator_work *work);
/*
 * For a call with deferred work (deferred/deferred.h): returns the scope in `deferred` in which it
 * is made, and holds that scope; 0: no operator is open.
 */
uint32_t operators_place(struct operators *operators, uint32_t thread);
/* Returns the name of the innermost operator that is open on the thread; false: there is none. */
bool operators_innermost(const struct operators *operators, uint32_t thread, uint32_t *ret_name);
/* The same for PyTorch's own operators: user scopes are skipped. */
bool operators_innermost_own(const struct operators *operators, uint32_t thread,
			     uint32_t *ret_name);

/*
 * All that is open on the thread ends at that time without an end event, or stays open, as `how`
 * says.
 */
void operators_cut(struct operators *operators, struct nest_place place, enum nest_ending how);

#endif
