/* SPDX-License-Identifier: MIT */
/*
 * Start and end. The constructor reads the settings and finds the session. If the process is to
 * record, it creates the region, starts the collector and opens the gates. A dormant process does
 * these three steps when it touches Python, CUDA or NVTX. Each process tries once: what fails stays
 * off and is reported once. No file includes this one: others reach it through record/wake.h and
 * process.h's handlers.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/base/glibc.h"
#include "preload/base/log.h"
#include "preload/hook/allocator_names.h"
#include "preload/hook/hook.h"
#include "preload/life/families.h"
#include "preload/life/launch.h"
#include "preload/life/process.h"
#include "preload/record/capture.h"
#include "preload/record/capture_asked.h"
#include "preload/record/entry.h"
#include "preload/record/limitation.h"
#include "preload/life/region_create.h"
#include "preload/life/session.h"
#include "preload/life/start_map.h"
#include "preload/life/output_check.h"
#include "preload/life/own_program.h"
#include "preload/record/recorder.h"
#include "preload/record/thread_clock.h"
#include "preload/record/strings.h"
#include "preload/settings/settings.h"
#include "preload/record/trouble.h"
#include "preload/record/driver.h"
#include "preload/record/wake.h"

_Static_assert(EVT_FAMILY_LIMIT <= REGION_FAMILIES, "each family has a word");

enum init_state {
	INIT_PASSIVE, /* before the constructor, or off */
	INIT_DORMANT,
	INIT_STARTING,
	INIT_RUNNING,
	INIT_FAILED,
};
static _Atomic int init_state;

static void start_failed(const char *what, const char *subject, int error)
{
	errno = error;
	log_line("cannot %s '%s': %m; nothing is recorded", what, subject);
	atomic_store(&init_state, INIT_FAILED);
}

static int start_collector(int fd, struct region_header *header)
{
	char path[REGION_PATH_BYTES];
	int error;

	if (!session_find_collector(path, sizeof(path))) {
		log_line("cannot find intercept-collector for '%s': keep it in the library's "
			 "folder or "
			 "in ../libexec/intercept of it; nothing is recorded",
			 session.library);
		atomic_store(&init_state, INIT_FAILED);
		return -ENOENT;
	}
	error = launch_collector(path, fd, header);
	if (error)
		start_failed("start the collector", path, -error);
	return error;
}

/*
 * Returns who defines malloc if it is not us: an allocator preloaded before us, or the program
 * itself (first in ld.so's order). An executable's PLT entry also has malloc's address but does not
 * define the symbol.
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

/* True if LD_PRELOAD names the file, by any path. */
static bool is_preloaded(const char *file)
{
	const char *at = settings.preload, *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	size_t length = strlen(name);

	while (at && (at = strstr(at, name))) {
		bool begins = at == settings.preload || strchr(":/ ", at[-1]);

		if (begins && strchr(": ", at[length])) /* also matches the end of the text */
			return true;
		at += length;
	}
	return false;
}

/*
 * If the user can change it, a message is printed. If the program defines an allocator of its own,
 * it is only noted in the file. Not repeated in a forked child, where another thread may have held
 * ld.so's lock at the fork.
 */
static void note_hidden_heap(void)
{
	static bool done;
	const char *by;

	if (done || session.late || !(settings.trace & (1u << SETTINGS_FAMILY_alloc)))
		return;
	done = true;
	by = heap_hidden_by();
	if (by && is_preloaded(by))
		limitation_say(LIMITATION_heap_preloaded, by);
	else if (by && settings.verbose >= 1)
		limitation_say(LIMITATION_heap_own, by);
	else if (by)
		limitation_note(LIMITATION_heap_own, by);
}

/*
 * Not repeated in a forked child, for the same reason. A forked child lives long enough for the
 * collector to examine it.
 */
static void leave_start_map(struct region_header *region, const struct region_shape *shape)
{
	static bool done;

	if (!done)
		start_map_write(region_start(region, shape));
	done = true;
}

static unsigned int families_wanted(void)
{
	unsigned int families = 0;

#define FAMILY(name, by_default, needs, doc, none, why)    \
	if (settings.trace & 1u << SETTINGS_FAMILY_##name) \
		families |= 1u << EVT_FAMILY_##name;
#include "collector/format/families.def"
	if (budget_is_on(&settings.budget) || settings.capture_light)
		/* between windows a gate stays open for steps */
		families |= 1u << EVT_FAMILY_steps;
	if (session.late ||
	    /* hooks of the heap look for originals only while the heap is not recorded */
	    !hook_ready)
		families &= ~(1u << EVT_FAMILY_alloc);
	return families;
}

static void speak_of_start(const struct region_header *region)
{
	struct stat st;

	if (stat(session.output, &st) == 0 && S_ISDIR(st.st_mode))
		log_line("INTERCEPT_OUTPUT '%s' is a directory: the file is written beside it; "
			 "name a file",
			 session.output);
	if (settings.verbose < 1)
		return;
	/* a user who asked for messages can wait; only then the file has its name */
	if (trouble_await_start())
		log_line("recording %s of '%s' into '%s'", settings.trace_text,
			 program_invocation_short_name, region->file);
	else
		trouble_look();
}

/* Checks what can be known of the file before anything is started. */
static int check_output(void)
{
	const char *why = output_check(session.output);

	if (!why)
		return 0;
	if (*why)
		log_line("cannot create '%s': %s; nothing is recorded", session.output, why);
	else
		log_line("cannot create '%s': %m; set INTERCEPT_OUTPUT to a writable path; nothing "
			 "is recorded",
			 session.output);
	atomic_store(&init_state, INIT_FAILED);
	return -EINVAL;
}

/* A dormant program that wakes has touched Python, CUDA or NVTX. */
static uint32_t place_wanted(void)
{
	bool plain = session.plain && session.role == SESSION_ACTIVE;

	return 1u << REGION_PLACE_OUTPUT | (uint32_t)plain << REGION_PLACE_PLAIN |
	       (uint32_t)session.first << REGION_PLACE_FIRST |
	       (uint32_t)(settings.verbose >= 1) << REGION_PLACE_TALK |
	       (uint32_t)settings.metrics_vary << REGION_PLACE_METRICS_OWN;
}

/* Readers look for what is behind the setting: report/core/whole_heap.c. */
static const char *budget_said(void)
{
	static const char heap[] = ", the sample of the heap goes on";
	static char text[SETTINGS_NAME_BYTES + sizeof(heap)];

	if (!settings.budget_text[0] || !settings.heap_every_bytes ||
	    !(settings.trace >> SETTINGS_FAMILY_alloc & 1))
		return settings.budget_text;
	strcpy(text, settings.budget_text);
	strcat(text, heap);
	return text;
}

#define CAPTURE_BYTES (SETTINGS_NAME_BYTES + 32)

/* When the program is recorded, as the recording says it; "": always. */
static const char *capture_said(char text[CAPTURE_BYTES])
{
	if (settings.capture == SETTINGS_CAPTURE_RANGE) {
		strcpy(text, settings_capture_prefix());
		strcat(text, settings.capture_name);
	} else if (settings.capture == SETTINGS_CAPTURE_CUDA) {
		strcpy(text, "cuda-profiler-api");
	} else if (settings.capture == SETTINGS_CAPTURE_STEPS) {
		strcpy(text, "steps ");
		strcat(text, settings.schedule_text);
	} else if (settings.capture == SETTINGS_CAPTURE_TRIGGER) {
		strcpy(text, settings.capture_light ? "trigger,light" : "trigger");
	}
	return text;
}

static int start_recording(void)
{
	char capture[CAPTURE_BYTES] = "";
	uint64_t family[EVT_FAMILY_LIMIT];
	struct region_wish wish = { .buffer_bytes = settings.buffer_bytes,
				    .max_file_bytes = settings.max_file_bytes,
				    .keep_last_ns = settings.keep_last.ns,
				    .keep_last_bytes = settings.keep_last.bytes,
				    .keep_last_steps = settings.keep_last.steps,
				    .keep = settings.keep,
				    .redact = settings.redact,
				    .place = place_wanted(),
				    .family = family,
				    .families = EVT_FAMILY_LIMIT,
				    .session = session.id,
				    .output = session.output,
				    .preset = settings_preset(),
				    .trace = settings.trace_text,
				    .capture = capture_said(capture),
				    .budget = budget_said(),
				    .step = settings.step_name,
				    .own = settings.own,
				    .metrics = settings.metrics,
				    .trigger = settings.trigger };
	struct recorder_region region = { .wait_when_full = settings.full == SETTINGS_FULL_WAIT };
	uint32_t entry;
	int fd, error;

	error = check_output();
	if (error)
		return error;
	settings_family_words(family);
	error = region_create(&wish, &region.header, &region.shape, &fd);
	if (error) {
		start_failed("get memory for", "INTERCEPT_BUFFER", -error);
		return error;
	}
	leave_start_map(region.header, &region.shape);
	error = entry_begin(region.header, &region.shape, settings.rank, &entry);
	if (!error) {
		limitations_renew();
		note_hidden_heap();
	}
	if (!error)
		error = start_collector(fd, region.header);
	close(fd);
	if (error)
		return error;
	trouble_watch(region.header);
	speak_of_start(region.header);
	strings_forget();
	capture_reset();
	thread_clock_begin();
	capture_asked_init(settings.capture == SETTINGS_CAPTURE_TRIGGER);
	error = recorder_open(&region, entry, families_wanted());
	if (error)
		return error;
	families_start();
	if (settings.capture == SETTINGS_CAPTURE_ALL)
		capture_always();
	if (settings.capture_light)
		capture_begin_light();
	return 0;
}

/*
 * A dormant program has touched Python, CUDA or NVTX: starts to record. Any thread. Returns true if
 * the process records now. Cheap if it already does.
 */
static bool init_activate(void)
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

/*
 * Another thread may be about to start the recording, which may take a while. Then the program's
 * next call of CUDA finds the driver.
 */
static void init_driver_starts(bool is_late)
{
	int stage = atomic_load(&init_state);

	if (stage == INIT_RUNNING)
		families_driver_starts(is_late);
	else if (stage == INIT_STARTING)
		__atomic_store_n(&driver_is_known, false, __ATOMIC_RELAXED);
}

static void init_driver_found(void)
{
	init_driver_starts(true);
}

/*
 * For a forked child whose region's collector has finished: it becomes dormant, as if it had not
 * recorded yet.
 */
static void init_sleep(void)
{
	atomic_store(&init_state, INIT_DORMANT);
}

/*
 * This may run within malloc(), so the child cannot create a region here. It does so when something
 * else wakes the program.
 */
static void adopt_stranger(void)
{
	if (!process_adopt())
		init_sleep();
}

static void start_anew(void)
{
	init_sleep();
	(void)init_activate();
}

/* Programs of another libc, such as musl's, run as without us. A launcher has nothing to record. */
static void refuse_other_libc(void)
{
	if (session.role == SESSION_ACTIVE && session.fresh)
		log_line("'%s' is not linked with glibc: nothing of it is recorded; only programs "
			 "of "
			 "glibc can be",
			 program_invocation_short_name);
	session.role = SESSION_NEVER;
}

static void start_by_role(void)
{
	if (own_program())
		session.role = SESSION_NEVER;
	else if (!glibc_is_here())
		refuse_other_libc();
	if (session.role == SESSION_NEVER)
		return;
	if (session.role == SESSION_ACTIVE || (settings.help && session.fresh))
		settings_speak(session.fresh);
	process_install_handlers(start_anew, trouble_report);
	recorder_on_strange_fork(adopt_stranger);
	capture_on_open(families_opened);
	atomic_store(&init_state, INIT_DORMANT);
	if (session.role == SESSION_ACTIVE)
		(void)init_activate();
	else if (settings.verbose >= 2)
		log_line("'%s' stays dormant until it uses Python, CUDA or NVTX; "
			 "INTERCEPT_CHILDREN=all records it, too",
			 program_invocation_short_name);
}

/*
 * glibc passes main()'s arguments to constructors. A program with another libc is refused before
 * the arguments are used.
 */
__attribute__((constructor)) static void init_library(int argc, char **argv)
{
	int saved = errno;

	(void)argc;
	(void)hook_resolve();
	allocator_names_withdraw();
	wake_program = init_activate;
	driver_found = init_driver_found;
	clock_init();
	log_init();
	settings_read();
	session_begin(settings.output, settings.session, settings.preload, settings.children);
	session_export(settings.preload);
	start_map_arguments(argv);
	start_by_role();
	start_map_arguments(NULL);
	if (session.role != SESSION_NEVER && !session.late)
		families_loaded();
	errno = saved;
}

#define HOOK(library, returns, name, parameters, arguments)
#define ENTRY(returns, name, parameters) returns name parameters;
#include "preload/life/hooks.def"

/*
 * The CUDA driver calls this at its initialisation, because CUDA_INJECTION64_PATH names this
 * library.
 */
HOOK_EXPORT int InitializeInjection(void)
{
	__atomic_store_n(&driver_is_known, true, __ATOMIC_RELAXED);
	/* do not wake a program whose CUDA events are not recorded */
	if (settings.trace & (1u << SETTINGS_FAMILY_cuda | 1u << SETTINGS_FAMILY_gpu) ||
	    settings.capture == SETTINGS_CAPTURE_CUDA)
		(void)init_activate();
	init_driver_starts(false);
	return 1;
}
