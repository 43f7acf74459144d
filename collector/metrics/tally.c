/* SPDX-License-Identifier: MIT */
/*
 * Names are classified once, when their text is defined, so an operator costs a load of a byte by
 * the id of its name. A name that is defined only after its first use counts from then on.
 */
#include "collector/metrics/tally.h"

#include <stdlib.h>
#include <string.h>

#include "collector/core/names.h"

#define SCOPE_BACKWARD 1u /* at::RecordScope */
#define NAMES_ROOM_FIRST 1024u
#define FUTURE_NS 1000000000ll

const uint32_t tally_step_bounds_us[TALLY_STEP_CLASSES - 1] = TALLY_STEP_BOUNDS;

const uint8_t tally_wants[EVT_ID_LIMIT] = {
	[EVT_step] = 1,           [EVT_capture_start] = 1,  [EVT_capture_stop] = 1,
	[EVT_torch_begin] = 1,    [EVT_torch_begin_ex] = 1, [EVT_torch_begin_id] = 1,
	[EVT_torch_end] = 1,      [EVT_torch_end_id] = 1,   [EVT_torch_end_outer] = 1,
	[EVT_torch_sampling] = 1, [EVT_gc_begin] = 1,       [EVT_gc_end] = 1,
	[EVT_gpu_kernel] = 1,     [EVT_gpu_copy] = 1,       [EVT_gpu_set] = 1,
	[EVT_gpu_graph] = 1,      [EVT_gpu_lost] = 1,
};

/* --- names --- */

static enum tally_phase phase_of_name(const char *text, size_t length)
{
	static const struct {
		const char *begin;
		enum tally_phase phase;
	} known[] = { { "enumerate(DataLoader)#", TALLY_PHASE_data },
		      { "Optimizer.step#", TALLY_PHASE_optimizer },
		      { "Optimizer.zero_grad#", TALLY_PHASE_optimizer },
		      { "autograd::engine::evaluate_", TALLY_PHASE_backward } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (length >= strlen(known[i].begin) &&
		    memcmp(text, known[i].begin, strlen(known[i].begin)) == 0)
			return known[i].phase;
	}
	return TALLY_PHASE_NONE;
}

/* Without memory the name has no phase. */
static void tally_note_name(void *state, uint32_t id, const char *text, size_t length)
{
	struct tallies *tallies = state;
	enum tally_phase phase = phase_of_name(text, length);
	uint32_t room = tallies->phase_room ? tallies->phase_room : NAMES_ROOM_FIRST;
	uint8_t *moved;

	if (phase == TALLY_PHASE_NONE)
		return;
	while (room <= id)
		room *= 2;
	if (room > tallies->phase_room) {
		moved = realloc(tallies->phase_of, room);
		if (!moved)
			return;
		memset(moved + tallies->phase_room, 0, room - tallies->phase_room);
		tallies->phase_of = moved;
		tallies->phase_room = room;
	}
	tallies->phase_of[id] = (uint8_t)(1 + phase);
}

static enum tally_phase phase_of_id(const struct tallies *tallies, uint64_t id)
{
	if (id >= tallies->phase_room || !tallies->phase_of[id])
		return TALLY_PHASE_NONE;
	return (enum tally_phase)(tallies->phase_of[id] - 1);
}

/* --- life --- */

struct tallies *tallies_new(struct names *names, uint32_t rings)
{
	struct tallies *tallies = calloc(1, sizeof(*tallies));

	if (!tallies)
		return NULL;
	tallies->thread = calloc(rings, sizeof(*tallies->thread));
	if (!tallies->thread || heap_live_init(&tallies->heap)) {
		tallies_free(tallies);
		return NULL;
	}
	names_listen(names, tally_note_name, tallies);
	return tallies;
}

static void tally_release(struct tally *tally)
{
	for (unsigned int i = 0; i < TALLY_DEVICES; i++)
		busy_release(&tally->device[i].busy);
	*tally = (struct tally){ 0 };
}

void tallies_free(struct tallies *tallies)
{
	if (!tallies)
		return;
	for (unsigned int i = 0; i < TALLY_PROCESSES; i++)
		tally_release(&tallies->tally[i]);
	heap_live_release(&tallies->heap);
	free(tallies->thread);
	free(tallies->phase_of);
	free(tallies);
}

static struct tally *tally_find(struct tallies *tallies, uint32_t process)
{
	for (unsigned int i = 0; i < TALLY_PROCESSES; i++) {
		if (tallies->tally[i].owner.process == process)
			return &tallies->tally[i];
	}
	return NULL;
}

static struct tally *tally_of(struct tallies *tallies, const struct tally_owner *owner)
{
	struct tally *tally = tally_find(tallies, owner->process);

	if (tally)
		return tally;
	tally = tally_find(tallies, 0);
	if (tally)
		tally->owner = *owner;
	else
		tallies->refused++;
	return tally;
}

void tally_begin_thread(struct tallies *tallies, uint32_t ring, uint32_t stream,
			const struct tally_owner *owner)
{
	struct tally_thread *thread = &tallies->thread[ring];

	*thread = (struct tally_thread){ .stream = stream,
					 .process = owner->process,
					 .tally = tally_of(tallies, owner),
					 .phase = TALLY_PHASE_NONE };
	thread->captures = thread->tally ? thread->tally->captures : 0;
}

void tally_forget(struct tallies *tallies, struct tally *tally)
{
	heap_live_forget(&tallies->heap, (unsigned int)(tally - tallies->tally));
	tally_release(tally);
}

void tallies_settle(struct tallies *tallies, uint64_t upto_ns)
{
	for (unsigned int i = 0; i < TALLY_PROCESSES * TALLY_DEVICES; i++) {
		struct tally_device *device = &tallies->tally[i / TALLY_DEVICES]
						       .device[i % TALLY_DEVICES];

		if (device->used)
			busy_settle(&device->busy, upto_ns);
	}
}

/* --- phases --- */

static enum tally_phase phase_now(const struct tally_thread *thread)
{
	unsigned int phase = 0;

	while (phase < TALLY_PHASE_NONE && !thread->open[phase])
		phase++;
	return (enum tally_phase)phase;
}

static void phase_settle(struct tally_thread *thread, uint64_t ns)
{
	enum tally_phase now = phase_now(thread);

	if (now == thread->phase)
		return;
	if (thread->phase != TALLY_PHASE_NONE && ns > thread->since_ns)
		thread->tally->phase_ns[thread->phase] += ns - thread->since_ns;
	thread->tally->has_phases = true;
	thread->phase = now;
	thread->since_ns = ns;
}

static void operator_begins(struct tally_thread *thread, uint64_t ns, bool is_backward)
{
	/* an operator beyond the depth ends the outermost one early */
	thread->open[TALLY_PHASE_backward] -= (uint32_t)(thread->is_backward >> (TALLY_DEPTH - 1));
	thread->is_backward = thread->is_backward << 1 | is_backward;
	thread->open[TALLY_PHASE_backward] += is_backward;
	phase_settle(thread, ns);
}

/* The one that has so many others in it ends. */
static void operator_ends(struct tally_thread *thread, uint64_t ns, uint64_t inside)
{
	uint64_t below, bit;

	if (inside >= TALLY_DEPTH)
		return;
	bit = 1ull << inside;
	below = thread->is_backward & (bit - 1);
	thread->open[TALLY_PHASE_backward] -= (thread->is_backward & bit) != 0;
	thread->is_backward = (thread->is_backward >> inside >> 1) << inside | below;
	phase_settle(thread, ns);
}

static void label_ends(struct tally_thread *thread, uint64_t ns, uint64_t function)
{
	for (unsigned int i = 0; i < TALLY_LABELS && function; i++) {
		if (thread->label[i].function != function)
			continue;
		thread->open[thread->label[i].phase]--;
		thread->label[i].function = 0;
		phase_settle(thread, ns);
		return;
	}
}

/* One with the same function that is still open has lost its end. */
static void label_begins(struct tally_thread *thread, uint64_t ns, uint64_t function,
			 enum tally_phase phase)
{
	struct tally_label *at = NULL;

	if (phase == TALLY_PHASE_NONE || !function)
		return;
	label_ends(thread, ns, function);
	for (unsigned int i = 0; i < TALLY_LABELS && !at; i++) {
		if (!thread->label[i].function)
			at = &thread->label[i];
	}
	if (!at)
		return;
	*at = (struct tally_label){ function, phase };
	thread->open[phase]++;
	phase_settle(thread, ns);
}

/* --- steps --- */

static void tally_step(struct tally *tally, uint64_t ns, uint64_t number)
{
	uint64_t last_ns = ns - tally->step_at_ns;
	unsigned int class = 0;

	if (tally->step_at_ns && number == tally->step_number + 1 && ns > tally->step_at_ns) {
		while (class < TALLY_STEP_CLASSES - 1 &&
		       last_ns > tally_step_bounds_us[class] * 1000ull)
			class ++;
		tally->step_class[class]++;
		tally->steps++;
		tally->step_ns += last_ns;
		tally->last_step_ns = last_ns;
	}
	tally->step_number = number;
	tally->step_at_ns = ns;
}

/* --- GPUs --- */

static struct tally_device *device_of(struct tally *tally, uint64_t number)
{
	for (unsigned int i = 0; i < TALLY_DEVICES; i++) {
		struct tally_device *device = &tally->device[i];

		if (device->used && device->device != number)
			continue;
		device->used = true;
		device->device = (uint32_t)number;
		return device;
	}
	return NULL;
}

/*
 * All events of work begin with ago_ns and duration_ns. Clocks may differ a little, so work may
 * seem to begin after it was reported.
 */
static struct tally_device *tally_take_work(struct tally *tally, uint64_t ns, const uint64_t *value,
					    uint64_t number)
{
	struct tally_device *device = number <= UINT32_MAX ? device_of(tally, number) : NULL;
	int64_t ago_ns = (int64_t)value[0];
	uint64_t start_ns = ago_ns > 0 && (uint64_t)ago_ns > ns ? 0 : ns - (uint64_t)ago_ns;

	if (device && ago_ns >= -FUTURE_NS && value[1] <= ns)
		busy_add(&device->busy, start_ns, start_ns + value[1]);
	return device;
}

static void tally_work(struct tally *tally, uint32_t id, uint64_t ns, const uint64_t *value)
{
	struct tally_device *device = tally_take_work(tally, ns, value, value[3]);

	if (!device)
		return;
	if (id == EVT_gpu_kernel) {
		device->kernels++;
		device->kernel_ns += value[1];
	} else if (id == EVT_gpu_copy) {
		const struct evt_gpu_copy *copy = (const void *)value;

		device->copies++;
		device->copied_bytes += copy->bytes;
	}
}

#define DEVICE_AT(event) (offsetof(struct evt_##event, device) / sizeof(uint64_t))
_Static_assert(DEVICE_AT(gpu_kernel) == 3 && DEVICE_AT(gpu_copy) == 3 && DEVICE_AT(gpu_set) == 3 &&
		       DEVICE_AT(gpu_graph) == 3,
	       "work has its device at the same place");

/* --- events --- */

/* Scopes that were open when recording stopped have no end. */
static void thread_follow_captures(struct tally_thread *thread)
{
	if (thread->captures == thread->tally->captures)
		return;
	*thread = (struct tally_thread){ .stream = thread->stream,
					 .process = thread->process,
					 .captures = thread->tally->captures,
					 .tally = thread->tally,
					 .phase = TALLY_PHASE_NONE };
}

static void tally_operator(struct tallies *tallies, struct tally_thread *thread, uint32_t id,
			   uint64_t ns, const uint64_t *value)
{
	switch (id) {
	case EVT_torch_begin:
		operator_begins(thread, ns, phase_of_id(tallies, value[0]) == TALLY_PHASE_backward);
		break;
	case EVT_torch_begin_ex:
		operator_begins(thread, ns,
				value[1] == SCOPE_BACKWARD ||
					phase_of_id(tallies, value[0]) == TALLY_PHASE_backward);
		break;
	case EVT_torch_begin_id:
		label_begins(thread, ns,
			     ((const struct evt_torch_begin_id *)(const void *)value)->function,
			     phase_of_id(tallies, value[0]));
		break;
	case EVT_torch_end_id:
		label_ends(thread, ns,
			   ((const struct evt_torch_end_id *)(const void *)value)->function);
		break;
	case EVT_torch_end_outer:
		operator_ends(thread, ns, value[0]);
		break;
	default:
		operator_ends(thread, ns, 0);
	}
}

static void tally_collection(struct tally_thread *thread, uint32_t id, uint64_t ns,
			     const uint64_t *value)
{
	struct tally *tally = thread->tally;

	if (id == EVT_gc_begin) {
		thread->collection_at_ns = ns;
		thread->generation = value[0];
		return;
	}
	if (!thread->collection_at_ns || ns < thread->collection_at_ns)
		return;
	tally->has_collections = true;
	tally->collections[thread->generation < TALLY_GENERATIONS ? thread->generation
								  : TALLY_GENERATIONS - 1]++;
	tally->collection_ns += ns - thread->collection_at_ns;
	thread->collection_at_ns = 0;
}

void tally_take(struct tallies *tallies, struct tally_thread *thread, uint32_t id, uint64_t ns,
		const uint64_t *value)
{
	struct tally *tally = thread->tally;

	thread_follow_captures(thread);
	switch (id) {
	case EVT_step:
		tally_step(tally, ns, value[0]);
		break;
	case EVT_capture_start:
	case EVT_capture_stop:
		tally->step_at_ns = 0; /* the step is recorded in part */
		tally->captures++;
		break;
	case EVT_torch_sampling:
		tally->operators_sampled |= value[0] > 1;
		break;
	case EVT_gc_begin:
	case EVT_gc_end:
		tally_collection(thread, id, ns, value);
		break;
	case EVT_gpu_kernel:
	case EVT_gpu_copy:
	case EVT_gpu_set:
	case EVT_gpu_graph:
		tally_work(tally, id, ns, value);
		break;
	case EVT_gpu_lost:
		tally->gpu_lost += value[0];
		break;
	default:
		tally_operator(tallies, thread, id, ns, value);
	}
}
