/* SPDX-License-Identifier: MIT */
/*
 * Work is often drained before its call, which is in another ring. So a piece waits until its call
 * is known, for three settles at most: rings are drained at least once between two of them.
 */
#include "collector/gpu/gpu_sums.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS (GPU_SUMS_KEYS * 2)
#define SETTLES_MAX 3u
#define KIND_SET 255u
#define KIND_TO_DEVICE 1u /* CUpti_ActivityMemcpyKind */
#define KIND_TO_HOST 2u
#define FUTURE_NS 1000000000ull
#define NAMES_FIRST 1024u
#define USUAL_NAMES_MAX (1u << 22)

static const char too_many_text[] = "<too many kernels>";

const uint8_t gpu_sums_roles[EVT_ID_LIMIT] = {
	[EVT_gpu_kernel] = GPU_SUMS_WORK,
	[EVT_gpu_copy] = GPU_SUMS_WORK,
	[EVT_gpu_set] = GPU_SUMS_WORK,
	[EVT_gpu_node] = GPU_SUMS_WORK,
	[EVT_cuda_launch] = GPU_SUMS_CALL,
	[EVT_cuda_copy] = GPU_SUMS_CALL,
	[EVT_gpu_call] = GPU_SUMS_CALL,
	[EVT_torch_begin] = GPU_SUMS_SCOPE,
	[EVT_torch_begin_ex] = GPU_SUMS_SCOPE,
	[EVT_torch_begin_id] = GPU_SUMS_SCOPE,
	[EVT_torch_end] = GPU_SUMS_SCOPE,
	[EVT_torch_end_id] = GPU_SUMS_SCOPE,
	[EVT_torch_end_outer] = GPU_SUMS_SCOPE,
	[EVT_torch_async_begin] = GPU_SUMS_SCOPE,
	[EVT_torch_async_end] = GPU_SUMS_SCOPE,
	[EVT_autograd_begin] = GPU_SUMS_SCOPE,
	[EVT_autograd_end] = GPU_SUMS_SCOPE,
	[EVT_capture_stop] = GPU_SUMS_SCOPE,
	[EVT_detail_start] = GPU_SUMS_SCOPE,
	[EVT_detail_stop] = GPU_SUMS_SCOPE,
	[EVT_step] = GPU_SUMS_SCOPE,
	[EVT_gpu_cupti] = GPU_SUMS_SCOPE,
	[EVT_gpu_window] = GPU_SUMS_SCOPE,
};

/* --- names --- */

static void flag_set(uint8_t **flags, uint32_t *room, uint32_t id)
{
	uint32_t larger = *room ? *room : NAMES_FIRST;
	uint8_t *moved;

	while (larger <= id)
		larger *= 2;
	if (larger > *room) {
		moved = realloc(*flags, larger);
		if (!moved)
			return;
		memset(moved + *room, 0, larger - *room);
		*flags = moved;
		*room = larger;
	}
	(*flags)[id] = 1;
}

static bool flag_of(const uint8_t *flags, uint32_t room, uint64_t id)
{
	return id < room && flags[id];
}

/* As report/gpu/kernel_class.c has it: the name as compiled, its mangling passed over. */
static bool is_of_collective(const char *text, size_t length)
{
	const char *end = text + length, *at = text;

	if (length >= 2 && memcmp(at, "_Z", 2) == 0) {
		for (at += 2; at < end && *at >= '0' && *at <= '9'; at++)
			continue;
	}
	if (end - at >= 4 && (memcmp(at, "nccl", 4) == 0 || memcmp(at, "hccl", 4) == 0))
		return true;
	return memmem(at, (size_t)(end - at), "ncclKernel", 10) != NULL;
}

static void gpu_sums_note_name(void *state, uint32_t id, const char *text, size_t length)
{
	struct gpu_sums *sums = state;

	contexts_note_name(&sums->contexts, id, text, length);
	if (is_of_collective(text, length))
		flag_set(&sums->is_communication, &sums->name_room, id);
	if (length > 2 && memcmp(text, "cu", 2) == 0 &&
	    (memmem(text, length, "Synchronize", 11) || memmem(text, length, "Query", 5) ||
	     memmem(text, length, "Wait", 4)))
		flag_set(&sums->is_wait, &sums->wait_room, id);
}

/* --- life --- */

struct gpu_sums *gpu_sums_new(struct common *common)
{
	struct gpu_sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->common = common;
	sums->sum = calloc(GPU_SUMS_KEYS, sizeof(*sums->sum));
	sums->slot = calloc(SLOTS, sizeof(*sums->slot));
	sums->waiting = calloc(GPU_SUMS_WAITING, sizeof(*sums->waiting));
	if (!sums->sum || !sums->slot || !sums->waiting ||
	    contexts_init(&sums->contexts, common->view.shape.ring_count)) {
		gpu_sums_free(sums);
		return NULL;
	}
	names_listen(&common->names, gpu_sums_note_name, sums);
	sums->too_many = names_id_text(&common->names, too_many_text, sizeof(too_many_text) - 1);
	return sums;
}

static void gpu_process_release(struct gpu_process *process)
{
	for (unsigned int i = 0; i < GPU_SUMS_DEVICES; i++)
		cover_release(&process->device[i].cover);
	cover_release(&process->all);
	free(process->cut);
	free(process->edge);
	*process = (struct gpu_process){ 0 };
}

void gpu_sums_free(struct gpu_sums *sums)
{
	if (!sums)
		return;
	for (unsigned int i = 0; i < GPU_SUMS_PROCESSES; i++)
		gpu_process_release(&sums->process[i]);
	contexts_release(&sums->contexts);
	free(sums->sum);
	free(sums->slot);
	free(sums->waiting);
	free(sums->usual);
	free(sums->is_communication);
	free(sums->is_wait);
	free(sums);
}

static struct gpu_process *gpu_process_of(struct gpu_sums *sums, uint32_t number, bool makes)
{
	struct gpu_process *unused = NULL;

	for (unsigned int i = 0; i < GPU_SUMS_PROCESSES; i++) {
		if (sums->process[i].process == number)
			return &sums->process[i];
		if (!sums->process[i].process && !unused)
			unused = &sums->process[i];
	}
	if (!makes || !unused)
		return NULL;
	unused->cut = calloc(GPU_SUMS_CUTS, sizeof(*unused->cut));
	unused->edge = calloc(GPU_SUMS_EDGES, sizeof(*unused->edge));
	if (!unused->cut || !unused->edge) {
		gpu_process_release(unused);
		return NULL;
	}
	unused->process = number;
	return unused;
}

/* --- sums --- */

static uint32_t sum_slot(const struct gpu_sums *sums, const struct gpu_sum_key *key)
{
	uint64_t hash = key->what + 0x9e3779b97f4a7c15ull * key->scope;
	uint32_t at;

	hash = (hash ^ (uint64_t)key->stream << 32 ^ (uint64_t)key->device << 48 ^
		(uint64_t)key->process << 40 ^ key->is_copy ^ (uint64_t)key->drawn << 1 ^
		(uint64_t)key->settled << 2 ^ (uint64_t)key->memory << 8) *
	       0x9e3779b97f4a7c15ull;
	at = (uint32_t)(hash >> 40) % SLOTS;
	while (sums->slot[at] && memcmp(&sums->sum[sums->slot[at] - 1].key, key, sizeof(*key)) != 0)
		at = (at + 1) % SLOTS;
	return at;
}

/* The last keys are for what finds no room: two a process and kind. */
#define KEYS_KEPT (GPU_SUMS_KEYS - 4 * GPU_SUMS_PROCESSES)

static struct gpu_sum *gpu_sum_of(struct gpu_sums *sums, const struct gpu_sum_key *wanted)
{
	struct gpu_sum_key key;
	uint32_t at = sum_slot(sums, wanted);

	if (sums->slot[at])
		return &sums->sum[sums->slot[at] - 1];
	key = *wanted;
	if (sums->sums >= KEYS_KEPT) {
		key.device = key.context = key.stream = key.scope = 0;
		key.settled = key.memory = 0;
		key.what = wanted->is_copy ? 0 : (uint32_t)sums->too_many;
		at = sum_slot(sums, &key);
		if (sums->slot[at])
			return &sums->sum[sums->slot[at] - 1];
		if (sums->sums >= GPU_SUMS_KEYS)
			return NULL;
	}
	sums->slot[at] = ++sums->sums;
	sums->sum[sums->sums - 1] = (struct gpu_sum){ .key = key, .min_ns = UINT64_MAX };
	return &sums->sum[sums->sums - 1];
}

static void sum_add_piece(struct gpu_sum *sum, const struct gpu_piece_waiting *piece)
{
	double away = (double)piece->duration_ns - sum->mean;

	sum->count++;
	sum->total_ns += piece->duration_ns;
	sum->bytes += piece->bytes;
	if (piece->bytes > sum->max_bytes)
		sum->max_bytes = piece->bytes;
	if (piece->duration_ns < sum->min_ns)
		sum->min_ns = piece->duration_ns;
	if (piece->duration_ns >= sum->max_ns) {
		sum->max_ns = piece->duration_ns;
		sum->longest_at_ns = piece->start_ns;
	}
	sum->mean += away / (double)sum->count;
	sum->squares += away * ((double)piece->duration_ns - sum->mean);
}

/* --- unusual kernels --- */

static struct gpu_usual *usual_of(struct gpu_sums *sums, uint32_t name)
{
	uint32_t larger = sums->usual_room ? sums->usual_room : NAMES_FIRST;
	struct gpu_usual *moved;

	while (larger <= name && larger < USUAL_NAMES_MAX)
		larger *= 2;
	if (name >= larger)
		return NULL;
	if (larger > sums->usual_room) {
		moved = realloc(sums->usual, larger * sizeof(*moved));
		if (!moved)
			return NULL;
		memset(moved + sums->usual_room, 0, (larger - sums->usual_room) * sizeof(*moved));
		sums->usual = moved;
		sums->usual_room = larger;
	}
	return &sums->usual[name];
}

static void unusual_tell(struct gpu_sums *sums, const struct gpu_piece_waiting *piece,
			 double usual_ns, uint64_t now_ns)
{
	const struct gpu_sum_key *key = &piece->key;

	if (sums->unusual >= GPU_UNUSUAL_TOLD) {
		sums->unusual_left_out++;
		return;
	}
	sums->unusual++;
	JOURNAL_ADD(&sums->common->journal, now_ns, gpu_unusual,
		    .ago_ns = (int64_t)(now_ns - piece->start_ns),
		    .duration_ns = piece->duration_ns, .process = key->process,
		    .device = key->device, .context = key->context, .stream = key->stream,
		    .kernel = key->what, .scope = key->scope, .usual_ns = (uint64_t)usual_ns,
		    .left_out = sums->unusual_left_out);
	sums->unusual_left_out = 0;
}

/*
 * An unusual kernel counts in the mean as if it were just usual, so that kernels which have become
 * longer for good are soon what is usual.
 */
static void kernel_look(struct gpu_sums *sums, const struct gpu_piece_waiting *piece,
			uint64_t now_ns)
{
	struct gpu_usual *usual = usual_of(sums, piece->key.what);
	double ns = (double)piece->duration_ns;

	if (!usual)
		return;
	if (usual->count >= GPU_UNUSUAL_AFTER && ns > GPU_UNUSUAL_TIMES * usual->mean_ns) {
		if (piece->duration_ns >= GPU_UNUSUAL_NS)
			unusual_tell(sums, piece, usual->mean_ns, now_ns);
		ns = GPU_UNUSUAL_TIMES * usual->mean_ns;
	}
	usual->count += usual->count < UINT32_MAX;
	usual->mean_ns += (ns - usual->mean_ns) / usual->count;
}

static void piece_settle(struct gpu_sums *sums, struct gpu_piece_waiting *piece, uint32_t scope,
			 uint64_t now_ns)
{
	struct gpu_sum *sum;

	piece->key.scope = scope;
	if (!piece->key.is_copy)
		kernel_look(sums, piece, now_ns);
	sum = gpu_sum_of(sums, &piece->key);
	if (sum)
		sum_add_piece(sum, piece);
	else
		sums->common->lost++; /* cannot be: there is room for each process */
}

static bool piece_is_behind(const struct context_call *call, uint64_t edge_ns)
{
	return call && edge_ns && call->ns > edge_ns;
}

/* With windows, calls outside of them are not recorded, and their work is in no sum. */
static bool piece_counts(struct gpu_sums *sums, struct gpu_piece_waiting *piece,
			 const struct context_call *call)
{
	const struct gpu_process *process = gpu_process_of(sums, piece->key.process, false);

	if (!process)
		return true;
	piece->key.settled = piece_is_behind(call, process->settled_ns);
	if (!process->has_windows)
		return true;
	piece->key.drawn = piece_is_behind(call, process->first_end_ns);
	return call != NULL;
}

/* Those whose call is known by now, or will not be. */
static void pieces_settle(struct gpu_sums *sums, unsigned int settles_max, uint64_t now_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < sums->waiting_count; i++) {
		struct gpu_piece_waiting *piece = &sums->waiting[i];
		const struct context_call *call = contexts_find(&sums->contexts, piece->key.process,
								piece->correlation);

		if (!call && piece->settles++ < settles_max)
			sums->waiting[kept++] = *piece;
		else if (piece_counts(sums, piece, call))
			piece_settle(sums, piece, call ? call->scope : 0, now_ns);
	}
	sums->waiting_count = kept;
}

/* --- work --- */

static void stretches_tell(struct gpu_sums *sums, struct gpu_process *process, uint64_t upto_ns,
			   uint64_t now_ns);

static struct gpu_device_cover *device_cover_of(struct gpu_process *process, uint32_t number)
{
	for (unsigned int i = 0; i < GPU_SUMS_DEVICES; i++) {
		struct gpu_device_cover *device = &process->device[i];

		if (device->used && device->device != number)
			continue;
		device->used = true;
		device->device = number;
		return device;
	}
	return NULL;
}

static uint32_t host_memory_of(const struct evt_gpu_copy *copy)
{
	uint64_t memory = copy->kind == KIND_TO_DEVICE ? copy->source_memory
			  : copy->kind == KIND_TO_HOST ? copy->destination_memory
						       : 0;

	return memory <= UINT8_MAX ? (uint32_t)memory : 0;
}

static bool gpu_piece_of(const struct gpu_sums *sums, uint32_t process, uint32_t id,
			 const uint64_t *value, struct gpu_piece_waiting *ret_piece,
			 enum cover_kind *ret_kind)
{
	const struct evt_gpu_kernel *kernel = (const void *)value; /* the head is that of all */
	struct gpu_piece_waiting *piece = ret_piece;

	if ((kernel->device | kernel->context | kernel->stream | kernel->correlation) >> 32)
		return false;
	*piece = (struct gpu_piece_waiting){ .key.process = process };
	piece->key.device = (uint32_t)kernel->device;
	piece->key.context = (uint32_t)kernel->context;
	piece->key.stream = (uint32_t)kernel->stream;
	piece->correlation = kernel->correlation;
	piece->key.is_copy = id != EVT_gpu_kernel;
	if (id == EVT_gpu_kernel) {
		piece->key.what = (uint32_t)kernel->kernel;
		*ret_kind = flag_of(sums->is_communication, sums->name_room, kernel->kernel)
				    ? COVER_COMMUNICATION
				    : COVER_KERNEL;
	} else if (id == EVT_gpu_copy) {
		const struct evt_gpu_copy *copy = (const void *)value;

		piece->key.what = copy->kind < KIND_SET ? (uint32_t)copy->kind : 0;
		piece->key.memory = host_memory_of(copy);
		piece->bytes = copy->bytes;
		*ret_kind = COVER_COPY;
	} else {
		piece->key.what = KIND_SET;
		piece->bytes = ((const struct evt_gpu_set *)(const void *)value)->bytes;
		*ret_kind = COVER_SET;
	}
	return true;
}

/* Stretches are told before the sweep goes on early, so that each has its own work. */
static void stretches_make_room(struct gpu_sums *sums, struct gpu_process *process, uint64_t now_ns)
{
	uint64_t upto_ns = cover_full_ns(&process->all);

	if (upto_ns)
		stretches_tell(sums, process, upto_ns, now_ns);
}

bool gpu_sums_take_work(struct gpu_sums *sums, const struct gpu_sums_place *place, uint32_t id,
			uint64_t ns, const uint64_t *value)
{
	struct gpu_process *process = gpu_process_of(sums, place->process, true);
	int64_t ago_ns = (int64_t)value[0];
	uint64_t start_ns = ago_ns > 0 && (uint64_t)ago_ns > ns ? 0 : ns - (uint64_t)ago_ns;
	struct gpu_device_cover *device;
	struct gpu_piece_waiting piece;
	enum cover_kind kind;

	if (!process || id == EVT_gpu_node)
		return process != NULL;
	/* clocks differ a little; more than that was never written by a recorder */
	if (value[1] > ns || ago_ns < -(int64_t)FUTURE_NS ||
	    !gpu_piece_of(sums, place->process, id, value, &piece, &kind))
		return false;
	device = device_cover_of(process, piece.key.device);
	if (!device)
		return false;
	piece.start_ns = start_ns;
	piece.duration_ns = value[1];
	stretches_make_room(sums, process, ns);
	cover_add(&device->cover, kind, start_ns, start_ns + piece.duration_ns);
	cover_add(&process->all, kind, start_ns, start_ns + piece.duration_ns);
	if (sums->waiting_count == GPU_SUMS_WAITING)
		pieces_settle(sums, 0, ns);
	sums->waiting[sums->waiting_count++] = piece;
	return true;
}

#define CORRELATION_OF(event) (offsetof(struct evt_##event, correlation) / sizeof(uint64_t))

/* Between windows of detail no operator is recorded, so the scope of a call is not known. */
void gpu_sums_take_call(struct gpu_sums *sums, const struct gpu_sums_place *place, uint32_t id,
			uint64_t ns, uint64_t *value)
{
	const struct context_place context = { place->ring, place->stream, place->process };
	uint64_t *correlation = &value[id == EVT_cuda_launch ? CORRELATION_OF(cuda_launch)
				       : id == EVT_cuda_copy ? CORRELATION_OF(cuda_copy)
							     : CORRELATION_OF(gpu_call)];
	const struct gpu_process *process = gpu_process_of(sums, place->process, false);

	if (!*correlation || *correlation >> 32)
		return;
	contexts_note_call(&sums->contexts,
			   process && process->lacks_detail ? NULL : &sums->common->journal,
			   &context, ns, *correlation);
	if (id != EVT_gpu_call || !flag_of(sums->is_wait, sums->wait_room, value[0]))
		*correlation = 0;
}

static int gpu_sums_by_time(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

static void cut_put(struct gpu_sums *sums, struct gpu_process *process, uint64_t ns)
{
	if (process->cuts == GPU_SUMS_CUTS) {
		qsort(process->cut, process->cuts, sizeof(*process->cut), gpu_sums_by_time);
		stretches_tell(sums, process, process->cut[process->cuts / 2], ns);
	}
	process->cut[process->cuts++] = ns;
}

/* --- windows --- */

/* Sweeps all devices to that time; what lies between windows is as if it had been told. */
static void devices_sweep(struct gpu_process *process, uint64_t upto_ns)
{
	uint32_t done = 0;

	for (; done < process->edges && process->edge[done].ns <= upto_ns; done++) {
		const struct gpu_edge *edge = &process->edge[done];

		for (unsigned int i = 0; i < GPU_SUMS_DEVICES; i++) {
			struct gpu_device_cover *device = &process->device[i];

			cover_sweep(&device->cover, edge->ns);
			for (unsigned int j = 0; j < COVER_MASKS && edge->is_on; j++)
				device->told_ns[j] += device->cover.mask_ns[j] - device->off_ns[j];
			if (!edge->is_on)
				memcpy(device->off_ns, device->cover.mask_ns,
				       sizeof(device->off_ns));
		}
		process->is_off = !edge->is_on;
	}
	process->edges -= done;
	if (done && process->edges)
		memmove(process->edge, process->edge + done,
			process->edges * sizeof(*process->edge));
	for (unsigned int i = 0; i < GPU_SUMS_DEVICES; i++)
		if (process->device[i].used)
			cover_sweep(&process->device[i].cover, upto_ns);
}

static void gpu_edge_put(struct gpu_process *process, uint64_t ns, bool is_on)
{
	const struct gpu_edge *last = process->edges ? &process->edge[process->edges - 1] : NULL;
	bool was_on = last ? last->is_on : !process->is_off;

	process->has_windows = true;
	if (!is_on && !process->first_end_ns)
		process->first_end_ns = ns;
	if (is_on == was_on || (last && ns < last->ns))
		return;
	if (process->edges == GPU_SUMS_EDGES)
		devices_sweep(process, process->edge[0].ns);
	process->edge[process->edges++] = (struct gpu_edge){ ns, is_on };
}

/* CUPTI has handed out all work, and counts calls from 1 when it comes back. */
static void sums_renumber(struct gpu_sums *sums, uint32_t process, uint64_t ns)
{
	pieces_settle(sums, 0, ns);
	contexts_renumber(&sums->contexts, process);
}

void gpu_sums_take_scope(struct gpu_sums *sums, const struct gpu_sums_place *place, uint32_t id,
			 uint64_t ns, const uint64_t *value)
{
	const struct context_place context = { place->ring, place->stream, place->process };
	struct gpu_process *process = gpu_process_of(sums, place->process, true);
	struct context_cuts cuts;

	if (id == EVT_detail_start || id == EVT_detail_stop) {
		if (process)
			process->lacks_detail = id == EVT_detail_stop;
		return;
	}
	if (id == EVT_gpu_window) {
		if (process)
			gpu_edge_put(process, ns, value[0] != 0);
		return;
	}
	if (id == EVT_step && process && value[0] == GPU_SUMS_SETTLED && !process->settled_ns)
		process->settled_ns = ns;
	if (id == EVT_gpu_cupti) {
		if (value[0] == EVT_GPU_DETACHED)
			sums_renumber(sums, place->process, ns);
		return;
	}
	cuts = contexts_take(&sums->contexts, &context, id, ns, value);
	if (process && !process->cut_ns && !process->cuts && !cuts.count)
		cuts = (struct context_cuts){ { ns }, 1 }; /* the first step may begin here */
	for (unsigned int i = 0; process && i < cuts.count; i++)
		cut_put(sums, process, cuts.ns[i]);
}

/* --- what is written --- */

static uint64_t squares_word(double squares)
{
	return squares < 0 ? 0 : squares >= 1.8e19 ? UINT64_MAX : (uint64_t)squares;
}

static void sum_tell(const struct gpu_sums *sums, const struct gpu_sum *sum, uint64_t now_ns)
{
	const struct gpu_sum_key *key = &sum->key;
	uint64_t interval_ns = now_ns - sums->interval_from_ns;

	if (key->is_copy)
		JOURNAL_ADD(&sums->common->journal, now_ns, gpu_copy_sum, .process = key->process,
			    .interval_ns = interval_ns, .device = key->device,
			    .context = key->context, .stream = key->stream, .kind = key->what,
			    .scope = key->scope, .count = sum->count, .total_ns = sum->total_ns,
			    .min_ns = sum->min_ns, .max_ns = sum->max_ns,
			    .squares = squares_word(sum->squares), .bytes = sum->bytes,
			    .max_bytes = sum->max_bytes, .drawn = key->drawn,
			    .settled = key->settled ? 1 + key->memory : 0);
	else
		JOURNAL_ADD(&sums->common->journal, now_ns, gpu_kernel_sum, .process = key->process,
			    .interval_ns = interval_ns, .device = key->device,
			    .context = key->context, .stream = key->stream, .kernel = key->what,
			    .scope = key->scope, .count = sum->count, .total_ns = sum->total_ns,
			    .min_ns = sum->min_ns, .max_ns = sum->max_ns,
			    .squares = squares_word(sum->squares),
			    .longest_ago_ns = now_ns - sum->longest_at_ns, .drawn = key->drawn,
			    .settled = key->settled);
}

static void sums_tell(struct gpu_sums *sums, uint64_t now_ns)
{
	for (uint32_t i = 0; i < sums->sums; i++)
		sum_tell(sums, &sums->sum[i], now_ns);
	if (sums->sums)
		memset(sums->slot, 0, SLOTS * sizeof(*sums->slot));
	sums->sums = 0;
	sums->unusual = 0;
	sums->interval_from_ns = now_ns;
}

#define BIT(kind) (1u << COVER_##kind)
#define EVERYTHING (BIT(KERNEL) | BIT(COPY) | BIT(SET) | BIT(COMMUNICATION))

static void masks_subtract(const uint64_t *now, uint64_t *was, uint64_t *ret_since)
{
	for (unsigned int i = 0; i < COVER_MASKS; i++) {
		ret_since[i] = now[i] - was[i];
		was[i] = now[i];
	}
}

static void device_tell(struct gpu_sums *sums, const struct gpu_process *process,
			struct gpu_device_cover *device, uint64_t now_ns)
{
	uint64_t since[COVER_MASKS], late = device->cover.late - device->told_late;
	uint64_t compute_ns, communication_ns, kernels_ns;

	masks_subtract(process->is_off ? device->off_ns : device->cover.mask_ns, device->told_ns,
		       since);
	device->told_late = device->cover.late;
	compute_ns = cover_ns(since, BIT(KERNEL), 0);
	communication_ns = cover_ns(since, BIT(COMMUNICATION), 0);
	kernels_ns = cover_ns(since, BIT(KERNEL) | BIT(COMMUNICATION), 0);
	if (!cover_ns(since, EVERYTHING, 0) && !late)
		return;
	JOURNAL_ADD(&sums->common->journal, now_ns, gpu_busy, .process = process->process,
		    .device = device->device, .first_ago_ns = now_ns - device->cover.first_ns,
		    .last_ago_ns = now_ns - device->cover.last_ns,
		    .busy_ns = cover_ns(since, EVERYTHING, 0), .compute_ns = compute_ns,
		    .copy_ns = cover_ns(since, BIT(COPY) | BIT(SET), 0),
		    .communication_ns = communication_ns,
		    .overlap_ns = compute_ns + communication_ns - kernels_ns, .late = late);
}

static void stretch_tell(struct gpu_sums *sums, struct gpu_process *process, uint64_t end_ns,
			 uint64_t now_ns)
{
	uint64_t since[COVER_MASKS], late = process->all.late - process->told_late;

	masks_subtract(process->all.mask_ns, process->told_ns, since);
	if (!process->cut_ns || (!cover_ns(since, EVERYTHING, 0) && !late))
		return;
	process->told_late = process->all.late;
	JOURNAL_ADD(&sums->common->journal, now_ns, gpu_stretch,
		    .ago_ns = (int64_t)(now_ns - process->cut_ns),
		    .duration_ns = end_ns - process->cut_ns, .process = process->process,
		    .kernel_ns = cover_ns(since, BIT(KERNEL), 0),
		    .copy_ns = cover_ns(since, BIT(COPY), BIT(KERNEL)),
		    .set_ns = cover_ns(since, BIT(SET), BIT(KERNEL) | BIT(COPY)),
		    .communication_ns = cover_ns(since, BIT(COMMUNICATION),
						 BIT(KERNEL) | BIT(COPY) | BIT(SET)),
		    .late = late);
}

/* Stretches that ended before `upto_ns`: all of their work has been reported. */
static void stretches_tell(struct gpu_sums *sums, struct gpu_process *process, uint64_t upto_ns,
			   uint64_t now_ns)
{
	uint32_t done = 0;

	qsort(process->cut, process->cuts, sizeof(*process->cut), gpu_sums_by_time);
	for (; done < process->cuts && process->cut[done] <= upto_ns; done++) {
		if (process->cut[done] <= process->cut_ns)
			continue;
		cover_sweep(&process->all, process->cut[done]);
		stretch_tell(sums, process, process->cut[done], now_ns);
		process->cut_ns = process->cut[done];
	}
	process->cuts -= done;
	if (done && process->cuts)
		memmove(process->cut, process->cut + done, process->cuts * sizeof(*process->cut));
	if (!process->cut_ns && !process->cuts)
		cover_sweep(&process->all, upto_ns);
}

/* Pauses that are over; what is later may still go on. */
static void pauses_tell(struct gpu_sums *sums, struct gpu_process *process, uint64_t upto_ns)
{
	uint64_t ns;

	while ((ns = contexts_take_pause(&sums->contexts, process->process, upto_ns)))
		cut_put(sums, process, ns);
}

void gpu_sums_leave(struct gpu_sums *sums, uint32_t number)
{
	struct gpu_process *process = gpu_process_of(sums, number, false);

	if (process && number)
		process->leaves = true;
}

void gpu_sums_settle(struct gpu_sums *sums, uint64_t now_ns, bool all)
{
	bool due, leaves = all;

	for (unsigned int i = 0; i < GPU_SUMS_PROCESSES; i++)
		leaves |= sums->process[i].leaves;
	due = leaves || now_ns - sums->interval_from_ns >= GPU_SUMS_NS;
	pieces_settle(sums, leaves ? 0 : SETTLES_MAX, now_ns);
	for (unsigned int i = 0; i < GPU_SUMS_PROCESSES; i++) {
		struct gpu_process *process = &sums->process[i];
		bool ends = process->leaves || all;
		uint64_t upto_ns = ends                        ? UINT64_MAX
				   : now_ns > GPU_SUMS_LATE_NS ? now_ns - GPU_SUMS_LATE_NS
							       : 0;

		if (!process->process)
			continue;
		pauses_tell(sums, process, upto_ns);
		stretches_tell(sums, process, upto_ns, now_ns);
		devices_sweep(process, upto_ns);
		for (unsigned int j = 0; j < GPU_SUMS_DEVICES && due; j++)
			if (process->device[j].used)
				device_tell(sums, process, &process->device[j], now_ns);
		if (ends)
			gpu_process_release(process);
	}
	if (due)
		sums_tell(sums, now_ns);
}
