/* SPDX-License-Identifier: MIT */
/*
 * Steps of a training loop and what their time went to, by the rules of PyTorch's TensorBoard plugin
 * (kineto, tb_plugin/torch_tb_profiler/profiler/overall_parser.py): every instant of a step, on whichever
 * threads of the process things run, belongs to the first category of the list below that anything runs
 * of, and to `other` when nothing does.
 *
 * Where steps begin and end is recorded (event `step`). Step 0 begins where that is marked, else with
 * the first operator of the process. Partly recorded steps are ignored. So is the last step of a process if it is
 * empty and may have been ended by torch.profiler, whose stop() ends one that never ran.
 *
 * Events come in order of time, so scopes are swept as they come; only a CUDA call is known at its
 * end, and so edges are kept until the step ends, at most STEP_EDGES_MAX (then a call that began before
 * the last of those counts from there). A call on another thread that spans the end of a step counts
 * in the later step. Memory: a row a step when they are wanted, else none.
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

/* By priority. Those of the device are its own; communication is of the device or of the host. */
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

/* A scope that is none of them: a record_function(), a step. */
#define STEP_NOTHING STEP_CATEGORY_LIMIT

#define STEP_EDGES_MAX (1u << 20)

/*
 * CPU time of the thread that ended a step: in the step, and while the process was in an operator or in nothing.
 * Nothing is known of a step that another thread had begun.
 */
struct step_cpu {
	struct cpu_span all, operators, other;
	/* Of it, helpers of that thread were at work (helpers/helpers.h), while it waited for them. */
	uint64_t helped_ns, helped_operators_ns, helped_other_ns;
};

/*
 * The same time by the phases that the thread which began the step went through (step_phases.h); what is charged to
 * communication is of that phase. gpu_ns: something ran on a device meanwhile.
 */
struct step_phase_times {
	uint64_t ns[STEP_PHASE_LIMIT], gpu_ns[STEP_PHASE_LIMIT];
	uint64_t launches
		[STEP_PHASE_LIMIT]; /* of kernels, by the thread and its helpers; other: by any other thread, too */
};

struct step_row {
	uint64_t number, start_ns, total_ns;
	uint32_t process; /* index */
	uint32_t name;    /* of what ended it */
	uint64_t ns[STEP_CATEGORY_LIMIT];
	uint64_t gpu_ns; /* something ran on a device */
	uint64_t io_ns;  /* input and output of the thread that ended it */
	uint64_t
		collections; /* of Python's garbage collector that ended in it, on any thread of the process */
	struct step_cpu cpu;
	struct step_phase_times phases;
};

struct steps {
	bool wants_rows;
	struct step_row *row;
	size_t row_count, row_room;
	struct timing time; /* of the steps that count */
	uint64_t ns[STEP_CATEGORY_LIMIT];
	uint64_t gpu_ns, collections;
	uint64_t gpu_late;   /* pieces of work that were told too late, and count in part or not */
	bool has_gpu;        /* work of a device was recorded */
	struct step_cpu cpu; /* added up */
	struct step_phase_times phases;
	uint64_t in_part;   /* steps with a gap in their numbers */
	uint32_t name;      /* of what ended the first */
	bool is_mixed;      /* not all ended by that */
	uint32_t processes; /* with a step */
	struct step_process *process;
	size_t process_room;
	struct nest nest; /* scopes, by category */
	struct step_thread *thread;
	size_t thread_room;
};

void steps_init(struct steps *steps, bool wants_rows);
void steps_release(struct steps *steps);

/* What a scope of this name is: a category or STEP_NOTHING. `scope`: at::RecordScope. */
enum step_category step_category_of(const char *name, size_t length, uint64_t scope);

void steps_open(struct steps *steps, struct nest_place place, enum step_category category);
/* The innermost scope of the thread; nothing when none is open. */
void steps_close(struct steps *steps, struct nest_place place);
/* The innermost one of that category: user scopes need not nest. */
void steps_close_one(struct steps *steps, struct nest_place place, enum step_category category);
/* The open scopes of the thread end here: recording stops, or events were lost. */
void steps_cut(struct steps *steps, struct nest_place place, enum nest_ending how);
/* Helpers of the thread (helpers/helpers.h) were at work up to now. */
void steps_helped(struct steps *steps, struct nest_place owner, uint64_t duration_ns);
/* So many kernels were launched in that phase of the thread; before the mark of the step. */
void steps_launches(struct steps *steps, struct nest_place place, enum step_phase phase,
		    uint64_t count);
/* The thread was in that phase up to now; before the mark of the step. */
void steps_phase(struct steps *steps, struct nest_place place, enum step_phase phase,
		 uint64_t duration_ns);
void step_phase_times_add(struct step_phase_times *into, const struct step_phase_times *more);
/* Something that ends here and takes no part in the nesting: a CUDA call, a collective, a garbage collection. */
void steps_span(struct steps *steps, struct nest_place place, enum step_category category,
		uint64_t duration_ns);
/* Work on a device begins or ends; in order of time with all the rest. */
void steps_device(struct steps *steps, uint32_t process, uint64_t time_ns,
		  enum step_category category, bool begins);
/* A call of input or output has returned; no category, it may be inside of any. */
void steps_io(struct steps *steps, struct nest_place place, uint64_t duration_ns);
/* The clock of the thread was read. */
void steps_clock(struct steps *steps, struct nest_place place, uint64_t cpu_ns);
/* A step ends, and number `number` begins. */
struct step_mark {
	uint64_t number;
	uint32_t name;    /* of what ended it */
	bool counts;      /* the filters hold */
	bool may_be_rest; /* of torch.profiler, whose stop() ends a step that has only begun */
};
void steps_mark(struct steps *steps, struct nest_place place, const struct step_mark *mark);
/* The number after that of the last mark of the process; 0 when there was none. */
uint64_t steps_next_number(struct steps *steps, uint32_t process);
void step_cpu_add(struct step_cpu *into, const struct step_cpu *more);
/* Recording begins or stops in the process: no step is under way. After the cuts of its threads. */
void steps_interrupt(struct steps *steps, struct nest_place place);

#endif
