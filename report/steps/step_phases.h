/* SPDX-License-Identifier: MIT */
/*
 * Phases of a training loop, by what its thread does: each stretch of the thread's time is in one
 * phase, and is reported when the phase is known.
 *
 *   data        waits for the next batch of a DataLoader
 *   backward    a function of autograd runs, on the thread or on a helper of it;
 *               also the time between two of them without an operator
 *   optimizer   Optimizer.step() and zero_grad(), except what a closure runs
 *   forward     operators that record gradients, and what is around them up to the next other phase
 *   evaluation  products and convolutions that record no gradients, if no operator of the stretch
 *               records one; a single detach() of a loss, or a metric of it, is no forward pass
 *   other       the rest
 *
 * Between backward and the optimizer, and between an optimizer's step and its zero_grad(), lies
 * what records gradients that nobody needs: clipping, metrics, an evaluation without no_grad(). So
 * a stretch there is no forward if backward functions have used no gradient that the stretch at the
 * same place of earlier steps recorded, by autograd's sequence numbers: it is evaluation if it has
 * products, else other. In the first step this is not known.
 *
 * Communication is no phase here: steps.h charges its time. In a closure of an optimizer's step,
 * forward begins with the first operator that records gradients. It ends with the next one that
 * does not, or with backward.
 *
 * Where operators are sampled, passes of autograd's engine are backward, and forward is every
 * stretch in which the thread recorded nodes of graphs; evaluation is in `other`. In a closure,
 * forward begins where zero_grad() ends.
 *
 * Scopes nest per thread. Times are nanoseconds; events come in order. Memory grows with threads
 * and open scopes.
 */
#ifndef REPORT_STEPS_STEP_PHASES_H
#define REPORT_STEPS_STEP_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/map.h"
#include "report/scopes/nest.h"

#define STEP_PHASES(PHASE)   \
	PHASE(data)          \
	PHASE(forward)       \
	PHASE(backward)      \
	PHASE(optimizer)     \
	PHASE(communication) \
	PHASE(evaluation)    \
	PHASE(other)
enum step_phase {
#define PHASE(name) PHASE_##name,
	STEP_PHASES(PHASE)
#undef PHASE
		STEP_PHASE_LIMIT,
};
extern const char *const step_phase_names[STEP_PHASE_LIMIT];

/* What a scope tells about phases. */
enum phase_scope {
	PHASE_SCOPE_NONE, /* a label of the user's, or a step */
	PHASE_SCOPE_OPERATOR,
	PHASE_SCOPE_PRODUCT, /* an operator that forward passes consist of */
	PHASE_SCOPE_REGION,  /* of torch.compile: it may be forward or evaluation */
	PHASE_SCOPE_GRADED,  /* any operator that records gradients */
	PHASE_SCOPE_GRADED_PRODUCT,
	PHASE_SCOPE_BACKWARD,
	PHASE_SCOPE_OPTIMIZER,
	PHASE_SCOPE_DATA,
	PHASE_SCOPE_LIMIT,
};
/* `scope`: at::RecordScope; `is_graded`: it has a sequence number of autograd. */
enum phase_scope phase_scope_of(const char *name, size_t length, uint64_t scope, bool is_graded);

/* A stretch of a thread; it follows the previous one of its thread. */
struct phase_stretch {
	struct nest_place place; /* it ends at that time */
	enum step_phase phase;
	bool is_unused; /* evaluation that recorded gradients, which no backward uses */
	uint64_t duration_ns;
	/*
	 * of kernels; a stretch of duration 0, for one that is reported already, has those of
	 * helpers
	 */
	uint64_t launches;
	uint64_t waits_ns; /* for the GPU, in calls of the thread itself that ended in it */
};
typedef void step_phase_take(void *state, const struct phase_stretch *stretch);

struct step_phases {
	struct nest nest; /* scopes, by what they tell */
	struct phase_thread *thread;
	size_t thread_room;
	struct map torch_threads; /* process and torch's number of a thread to its index */
	bool is_unsure;           /* nobody knows where a closure's forward began */
	step_phase_take *take;
	void *state;
};

void step_phases_init(struct step_phases *phases, step_phase_take *take, void *state);
void step_phases_release(struct step_phases *phases);

void step_phases_open(struct step_phases *phases, struct nest_place place, enum phase_scope scope);
/* The operator that has just begun records gradients, from that sequence number on. */
void step_phases_records(struct step_phases *phases, struct nest_place place, uint32_t torch_thread,
			 uint64_t sequence);
/* A function of backward uses what an operator of that thread has recorded. */
void step_phases_uses(struct step_phases *phases, uint32_t process, uint32_t torch_thread,
		      uint64_t sequence);
void step_phases_close(struct step_phases *phases, struct nest_place place);
/* Closes the innermost scope that tells that: user scopes need not nest. */
void step_phases_close_one(struct step_phases *phases, struct nest_place place,
			   enum phase_scope scope);
/* The thread has recorded so many nodes of graphs up to now; what comes next is an edge. */
void step_phases_nodes(struct step_phases *phases, struct nest_place place, uint64_t nodes);
/* A pass of autograd's engine, which the thread waits for. */
void step_phases_pass_begins(struct step_phases *phases, struct nest_place place);
void step_phases_pass_ends(struct step_phases *phases, struct nest_place place);
/* Others worked for the thread up to now, for that duration. */
void step_phases_helped(struct step_phases *phases, struct nest_place owner, uint64_t duration_ns);
/* A kernel was launched: by the thread itself, or by a helper of it. */
void step_phases_launch(struct step_phases *phases, struct nest_place owner, bool is_helper);
/* A call that waited for the GPU has ended. */
void step_phases_wait(struct step_phases *phases, struct nest_place place, uint64_t duration_ns);
/* Reports all time up to now, because a step of the thread ends. */
void step_phases_flush(struct step_phases *phases, struct nest_place place);
/* All that is open on the thread ends here. */
void step_phases_cut(struct step_phases *phases, struct nest_place place);

#endif
