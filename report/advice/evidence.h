/* SPDX-License-Identifier: MIT */
/*
 * The evidence for advice: activities that are known to cost time, counted inside of complete steps
 * only, and the memory that is held where steps end. Steps are the recorded ones (steps.h).
 *
 * Scopes nest per thread. Values that are read inside of an optimizer's step, or of a data loader,
 * count there. An optimizer's step may call a closure, which runs forward and backward: what runs
 * while gradients are recorded, in the backward pass, in zero_grad() or in a user scope belongs to
 * the closure, from the optimizer's preceding operator on. Memory grows with open scopes, and by 64
 * bytes for each step; at most PINNED_MAX blocks of pinned memory are followed.
 */
#ifndef REPORT_ADVICE_EVIDENCE_H
#define REPORT_ADVICE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/advice/gaps.h"
#include "report/advice/step_labels.h"
#include "report/scopes/nest.h"

#define EVIDENCE_SETTLED 3u /* earlier steps are warm-up: allocators fill their caches */
#define PINNED_MAX 4096u

#define EVIDENCE_WORK(FIELD)                                                              \
	FIELD(sync_calls)                                                                 \
	FIELD(sync_ns) /* CUDA calls that wait, also those of optimizers */               \
	FIELD(held_ns) /* CUDA calls that delay the host, for whatever reason */          \
	FIELD(items)   /* values that the loop copies to Python */                        \
	FIELD(item_ns)                                                                    \
	FIELD(copies) /* copies of tensors that the loop itself asks for */               \
	FIELD(copies_ns)                                                                  \
	FIELD(doubles) /* operators on tensors of doubles, if types are known */          \
	FIELD(double_ns)                                                                  \
	FIELD(typed_steps) /* settled ones in which they are, and their time */           \
	FIELD(typed_ns)                                                                   \
	FIELD(settled_steps) /* from EVIDENCE_SETTLED on */                               \
	FIELD(device_allocs) /* cudaMalloc and cudaFree in settled steps */               \
	FIELD(device_frees)  /* the cudaFree among them */                                \
	FIELD(device_alloc_ns)                                                            \
	FIELD(copies_to_device) /* asynchronous copies */                                 \
	FIELD(copied_bytes)     /* by them, and the time of the calls */                  \
	FIELD(copied_ns)                                                                  \
	FIELD(pageable_copies) /* those from memory that is not known to be pinned */     \
	FIELD(pageable_bytes)                                                             \
	FIELD(pageable_ns)                                                                \
	FIELD(hidden_copies) /* asynchronous ones, by calls that are no event of CUDA */  \
	FIELD(hidden_copies_ns)                                                           \
	FIELD(held_copies_ns) /* of those of GAP_SHORT_NS or more, which held the host */ \
	FIELD(optimizer_steps)                                                            \
	FIELD(optimizer_ns)        /* without what its closure ran */                     \
	FIELD(optimizer_operators) /* operators directly inside */                        \
	FIELD(optimizer_grouped)   /* those of them that work on many tensors at once */  \
	FIELD(zero_grad_ns)                                                               \
	FIELD(looked_up_bytes) /* rows that were taken from embeddings */                 \
	FIELD(tables)          /* gradients with all rows of an embedding */              \
	FIELD(tables_bytes)                                                               \
	FIELD(tables_ns)                                                                  \
	FIELD(products_bytes)     /* matrix products */                                   \
	FIELD(short_gaps_ns)      /* as in struct gaps_sum */                             \
	FIELD(small_operators_ns) /* as in struct gaps_sum */                             \
	FIELD(host_operators_ns)  /* as in struct gaps_sum: they launch no GPU work */    \
	FIELD(recompiled)         /* regions of torch.compile that were compiled again */ \
	FIELD(graph_breaks)       /* as in regions.h */                                   \
	FIELD(graph_breaks_ns)    /* time directly in regions that such breaks cut */     \
	FIELD(operators)                                                                  \
	FIELD(graded) /* operators that record gradients */
struct evidence_work {
#define FIELD(name) uint64_t name;
	EVIDENCE_WORK(FIELD)
#undef FIELD
};

/* The kind of a scope, or of a CUDA function. */
enum evidence_kind {
	EVIDENCE_LABEL,  /* a user scope without meaning here */
	EVIDENCE_RANGE,  /* an NVTX range */
	EVIDENCE_ACTION, /* an action of Lightning */
	EVIDENCE_OPERATOR,
	EVIDENCE_ITEM,
	EVIDENCE_COPY,    /* clone(), contiguous(), to() */
	EVIDENCE_LOOK_UP, /* of rows of an embedding */
	EVIDENCE_TABLE,   /* a gradient with all rows of an embedding is made */
	EVIDENCE_PRODUCT, /* of matrices */
	EVIDENCE_GROUPED,
	EVIDENCE_BACKWARD,  /* a node of autograd's graph, without a sequence number */
	EVIDENCE_OPTIMIZER, /* one that can work on many tensors at once */
	EVIDENCE_OPTIMIZER_PLAIN,
	EVIDENCE_DATALOADER,
	EVIDENCE_ZERO_GRAD,
	EVIDENCE_COMMUNICATION,
	EVIDENCE_REGION,     /* a region of torch.compile */
	EVIDENCE_RECOMPILED, /* a region that is not the first of its function */
	EVIDENCE_FUNCTION,
	EVIDENCE_WAITS,
};
enum evidence_kind evidence_kind_of(const char *name, size_t length, uint64_t scope);
/* For a CUDA function: EVIDENCE_FUNCTION, EVIDENCE_COPY (asynchronous) or EVIDENCE_WAITS. */
enum evidence_kind evidence_kind_of_call(const char *name, size_t length);

struct evidence_sample {
	uint64_t tensor_bytes, heap_bytes, arena_bytes;
	uint64_t number; /* of the step */
	uint64_t operators, graded;
	uint64_t
		/* the longest gap of its thread, and its place; GAP_NO_PLACE during warm-up */
		gap_ns;
	size_t gap_place;
	uint32_t recompiled; /* regions in it that were compiled again */
	uint32_t labels;     /* number of its entries in evidence->labels, from first_label on */
	size_t first_label;
};

/* The scheduler's counters at the end of a step; they may be up to a second old. */
struct evidence_scheduler {
	uint64_t time_ns;
	bool is_known;                    /* runnable_ns is known */
	uint64_t runnable_ns, running_ns; /* of the thread that ends the step */
	uint64_t cpu_ns;                  /* of all recorded processes */
};

struct evidence_process {
	struct evidence_work pending;                 /* of the step that is under way */
	struct evidence_work early[EVIDENCE_SETTLED]; /* of complete steps with these numbers */
	struct step_labels labels;                    /* of the step that is under way */
	bool under_way;
	bool launches; /* it has launched work of a GPU */
	uint64_t number, since_ns, tensor_bytes;
	/* Where the first settled step of a thread begins, and where its last one ends. */
	struct evidence_scheduler from, to;
	uint32_t thread;
	struct evidence_sample *sample; /* at the ends of complete steps */
	size_t sample_count, sample_room;
};

/* What holds the host up in a call of CUDA; and what it does while it launches nothing. */
enum evidence_hold_kind {
	EVIDENCE_HOLD_CALL, /* any of CUDA, whether it holds the host up or not */
	EVIDENCE_HOLD_WAIT,
	EVIDENCE_HOLD_COPY,   /* it stages data for the device that is not in pinned memory */
	EVIDENCE_HOLD_MALLOC, /* of memory of the device */
	EVIDENCE_HOLD_FREE,
	EVIDENCE_HOLD_GAP,  /* a long gap between operators */
	EVIDENCE_HOLD_HOST, /* gaps_sum.host_ns, where work is launched at all */
};
/* Such a call has returned, or it has ended; it began `duration_ns` ago. */
typedef void evidence_hold_take(void *state, struct nest_place place, uint64_t duration_ns,
				enum evidence_hold_kind kind);

struct evidence {
	struct evidence_work work; /* of complete steps, of all processes */
	struct evidence_process *process;
	size_t process_room;
	struct nest nest;    /* scopes, by kind */
	uint32_t *open_name; /* parallel to its scopes */
	bool *open_double;   /* parallel to its scopes: the operator has an input of doubles */
	size_t open_room, double_room;
	struct gaps gaps;
	struct map regions; /* regions of torch.compile that occurred: process and name */
	struct step_labels_kept labels;
	struct evidence_thread *thread;
	size_t thread_room;
	struct evidence_block *pinned;
	size_t pinned_count, pinned_room;
	evidence_hold_take *take_hold; /* NULL: nobody listens */
	void *listener;
};

void evidence_init(struct evidence *evidence);
void evidence_release(struct evidence *evidence);

struct evidence_opening {
	struct nest_place place;
	enum evidence_kind kind;
	uint32_t name; /* index */
	bool records_gradient;
};
void evidence_open(struct evidence *evidence, const struct evidence_opening *opening);
/*
 * The types of the inputs of the operator that has just begun are known: doubles are among them, or
 * not.
 */
void evidence_typed(struct evidence *evidence, struct nest_place place, bool has_doubles);
void evidence_close(struct evidence *evidence, struct nest_place place);
/* Closes the innermost scope of that kind: user scopes, ranges and actions need not nest. */
void evidence_close_one(struct evidence *evidence, struct nest_place place,
			enum evidence_kind kind);
/* The open scopes of the thread end here and do not count. */
void evidence_cut(struct evidence *evidence, struct nest_place place, enum nest_ending how);
/* Recording begins or stops in the process, or events of it were lost: no step is under way. */
void evidence_interrupt(struct evidence *evidence, uint32_t process);
/* Operators of the process are recorded from here on, and were not before. */
void evidence_detail(struct evidence *evidence, uint32_t process);

/* The clock of a thread was read. */
void evidence_clock(struct evidence *evidence, struct nest_place place, uint64_t cpu_ns);

/*
 * For CUDA calls that have returned and are not inside of another call: any call, and additional
 * facts about some.
 */
void evidence_call(struct evidence *evidence, struct nest_place place, uint64_t duration_ns);
/* The process (index) launches work of a GPU. */
void evidence_launch(struct evidence *evidence, uint32_t process);
/* A collection of garbage has ended. */
void evidence_pause(struct evidence *evidence, struct nest_place place, uint64_t duration_ns);
/* The call did more than launch GPU work: it waited, allocated, or staged a copy. */
void evidence_hold(struct evidence *evidence, uint32_t process, uint64_t duration_ns);
void evidence_wait(struct evidence *evidence, struct nest_place place, uint64_t duration_ns);
/* For start() of one analysis: it then gets each such call. */
void evidence_listen(struct evidence *evidence, evidence_hold_take *take, void *state);
void evidence_device_memory(struct evidence *evidence, struct nest_place place,
			    uint64_t duration_ns, bool is_free);
struct evidence_copy {
	uint64_t source, bytes, duration_ns;
};
void evidence_copy(struct evidence *evidence, struct nest_place place,
		   const struct evidence_copy *copy);
/* An asynchronous copy by a call that says neither from where nor of what. */
void evidence_hidden_copy(struct evidence *evidence, struct nest_place place, uint64_t duration_ns);
void evidence_pin(struct evidence *evidence, uint32_t process, uint64_t address, uint64_t bytes);
bool evidence_is_pinned(const struct evidence *evidence, uint32_t process, uint64_t address);
void evidence_unpin(struct evidence *evidence, uint32_t process, uint64_t address);

/* Tensors were allocated in the process; freed bytes are subtracted modulo 2^64. */
void evidence_tensors(struct evidence *evidence, uint32_t process, uint64_t bytes);

/* A step ends and number `number` begins. */
struct evidence_mark {
	uint64_t number;
	uint64_t heap_bytes;  /* live now, of all processes */
	uint64_t arena_bytes; /* of Python, mapped now in the process */
	bool counts;          /* the filters hold */
	struct evidence_scheduler now;
};
void evidence_step(struct evidence *evidence, struct nest_place place,
		   const struct evidence_mark *mark);

/* Returns the sample of this step of the process (index); NULL: it is no complete step. */
const struct evidence_sample *evidence_sample_of(const struct evidence *evidence, uint32_t process,
						 uint64_t number);

/* Returns the process with the most samples; NULL: there are none. */
const struct evidence_process *evidence_longest(const struct evidence *evidence);

#endif
