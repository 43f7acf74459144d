/* SPDX-License-Identifier: MIT */
/* See device.h. */
#include "tests/fake/device.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STREAM_DEFAULT 7u
#define ENGINES 2u

_Atomic(const struct fake_tool *) fake_tool;
_Atomic bool fake_is_subscribed; /* somebody is called back by CUPTI */
struct fake_device_sum fake_device_copies[EVT_CUDA_COPY_LIMIT];
struct fake_device_sum fake_device_overheads, fake_device_graphs;
struct fake_device_sum fake_device_given, fake_device_taken;
_Atomic uint64_t fake_device_waits, fake_device_dropped;

/* Of each device: when it is done, its default stream, its engines for copies to and from it. */
static struct device {
	_Atomic uint64_t busy_ns, default_ns;
	_Atomic uint64_t engine_ns[ENGINES];
} devices[FAKE_DEVICES];

uint64_t fake_device_now(void)
{
	static _Atomic bool is_read;
	static _Atomic uint64_t ahead_ns;
	struct timespec now;

	if (!atomic_load(&is_read)) {
		const char *text = getenv("FAKE_CUPTI_CLOCK");

		atomic_store(&ahead_ns, text ? strtoull(text, NULL, 0) : 0);
		atomic_store(&is_read, true);
	}
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + ahead_ns;
}

static void word_raise(_Atomic uint64_t *word, uint64_t to)
{
	uint64_t seen = atomic_load(word);

	while (seen < to && !atomic_compare_exchange_weak(word, &seen, to))
		continue;
}

/* FAKE_CUDA_KERNELS, NULL when it is not set. */
static const char *durations(void)
{
	static _Atomic bool is_read;
	static const char *_Atomic text;

	if (!atomic_load(&is_read)) {
		atomic_store(&text, getenv("FAKE_CUDA_KERNELS"));
		atomic_store(&is_read, true);
	}
	return atomic_load(&text);
}

/* Looks for the first PART=NANOSECONDS whose part the name has. */
static bool duration_by_name(const char *name, uint64_t *ret_ns)
{
	for (const char *at = durations(); at; at = strchr(at, ',')) {
		size_t length;

		at += *at == ',';
		length = strcspn(at, "=");
		if (!at[length])
			return false;
		if ((length == 1 && *at == '*' && *name != '[') ||
		    memmem(name, strlen(name), at, length)) {
			*ret_ns = strtoull(at + length + 1, NULL, 0);
			return true;
		}
	}
	return false;
}

/* FAKE_CUDA_LONG=N: each Nth kernel takes a hundred times as long. */
static uint64_t times_as_long(void)
{
	static _Atomic uint64_t kernels;
	const char *text = getenv("FAKE_CUDA_LONG");
	uint64_t every = text ? strtoull(text, NULL, 0) : 0;

	return every && (atomic_fetch_add(&kernels, 1) + 1) % every == 0 ? 100 : 1;
}

static uint64_t duration_of(const struct fake_work *work)
{
	uint64_t blocks = (uint64_t)work->grid.x * work->grid.y * work->grid.z, ns;

	switch (work->kind) {
	case FAKE_KERNEL:
		if (!duration_by_name(work->name, &ns))
			ns = 1000 + 10 * (blocks < 100 ? blocks : 100);
		return ns * times_as_long();
	case FAKE_COPY:
		if (duration_by_name("[copy]", &ns))
			return ns;
		return 500 + work->bytes / 16;
	default:
		return 300 + work->bytes / 64;
	}
}

/* Copies to and from the host have an engine each. */
static _Atomic uint64_t *engine_of(struct device *device, const struct fake_work *work)
{
	if (work->kind != FAKE_COPY ||
	    (work->copy != EVT_CUDA_COPY_HTOD && work->copy != EVT_CUDA_COPY_DTOH))
		return NULL;
	return &device->engine_ns[work->copy == EVT_CUDA_COPY_DTOH];
}

/* The stream's next free stretch. */
static void work_place(struct fake_work *work, _Atomic uint64_t *stream_ns, struct device *device)
{
	_Atomic uint64_t *engine = engine_of(device, work);
	uint64_t duration = duration_of(work), earliest = fake_device_now() + DEVICE_LATENCY_NS;
	uint64_t free_ns = atomic_load(stream_ns);

	if (engine && atomic_load(engine) > earliest)
		earliest = atomic_load(engine);
	do
		work->start_ns = free_ns > earliest ? free_ns : earliest;
	while (!atomic_compare_exchange_weak(stream_ns, &free_ns, work->start_ns + duration));
	work->end_ns = work->start_ns + duration;
	if (engine)
		word_raise(engine, work->end_ns);
	word_raise(&device->busy_ns, work->end_ns);
}

static void sum_add(struct fake_device_sum *sum, const struct fake_work *work)
{
	atomic_fetch_add(&sum->calls, 1);
	atomic_fetch_add(&sum->bytes, work->bytes);
	atomic_fetch_add(&sum->total_ns, work->end_ns - work->start_ns);
}

static void work_count(const struct fake_work *work)
{
	struct fake_name *name;

	switch (work->kind) {
	case FAKE_KERNEL:
		name = fake_kernel_register(NULL, work->name)->name;
		atomic_fetch_add(&name->device_calls, 1);
		atomic_fetch_add(&name->device_ns, work->end_ns - work->start_ns);
		return;
	case FAKE_WAIT:
		atomic_fetch_add(&fake_device_waits, 1);
		return;
	case FAKE_MEMORY:
		sum_add(work->is_release ? &fake_device_taken : &fake_device_given, work);
		return;
	case FAKE_POOL:
		return;
	case FAKE_GRAPH:
		sum_add(&fake_device_graphs, work);
		return;
	default:
		sum_add(&fake_device_copies[work->kind == FAKE_SET ? EVT_CUDA_COPY_MEMSET
								   : work->copy],
			work);
	}
}

static bool stream_is_made(CUstream stream)
{
	return (uintptr_t)stream > 2;
}

static void work_tell(struct fake_work *work)
{
	const struct fake_tool *tool = atomic_load(&fake_tool);

	work->correlation = fake_thread.correlation;
	work->thread = (uint32_t)syscall(SYS_gettid);
	if (tool && tool->work(work))
		work_count(work);
}

static void sleep_until(uint64_t end_ns)
{
	uint64_t now;

	while ((now = fake_device_now()) < end_ns) {
		uint64_t left = end_ns - now;
		struct timespec nap = { (time_t)(left / 1000000000), (long)(left % 1000000000) };

		nanosleep(&nap, NULL);
	}
}

/*
 * The ends of the last QUEUE_DEPTH kernels: a driver takes no more before the first of them is
 * done.
 */
static void queue_wait(const struct fake_work *work)
{
	static _Atomic uint64_t ends_ns[QUEUE_DEPTH];
	static _Atomic uint64_t count;

	if (durations() && work->kind == FAKE_KERNEL)
		sleep_until(atomic_exchange(&ends_ns[atomic_fetch_add(&count, 1) % QUEUE_DEPTH],
					    work->end_ns));
}

void fake_device_submit(struct fake_work *work, CUstream stream)
{
	struct device *device = &devices[fake_thread.device];

	if (!atomic_load(&fake_tool))
		return;
	work->device = (uint32_t)fake_thread.device;
	work->stream = stream_is_made(stream) ? stream->id : STREAM_DEFAULT;
	work_place(work, stream_is_made(stream) ? &stream->busy_ns : &device->default_ns, device);
	work_tell(work);
	queue_wait(work);
}

void fake_device_stage(const struct fake_work *copy)
{
	if (durations() && copy->kind == FAKE_COPY && !copy->is_pinned &&
	    (copy->copy == EVT_CUDA_COPY_HTOD || copy->copy == EVT_CUDA_COPY_DTOH))
		sleep_until(copy->end_ns);
}

/* A pool of each device: it grows by 2 MiB, and keeps what is given back. */
#define POOL_STEP ((uint64_t)2 << 20)

static struct fake_pool {
	_Atomic uint64_t used, bytes;
} pools[FAKE_DEVICES];

static uint64_t pool_round(uint64_t bytes)
{
	return (bytes + POOL_STEP - 1) / POOL_STEP * POOL_STEP;
}

static void pool_change(struct fake_work *work, bool is_release)
{
	struct fake_pool *pool = &pools[work->device];

	if (is_release)
		atomic_fetch_sub(&pool->used, work->bytes);
	else
		atomic_fetch_add(&pool->used, work->bytes);
	word_raise(&pool->bytes, pool_round(atomic_load(&pool->used)));
	work->pool_bytes = atomic_load(&pool->bytes);
	work->pool_used = atomic_load(&pool->used);
}

void fake_device_trim(void)
{
	struct fake_work work = { .kind = FAKE_POOL, .device = (uint32_t)fake_thread.device };
	struct fake_pool *pool = &pools[work.device];

	work.pool_used = atomic_load(&pool->used);
	work.pool_bytes = pool_round(work.pool_used);
	atomic_store(&pool->bytes, work.pool_bytes);
	if (!atomic_load(&fake_tool))
		return;
	work.start_ns = work.end_ns = fake_device_now();
	work_tell(&work);
}

void fake_device_memory(const struct fake_block *block, bool is_release)
{
	struct fake_work work = { .kind = FAKE_MEMORY,
				  .device = (uint32_t)block->device,
				  .address = block->address,
				  .bytes = block->size,
				  .copy = block->kind,
				  .is_release = is_release };

	if (block->kind == EVT_CUDA_POOL)
		pool_change(&work, is_release);
	if (!atomic_load(&fake_tool))
		return;
	work.start_ns = work.end_ns = fake_device_now();
	work_tell(&work);
}

void fake_device_graph(struct fake_work *nodes, unsigned int count, CUstream stream)
{
	struct device *device = &devices[fake_thread.device];
	struct fake_work whole = { .kind = FAKE_GRAPH, .graph = nodes[0].graph };

	for (unsigned int i = 0; i < count; i++)
		work_place(&nodes[i],
			   stream_is_made(stream) ? &stream->busy_ns : &device->default_ns, device);
	whole.device = (uint32_t)fake_thread.device;
	whole.stream = stream_is_made(stream) ? stream->id : STREAM_DEFAULT;
	whole.start_ns = nodes[0].start_ns;
	whole.end_ns = nodes[count - 1].end_ns;
	work_tell(&whole);
}

void fake_device_node(CUgraph graph, const void *node, const void *original)
{
	const struct fake_tool *tool = atomic_load(&fake_tool);

	if (tool)
		tool->node(graph, node, original);
}

static _Atomic uint64_t *busy_of(CUstream stream)
{
	return stream_is_made(stream) ? &stream->busy_ns : &devices[fake_thread.device].default_ns;
}

static void wait_until(uint64_t end_ns, CUstream stream, uint32_t what)
{
	struct fake_work work = { .kind = FAKE_WAIT, .copy = what };

	if (!atomic_load(&fake_tool))
		return;
	work.device = (uint32_t)fake_thread.device;
	work.stream = stream_is_made(stream) ? stream->id : STREAM_DEFAULT;
	work.start_ns = fake_device_now();
	sleep_until(end_ns);
	work.end_ns = fake_device_now();
	work_tell(&work);
}

void fake_device_wait(CUstream stream, bool all, uint32_t what)
{
	wait_until(atomic_load(all ? &devices[fake_thread.device].busy_ns : busy_of(stream)),
		   stream, what);
}

void fake_device_record(CUevent event, CUstream stream)
{
	atomic_store(&event->done_ns, atomic_load(busy_of(stream)));
}

void fake_device_follow(CUstream stream, CUevent event)
{
	if (event && durations())
		word_raise(busy_of(stream), atomic_load(&event->done_ns));
}

/* Without durations all that was asked for before the event is all that there is by now. */
void fake_device_wait_event(CUevent event)
{
	if (event && durations())
		wait_until(atomic_load(&event->done_ns), NULL, 1);
	else
		fake_device_wait(NULL, true, 1);
}

const char *fake_gemm(const char *name)
{
	const char *told = getenv("FAKE_CUDA_GEMM");

	return told ? told : name;
}

void fake_hidden_launch(const char *kernel, unsigned int blocks)
{
	static struct fake_function function = { .name = "cudaLaunchKernel", .callback = 211 };
	struct fake_call call = { .function = &function, .is_runtime = true };
	struct fake_work work = { .kind = FAKE_KERNEL,
				  .name = fake_kernel_register(NULL, kernel)->name->text,
				  .grid = CUDA_DIM(blocks, 1, 1),
				  .block = CUDA_DIM(128, 1, 1) };

	fake_call_tell(&call, false, 0);
	fake_device_submit(&work, NULL);
	fake_call_tell(&call, true, 0);
}
