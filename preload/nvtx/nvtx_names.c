/* SPDX-License-Identifier: MIT */
/*
 * The names behind handles of domains and registered strings, and the names of categories and
 * threads. Our own handles are names (names.h); those of another tool are looked up.
 */
#include "preload/nvtx/nvtx.h"

#include "preload/base/pointer_map.h"
#include "preload/record/event.h"

static struct pointer_map by_handle;

const struct name *nvtx_name_of(const void *handle)
{
	if (!handle)
		return NULL;
	return name_owns(handle) ? handle : pointer_map_find(&by_handle, (uintptr_t)handle);
}

void nvtx_name_link(const void *foreign, const struct name *name)
{
	(void)pointer_map_put(&by_handle, (uintptr_t)foreign, name);
}

struct string nvtx_name_string(const void *handle)
{
	return name_string(nvtx_name_of(handle));
}

/* --- categories and threads --- */

void nvtx_name_category(const void *domain, uint32_t category, const struct string *name)
{
	const struct string domain_name = nvtx_name_string(domain);
	const struct recorder_field field[] = { { .text = &domain_name },
						{ .number = category },
						{ .text = name } };

	if (!nvtx_self.inside)
		(void)recorder_record(EVT_FAMILY_nvtx, EVT_nvtx_category, field, 3);
}

void nvtx_name_thread(uint32_t tid, const struct string *name)
{
	const struct recorder_field field[] = { { .number = tid },
						{ .text = name },
						{ .number = 0 } };

	if (!nvtx_self.inside)
		(void)recorder_record(EVT_FAMILY_nvtx, EVT_nvtx_thread_name, field, 3);
}

/* Of all resources, only threads have names in the recording. */
void nvtx_name_resource(const struct nvtx_resource *resource)
{
	struct string name = { .hash = 0 };

	if (!resource || resource->size < sizeof(*resource) ||
	    resource->identifier_type != NVTX_RESOURCE_THREAD_NATIVE)
		return;
	if (resource->message_type == NVTX_MESSAGE_TEXT)
		name = string_of(resource->message);
	else if (resource->message_type == NVTX_MESSAGE_WIDE)
		name = string_of_wide(resource->message);
	else if (resource->message_type == NVTX_MESSAGE_REGISTERED)
		name = nvtx_name_string(resource->message);
	nvtx_name_thread((uint32_t)resource->identifier, &name);
}
