/* SPDX-License-Identifier: MIT */
/*
 * Counts of open scopes, by kind, decide a thread's phase. A stretch that nothing decides is called
 * loose: flags note what ran in it, and resolve() names its phase when the next phase begins.
 */
#include "report/steps/step_phases.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"

#define SCOPE_BACKWARD 1u /* at::RecordScope */
#define SCOPE_USER 7u
#define HELP_PAUSE_NS 100000u /* within a backward pass; the same as HELPERS_PAUSE_NS */

const char *const step_phase_names[STEP_PHASE_LIMIT] = {
#define PHASE(name) #name,
	STEP_PHASES(PHASE)
#undef PHASE
};

/* No scope decides the phase: it becomes known at the end of the stretch. */
#define LOOSE STEP_PHASE_LIMIT

/* Where a loose stretch lies whose gradients may be used by nobody. */
enum phase_gap { GAP_BEFORE_OPTIMIZER, GAP_BETWEEN_OPTIMIZERS, PHASE_GAPS };
#define GAPS_A_STEP 4u /* stretches of a kind that are told apart in a step; more are forward */

/* What such a stretch recorded when it was there last: sequence numbers from `from` to `to`. */
struct phase_habit {
	bool is_seen, has_to,
		is_used; /* is_used: ever, since one use says that it may be forward */
	uint64_t from, to;
	uint64_t passes; /* backward functions since */
};

struct phase_thread {
	bool is_seen;
	uint32_t process;
	uint32_t open[PHASE_SCOPE_LIMIT];
	bool in_closure;             /* of an optimizer's step that is open */
	enum step_phase now, before; /* before: the last phase that was not loose */
	uint64_t since_ns;
	uint64_t helped_ns; /* up to then others worked for the thread; 0: nobody does */
	/*
	 * What ran in the loose stretch. A product inside of an operator that records gradients
	 * belongs to that operator.
	 */
	bool has_operator, has_graded, has_graded_product, has_product, has_region;
	uint64_t launches, waits_ns; /* in the stretch */
	bool has_nodes;              /* how many is known */
	uint64_t nodes;
	/* zero_grad() in an optimizer's step ended there; 0: none since a pass */
	uint64_t zeroed_ns;
	bool has_sequence; /* of the loose stretch: its first operator that records gradients */
	uint64_t sequence;
	uint32_t gaps[PHASE_GAPS]; /* in the step so far */
	struct phase_habit habit[PHASE_GAPS][GAPS_A_STEP];
};

static void step_phases_scope_ended(void *state, const struct nest_end *end);

void step_phases_init(struct step_phases *phases, step_phase_take *take, void *state)
{
	*phases = (struct step_phases){ .take = take, .state = state };
	nest_init(&phases->nest, (struct nest_options){ 0 }, step_phases_scope_ended, phases);
	map_init(&phases->torch_threads);
}

void step_phases_release(struct step_phases *phases)
{
	nest_release(&phases->nest);
	map_release(&phases->torch_threads);
	free(phases->thread);
}

/* --- names --- */

enum phase_scope phase_scope_of(const char *name, size_t length, uint64_t scope, bool is_graded)
{
	static const char *const products[] = { "aten::linear",
						"aten::addmm",
						"aten::mm",
						"aten::bmm",
						"aten::conv",
						"aten::_conv",
						"aten::lstm",
						"aten::gru",
						"aten::matmul",
						"aten::scaled_dot_product_attention",
						NULL };
	static const char *const optimizers[] = { "Optimizer.step#", "Optimizer.zero_grad#", NULL };

	if (text_begins_any(name, length, optimizers))
		return PHASE_SCOPE_OPTIMIZER;
	if (text_begins(name, length, "enumerate(DataLoader)#"))
		return PHASE_SCOPE_DATA;
	if (scope == SCOPE_BACKWARD || text_begins(name, length, "autograd::engine::evaluate_"))
		return PHASE_SCOPE_BACKWARD;
	if (text_begins(name, length, "Torch-Compiled Region"))
		return PHASE_SCOPE_REGION;
	if (scope == SCOPE_USER || text_begins(name, length, "ProfilerStep#"))
		return PHASE_SCOPE_NONE;
	if (text_begins_any(name, length, products))
		return is_graded ? PHASE_SCOPE_GRADED_PRODUCT : PHASE_SCOPE_PRODUCT;
	return is_graded ? PHASE_SCOPE_GRADED : PHASE_SCOPE_OPERATOR;
}

/* --- threads --- */

static struct phase_thread *step_phases_thread_at(struct step_phases *phases,
						  struct nest_place place)
{
	struct phase_thread *thread;

	phases->thread = memory_room(phases->thread, place.thread, &phases->thread_room,
				     sizeof(*phases->thread));
	thread = &phases->thread[place.thread];
	if (!thread->is_seen)
		*thread = (struct phase_thread){ .is_seen = true,
						 .process = place.process,
						 .now = LOOSE,
						 .before = PHASE_other,
						 .since_ns = place.time_ns };
	return thread;
}

/* --- gradients that nobody uses --- */

static uint64_t torch_thread_key(uint32_t process, uint32_t torch_thread)
{
	return ((uint64_t)process << 32 | torch_thread) + 1;
}

void step_phases_records(struct step_phases *phases, struct nest_place place, uint32_t torch_thread,
			 uint64_t sequence)
{
	struct phase_thread *thread = step_phases_thread_at(phases, place);
	bool added;

	map_put(&phases->torch_threads, torch_thread_key(place.process, torch_thread), &added)
		->value = place.thread;
	if (thread->now != LOOSE || thread->has_sequence)
		return;
	thread->has_sequence = true;
	thread->sequence = sequence;
	for (unsigned int i = 0; i < PHASE_GAPS * GAPS_A_STEP; i++) {
		struct phase_habit *habit = &thread->habit[i / GAPS_A_STEP][i % GAPS_A_STEP];

		if (!habit->has_to)
			habit->to = sequence;
		habit->has_to = true;
	}
}

void step_phases_uses(struct step_phases *phases, uint32_t process, uint32_t torch_thread,
		      uint64_t sequence)
{
	const struct map_entry *found = map_find(&phases->torch_threads,
						 torch_thread_key(process, torch_thread));
	struct phase_thread *thread;

	if (!found)
		return;
	thread = &phases->thread[found->value];
	for (unsigned int i = 0; i < PHASE_GAPS * GAPS_A_STEP; i++) {
		struct phase_habit *habit = &thread->habit[i / GAPS_A_STEP][i % GAPS_A_STEP];

		habit->passes++;
		habit->is_used |= habit->is_seen && sequence >= habit->from &&
				  (!habit->has_to || sequence < habit->to);
	}
}

/* Returns whether backward used nothing of what the stretch at this place has recorded so far. */
static bool is_unused(struct phase_thread *thread, enum step_phase next)
{
	enum phase_gap gap = thread->before == PHASE_backward ? GAP_BEFORE_OPTIMIZER
							      : GAP_BETWEEN_OPTIMIZERS;
	struct phase_habit *habit;
	bool unused;

	if (next != PHASE_optimizer || !thread->has_sequence ||
	    (thread->before != PHASE_backward && thread->before != PHASE_optimizer) ||
	    thread->gaps[gap] >= GAPS_A_STEP)
		return false;
	habit = &thread->habit[gap][thread->gaps[gap]++];
	unused = habit->is_seen && habit->passes && !habit->is_used;
	*habit = (struct phase_habit){ .is_seen = true,
				       .is_used = habit->is_used,
				       .from = thread->sequence };
	return unused;
}

/* --- stretches --- */

/* Returns the phase of the loose stretch, given the phase that follows it. */
static enum step_phase resolve(struct phase_thread *thread, enum step_phase next)
{
	if (is_unused(thread, next))
		return thread->has_graded_product || thread->has_product || thread->has_region
			       ? PHASE_evaluation
			       : PHASE_other;
	if (thread->has_graded_product || (thread->has_graded && !thread->has_product))
		return PHASE_forward;
	if (thread->has_product || thread->has_region)
		return PHASE_evaluation;
	if (next == PHASE_backward && thread->before == PHASE_backward && !thread->has_operator)
		return PHASE_backward;
	return PHASE_other;
}

static void move_to(struct step_phases *phases, struct phase_thread *thread,
		    struct nest_place place, enum step_phase next)
{
	bool was_graded = thread->has_graded_product;
	enum step_phase was;

	if (next == thread->now)
		return;
	was = thread->now == LOOSE ? resolve(thread, next) : thread->now;
	if (place.time_ns > thread->since_ns || thread->launches) {
		uint64_t ns = place.time_ns > thread->since_ns ? place.time_ns - thread->since_ns
							       : 0;

		phases->take(
			phases->state,
			&(struct phase_stretch){ .place = place,
						 .phase = was,
						 .is_unused = was == PHASE_evaluation && was_graded,
						 .duration_ns = ns,
						 .launches = thread->launches,
						 .waits_ns = thread->waits_ns });
		thread->since_ns += ns;
		thread->launches = thread->waits_ns = 0;
	}
	if (thread->now != LOOSE)
		thread->before = thread->now;
	thread->now = next;
	thread->has_operator = thread->has_region = false;
	thread->has_graded = thread->has_graded_product = thread->has_product = false;
	thread->has_sequence = false;
}

/* Returns the phase by what is open. */
static enum step_phase phase_of(const struct phase_thread *thread)
{
	if (thread->open[PHASE_SCOPE_DATA])
		return PHASE_data;
	if (thread->open[PHASE_SCOPE_BACKWARD])
		return PHASE_backward;
	if (thread->open[PHASE_SCOPE_OPTIMIZER] && !thread->in_closure)
		return PHASE_optimizer;
	return LOOSE;
}

/* The thread continues itself, so its helpers have finished where it was. */
static void end_help(struct step_phases *phases, struct phase_thread *thread,
		     struct nest_place place)
{
	struct nest_place there = { .time_ns = thread->helped_ns,
				    .thread = place.thread,
				    .process = place.process };

	if (!thread->helped_ns)
		return;
	thread->helped_ns = 0;
	move_to(phases, thread, there, phase_of(thread));
}

static bool is_graded(enum phase_scope scope)
{
	return scope == PHASE_SCOPE_GRADED || scope == PHASE_SCOPE_GRADED_PRODUCT;
}

static bool is_in_graded(const struct phase_thread *thread)
{
	return thread->open[PHASE_SCOPE_GRADED] || thread->open[PHASE_SCOPE_GRADED_PRODUCT];
}

static void note_closure(struct phase_thread *thread, enum phase_scope scope)
{
	if (!thread->open[PHASE_SCOPE_OPTIMIZER] || scope == PHASE_SCOPE_OPTIMIZER)
		thread->in_closure = false; /* zero_grad() in a closure belongs to the optimizer */
	else if (is_graded(scope) || scope == PHASE_SCOPE_BACKWARD)
		thread->in_closure = true;
	else if (scope == PHASE_SCOPE_OPERATOR && !is_in_graded(thread) &&
		 !thread->open[PHASE_SCOPE_BACKWARD])
		thread->in_closure = false;
}

static void note_operator(struct phase_thread *thread, enum phase_scope scope, bool in_graded)
{
	thread->has_operator |= scope != PHASE_SCOPE_NONE;
	thread->has_graded |= is_graded(scope);
	thread->has_graded_product |= scope == PHASE_SCOPE_GRADED_PRODUCT;
	thread->has_product |= scope == PHASE_SCOPE_PRODUCT && !in_graded;
	thread->has_region |= scope == PHASE_SCOPE_REGION;
}

void step_phases_open(struct step_phases *phases, struct nest_place place, enum phase_scope scope)
{
	struct phase_thread *thread = step_phases_thread_at(phases, place);
	bool in_graded;

	end_help(phases, thread, place);
	(void)nest_begin(&phases->nest, place, scope, false);
	note_closure(thread, scope);
	in_graded = is_in_graded(thread);
	thread->open[scope]++;
	move_to(phases, thread, place, phase_of(thread));
	if (thread->now == LOOSE)
		note_operator(thread, scope, in_graded);
}

static void step_phases_scope_ended(void *state, const struct nest_end *end)
{
	struct step_phases *phases = state;
	struct phase_thread *thread = &phases->thread[end->thread];
	struct nest_place place = { .time_ns = end->time_ns,
				    .thread = end->thread,
				    .process = thread->process };

	thread->open[end->key]--;
	if (!thread->open[PHASE_SCOPE_OPTIMIZER])
		thread->in_closure = false;
	if (end->key == PHASE_SCOPE_OPTIMIZER)
		thread->zeroed_ns = thread->open[PHASE_SCOPE_OPTIMIZER] ? end->time_ns : 0;
	if (end->how != NEST_RUNS_ON)
		move_to(phases, thread, place, phase_of(thread));
}

void step_phases_close(struct step_phases *phases, struct nest_place place)
{
	end_help(phases, step_phases_thread_at(phases, place), place);
	(void)nest_end(&phases->nest, place);
}

void step_phases_close_one(struct step_phases *phases, struct nest_place place,
			   enum phase_scope scope)
{
	end_help(phases, step_phases_thread_at(phases, place), place);
	(void)nest_end_key(&phases->nest, place, scope);
}

/* Nodes were recorded within an optimizer's step: that is a closure's forward. */
static void closure_has_run(struct step_phases *phases, struct phase_thread *thread,
			    struct nest_place place)
{
	if (!thread->zeroed_ns) {
		phases->is_unsure = true;
		return;
	}
	place.time_ns = thread->zeroed_ns;
	move_to(phases, thread, place, LOOSE);
}

void step_phases_nodes(struct step_phases *phases, struct nest_place place, uint64_t nodes)
{
	struct phase_thread *thread = step_phases_thread_at(phases, place);
	bool rises = thread->has_nodes && nodes > thread->nodes;

	thread->has_nodes = true;
	thread->nodes = nodes;
	if (rises && thread->now == PHASE_optimizer)
		closure_has_run(phases, thread, place);
	if (thread->now != LOOSE)
		return;
	thread->has_operator = true; /* so a stretch between two passes is none of theirs */
	thread->has_graded |= rises;
}

void step_phases_pass_begins(struct step_phases *phases, struct nest_place place)
{
	step_phases_thread_at(phases, place)->zeroed_ns = 0;
	step_phases_open(phases, place, PHASE_SCOPE_BACKWARD);
}

void step_phases_pass_ends(struct step_phases *phases, struct nest_place place)
{
	struct phase_thread *thread = step_phases_thread_at(phases, place);

	if (!thread->open[PHASE_SCOPE_BACKWARD])
		return; /* it began before the recording */
	thread->in_closure = false;
	step_phases_close_one(phases, place, PHASE_SCOPE_BACKWARD);
}

void step_phases_helped(struct step_phases *phases, struct nest_place owner, uint64_t duration_ns)
{
	struct phase_thread *thread = step_phases_thread_at(phases, owner);
	struct nest_place from = { .time_ns = owner.time_ns - duration_ns,
				   .thread = owner.thread,
				   .process = owner.process };

	if (thread->helped_ns && from.time_ns > thread->helped_ns + HELP_PAUSE_NS)
		end_help(phases, thread, owner);
	if (!thread->helped_ns && thread->now != PHASE_backward)
		move_to(phases, thread, from, PHASE_backward);
	thread->helped_ns = owner.time_ns;
}

void step_phases_launch(struct step_phases *phases, struct nest_place owner, bool is_helper)
{
	if (is_helper)
		phases->take(phases->state, &(struct phase_stretch){ .place = owner,
								     .phase = PHASE_backward,
								     .launches = 1 });
	else
		step_phases_thread_at(phases, owner)->launches++;
}

void step_phases_wait(struct step_phases *phases, struct nest_place place, uint64_t duration_ns)
{
	step_phases_thread_at(phases, place)->waits_ns += duration_ns;
}

void step_phases_flush(struct step_phases *phases, struct nest_place place)
{
	struct phase_thread *thread = step_phases_thread_at(phases, place);
	enum step_phase now;

	end_help(phases, thread, place);
	now = thread->now;
	move_to(phases, thread, place, now == LOOSE ? PHASE_other : LOOSE);
	thread->now = now;
	thread->since_ns = place.time_ns;
	memset(thread->gaps, 0, sizeof(thread->gaps));
}

void step_phases_cut(struct step_phases *phases, struct nest_place place)
{
	if (place.thread >= phases->thread_room || !phases->thread[place.thread].is_seen)
		return;
	phases->thread[place.thread].has_nodes = false; /* what follows is recorded later */
	end_help(phases, &phases->thread[place.thread], place);
	nest_cut(&phases->nest, place, NEST_CUT);
}
