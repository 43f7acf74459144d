/* SPDX-License-Identifier: MIT */
/*
 * See moments.h. The kernel counts how often a thread got a CPU and how often it gave one up. Both
 * counters are read before and after the stack.
 */
#include "collector/samples/moments.h"

#include <unistd.h>

#define CALL_NS 2500u /* of CPU time, for a call's way into the kernel or out of it */
/* in a row at a thread that can run and has no CPU: then nobody knows where it was */
#define UNSEEN_LOOKS 1000u

static bool is_candidate(const struct samples *samples, const struct sampled_process *sampled,
			 const struct sampled_thread *thread)
{
	return samples->sees_queues && thread->process == sampled->number &&
	       (thread->plan == PLAN_WALK || thread->plan == PLAN_WATCH);
}

void moments_begin(struct samples *samples, const struct sampled_process *sampled)
{
	bool is_warm = false;

	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];

		if (!is_candidate(samples, sampled, thread))
			continue;
		if (!is_warm) /* what is read twice is read faster, and the second time counts */
			thread_moment_begin(&thread->files, &thread->look, &thread->moment);
		is_warm = true;
		thread_moment_begin(&thread->files, &thread->look, &thread->moment);
		thread->early_ns = prompt_now_ns();
	}
	samples->read_ns = prompt_now_ns();
}

void moments_end(struct samples *samples, const struct sampled_process *sampled)
{
	samples->read_ns = (samples->read_ns + prompt_now_ns()) / 2;
	for (uint32_t i = 0; i < samples->thread_count; i++) {
		struct sampled_thread *thread = &samples->thread[i];

		if (!is_candidate(samples, sampled, thread))
			continue;
		thread_moment_end(&thread->files, &thread->moment);
		thread->late_ns = prompt_now_ns();
		thread->read_ns = samples->read_ns;
	}
	samples->is_late = samples->is_late || prompt_is_late(&samples->prompt);
	if (samples->is_prompt && !samples->switched_ns) {
		samples->switched_ns = thread_switched_ns((uint32_t)getpid(), (uint32_t)getpid());
		samples->is_blind = !samples->switched_ns;
	}
}

void moments_begin_again(void *of)
{
	const struct moments_again *again = of;
	struct sampled_thread *thread = again->thread;
	struct thread_look now = thread->look;

	/* of a thread that was not followed before, its times since are not known */
	if (!thread->moment.is_known || !thread_times(&thread->files, &now))
		return;
	now.state = EVT_PYTHON_RUNS; /* that may have changed, so all is asked for */
	stack_mark(again->reader->memory, again->reader->layout, &thread->known, &thread->mark);
	thread_moment_begin(&thread->files, &now, &thread->moment);
	thread->early_ns = prompt_now_ns();
}

void moments_end_again(void *of)
{
	const struct moments_again *again = of;
	struct sampled_thread *thread = again->thread;

	if (!thread->moment.is_known)
		return;
	thread->read_ns = prompt_now_ns();
	thread_moment_end(&thread->files, &thread->moment);
	thread->late_ns = prompt_now_ns();
	again->samples->is_late = again->samples->is_late ||
				  prompt_is_late(&again->samples->prompt);
}

bool moments_has_run(const struct samples *samples, const struct sampled_thread *thread)
{
	return thread->look.state == EVT_PYTHON_RUNS ||
	       (samples->sees_queues && thread->moment.is_known &&
		thread_place_at(&thread->moment) != THREAD_OFF_CPU);
}

/*
 * It ran until this look took its CPU: it lost that one when we got it. A look that is late came
 * where the thread had others put into the queue, or waited.
 */
static bool was_put_off_by_us(const struct samples *samples, const struct sampled_thread *thread)
{
	return samples->switched_ns &&
	       thread_switched_ns(thread->files.pid, thread->tid) == samples->switched_ns;
}

/* It ran Python code after its stack was read, before it gave its CPU up. */
static bool has_gone_on(struct sampled_thread *thread, const struct code_reader *reader)
{
	struct stack_mark now;

	stack_mark(reader->memory, reader->layout, &thread->known, &now);
	return stack_has_moved(&now, &thread->known) &&
	       thread_has_stayed(&thread->files, &thread->moment);
}

/*
 * It stands at a call at which it gave its CPU up, or got one, within so much time from the read of
 * its stack. On average it spends CALL_NS of CPU time there before or after that.
 */
static uint32_t weight_of_call(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t window_ns = to_ns > from_ns ? to_ns - from_ns : 0;

	return (uint32_t)(SAMPLE_WEIGHT * CALL_NS / (CALL_NS + window_ns));
}

/*
 * It got a CPU. If it had none before and ran Python code until its stack was read, it had that
 * one then. One that gave up a CPU to get another one may have run that code before.
 */
static uint32_t weight_of_arrival(struct sampled_thread *thread, const struct code_reader *reader)
{
	bool came = !thread_moment_had_cpu(&thread->moment) &&
		    stack_has_moved(&thread->mark, &thread->known);
	bool left = thread_has_left(&thread->moment) && !has_gone_on(thread, reader);

	if (came && !left)
		return SAMPLE_WEIGHT;
	return weight_of_call(left ? thread->early_ns : thread->read_ns,
			      came ? thread->read_ns : thread->late_ns);
}

static uint32_t weight_of(const struct samples *samples, struct sampled_thread *thread,
			  const struct code_reader *reader)
{
	switch (thread_place_at(&thread->moment)) {
	case THREAD_ON_CPU:
		return SAMPLE_WEIGHT;
	case THREAD_OFF_CPU:
		return was_put_off_by_us(samples, thread) ? SAMPLE_WEIGHT : 0;
	case THREAD_LEFT:
		if (has_gone_on(thread, reader))
			return SAMPLE_WEIGHT;
		return weight_of_call(thread->early_ns, thread->read_ns);
	default:
		return weight_of_arrival(thread, reader);
	}
}

/*
 * It had its CPU all the time that was read, so this is not the one that we had to wait for: where
 * it is has nothing to do with our delay. Without such looks, lines at which other threads leave us
 * alone have too little: threads that we put off are seen only by looks that are on time.
 */
static bool has_kept_cpu(const struct sampled_thread *thread)
{
	return thread->moment.is_known && thread_place_at(&thread->moment) == THREAD_ON_CPU;
}

/*
 * What a look at a thread that can run is. In a queue for a CPU it is not where it spends its time:
 * it was put there at a call that woke another thread, or has just been woken itself. What it has
 * used goes to where it is seen on a CPU. If that does not come, nobody knows; but where the kernel
 * does not tell from whom we took our CPU, one that has gone on since it waited has to do.
 */
void moments_judge(struct samples *samples, struct sampled_thread *thread,
		   const struct code_reader *reader)
{
	struct sample *last = &thread->last;
	uint32_t weight = weight_of(samples, thread, reader);

	last->is_unclear = weight && samples->is_late && !has_kept_cpu(thread);
	last->weight = last->is_unclear ? 0 : weight;
	last->state = last->weight ? EVT_PYTHON_RUNS : EVT_PYTHON_READY;
	if (last->weight) {
		thread->unseen = 0;
	} else if (thread->unseen++ >= UNSEEN_LOOKS &&
		   (!samples->is_blind || last->place != thread->waited)) {
		last->weight = SAMPLE_WEIGHT;
		last->state = samples->is_blind ? EVT_PYTHON_RUNS : EVT_PYTHON_TORN;
	}
}
