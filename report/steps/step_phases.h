/* SPDX-License-Identifier: MIT */
/*
 * Phases of a training loop, as its thread goes through them: each stretch of the thread's time is in one, and is told when
 * it is known which.
 *
 *   data        a DataLoader's next batch is waited for
 *   backward    a function of autograd's runs, on the thread or on one that works for it (helpers/helpers.h), and what lies
 *               between two of them without an operator
 *   optimizer   Optimizer.step() and zero_grad(), but for what a closure runs
 *   forward     operators that record gradients, and what lies around them up to the next other phase
 *   evaluation  the same of products and convolutions that record none, where no other does in the stretch; one detach() of a
 *               loss, or a metric of it, makes no forward pass
 *   other       the rest
 *
 * Communication is not seen here: it is what steps.h charges to it. In a closure of an optimizer's step forward begins with the
 * first operator that records gradients, and ends with the next one that does not, or with backward.
 *
 * Scopes nest per thread. Times are nanoseconds; events come in their order. Memory grows with threads and open scopes.
 */
#ifndef REPORT_STEPS_STEP_PHASES_H
#define REPORT_STEPS_STEP_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What a scope says of phases. */
enum phase_scope {
	PHASE_SCOPE_NONE, /* a label of the user's, a step */
	PHASE_SCOPE_OPERATOR,
	PHASE_SCOPE_PRODUCT, /* an operator that a forward pass is made of */
	PHASE_SCOPE_REGION,  /* of torch.compile: it may be one or the other */
	PHASE_SCOPE_GRADED,  /* any that records gradients */
	PHASE_SCOPE_GRADED_PRODUCT,
	PHASE_SCOPE_BACKWARD,
	PHASE_SCOPE_OPTIMIZER,
	PHASE_SCOPE_DATA,
	PHASE_SCOPE_LIMIT,
};
/* `scope`: at::RecordScope; `is_graded`: it has a number of autograd's. */
enum phase_scope phase_scope_of(const char *name, size_t length, uint64_t scope, bool is_graded);

/* A stretch of a thread; each follows the one before of its thread. */
struct phase_stretch {
	struct nest_place place; /* it ends at that time */
	enum step_phase phase;
	uint64_t duration_ns;
	uint64_t
		launches; /* of kernels; of a stretch that is still told, with a duration of 0, those of helpers */
};
typedef void step_phase_take(void *state, const struct phase_stretch *stretch);

struct step_phases {
	struct nest nest; /* scopes, by what they say */
	struct phase_thread *thread;
	size_t thread_room;
	step_phase_take *take;
	void *state;
};

void step_phases_init(struct step_phases *phases, step_phase_take *take, void *state);
void step_phases_release(struct step_phases *phases);

void step_phases_open(struct step_phases *phases, struct nest_place place, enum phase_scope scope);
void step_phases_close(struct step_phases *phases, struct nest_place place);
/* The innermost one that says that: user scopes need not nest. */
void step_phases_close_one(struct step_phases *phases, struct nest_place place,
			   enum phase_scope scope);
/* Others worked for the thread up to now, as long as that. */
void step_phases_helped(struct step_phases *phases, struct nest_place owner, uint64_t duration_ns);
/* A kernel was launched: by the thread itself, or by one that works for it. */
void step_phases_launch(struct step_phases *phases, struct nest_place owner, bool is_helper);
/* All up to now is told: a step of the thread ends. */
void step_phases_flush(struct step_phases *phases, struct nest_place place);
/* What is open on the thread ends here. */
void step_phases_cut(struct step_phases *phases, struct nest_place place);

#endif
