/* SPDX-License-Identifier: MIT */
/*
 * Records of the fake libcupti: work waits in a queue until the device is done with it, then it is
 * written into buffers of the client's.
 */
#include "tests/fake/cupti.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define QUEUE (1u << 20) /* memory that is touched only when used */
#define BATCH 1024u
#define GROUPS 4u
#define RECORD_MAX 256u

/* Lengths of the records of each version; the heads are the same. */
static const struct version {
	const char *name;
	uint32_t version;
	size_t kernel, copy, set, wait, overhead, memory, graph, device, pool;
} versions[] = {
	{ "13.5", 130500, 224, 96, 88, 56, 56, 128, 56, 184, 80 },
	{ "13.3", 130301, 224, 96, 88, 56, 56, 128, 56, 184, 80 },
	{ "13.2", 130202, 224, 96, 88, 56, 56, 128, 56, 184, 80 },
	{ "13.0", 130001, 216, 96, 88, 56, 56, 128, 56, 184, 80 },
	{ "12.9", 28, 208, 96, 88, 56, 56, 128, 56, 184, 72 },
	{ "12.1", 18, 208, 88, 88, 40, 40, 120, 48, 176, 72 },
	{ "11.8", 18, 200, 88, 88, 40, 40, 120, 48, 176, 72 },
};

/*
 * Those who want records: the first for the functions without a subscriber, then the subscribers.
 */
static struct client {
	_Atomic bool kinds[CUPTI_KINDS];
	_Atomic(cupti_buffer_requested *) requested;
	_Atomic(cupti_buffer_completed *) completed;
	_Atomic(cupti_buffer_requested_of *) requested_of;
	_Atomic(cupti_buffer_completed_of *) completed_of;
} clients[CUPTI_CLIENTS];

static unsigned int client_written; /* whose record is written; under flush_lock */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_work *queue;
static uint64_t queue_head, queue_tail;
static _Atomic uint64_t dropped;

/* One flushes at a time. */
static pthread_mutex_t flush_lock = PTHREAD_MUTEX_INITIALIZER;

static struct open_buffer {
	uint8_t *memory;
	size_t bytes, valid, records, records_max;
} open_buffers[CUPTI_CLIENTS][GROUPS];

/* The environment, as it was when the library was loaded. */
static const struct version *version_asked = &versions[2]; /* 13.2 */
static bool is_reversed, is_late, has_groups;
static uint64_t drop_every;

static bool setting_is(const char *name, const char *value)
{
	const char *text = getenv(name);

	return text && !strcmp(text, value);
}

__attribute__((constructor)) static void settings_read(void)
{
	const char *every = getenv("FAKE_CUPTI_DROP");

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (setting_is("FAKE_CUPTI_VERSION", versions[i].name))
			version_asked = &versions[i];
	is_reversed = setting_is("FAKE_CUPTI_ORDER", "reverse");
	is_late = setting_is("FAKE_CUPTI_ORDER", "late");
	has_groups = getenv("FAKE_CUPTI_THREADS") != NULL;
	drop_every = every ? strtoull(every, NULL, 0) : 0;
}

static const struct version *version_now(void)
{
	return version_asked;
}

uint32_t cupti_version(void)
{
	return version_now()->version;
}

static int kind_of(const struct fake_work *work, const struct client *client)
{
	static const int of[FAKE_WORK_KINDS] = { [FAKE_KERNEL] = CUPTI_CONCURRENT_KERNEL,
						 [FAKE_COPY] = CUPTI_MEMCPY,
						 [FAKE_SET] = CUPTI_MEMSET,
						 [FAKE_WAIT] = CUPTI_SYNCHRONIZATION,
						 [FAKE_EXTERNAL] = CUPTI_EXTERNAL_CORRELATION,
						 [FAKE_OVERHEAD] = CUPTI_OVERHEAD,
						 [FAKE_MEMORY] = CUPTI_MEMORY,
						 [FAKE_POOL] = CUPTI_MEMORY_POOL,
						 [FAKE_GRAPH] = CUPTI_GRAPH_TRACE,
						 [FAKE_DEVICE] = CUPTI_DEVICE };

	if (work->kind == FAKE_CALL)
		return work->is_runtime ? CUPTI_RUNTIME_CALL : CUPTI_DRIVER_CALL;
	/* one who wants kernels one after the other */
	if (work->kind == FAKE_KERNEL && atomic_load(&client->kinds[CUPTI_KERNEL]))
		return CUPTI_KERNEL;
	return of[work->kind];
}

bool cupti_client_has_kind(unsigned int client, int kind)
{
	return atomic_load(&clients[client].kinds[kind]);
}

bool cupti_has_kind(int kind)
{
	for (unsigned int i = 0; i < CUPTI_CLIENTS; i++)
		if (cupti_client_has_kind(i, kind))
			return true;
	return false;
}

/* For tests: whether that kind of activity is reported now. */
FAKE_EXPORT int cuda_fake_has_kind(int kind);
int cuda_fake_has_kind(int kind)
{
	return cupti_has_kind(kind);
}

/* Who wants the record, a bit each. */
static uint8_t clients_of(const struct fake_work *work)
{
	uint8_t bits = 0;

	for (unsigned int i = 0; i < CUPTI_CLIENTS; i++)
		if (cupti_client_has_kind(i, kind_of(work, &clients[i])))
			bits |= (uint8_t)(1u << i);
	return bits;
}

bool cupti_kind_is_on(const struct fake_work *work)
{
	return clients_of(work) != 0;
}

void cupti_kind_set(unsigned int client, int kind, bool on)
{
	atomic_store(&clients[client].kinds[kind], on);
}

void cupti_set_buffers(cupti_buffer_requested *requested, cupti_buffer_completed *completed)
{
	atomic_store(&clients[0].requested, requested);
	atomic_store(&clients[0].completed, completed);
}

void cupti_set_buffers_of(unsigned int client, cupti_buffer_requested_of *requested,
			  cupti_buffer_completed_of *completed)
{
	atomic_store(&clients[client].requested_of, requested);
	atomic_store(&clients[client].completed_of, completed);
}

static bool client_has_buffers(const struct client *client)
{
	return atomic_load(&client->completed) || atomic_load(&client->completed_of);
}

bool cupti_has_buffers(void)
{
	for (unsigned int i = 0; i < CUPTI_CLIENTS; i++)
		if (client_has_buffers(&clients[i]))
			return true;
	return false;
}

/* --- the queue; a signal handler may launch, so none comes in while the lock is held --- */

static void queue_enter(sigset_t *ret_old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_old);
	pthread_mutex_lock(&queue_lock);
	if (!queue) {
		queue = mmap(NULL, QUEUE * sizeof(*queue), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (queue == MAP_FAILED)
			abort();
	}
}

static void queue_leave(const sigset_t *old)
{
	pthread_mutex_unlock(&queue_lock);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static bool is_to_be_dropped(void)
{
	static _Atomic uint64_t records;

	return drop_every && (atomic_fetch_add(&records, 1) + 1) % drop_every == 0;
}

bool cupti_queue(const struct fake_work *work)
{
	uint8_t wanted_by = work->clients ? work->clients : clients_of(work);
	bool is_kept = !is_to_be_dropped();
	sigset_t old;

	queue_enter(&old);
	is_kept = is_kept && queue_head - queue_tail < QUEUE;
	if (is_kept) {
		queue[queue_head % QUEUE] = *work;
		queue[queue_head++ % QUEUE].clients = wanted_by;
	}
	queue_leave(&old);
	if (!is_kept) {
		atomic_fetch_add(&dropped, 1);
		atomic_fetch_add(&fake_device_dropped, 1);
	}
	return is_kept;
}

bool cupti_queue_is_long(void)
{
	return __atomic_load_n(&queue_head, __ATOMIC_RELAXED) -
		       __atomic_load_n(&queue_tail, __ATOMIC_RELAXED) >
	       16 * BATCH;
}

size_t cupti_take_dropped(void)
{
	return atomic_exchange(&dropped, 0);
}

/* What is done, in the order it was asked for; waits end only later, and hold nobody up. */
static unsigned int queue_take(struct fake_work *batch, bool all)
{
	uint64_t now = fake_device_now();
	unsigned int count = 0;
	sigset_t old;

	queue_enter(&old);
	while (count < BATCH && queue_tail < queue_head &&
	       (all || queue[queue_tail % QUEUE].end_ns <= now))
		batch[count++] = queue[queue_tail++ % QUEUE];
	queue_leave(&old);
	return count;
}

/* --- records --- */

static size_t kernel_write(void *at, const struct fake_work *work)
{
	struct cupti_kernel record = {
		.kind = (uint32_t)kind_of(work, &clients[client_written]),
		.registers = 32,
		.start_ns = work->start_ns,
		.end_ns = work->end_ns,
		.device = work->device,
		.context = work->device + 1,
		.stream = work->stream,
		.grid = { (int32_t)work->grid.x, (int32_t)work->grid.y, (int32_t)work->grid.z },
		.block = { (int32_t)work->block.x, (int32_t)work->block.y, (int32_t)work->block.z },
		.dynamic_shared = (int32_t)work->shared_bytes,
		.correlation = work->correlation,
		.name = work->name,
		.graph = work->graph,
		.graph_node = work->graph_node,
	};

	memcpy(at, &record, sizeof(record));
	return version_now()->kernel;
}

#define MEMORY_PINNED 2 /* CUpti_ActivityMemoryKind */

/* CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind of both sides */
static size_t copy_write(void *at, const struct fake_work *work)
{
	static const uint8_t of[EVT_CUDA_COPY_LIMIT][3] = {
		[EVT_CUDA_COPY_HTOH] = { 9, 1, 1 },    [EVT_CUDA_COPY_HTOD] = { 1, 1, 3 },
		[EVT_CUDA_COPY_DTOH] = { 2, 3, 1 },    [EVT_CUDA_COPY_DTOD] = { 8, 3, 3 },
		[EVT_CUDA_COPY_DEFAULT] = { 8, 3, 3 },
	};
	struct cupti_memcpy record = {
		.kind = CUPTI_MEMCPY,
		.copy = of[work->copy][0],
		.source = of[work->copy][1],
		.destination = of[work->copy][2],
		.bytes = work->bytes,
		.start_ns = work->start_ns,
		.end_ns = work->end_ns,
		.device = work->device,
		.context = work->device + 1,
		.stream = work->stream,
		.correlation = work->correlation,
	};

	if (work->is_pinned && work->copy == EVT_CUDA_COPY_HTOD)
		record.source = MEMORY_PINNED;
	if (work->is_pinned && work->copy == EVT_CUDA_COPY_DTOH)
		record.destination = MEMORY_PINNED;
	memcpy(at, &record, sizeof(record));
	return version_now()->copy;
}

static size_t set_write(void *at, const struct fake_work *work)
{
	struct cupti_memset record = {
		.kind = CUPTI_MEMSET,
		.bytes = work->bytes,
		.start_ns = work->start_ns,
		.end_ns = work->end_ns,
		.device = work->device,
		.context = work->device + 1,
		.stream = work->stream,
		.correlation = work->correlation,
		.memory = 3,
	};

	memcpy(at, &record, sizeof(record));
	return version_now()->set;
}

static size_t wait_write(void *at, const struct fake_work *work)
{
	struct cupti_synchronization record = {
		.kind = CUPTI_SYNCHRONIZATION,
		.what = work->copy,
		.start_ns = work->start_ns,
		.end_ns = work->end_ns,
		.correlation = work->correlation,
		.context = work->device + 1,
		.stream = work->stream,
	};

	memcpy(at, &record, sizeof(record));
	return version_now()->wait;
}

static size_t overhead_write(void *at, const struct fake_work *work)
{
	struct cupti_overhead record = { .kind = CUPTI_OVERHEAD,
					 .what = 1, /* the driver's compiler */
					 .start_ns = work->start_ns,
					 .end_ns = work->end_ns };

	memcpy(at, &record, sizeof(record));
	return version_now()->overhead;
}

#define POOL_AT(device) (0x7e0000000000 + ((uint64_t)(device) << 36))

/* CUpti_ActivityMemoryKind */
static size_t memory_write(void *at, const struct fake_work *work)
{
	static const uint32_t of[EVT_CUDA_MEMORY_LIMIT] = {
		[EVT_CUDA_DEVICE] = 3,     [EVT_CUDA_POOL] = 3,  [EVT_CUDA_MANAGED] = 5,
		[EVT_CUDA_PINNED] = 2,     [EVT_CUDA_ARRAY] = 4, [EVT_CUDA_VIRTUAL] = 3,
		[EVT_CUDA_REGISTERED] = 2,
	};
	struct cupti_memory record = { .kind = CUPTI_MEMORY,
				       .operation = work->is_release ? 2 : 1,
				       .memory = of[work->copy],
				       .correlation = work->correlation,
				       .address = work->address,
				       .bytes = work->bytes,
				       .timestamp_ns = work->start_ns,
				       .process = (uint32_t)getpid(),
				       .device = work->device,
				       .context = work->device + 1,
				       .is_asynchronous = work->copy == EVT_CUDA_POOL,
				       .pool = work->copy == EVT_CUDA_POOL,
				       .pool_address = work->copy == EVT_CUDA_POOL
							       ? POOL_AT(work->device)
							       : 0,
				       .pool_bytes = work->pool_bytes,
				       .pool_used = work->pool_used };

	memcpy(at, &record, sizeof(record));
	return version_now()->memory;
}

static size_t pool_write(void *at, const struct fake_work *work)
{
	struct cupti_memory_pool record = { .kind = CUPTI_MEMORY_POOL,
					    .operation = 3,
					    .pool = 1,
					    .correlation = work->correlation,
					    .process = (uint32_t)getpid(),
					    .device = work->device,
					    .address = POOL_AT(work->device),
					    .bytes = work->pool_bytes,
					    .timestamp_ns = work->start_ns,
					    .used = work->pool_used };

	memcpy(at, &record, sizeof(record));
	return version_now()->pool;
}

static size_t graph_write(void *at, const struct fake_work *work)
{
	struct cupti_graph_trace record = { .kind = CUPTI_GRAPH_TRACE,
					    .correlation = work->correlation,
					    .start_ns = work->start_ns,
					    .end_ns = work->end_ns,
					    .device = work->device,
					    .graph = work->graph,
					    .context = work->device + 1,
					    .stream = work->stream };

	memcpy(at, &record, sizeof(record));
	return version_now()->graph;
}

/* As an H100 has it; the number of the device is in its UUIDs. */
static size_t device_write(void *at, const struct fake_work *work)
{
	struct cupti_device record = { .kind = CUPTI_DEVICE,
				       .bandwidth_kbs = 3352320000,
				       .memory_bytes = (uint64_t)80 << 30,
				       .constant_bytes = 65536,
				       .l2_bytes = 50 << 20,
				       .warp_threads = 32,
				       .clock_khz = 1980000,
				       .copy_engines = 3,
				       .multiprocessors = 132,
				       .sm_warps = 64,
				       .sm_blocks = 32,
				       .sm_shared_bytes = 233472,
				       .sm_registers = 65536,
				       .block_registers = 65536,
				       .block_shared_bytes = 49152,
				       .block_threads = 1024,
				       .major = 9,
				       .device = work->device,
				       .name = "Fake of intercept",
				       .is_visible = 1,
				       .is_mig = getenv("FAKE_CUPTI_MIG") != NULL,
				       .gpu_instance = work->device + 3,
				       .compute_instance = work->device + 5 };

	memset(record.uuid, 0xa0 + (int)fake_device_physical(work->device), sizeof(record.uuid));
	memset(record.mig_uuid, 0xb0 + (int)fake_device_physical(work->device),
	       sizeof(record.mig_uuid));
	memcpy(at, &record, sizeof(record));
	return version_now()->device;
}

static size_t call_write(void *at, const struct fake_work *work)
{
	struct cupti_call record = { .kind = (uint32_t)kind_of(work, &clients[client_written]),
				     .id = work->id,
				     .start_ns = work->start_ns,
				     .end_ns = work->end_ns,
				     .process = (uint32_t)getpid(),
				     .thread = work->thread,
				     .correlation = work->correlation,
				     .result = work->copy };

	memcpy(at, &record, sizeof(record));
	return sizeof(record);
}

static size_t external_write(void *at, const struct fake_work *work)
{
	struct cupti_external record = { .kind = CUPTI_EXTERNAL_CORRELATION,
					 .whose = work->id,
					 .id = work->bytes,
					 .correlation = work->correlation };

	memcpy(at, &record, sizeof(record));
	return sizeof(record);
}

static size_t record_write(void *at, const struct fake_work *asked)
{
	static size_t (*const write[FAKE_WORK_KINDS])(void *, const struct fake_work *) = {
		[FAKE_KERNEL] = kernel_write,     [FAKE_COPY] = copy_write,
		[FAKE_SET] = set_write,           [FAKE_WAIT] = wait_write,
		[FAKE_CALL] = call_write,         [FAKE_EXTERNAL] = external_write,
		[FAKE_OVERHEAD] = overhead_write, [FAKE_MEMORY] = memory_write,
		[FAKE_GRAPH] = graph_write,       [FAKE_DEVICE] = device_write,
		[FAKE_POOL] = pool_write,
	};
	struct fake_work work = *asked;

	if (work.has_their_clock && client_written == 0)
		cupti_their_times(&work);
	memset(at, 0, RECORD_MAX);
	return write[work.kind](at, &work);
}

static size_t length_of(const uint8_t *record)
{
	const struct version *version = version_now();
	uint32_t kind;

	memcpy(&kind, record, sizeof(kind));
	switch (kind) {
	case CUPTI_MEMCPY:
		return version->copy;
	case CUPTI_MEMSET:
		return version->set;
	case CUPTI_SYNCHRONIZATION:
		return version->wait;
	case CUPTI_OVERHEAD:
		return version->overhead;
	case CUPTI_MEMORY:
		return version->memory;
	case CUPTI_MEMORY_POOL:
		return version->pool;
	case CUPTI_GRAPH_TRACE:
		return version->graph;
	case CUPTI_DEVICE:
		return version->device;
	case CUPTI_DRIVER_CALL:
	case CUPTI_RUNTIME_CALL:
		return sizeof(struct cupti_call);
	case CUPTI_EXTERNAL_CORRELATION:
		return sizeof(struct cupti_external);
	default:
		return version->kernel;
	}
}

int cupti_next_record(uint8_t *buffer, size_t valid_bytes, void **record)
{
	uint8_t *at = *record ? *record : buffer;

	if (*record)
		at += length_of(at);
	if (!buffer || at >= buffer + valid_bytes)
		return CUPTI_MAX_LIMIT;
	*record = at;
	return CUPTI_OK;
}

/* --- buffers; under flush_lock --- */

static void buffer_close(const struct client *client, struct open_buffer *buffer)
{
	cupti_buffer_completed_of *completed_of = atomic_load(&client->completed_of);
	cupti_buffer_completed *completed = atomic_load(&client->completed);
	struct open_buffer done = *buffer;
	size_t about[4] = { sizeof(about) };

	*buffer = (struct open_buffer){ 0 };
	if (done.memory && completed_of)
		completed_of(done.memory, done.bytes, done.valid, about);
	else if (done.memory && completed)
		completed(NULL, 0, done.memory, done.bytes, done.valid);
}

static void buffer_ask(const struct client *client, struct open_buffer *buffer)
{
	cupti_buffer_requested_of *requested_of = atomic_load(&client->requested_of);
	cupti_buffer_requested *requested = atomic_load(&client->requested);
	size_t about[1] = { sizeof(about) };

	if (requested_of)
		requested_of(&buffer->memory, &buffer->bytes, &buffer->records_max, about);
	else if (requested)
		requested(&buffer->memory, &buffer->bytes, &buffer->records_max);
}

static void record_put(const struct fake_work *work, unsigned int number)
{
	static _Alignas(8) uint8_t record[RECORD_MAX];
	const struct client *client = &clients[number];
	struct open_buffer *buffer = &open_buffers[number][has_groups ? work->thread % GROUPS : 0];
	size_t bytes;

	client_written = number;
	bytes = record_write(record, work);
	if (buffer->memory && (buffer->bytes - buffer->valid < bytes ||
			       (buffer->records_max && buffer->records == buffer->records_max)))
		buffer_close(client, buffer);
	if (!buffer->memory)
		buffer_ask(client, buffer);
	if (!buffer->memory || buffer->bytes < bytes) {
		atomic_fetch_add(&dropped, 1);
		atomic_fetch_add(&fake_device_dropped, 1);
		return;
	}
	memcpy(buffer->memory + buffer->valid, record, bytes);
	buffer->valid += bytes;
	buffer->records++;
}

static void batch_put(const struct fake_work *batch, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct fake_work *work = &batch[is_reversed ? count - 1 - i : i];

		for (unsigned int client = 0; client < CUPTI_CLIENTS; client++)
			if (work->clients >> client & 1)
				record_put(work, client);
	}
}

static void flush_all(bool all)
{
	static struct fake_work batch[BATCH];
	unsigned int count;

	if (!cupti_has_buffers() || (!all && is_late))
		return;
	while ((count = queue_take(batch, all)) > 0)
		batch_put(batch, count);
}

/* A signal handler may launch, or leave the call by a jump: none comes in meanwhile. */
static bool flush_enter(sigset_t *ret_old, bool waits)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, ret_old);
	if (!(waits ? pthread_mutex_lock(&flush_lock) : pthread_mutex_trylock(&flush_lock)))
		return true;
	pthread_sigmask(SIG_SETMASK, ret_old, NULL);
	return false;
}

static void flush_leave(const sigset_t *old)
{
	pthread_mutex_unlock(&flush_lock);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

void cupti_flush(bool all)
{
	sigset_t old;

	(void)flush_enter(&old, true);
	flush_all(all);
	for (unsigned int client = 0; client < CUPTI_CLIENTS; client++)
		for (unsigned int i = 0; i < GROUPS && client_has_buffers(&clients[client]); i++)
			buffer_close(&clients[client], &open_buffers[client][i]);
	flush_leave(&old);
}

void cupti_flush_full(void)
{
	sigset_t old;

	(void)flush_enter(&old, true);
	flush_all(false);
	flush_leave(&old);
}

void cupti_buffer_prepare(void)
{
	sigset_t old;

	if (!cupti_has_buffers() || !flush_enter(&old, false))
		return;
	for (unsigned int i = 0; i < CUPTI_CLIENTS; i++)
		if (client_has_buffers(&clients[i]) && !open_buffers[i][0].memory)
			buffer_ask(&clients[i], &open_buffers[i][0]);
	flush_leave(&old);
}

void cupti_flush_some(void)
{
	sigset_t old;

	if (!flush_enter(&old, false))
		return;
	flush_all(false);
	flush_leave(&old);
}
