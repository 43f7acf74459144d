/* SPDX-License-Identifier: MIT */
/* Most records are of the GPU, and of the process, that the last one was of. */
#include "collector/device/gpus.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The field `device` has the same place in all events of work. */
#define SAME_PLACE(event)                                               \
	_Static_assert(offsetof(struct evt_##event, device) ==          \
			       offsetof(struct evt_gpu_kernel, device), \
		       #event " has its device where gpu_kernel has it")
SAME_PLACE(gpu_copy);
SAME_PLACE(gpu_set);
SAME_PLACE(gpu_graph);
#define DEVICE_WORD (offsetof(struct evt_gpu_kernel, device) / sizeof(uint64_t))

struct gpus *gpus_new(void)
{
	return calloc(1, sizeof(struct gpus));
}

void gpus_free(struct gpus *gpus)
{
	free(gpus);
}

static bool gpus_is_work(uint32_t id)
{
	return id == EVT_gpu_kernel || id == EVT_gpu_copy || id == EVT_gpu_set ||
	       id == EVT_gpu_graph;
}

bool gpus_want(uint32_t id)
{
	return gpus_is_work(id) || id == EVT_gpu_device || id == EVT_cuda_launch;
}

/* Returns the place of the pair, or UINT32_MAX. */
static uint32_t gpus_find(const struct gpus *gpus, uint32_t process, uint64_t device)
{
	for (uint32_t i = 0; i < gpus->count; i++) {
		if (gpus->used[i].process == process && gpus->used[i].device == device)
			return i;
	}
	return UINT32_MAX;
}

/* Copies the text of a name; one that is too long or unknown becomes "". */
static void gpus_copy_name(char text[GPUS_UUID_BYTES], const struct names *names, uint64_t name)
{
	size_t length = 0;
	const char *found = texts_find(&names->texts, name, &length);

	*text = 0;
	if (!found || length >= GPUS_UUID_BYTES)
		return;
	memcpy(text, found, length);
	text[length] = 0;
}

static void gpus_take_device(struct gpus *gpus, const struct names *names, uint32_t process,
			     const struct evt_gpu_device *device)
{
	uint32_t at = gpus_find(gpus, process, device->device);
	struct gpu_used *used;

	if (at == UINT32_MAX && (gpus->count == GPUS_MAX || device->device > UINT32_MAX)) {
		gpus->refused++;
		return;
	}
	if (at == UINT32_MAX) {
		at = gpus->count++;
		gpus->used[at] = (struct gpu_used){ .process = process,
						    .device = (uint32_t)device->device };
	}
	used = &gpus->used[at];
	used->is_visible = device->visible != 0;
	gpus_copy_name(used->uuid, names, device->uuid);
	gpus_copy_name(used->part, names, device->mig_uuid);
}

static void gpus_take_work(struct gpus *gpus, uint32_t process, uint64_t device)
{
	const struct gpu_used *last = &gpus->used[gpus->last];
	uint32_t at;

	if (gpus->count && last->process == process && last->device == device) {
		gpus->used[gpus->last].has_work = true;
		return;
	}
	at = gpus_find(gpus, process, device);
	if (at == UINT32_MAX)
		return;
	gpus->last = at;
	gpus->used[at].has_work = true;
}

static void gpus_take_launch(struct gpus *gpus, uint32_t process, uint64_t ns)
{
	if (gpus->callers && gpus->caller[gpus->last_caller].process == process)
		return;
	for (uint32_t i = 0; i < gpus->callers; i++) {
		if (gpus->caller[i].process == process) {
			gpus->last_caller = i;
			return;
		}
	}
	if (gpus->callers == GPUS_CALLERS) {
		gpus->refused++;
		return;
	}
	gpus->last_caller = gpus->callers;
	gpus->caller[gpus->callers++] = (struct gpus_caller){ process, ns };
}

void gpus_take(struct gpus *gpus, const struct names *names, uint32_t process, uint32_t id,
	       uint64_t ns, const uint64_t *value)
{
	struct evt_gpu_device device;

	if (id == EVT_gpu_device) {
		memcpy(&device, value, sizeof(device));
		gpus_take_device(gpus, names, process, &device);
	} else if (id == EVT_cuda_launch) {
		gpus_take_launch(gpus, process, ns);
	} else if (gpus_is_work(id)) {
		gpus_take_work(gpus, process, value[DEVICE_WORD]);
	}
}

void gpus_forget(struct gpus *gpus, uint32_t process)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < gpus->count; i++) {
		if (gpus->used[i].process != process)
			gpus->used[kept++] = gpus->used[i];
	}
	gpus->count = kept;
	gpus->last = 0;
	kept = 0;
	for (uint32_t i = 0; i < gpus->callers; i++) {
		if (gpus->caller[i].process != process)
			gpus->caller[kept++] = gpus->caller[i];
	}
	gpus->callers = kept;
	gpus->last_caller = 0;
}

bool gpus_is_used(const struct gpus *gpus, const struct gpu_used *used)
{
	unsigned int visible = 0;

	if (used->has_work || !used->is_visible)
		return used->has_work;
	for (uint32_t i = 0; i < gpus->count; i++)
		visible += gpus->used[i].process == used->process && gpus->used[i].is_visible;
	return visible == 1;
}

enum gpus_unnamed gpus_find_unnamed(const struct gpus *gpus, uint64_t now_ns)
{
	enum gpus_unnamed found = GPUS_NONE_UNNAMED;

	for (uint32_t i = 0; i < gpus->callers; i++) {
		const struct gpus_caller *caller = &gpus->caller[i];
		bool named = false;

		for (uint32_t j = 0; j < gpus->count && !named; j++)
			named = gpus->used[j].process == caller->process;
		if (named)
			continue;
		if (now_ns > caller->since_ns + GPUS_NAMED_NS)
			return GPUS_NEVER_NAMED;
		found = GPUS_NOT_YET_NAMED;
	}
	return found;
}
