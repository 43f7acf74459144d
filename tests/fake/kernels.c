/* SPDX-License-Identifier: MIT */
/*
 * Kernels by host function, handle and name, and how often each name was launched.
 *
 * Hash tables whose chains only grow: looking up takes no lock, so that a signal handler may
 * launch. Nothing is ever taken out; what was registered last for an address is what is found.
 */
#include "tests/fake/device.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS (1u << 20)

static _Atomic(struct fake_name *) names[BUCKETS];
static _Atomic(struct fake_link *) links[BUCKETS];

static _Atomic(struct fake_name *) *name_bucket(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return &names[(hash ^ hash >> 32) % BUCKETS];
}

static _Atomic(struct fake_link *) *link_bucket(const void *key)
{
	return &links[((uintptr_t)key * 0x9e3779b97f4a7c15u >> 32) % BUCKETS];
}

static struct fake_name *name_make(const char *text)
{
	_Atomic(struct fake_name *) *bucket = name_bucket(text);
	struct fake_name *first = atomic_load(bucket);
	struct fake_name *name, *fresh = NULL;

	do {
		for (name = first; name; name = name->next) {
			if (!strcmp(name->text, text)) {
				free(fresh);
				return name;
			}
		}
		if (!fresh) {
			fresh = calloc(1, sizeof(*fresh) + strlen(text) + 1);
			if (!fresh)
				abort();
			memcpy(fresh->text, text, strlen(text));
		}
		fresh->next = first;
	} while (!atomic_compare_exchange_weak(bucket, &first, fresh));
	return fresh;
}

static void link_add(struct fake_link *link, const void *key, struct fake_kernel *kernel)
{
	_Atomic(struct fake_link *) *bucket = link_bucket(key);

	link->key = key;
	link->kernel = kernel;
	link->next = atomic_load(bucket);
	while (!atomic_compare_exchange_weak(bucket, &link->next, link))
		continue;
}

struct fake_kernel *fake_kernel_find(const void *handle)
{
	const struct fake_link *link = atomic_load(link_bucket(handle));

	while (link && link->key != handle)
		link = link->next;
	return link ? link->kernel : NULL;
}

struct fake_kernel *fake_kernel_register(const void *host, const char *text)
{
	struct fake_name *name = name_make(text);
	struct fake_kernel *kernel = host ? fake_kernel_find(host) : atomic_load(&name->module);

	if (kernel && kernel->name == name)
		return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		abort();
	kernel->name = name;
	link_add(&kernel->kernel, &kernel->kernel, kernel);
	link_add(&kernel->function, &kernel->function, kernel);
	if (host)
		link_add(&kernel->host, host, kernel);
	else
		atomic_store(&name->module, kernel);
	return kernel;
}

static void node_add(CUgraph graph, const struct fake_launch *launch, const char *kernel)
{
	struct fake_node *node = calloc(1, sizeof(*node));

	if (!node)
		abort();
	*node = (struct fake_node){ .next = atomic_load(&graph->last),
				    .kernel = kernel,
				    .id = fake_node_number(graph),
				    .grid = launch->grid,
				    .block = launch->block,
				    .shared_bytes = (uint32_t)launch->shared_bytes };
	while (!atomic_compare_exchange_weak(&graph->last, &node->next, node))
		continue;
	atomic_fetch_add(&graph->nodes, 1);
	fake_device_node(graph, node, NULL);
}

int fake_kernel_launch(const struct fake_launch *launch)
{
	struct fake_kernel *kernel = fake_kernel_find(launch->handle);
	CUgraph graph = fake_stream_graph(launch->stream);
	struct fake_work work = { .kind = FAKE_KERNEL,
				  .grid = launch->grid,
				  .block = launch->block,
				  .shared_bytes = (uint32_t)launch->shared_bytes };

	if (!kernel)
		return FAKE_BAD_FUNCTION;
	if (!fake_thread.nested)
		atomic_fetch_add(&kernel->name->launches, 1);
	work.name = kernel->name->text;
	if (graph)
		node_add(graph, launch, work.name);
	else
		fake_device_submit(&work, launch->stream);
	return 0;
}

void fake_names_each(void (*visit)(struct fake_name *name, void *context), void *context)
{
	struct fake_name *name;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (name = atomic_load(&names[i]); name; name = name->next)
			visit(name, context);
	}
}
