/* SPDX-License-Identifier: MIT */
/*
 * Steps of a training loop, and how their time was used, by the rules of PyTorch's TensorBoard
 * plugin (kineto, tb_plugin/torch_tb_profiler/profiler/overall_parser.py): each moment of a step
 * belongs to the first category of the list below that is active on any thread of the process, and
 * to `other` if none is.
 *
 * The begins and ends of steps are recorded (event `step`). Step 0 begins where that is marked,
 * otherwise with the first operator of the process. Partly recorded steps are ignored. The last
 * step of a process is ignored, too, if it is empty and torch.profiler may have ended it: its
 * stop() ends a step that never ran.
 *
 * Events come in order of time, so scopes are handled as they come. But a CUDA call is known only
 * at its end, so edges are kept until the step ends, at most STEP_EDGES_MAX (with more, a call that
 * began before the latest edges counts from there on). A call on another thread that spans the end
 * of a step counts in the later step. Memory: one row for each step if rows are wanted, otherwise
 * none.
 */
#ifndef REPORT_STEPS_STEPS_H
#define REPORT_STEPS_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/cpu_clock.h"
#include "report/base/timing.h"
#include "report/scopes/nest.h"
#include "report/steps/step_phases.h"

/* By priority. The first ones are of the device; communication is of the device or of the host. */
#define STEP_CATEGORIES(CATEGORY) \
	CATEGORY(kernel)          \
	CATEGORY(memcpy)          \
	CATEGORY(memset)          \
	CATEGORY(communication)   \
	CATEGORY(runtime)         \
	CATEGORY(gc)              \
	CATEGORY(dataloader)      \
	CATEGORY(operators)       \
	CATEGORY(other)
enum step_category {
#define CATEGORY(name) STEP_##name,
	STEP_CATEGORIES(CATEGORY)
#undef CATEGORY
		STEP_CATEGORY_LIMIT,
};
#define STEP_FIRST_OF_HOST STEP_communication
extern const char *const step_category_names[STEP_CATEGORY_LIMIT];

/*
 * What the thread that ended a step spent time on, whatever the category: input and output, and
 * waits of the operating system, by what it waited for. They overlap.
 */
#define STEP_SPENDINGS(SPENDING) \
	SPENDING(io)             \
	SPENDING(lock_wait)      \
	SPENDING(condition_wait) \
	SPENDING(poll_wait)      \
	SPENDING(socket_wait)    \
	SPENDING(sleep_wait)
enum step_spending {
#define SPENDING(name) STEP_SPENT_##name,
	STEP_SPENDINGS(SPENDING)
#undef SPENDING
		STEP_SPENDING_LIMIT,
};

/* A scope of no category: a record_function(), a step. */
#define STEP_NOTHING STEP_CATEGORY_LIMIT

#define STEP_EDGES_MAX (1u << 20)

/*
 * CPU time of the thread that ended a step: in the step, and while the process was in an operator
 * or in `other`. Nothing is known if another thread began the step.
 */
struct step_cpu {
	struct cpu_span all, operators, other;
	/*
	 * The part in which helpers of the thread worked while it waited for them
	 * (helpers/helpers.h).
	 */
	uint64_t helped_ns, helped_operators_ns, helped_other_ns;
};

/*
 * The same time by the phases of the thread that began the step (step_phases.h); communication is
 * in the phase that was active. gpu_ns: the part in which a device was busy.
 */
struct step_phase_times {
	uint64_t ns[STEP_PHASE_LIMIT], gpu_ns[STEP_PHASE_LIMIT];
	/*
	 * Duration of the work of the GPU that was asked for in the phase, whenever it ran, summed
	 * over streams and devices. Not known where the calls of the work are not.
	 */
	uint64_t asked_ns[STEP_PHASE_LIMIT];
	/* the parts of ns that are in category `other` and `gc` */
	uint64_t outside_ns[STEP_PHASE_LIMIT], gc_ns[STEP_PHASE_LIMIT];
	uint64_t launches
		/*
		 * kernels launched by the thread and its helpers; other: by any other thread, too
		 */
		[STEP_PHASE_LIMIT];
	/* the part of ns that the thread itself waited for the GPU, in calls of CUDA */
	uint64_t waits_ns[STEP_PHASE_LIMIT];
};

struct step_row {
	uint64_t number, start_ns, total_ns;
	/*
	 * Operators were recorded in it (core/detail.h). Without them the time of `operators` and
	 * `other`, its CPU time and that of the phases are not known, and are 0. Without work of
	 * the GPU (INTERCEPT_GPU_STEPS) so are all categories, and all of the phases but `ns` and
	 * `waits_ns`.
	 */
	bool has_operators;
	bool has_detail;  /* operators, and work of the GPU */
	uint32_t process; /* index */
	uint32_t name;    /* of what ended it */
	uint64_t ns[STEP_CATEGORY_LIMIT];
	uint64_t gpu_ns; /* a device was busy */
	uint64_t spent_ns[STEP_SPENDING_LIMIT];
	/*
	 * collections of Python's garbage collector that ended in it, on any thread of the process
	 */
	uint64_t collections;
	struct step_cpu cpu;
	struct step_phase_times phases;
};

/* Sums of the steps with operators, whether the GPU was recorded in them or not. */
struct step_host {
	uint64_t steps, total_ns;
	struct step_phase_times phases; /* `ns` and `waits_ns` */
};

struct steps {
	bool wants_rows;
	struct step_row *row;
	size_t row_count, row_room;
	struct timing time; /* of the steps that count */
	/*
	 * Number and duration of the steps with detail. Sums by category and phase, and gpu_ns, are
	 * of these; the others are of all steps.
	 */
	uint64_t detailed, detailed_ns;
	struct step_host host;
	/*
	 * Collectives, which run on the GPU, too: phases are not known without it.
	 */
	bool has_collectives;
	uint64_t ns[STEP_CATEGORY_LIMIT];
	uint64_t gpu_ns, collections;
	/* pieces of work that were reported too late, and count in part or not at all */
	uint64_t gpu_late;
	bool has_gpu; /* GPU work was recorded */
	/* but not in all steps: in which it was not, no category is known, but phases are */
	bool has_gpu_windows;
	/*
	 * INTERCEPT_GPU=sums: when the GPU was busy is known by stretches, so what the host did
	 * meanwhile is not known. The categories of the host are 0, but for dataloader: it is the
	 * time that the step's thread waited for a DataLoader while no device was busy.
	 */
	bool has_sums;
	/*
	 * INTERCEPT_OPERATORS: evaluation is not known, and its time is in `other`. So are forward
	 * and backward, unless passes of autograd were recorded.
	 */
	bool has_sample;
	bool lacks_passes;
	/* with a sample: where a closure's forward began, or which passes there were, is unknown */
	bool is_unsure;
	struct step_cpu cpu; /* sums */
	struct step_phase_times phases;
	/*
	 * of all that was read, whatever is selected: evaluation, and the part of it that recorded
	 * gradients, which no backward uses
	 */
	uint64_t evaluation_ns, unused_ns;
	uint64_t in_part;   /* number of steps in groups with gaps in their numbers */
	uint32_t name;      /* of what ended the first */
	bool is_mixed;      /* not all were ended by that name */
	uint32_t processes; /* processes that have a step */
	struct step_process *process;
	size_t process_room;
	struct nest nest; /* scopes, by category */
	struct step_thread *thread;
	size_t thread_room;
};

void steps_init(struct steps *steps, bool wants_rows);
void steps_release(struct steps *steps);

/* Returns the category of a scope with this name, or STEP_NOTHING. `scope`: at::RecordScope. */
enum step_category step_category_of(const char *name, size_t length, uint64_t scope);

void steps_open(struct steps *steps, struct nest_place place, enum step_category category);
/* Closes the innermost scope of the thread; does nothing if none is open. */
void steps_close(struct steps *steps, struct nest_place place);
/* Closes the innermost scope of that category: user scopes need not nest. */
void steps_close_one(struct steps *steps, struct nest_place place, enum step_category category);
/* The thread's open scopes end here: recording stops, or events were lost. */
void steps_cut(struct steps *steps, struct nest_place place, enum nest_ending how);
/* Helpers of the thread (helpers/helpers.h) worked up to now, for that duration. */
void steps_helped(struct steps *steps, struct nest_place owner, uint64_t duration_ns);
/*
 * So many kernels were launched in that phase of the thread; to be called before the mark of the
 * step.
 */
void steps_launches(struct steps *steps, struct nest_place place, enum step_phase phase,
		    uint64_t count);
/* The same, for time that it waited for the GPU. */
void steps_waits(struct steps *steps, struct nest_place place, enum step_phase phase,
		 uint64_t waits_ns);
/* The thread was in that phase up to now; to be called before the mark of the step. */
void steps_phase(struct steps *steps, struct nest_place place, enum step_phase phase,
		 uint64_t duration_ns);
void step_phase_times_add(struct step_phase_times *into, const struct step_phase_times *more);
/* An activity that ends here and does not nest: a CUDA call, a collective, a garbage collection. */
void steps_span(struct steps *steps, struct nest_place place, enum step_category category,
		uint64_t duration_ns);
/* Work on a device begins or ends; in order of time with all other calls. */
void steps_device(struct steps *steps, uint32_t process, uint64_t time_ns,
		  enum step_category category, bool begins);
/*
 * Work of that duration was asked for at that time; in order of time with marks. With
 * PHASE_communication it is that of a collective, else of the phase that the thread which began the
 * step is in then.
 */
void steps_asked(struct steps *steps, uint32_t process, uint64_t time_ns, enum step_phase phase,
		 uint64_t duration_ns);
/* A call has returned: what of it was in the step counts. */
void steps_spend(struct steps *steps, struct nest_place place, enum step_spending spending,
		 uint64_t duration_ns);
/* The clock of the thread was read. */
void steps_clock(struct steps *steps, struct nest_place place, uint64_t cpu_ns);
/* A step ends, and number `number` begins. */
struct step_mark {
	uint64_t number;
	uint32_t name; /* of what ended it */
	bool counts;   /* the filters hold */
	/* what was not recorded in the step that ends */
	bool lacks_operators, lacks_gpu;
	bool may_be_rest; /* of torch.profiler, whose stop() ends a step that has just begun */
};
void steps_mark(struct steps *steps, struct nest_place place, const struct step_mark *mark);
/* Returns the number after the last mark of the process; 0: there was none. */
uint64_t steps_next_number(struct steps *steps, uint32_t process);
/* Whether the time of that category is known, in a step with or without detail. */
bool steps_know(const struct steps *steps, enum step_category category, bool has_detail);
/* Duration of all work of the GPU that was asked for in steps; 0: not known. */
uint64_t step_phases_asked(const struct step_phase_times *times);
/* Whether the time of that phase is known, in steps with operators. */
bool steps_know_phase(const struct steps *steps, enum step_phase phase);
/* What to call it: `other` is "the rest" where other phases are not known. */
const char *steps_phase_name(const struct steps *steps, enum step_phase phase);
void step_cpu_add(struct step_cpu *into, const struct step_cpu *more);
void step_host_add(struct step_host *into, const struct step_row *row);
/*
 * Recording begins or stops in the process, so no step is under way. To be called after the cuts of
 * its threads.
 */
void steps_interrupt(struct steps *steps, struct nest_place place);

#endif
