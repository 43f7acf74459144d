/* SPDX-License-Identifier: MIT */
/*
 * Start and end. The constructor reads the settings, finds the session and, when the process is to
 * record, makes the region, starts the collector and opens the gates; a dormant process does the last
 * three when it touches something. One attempt a process: what fails stays off and is said once.
 */
#include "preload/init.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/hook.h"
#include "preload/launch.h"
#include "preload/log.h"
#include "preload/python.h"
#include "preload/process.h"
#include "preload/recorder.h"
#include "preload/region_create.h"
#include "preload/session.h"
#include "preload/settings.h"
#include "preload/steps.h"
#include "preload/strings.h"

enum init_state {
	INIT_PASSIVE, /* before the constructor, dormant, or off */
	INIT_DORMANT,
	INIT_STARTING,
	INIT_RUNNING,
	INIT_FAILED,
};
static _Atomic int init_state;
static struct region_header *init_region; /* of the running recording */

static void start_failed(const char *what, const char *subject, int error)
{
	errno = error;
	log_line("cannot %s '%s': %m; nothing is recorded", what, subject);
	atomic_store(&init_state, INIT_FAILED);
}

static int start_collector(int fd)
{
	char path[REGION_PATH_BYTES];
	int error;

	if (!session_find_collector(path, sizeof(path))) {
		start_failed("find intercept-collector beside", session.library, ENOENT);
		return -ENOENT;
	}
	error = launch_collector(path, fd);
	if (error)
		start_failed("start the collector", path, -error);
	return error;
}

/*
 * Who defines malloc, when it is not us: an allocator preloaded before us, or the program itself (first
 * in ld.so's order). An executable's PLT entry has its address too, but does not define the symbol.
 */
static const char *heap_hidden_by(void)
{
	static const char *const names[] = { "malloc", "calloc", "realloc", "aligned_alloc" };
	Dl_info ours, first;

	if (!dladdr((void *)&session, &ours))
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *global = dlsym(RTLD_DEFAULT, names[i]);
		Elf64_Sym *symbol = NULL;

		if (!global || !dladdr1(global, &first, (void **)&symbol, RTLD_DL_SYMENT) ||
		    !symbol)
			continue;
		if (symbol->st_shndx != SHN_UNDEF)
			return first.dli_fbase == ours.dli_fbase ? NULL : first.dli_fname;
	}
	return NULL;
}

static void warn_of_hidden_heap(void)
{
	const char *by;

	if (session.late || !(settings.trace & (1u << SETTINGS_FAMILY_alloc)))
		return;
	by = heap_hidden_by();
	if (by)
		log_line("malloc is that of '%s', which comes before us: its calls are not seen; "
			 "if it is "
			 "preloaded, put libintercept.so first in LD_PRELOAD",
			 by);
}

static unsigned int families_wanted(void)
{
	unsigned int families = settings.trace;

	_Static_assert((int)SETTINGS_FAMILY_alloc == RECORDER_ALLOC &&
			       (int)SETTINGS_FAMILY_nvtx == RECORDER_NVTX &&
			       (int)SETTINGS_FAMILY_cuda == RECORDER_CUDA &&
			       (int)SETTINGS_FAMILY_torch == RECORDER_TORCH &&
			       (int)SETTINGS_FAMILY_tensors == RECORDER_TENSORS,
		       "one numbering of families");
	if (session.late)
		families &= ~(1u << RECORDER_ALLOC);
	return families & ((1u << RECORDER_FAMILIES) - 1);
}

static void speak_of_start(void)
{
	struct stat st;

	if (stat(session.output, &st) == 0 && S_ISDIR(st.st_mode))
		log_line("INTERCEPT_OUTPUT '%s' is a directory: the file is written beside it; "
			 "name a file",
			 session.output);
	if (settings.verbose >= 1)
		log_line("recording %s of '%s' into '%s'", settings.trace_text,
			 program_invocation_short_name, session.output);
}

static int start_recording(void)
{
	char capture[SETTINGS_NAME_BYTES + 32] = "";
	struct region_wish wish = { .bytes = settings.buffer_bytes,
				    .max_file_bytes = settings.max_file_bytes,
				    .keep = settings.keep,
				    .session = session.id,
				    .output = session.output,
				    .trace = settings.trace_text,
				    .capture = capture };
	struct recorder_region region = { .wait_when_full = settings.full == SETTINGS_FULL_WAIT };
	uint32_t entry;
	int fd, error;

	if (settings.capture == SETTINGS_CAPTURE_NVTX) {
		strcpy(capture, "nvtx:");
		strcat(capture, settings.capture_name);
	} else if (settings.capture == SETTINGS_CAPTURE_CUDA) {
		strcpy(capture, "cuda-profiler-api");
	} else if (settings.capture == SETTINGS_CAPTURE_STEPS) {
		strcpy(capture, "steps ");
		strcat(capture, settings.schedule_text);
	}
	warn_of_hidden_heap();
	error = region_create(&wish, &region.header, &region.shape, &fd);
	if (error) {
		start_failed("get memory for", "INTERCEPT_BUFFER", -error);
		return error;
	}
	error = process_begin(region.header, &region.shape, &entry);
	if (!error)
		error = start_collector(fd);
	close(fd);
	if (error)
		return error;
	init_region = region.header;
	speak_of_start();
	strings_forget();
	if (settings.capture != SETTINGS_CAPTURE_ALL)
		recorder_capture(false);
	steps_init();
	error = recorder_open(&region, entry, families_wanted());
	if (!error)
		steps_start();
	return error;
}

bool init_activate(void)
{
	int dormant = INIT_DORMANT;
	int saved = errno;
	bool running;

	if (atomic_load_explicit(&init_state, memory_order_relaxed) == INIT_RUNNING)
		return true;
	if (!atomic_compare_exchange_strong(&init_state, &dormant, INIT_STARTING))
		return dormant == INIT_RUNNING;
	running = start_recording() == 0;
	if (running)
		atomic_store(&init_state, INIT_RUNNING);
	errno = saved;
	return running;
}

void init_start_anew(void)
{
	atomic_store(&init_state, INIT_DORMANT);
	(void)init_activate();
}

void init_region_moved(struct region_header *region)
{
	init_region = region;
}

/* The collector cannot speak: its descriptors are its own, and the terminal is the program's. Who
 * says it takes it away, so that a family of processes says it once. */
void init_report(bool collector_moves)
{
	char text[REGION_TEXT_BYTES];
	bool failed;

	if (!init_region)
		return;
	failed = atomic_load(&init_region->collector_state) == REGION_COLLECTOR_FAILED;
	memcpy(text, init_region->collector_error, sizeof(text));
	text[sizeof(text) - 1] = 0;
	init_region->collector_error[0] = 0;
	if (text[0])
		log_line("%s%s", text, failed ? "; nothing was recorded" : "");
	else if (!collector_moves && !failed)
		log_line("the collector has gone or hangs: events are missing at the end of '%s'",
			 session.output);
}

static void start_by_role(void)
{
	if (session.role == SESSION_NEVER)
		return;
	if (session.role == SESSION_ACTIVE || (settings.help && session.fresh))
		settings_speak(session.fresh);
	process_install_handlers();
	atomic_store(&init_state, INIT_DORMANT);
	if (session.role == SESSION_ACTIVE)
		(void)init_activate();
	else if (settings.verbose >= 2)
		log_line("'%s' stays dormant until it uses Python, CUDA or NVTX",
			 program_invocation_short_name);
}

__attribute__((constructor)) static void init_library(void)
{
	int saved = errno;

	(void)hook_resolve();
	clock_init();
	log_init();
	settings_read();
	session_begin(settings.output, settings.session, settings.preload, settings.children);
	session_export(settings.preload);
	start_by_role();
	if (session.role != SESSION_NEVER && !session.late)
		python_begin();
	errno = saved;
}

/* Called by the CUDA driver at its initialisation, by way of CUDA_INJECTION64_PATH. */
HOOK_EXPORT int InitializeInjection(void)
{
	(void)init_activate();
	return 1;
}
