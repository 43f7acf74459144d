/* SPDX-License-Identifier: MIT */
/*
 * A state machine from GPU_OFF to GPU_GONE, advanced by compare-and-swap, so that only one thread
 * starts or leaves CUPTI. A start subscribes, registers the buffers, reads the clocks and then
 * requests records (gpu_asked.c). A pause ends all that, and gpu_go_on() starts again.
 */
#include "preload/gpu/gpu.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "preload/base/log.h"
#include "preload/gpu/gpu_asked.h"
#include "preload/gpu/gpu_buffers.h"
#include "preload/gpu/gpu_clock.h"
#include "preload/gpu/gpu_copy.h"
#include "preload/gpu/gpu_driver.h"
#include "preload/gpu/gpu_flusher.h"
#include "preload/gpu/gpu_form.h"
#include "preload/gpu/gpu_records.h"
#include "preload/gpu/gpu_second.h"
#include "preload/gpu/gpu_share.h"
#include "preload/gpu/gpu_turn.h"
#include "preload/gpu/gpu_windows.h"
#include "preload/record/capture.h"
#include "preload/record/correlation.h"
#include "preload/record/driver.h"
#include "preload/record/family.h"
#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"

_Atomic int gpu_state;
static _Atomic uint16_t loads; /* number of loaded libraries when a profiler was last looked for */
static _Atomic bool is_shared; /* another user was found, and that was recorded */
static _Atomic bool stays;     /* another user has come, or CUPTI did not leave when told to */
static struct gpu_turn detaching; /* one thread detaches CUPTI, or brings it back */
static uint32_t version;

/*
 * CUDA 12.6, as cuptiGetVersion() has it: before, CUDA graphs could fail once CUPTI had been
 * finalized and started again (pytorch/kineto pull request 1264).
 */
#define DETACH_SINCE 24u

bool gpu_has_started(void)
{
	int now = atomic_load_explicit(&gpu_state, memory_order_acquire);

	return now == GPU_ON || now == GPU_DETACHED;
}

static void state_record(enum evt_gpu_state what, cupti_result result, const char *function)
{
	struct recorder_lane *lane = recorder_enter(RECORDER_LATE, RECORDER_IN_RECORD);
	struct string text = string_of(function);
	uint64_t field[4] = { what, version, (uint32_t)result };

	if (!lane)
		return;
	field[3] = string_id(&text, lane);
	(void)recorder_put(lane, EVT_gpu_cupti, recorder_now(), field, 4);
	recorder_leave(lane);
}

/* --- what CUPTI calls --- */

static _Atomic uint32_t
	/* number of buffers so far; at the end it shows whether CUPTI still makes progress */
	buffers_taken;

void gpu_buffer_requested(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_records)
{
	*ret_buffer = gpu_buffer_take(ret_bytes);
	*ret_records = 0; /* as many records as the buffer holds */
}

size_t gpu_take_dropped(void *context, uint32_t stream)
{
	size_t dropped = 0;

	if (gpu_form_dropped(context, stream, &dropped) != CUPTI_OK)
		return 0;
	gpu_lost(dropped, EVT_GPU_LOST_DROPPED);
	return dropped;
}

/* Our records are taken first, because the other user may spend any time on its copy. */
void gpu_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			  size_t valid_bytes)
{
	int now = atomic_load(&gpu_state), saved = errno;

	if (!buffer)
		return;
	if (valid_bytes > bytes)
		valid_bytes = 0;
	if (now == GPU_ON || now == GPU_STARTING || now == GPU_LEAVING)
		gpu_records_take(buffer, valid_bytes, gpu_form_next_record, gpu_form_timestamp);
	gpu_copy_dropped(gpu_take_dropped(context, stream));
	gpu_copy_take(context, stream, buffer, valid_bytes, gpu_form_next_record);
	atomic_fetch_add(&buffers_taken, 1);
	if (now == GPU_ON) /* find out who else has come */
		gpu_look_soon();
	gpu_buffer_give(buffer, bytes);
	errno = saved;
}

/* --- start --- */

struct failure {
	cupti_result result;
	const char *function;
};

static struct failure cupti_start(void)
{
	cupti_result result = gpu_cupti.cuptiGetVersion(&version);
	cupti_subscriber subscriber;

	if (result)
		return (struct failure){ result, "cuptiGetVersion" };
	result = gpu_share_subscribe(GPU_US, &subscriber);
	if (result)
		return (struct failure){ result, "cuptiSubscribe" };
	result = gpu_share_register();
	if (result) {
		(void)gpu_share_unsubscribe(GPU_US);
		return (struct failure){ result, "cuptiActivityRegisterCallbacks" };
	}
	gpu_clock_begin(gpu_form_timestamp);
	atomic_store(&gpu_state, GPU_ON);
	result = gpu_asked_begin();
	if (result) {
		(void)gpu_share_unsubscribe(GPU_US);
		return (struct failure){ result, "cuptiActivityEnable" };
	}
	if (gpu_cupti.cuptiActivityFlushPeriod)
		(void)gpu_cupti.cuptiActivityFlushPeriod(GPU_FLUSH_PERIOD_MS);
	return (struct failure){ 0 };
}

static _Atomic bool exits;

/*
 * Exit handlers run in reverse order, and those of CUDA and CUPTI were registered before. So CUPTI
 * still works here.
 */
static void at_exit(void)
{
	gpu_flush();
	atomic_store(&exits, true);
}

#define INJECTION "CUDA_INJECTION64_PATH"

/*
 * Returns the library of another tool (nsys, ncu) that the driver was to load instead of us, or
 * "none". The variable was set before our start, or since, by a tool that found our name in it.
 */
static const char *injected(void)
{
	return settings.injection[0] ? settings.injection : settings_injection_now();
}

static void start_gives_way(enum evt_gpu_state why, const char *to, const char *reason)
{
	atomic_store(&gpu_state, GPU_GONE);
	state_record(why, 0, to);
	log_line("%s '%s': CUPTI is left to it, work of the GPU is not recorded", reason, to);
}

/* The library is not used, and why. */
static void start_fails(enum evt_gpu_state why, int result, const char *name)
{
	atomic_store(&gpu_state, GPU_GONE);
	state_record(why, result, name);
}

static void start(bool is_late)
{
	const char *missing, *profiler, *other = is_late ? injected() : NULL;
	struct failure failure;
	int off = GPU_OFF, refusal;

	if (!(settings.trace & 1u << SETTINGS_FAMILY_gpu) || !recorder_is_open() ||
	    !atomic_compare_exchange_strong(&gpu_state, &off, GPU_STARTING))
		return;
	if (other) {
		start_gives_way(EVT_GPU_INJECTED, other, INJECTION " is");
		return;
	}
	other = gpu_library_profiler(&profiler);
	if (other) {
		start_gives_way(EVT_GPU_INJECTED, other, profiler);
		return;
	}
	other = gpu_library_static();
	if (other) {
		start_gives_way(EVT_GPU_STATIC, other, "a CUPTI of its own is in");
		return;
	}
	if (!gpu_share_is_used()) {
		/* another user came while we did not record, and must not be disturbed */
		start_fails(EVT_GPU_IN_USE, 0, NULL);
		return;
	}
	if (!gpu_share_open(&missing)) {
		start_fails(missing ? EVT_GPU_FAILED : EVT_GPU_NO_LIBRARY, 0, missing);
		return;
	}
	if (!gpu_driver_suffices(&refusal)) {
		start_fails(EVT_GPU_FAILED, refusal, "cuGetExportTable");
		return;
	}
	gpu_buffers_prepare();
	failure = cupti_start();
	if (failure.function) {
		start_fails(failure.result == CUPTI_MULTIPLE_SUBSCRIBERS ? EVT_GPU_IN_USE
									 : EVT_GPU_FAILED,
			    failure.result, failure.function);
		return;
	}
	state_record(EVT_GPU_STARTED, 0, gpu_cupti.path);
	if (settings.gpu_sums)
		limitation_note(LIMITATION_gpu_summed, NULL);
	if (is_late)
		state_record(EVT_GPU_LATE, 0, NULL);
	if (gpu_second_is_here())
		gpu_share_with("cuptiSubscribe_v2");
	(void)atexit(at_exit);
}

/* The program's next interposed call will come to gpu_driver_starts(). */
void gpu_look_soon(void)
{
	__atomic_store_n(&driver_is_known, false, __ATOMIC_RELAXED);
}

/*
 * Looks for a profiler that was loaded since. If there is one, we give way, so that it does not
 * fail.
 */
static void look_for_profiler(void)
{
	char path[512];

	if (gpu_library_new_profiler(&loads, path, sizeof(path)))
		gpu_leave_to(path);
}

/* What CUPTI still has is handed out; then the next call that ends detaches it. */
static void detach_prepare(void)
{
	if (!gpu_asked_may_detach())
		return;
	gpu_flush();
	gpu_asked_detach_soon();
}

/* `is_late`: found out by a call of the program that has succeeded. */
static void gpu_driver_starts(bool is_late)
{
	int saved = errno;

	if (is_late && gpu_is_on()) {
		look_for_profiler();
		gpu_asked_rest();
		detach_prepare();
	} else {
		start(is_late);
	}
	errno = saved;
}

/* --- end --- */

static int flush_now(void)
{
	int saved = errno, stage = atomic_load(&gpu_state), error = 0;

	if ((stage == GPU_ON || stage == GPU_LEAVING) && recorder_is_open())
		error = gpu_flusher_flush(&buffers_taken);
	errno = saved;
	return error;
}

void gpu_flush(void)
{
	int saved = errno, error = flush_now();

	if (error == -ETIMEDOUT)
		log_line("CUPTI did not hand out its last records in time: some work of the GPU is "
			 "missing from the recording");
	else if (error)
		log_line("cannot start the thread that takes CUPTI's last records (error %d): some "
			 "work of the GPU is missing from the recording",
			 -error);
	errno = saved;
}

/* Once exit handlers run, CUPTI has been emptied, and may be unusable. */
static void gpu_leaves(void)
{
	if (!atomic_load(&exits))
		gpu_flush();
}

/* --- the other user --- */

void gpu_share_with(const char *function)
{
	if (gpu_is_on() && !atomic_exchange(&is_shared, true))
		state_record(EVT_GPU_SHARED, 0, function);
}

void gpu_copy_found(const char *path)
{
	static _Atomic bool is_said;

	if (!atomic_exchange(&is_said, true))
		state_record(EVT_GPU_COPY, 0, path);
}

static void cupti_end(void)
{
	gpu_asked_end();
	gpu_flush();
	(void)gpu_share_unsubscribe(GPU_US);
	if (gpu_cupti.cuptiActivityFlushPeriod)
		(void)gpu_cupti.cuptiActivityFlushPeriod(0);
}

static void left_to(const char *function)
{
	atomic_store(&gpu_state, GPU_GONE);
	state_record(EVT_GPU_LEFT, 0, function);
	log_line("another profiler uses CUPTI now (%s): work of the GPU is not recorded from here "
		 "on",
		 function);
}

void gpu_leave_to(const char *function)
{
	int on = GPU_ON, detached = GPU_DETACHED, saved = errno;

	if (atomic_compare_exchange_strong(&gpu_state, &on, GPU_LEAVING)) {
		cupti_end();
		left_to(function);
	} else if (atomic_compare_exchange_strong(&gpu_state, &detached, GPU_GONE)) {
		left_to(function);
	}
	errno = saved;
}

void gpu_pause(void)
{
	int on = GPU_ON, saved = errno;

	if (atomic_compare_exchange_strong(&gpu_state, &on, GPU_LEAVING))
		cupti_end();
	errno = saved;
}

void gpu_go_on(const char *function)
{
	int leaving = GPU_LEAVING, saved = errno;

	if (atomic_compare_exchange_strong(&gpu_state, &leaving, GPU_STARTING) &&
	    cupti_start().function)
		left_to(function);
	errno = saved;
}

/* --- CUPTI leaves the process while nothing is captured --- */

bool gpu_can_detach(void)
{
	return settings.gpu_detaches && gpu_cupti.cuptiFinalize && version >= DETACH_SINCE &&
	       !gpu_form_is_second() && !atomic_load(&stays);
}

/*
 * NVIDIA asks for cuptiFinalize() to be called where a call of CUDA returns. A range that opens
 * meanwhile waits for its turn, and attaches CUPTI again. A thread that would have to wait leaves
 * it to the next call.
 */
void gpu_detach(void)
{
	bool is_away = atomic_load(&gpu_stage) == GPU_STAGE_OFF;
	int on = GPU_ON, saved = errno;

	if (!gpu_turn_try(&detaching))
		return;
	if (gpu_asked_may_detach() &&
	    atomic_compare_exchange_strong(&gpu_state, &on, GPU_LEAVING)) {
		if (gpu_cupti.cuptiFinalize()) {
			atomic_store(&stays, true);
			atomic_store(&gpu_state, GPU_ON);
		} else {
			gpu_share_reset();
			gpu_callback_renumber(is_away);
			atomic_store(&gpu_state, GPU_DETACHED);
			state_record(is_away ? EVT_GPU_AWAY : EVT_GPU_DETACHED, 0, NULL);
		}
	}
	gpu_turn_end(&detaching);
	errno = saved;
}

/* Any library may have been loaded since. */
static void attach(const char *function)
{
	int detached = GPU_DETACHED;
	char path[512];

	gpu_turn_take(&detaching);
	if (atomic_load(&gpu_state) == GPU_DETACHED &&
	    gpu_library_new_profiler(&loads, path, sizeof(path)))
		gpu_leave_to(path);
	if (atomic_compare_exchange_strong(&gpu_state, &detached, GPU_STARTING)) {
		struct failure failure = cupti_start();

		if (failure.function) {
			atomic_store(&gpu_state, GPU_GONE);
			state_record(EVT_GPU_FAILED, failure.result, failure.function);
		} else {
			state_record(EVT_GPU_ATTACHED, 0, function);
		}
	}
	gpu_turn_end(&detaching);
}

void gpu_others_come(const char *function)
{
	int saved = errno;

	if (!atomic_exchange(&stays, true))
		attach(function);
	errno = saved;
}

/* CUPTI has been idle since its start, and reports no work yet; or it has been detached. */
void gpu_work_wanted(void)
{
	int saved = errno, on = GPU_ON;
	cupti_result result;

	if (gpu_can_detach())
		attach(NULL);
	result = gpu_asked_wake();
	if (result && atomic_compare_exchange_strong(&gpu_state, &on, GPU_LEAVING)) {
		cupti_end();
		atomic_store(&gpu_state, GPU_GONE);
		state_record(EVT_GPU_FAILED, result, "cuptiActivityEnable");
	}
	errno = saved;
}

/*
 * The next callback at the end of a call detaches CUPTI, if it may be. If CUPTI needs longer to
 * hand out what it has, it stays for now, and hands it out by itself.
 */
void gpu_work_unwanted(void)
{
	int saved = errno;

	gpu_asked_rest_now();
	if (!flush_now() && gpu_asked_may_detach())
		gpu_asked_detach_soon();
	errno = saved;
}

static void gpu_opened(void)
{
	gpu_windows_opened();
	if (gpu_is_wanted())
		gpu_work_wanted();
}

static void gpu_forked(void)
{
	gpu_windows_forked();
	gpu_share_forked();
	gpu_copy_forked();
	if (atomic_load(&gpu_state) == GPU_OFF)
		return;
	atomic_store(&gpu_state, GPU_GONE);
	gpu_turn_forked(&detaching);
	gpu_asked_forked();
	correlation_self = 0;
}

const struct family family_gpu = {
	.start = gpu_windows_start,
	.driver_starts = gpu_driver_starts,
	.opened = gpu_opened,
	.forked = gpu_forked,
	.leaves = gpu_leaves,
};
