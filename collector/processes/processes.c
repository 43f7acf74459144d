/* SPDX-License-Identifier: MIT */
/*
 * Scans the process table. Entries are copied and checked. Pids from them are used only to examine
 * processes, never to send signals.
 */
#include "collector/processes/processes.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "collector/format/layout.h"
#include "collector/processes/identity.h"
#include "collector/processes/limitations.h"
#include "collector/processes/proc.h"
#include "collector/processes/process_steps.h"
#include "collector/processes/memory_samples.h"

#define MS 1000000ull
#define PENDING_NS (1000 * MS)
#define LOOK_NS (20 * MS)
#define COMPARE_NS (250 * MS)           /* each costs a look into /proc */
#define STOP_AGAIN_LEAST_NS (1000 * MS) /* how soon it is said again that a process is stopped */
#define STOP_AGAIN_NS (60000 * MS)      /* at least this often */
#define PID_LIMIT (1u << 22)            /* for Linux on 64 bits */

void processes_init(struct processes *processes, bool inspect)
{
	memset(processes, 0, sizeof(*processes));
	processes->inspect = inspect;
}

void processes_release(struct processes *processes)
{
	for (uint32_t i = 0; i < processes->limit; i++) {
		if (!processes->slot[i].number)
			continue;
		watch_release(&processes->slot[i].watch);
		modules_release(&processes->slot[i].modules);
		memory_kills_release(&processes->slot[i].kills);
		process_steps_release(&processes->slot[i]);
	}
	images_release(&processes->images);
}

/* Never decreases, whatever the region says. */
static uint32_t table_limit(const struct common *common, uint32_t known)
{
	uint32_t limit = atomic_load(&common->view.header->process_limit);

	if (limit > REGION_PROCESSES)
		limit = REGION_PROCESSES;
	return limit > known ? limit : known;
}

struct process *processes_find(struct processes *processes, uint32_t entry, uint32_t serial)
{
	struct process *process;

	if (entry >= REGION_PROCESSES)
		return NULL;
	process = &processes->slot[entry];
	return process->number && process->serial == serial ? process : NULL;
}

/*
 * If a child sees its parent under the number that we see, it is in our pid namespace. The child
 * may be gone already, and then nothing else would prove it.
 */
static void process_find_pid(struct process *process, const struct process *parent,
			     uint32_t parent_pid, const struct namesake_region *region)
{
	struct namesake_claim claim = { .pid = process->pid,
					.here = parent && !parent->moved &&
						parent->pid == parent_pid,
					.first = process->number == 1,
					.stack_start = parent ? parent->stack_start : 0 };
	struct namesake namesake;
	struct proc_stat stat;

	if (!process->pid)
		return;
	namesake = namesake_find(&claim, region);
	process->pid = namesake.pid;
	process->moved = namesake.moved;
	process->likely = namesake.kind == NAMESAKE_LIKELY;
	if (namesake.kind != NAMESAKE_LEFT)
		return;
	process->gone = true;
	process->execed = proc_stat(process->pid, &stat) && !stat.zombie;
}

static void tell_meta(struct common *common, const struct process *process, uint64_t time_ns,
		      const char *key, const char *value)
{
	JOURNAL_ADD(&common->journal, time_ns, meta, .process = process->number,
		    .key = names_id_text(&common->names, key, strlen(key)),
		    .value = names_id_text(&common->names, value, strlen(value)));
}

/*
 * One from its entry at the start, and one that PyTorch reports later. A program that overwrites
 * its entry is not followed further.
 */
#define RANKS_TOLD_MAX 2u

/* Records the rank in a distributed run that the process has stored in its entry. */
static void process_tell_rank(struct common *common, struct process *process, uint64_t time_ns)
{
	static const char *const variables[] = {
#define RANK_VARIABLE(rank, world) #rank,
#include "collector/region/ranks.def"
		"init_process_group",
	};
	uint64_t word = view_load64(&common->view.process[process->entry].rank);
	uint32_t variable = region_rank_variable(word);
	char text[16];

	if (word == process->rank || process->ranks_told >= RANKS_TOLD_MAX ||
	    !(word & REGION_RANK_MASK) || variable >= sizeof(variables) / sizeof(*variables))
		return;
	process->rank = word;
	process->ranks_told++;
	snprintf(text, sizeof(text), "%u", region_rank_number(word));
	tell_meta(common, process, time_ns, "rank", text);
	tell_meta(common, process, time_ns, "rank_variable", variables[variable]);
	snprintf(text, sizeof(text), "%u", region_rank_world(word));
	if (region_rank_world(word))
		tell_meta(common, process, time_ns, "world_size", text);
}

/* If only some of its allocations have stacks: records the mean number of bytes between them. */
static void process_tell_sampling(struct common *common, const struct process *process)
{
	uint64_t every = view_family_word(&common->view, EVT_FAMILY_alloc);
	char text[24];

	if (!every)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, every);
	tell_meta(common, process, process->start_ns, "stacks_every", text);
}

static const struct process *process_parent(const struct processes *processes,
					    const struct region_process *shared)
{
	uint32_t parent = view_load32(&shared->parent);

	if (parent >= REGION_PROCESSES || !processes->slot[parent].number)
		return NULL;
	return &processes->slot[parent];
}

/* An entry has become LIVE: its owner is watched from now on. */
static void processes_process_meet(struct processes *processes, struct common *common,
				   uint32_t entry, uint32_t serial)
{
	const struct region_process *shared = &common->view.process[entry];
	const struct process *parent = process_parent(processes, shared);
	struct process *process = &processes->slot[entry];
	struct modules_reading reading = { .common = common, .region = processes->region.file };
	bool first = processes->first_fd;

	if (parent == process)
		parent = NULL;
	*process = (struct process){
		.number = ++processes->numbers,
		.entry = entry,
		.serial = serial,
		.pid = processes->inspect ? view_load32(&shared->pid) : 0,
		.start_ns = common_ns(common, view_load64(&shared->start_tsc)),
	};
	if (!first) /* the process that started us is in our namespace, and may be gone by now */
		process_find_pid(process, parent, view_load32(&shared->parent_pid),
				 &processes->region);
	watch_init(&process->watch, process->pid, processes->first_fd);
	/* the first process to be met is the one that started us: entry 0 */
	processes->first_fd = 0;
	process_identify(process, parent, common, &processes->region);
	JOURNAL_ADD(&common->journal, process->start_ns, process, .process = process->number,
		    .pid = view_load32(&shared->pid),
		    .parent_pid = view_load32(&shared->parent_pid),
		    .parent = parent ? parent->number : 0, .command = process->command,
		    .executable = process->executable);
	process_tell_rank(common, process, process->start_ns);
	process_tell_sampling(common, process);
	limitations_tell(common, process, shared, process->start_ns);
	reading.process = process->number;
	reading.from_ns = process->start_ns;
	if (parent)
		modules_inherit(&process->modules, &parent->modules, &reading);
}

/*
 * An entry that is PENDING or FILLING: it is counted for a second; then a PENDING one is given up.
 */
static void entry_wait(struct processes *processes, struct common *common, uint32_t entry,
		       uint32_t state, uint64_t steady_ns)
{
	struct region_process *shared = &common->view.process[entry];
	struct processes_pending *pending = &processes->pending[entry];
	uint32_t serial = atomic_load(&shared->serial);
	uint32_t expected = REGION_PROCESS_PENDING;

	if (!pending->since_ns || pending->serial != serial || pending->state != state)
		*pending = (struct processes_pending){ serial, state, steady_ns };
	if (steady_ns - pending->since_ns < PENDING_NS) {
		processes->waiting++;
		return;
	}
	if (state == REGION_PROCESS_PENDING)
		atomic_compare_exchange_strong(&shared->state, &expected, REGION_PROCESS_FREE);
}

static bool process_has_execed(const struct processes *processes, struct process *process)
{
	struct proc_stat stat;

	if (process->likely) {
		process->likely = false;
		return maps_has_file(process->pid, processes->region.file) == 0;
	}
	if (!processes->inspect || !process->stack_start || !proc_stat(process->pid, &stat))
		return false;
	if (stat.stack_start == process->stack_start || !stat.stack_start)
		return false;
	if (!processes->region.file.inode || maps_has_file(process->pid, processes->region.file)) {
		process->stack_start = stat.stack_start;
		return false;
	}
	return true;
}

/*
 * If a process was about to exec and is over, it has become another program, whichever of the two
 * ended. `now_ns` is from before the look.
 */
static void processes_process_look(const struct processes *processes, const struct common *common,
				   struct process *process, bool compare, uint64_t now_ns)
{
	bool leaves = view_load64(&common->view.process[process->entry].exec_tsc) != 0;

	if (process->gone || !processes->inspect)
		return;
	process->gone = watch_is_over(&process->watch);
	if (!process->gone)
		process->alive_ns = now_ns;
	else if (leaves && !process->exiting)
		process->execed = true;
	if ((!compare && !leaves) || process->gone || process->exiting)
		return;
	if (process_has_execed(processes, process)) {
		process->execed = true;
		process->gone = true;
	} else {
		process->image_ns = now_ns;
	}
}

/*
 * Returns false for what no process would write: the entry's owner, and the owner of its rings,
 * will never be known.
 */
static bool entry_is_possible(const struct region_process *shared, uint32_t serial)
{
	uint32_t pid = view_load32(&shared->pid), parent = view_load32(&shared->parent);

	return serial && pid && pid <= PID_LIMIT &&
	       (parent < REGION_PROCESSES || parent == REGION_NO_PARENT);
}

static void process_count(struct processes *processes, const struct process *process)
{
	if (!process->exiting && !process->gone)
		processes->alive++;
	else if (!process->told)
		processes->leaving++;
}

static void entry_scan(struct processes *processes, struct common *common, uint32_t entry,
		       uint64_t steady_ns)
{
	struct region_process *shared = &common->view.process[entry];
	struct process *process = &processes->slot[entry];
	uint32_t state = atomic_load_explicit(&shared->state, memory_order_acquire);
	uint32_t serial = atomic_load(&shared->serial);

	if (process->number) {
		if (process->serial == serial && state == REGION_PROCESS_EXITING)
			process->exiting = true;
		if (view_load64(&shared->rank) != process->rank && !process->told)
			process_tell_rank(
				common, process,
				clockmap_ns(&common->clock, clockmap_now(&common->clock)));
		process_count(processes, process);
		return;
	}
	switch (state) {
	case REGION_PROCESS_PENDING:
	case REGION_PROCESS_FILLING:
		entry_wait(processes, common, entry, state, steady_ns);
		return;
	case REGION_PROCESS_LIVE:
	case REGION_PROCESS_EXITING:
		if (!entry_is_possible(shared, serial)) {
			processes->refused++, processes->has_refused = true;
			atomic_compare_exchange_strong(&shared->state, &state, REGION_PROCESS_FREE);
			return;
		}
		processes_process_meet(processes, common, entry, serial);
		process->exiting = state == REGION_PROCESS_EXITING;
		process_count(processes, process);
		return;
	default:
		processes->pending[entry].since_ns = 0;
	}
}

void processes_scan(struct processes *processes, struct common *common, uint64_t steady_ns)
{
	bool look, compare;
	uint64_t now_ns;

	/* a turn scans by the time at which it began, also after it has closed a frame */
	if (steady_ns < processes->scanned_ns)
		steady_ns = processes->scanned_ns;
	processes->scanned_ns = steady_ns;
	look = steady_ns - processes->looked_ns >= LOOK_NS;
	compare = look && steady_ns - processes->compared_ns >= COMPARE_NS;
	now_ns = look ? clockmap_ns(&common->clock, clockmap_now(&common->clock)) : 0;
	processes->limit = table_limit(common, processes->limit);
	processes->alive = 0;
	processes->waiting = 0;
	processes->leaving = 0;
	if (look)
		processes->looked_ns = steady_ns;
	if (compare)
		processes->compared_ns = steady_ns;
	for (uint32_t i = 0; i < processes->limit; i++) {
		if (look && processes->slot[i].number)
			processes_process_look(processes, common, &processes->slot[i], compare,
					       now_ns);
		entry_scan(processes, common, i, steady_ns);
	}
}

bool processes_have_new(const struct processes *processes, const struct common *common)
{
	uint32_t limit = table_limit(common, processes->limit);

	for (uint32_t i = 0; i < limit; i++)
		if (!processes->slot[i].number &&
		    atomic_load_explicit(&common->view.process[i].state, memory_order_relaxed) ==
			    REGION_PROCESS_LIVE)
			return true;
	return false;
}

/*
 * Returns by how much a counter of the region has grown. If it has decreased, it was overwritten.
 */
static uint64_t counter_growth(const void *counter, uint64_t *seen)
{
	uint64_t now = view_load64(counter);
	uint64_t growth = now > *seen ? now - *seen : 0;

	*seen = now;
	return growth > UINT32_MAX ? UINT32_MAX : growth;
}

static uint64_t loss_tell(struct common *common, uint64_t now_ns, uint32_t process, uint64_t count,
			  enum evt_lost_reason reason)
{
	if (count)
		JOURNAL_ADD(&common->journal, now_ns, lost, .process = process, .count = count,
			    .reason = reason);
	return count;
}

/* Stores a message once, for the program to print at its end, unless there is a worse one. */
static void complain_of_rings(struct common *common)
{
	struct region_header *header = common->view.header;
	char text[REGION_TEXT_BYTES];

	if (header->collector_error[0])
		return;
	snprintf(text, sizeof(text),
		 "more threads at once than the %" PRIu32
		 " rings: events are lost; a larger INTERCEPT_BUFFER has more rings",
		 common->view.shape.ring_count);
	view_say(header, text);
}

uint64_t processes_tell_losses(struct processes *processes, struct common *common, uint64_t now_ns)
{
	uint64_t lost = loss_tell(
		common, now_ns, 0,
		counter_growth(&common->view.header->lost_no_process, &processes->lost_no_process),
		EVT_LOST_NO_PROCESS);

	lost += loss_tell(common, now_ns, 0, processes->refused, EVT_LOST_SCRIBBLED);
	processes->refused = 0;
	for (uint32_t i = 0; i < processes->limit; i++) {
		struct process *p = &processes->slot[i];
		const struct region_process *shared = &common->view.process[i];
		uint64_t no_ring;

		if (!p->number)
			continue;
		limitations_tell(common, p, shared, now_ns);
		no_ring = counter_growth(&shared->lost_no_ring, &p->lost_no_ring);
		lost += loss_tell(common, now_ns, p->number, no_ring, EVT_LOST_NO_RING);
		if (no_ring && !processes->has_refused)
			complain_of_rings(common);
		lost += loss_tell(common, now_ns, p->number,
				  counter_growth(&shared->lost_nested, &p->lost_nested),
				  EVT_LOST_NESTED);
		lost += loss_tell(common, now_ns, p->number,
				  counter_growth(&shared->lost_early, &p->lost_early),
				  EVT_LOST_EARLY);
		lost += loss_tell(common, now_ns, p->number,
				  counter_growth(&shared->lost_sampled, &p->lost_sampled),
				  EVT_LOST_SAMPLED);
		/* no event is missing */
		(void)loss_tell(common, now_ns, p->number,
				counter_growth(&shared->lost_stacks, &p->lost_stacks),
				EVT_LOST_NO_STACK);
	}
	return lost;
}

/* Nobody has examined the process, and nothing is left to examine. */
static bool modules_recall(const struct processes *processes, struct process *p,
			   const struct modules_reading *reading)
{
	const struct process *parent = process_parent(processes,
						      &reading->common->view.process[p->entry]);

	if (!p->modules.count && parent && parent != p)
		modules_inherit(&p->modules, &parent->modules, reading);
	return p->modules.count || modules_take_start(&p->modules, reading);
}

/* No event is missing. */
static void tell_left_out(struct common *common, struct process *p, uint64_t now_ns)
{
	if (p->modules.left_out <= p->lost_modules)
		return;
	(void)loss_tell(common, now_ns, p->number, p->modules.left_out - p->lost_modules,
			EVT_LOST_MODULES);
	p->lost_modules = p->modules.left_out;
}

static struct modules_reading modules_reading_of(struct processes *processes, struct common *common,
						 const struct process *p, uint64_t steady_ns)
{
	return (struct modules_reading){ .common = common,
					 .images = &processes->images,
					 .pid = p->pid,
					 .process = p->number,
					 .from_ns = p->start_ns,
					 .steady_ns = steady_ns,
					 .is_last = p->exiting || p->gone,
					 .region = processes->region.file };
}

static bool process_wants_look(const struct process *p, uint64_t steady_ns)
{
	if (!p->number || p->told || p->gone)
		return false;
	if (p->exiting)
		return !p->looked_at_end;
	return (!p->modules.read_ns && !p->modules.look.module) ||
	       modules_want_look(&p->modules, steady_ns);
}

bool processes_look_at_modules(struct processes *processes, struct common *common,
			       uint64_t steady_ns)
{
	bool any = false;

	for (uint32_t i = 0; i < processes->limit && processes->inspect; i++) {
		struct process *p = &processes->slot[i];
		struct modules_reading reading;

		if (!process_wants_look(p, steady_ns))
			continue;
		reading = modules_reading_of(processes, common, p, steady_ns);
		any |= modules_look(&p->modules, &reading);
		p->looked_at_end = p->exiting;
	}
	return any;
}

bool processes_settle_modules(struct processes *processes, struct common *common,
			      uint64_t steady_ns, uint64_t now_ns)
{
	bool any = false;

	for (uint32_t i = 0; i < processes->limit && processes->inspect; i++) {
		struct process *p = &processes->slot[i];
		struct modules_reading reading;

		if (!p->number || p->told)
			continue;
		reading = modules_reading_of(processes, common, p, steady_ns);
		reading.time_ns = now_ns;
		any |= modules_settle(&p->modules, &reading);
		if (!p->modules.read_ns)
			any |= modules_recall(processes, p, &reading);
		tell_left_out(common, p, now_ns);
	}
	return any;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Records usage if it has changed. If the process has just called exec, the usage would be another
 * program's.
 */
static void tell_usage(struct common *common, struct process *p, uint64_t now_ns)
{
	struct process_usage *told = &p->usage;
	uint64_t before_ns = view_load64(&common->view.process[p->entry].children_before_ns);
	uint64_t peak = proc_memory_peak_bytes(p->pid), disk_read = 0, disk_written = 0, limit;
	struct proc_disk disk;
	struct proc_stat stat;

	if (proc_disk(p->pid, &disk)) {
		disk_read = disk.read_bytes + 1;
		disk_written = disk.written_bytes + 1;
	}

	if (!proc_stat(p->pid, &stat) || stat.zombie ||
	    (p->stack_start && stat.stack_start && p->stack_start != stat.stack_start))
		return;
	memory_kills_look(&p->kills, p->pid, now_ns);
	limit = p->kills.limit_bytes;
	stat.children_ns -= before_ns < stat.children_ns ? before_ns : stat.children_ns;
	if (told->looked && limit == told->memory_limit_bytes && peak <= told->memory_peak_bytes &&
	    stat.children_ns <= told->children_ns && stat.major_faults <= told->major_faults &&
	    disk_read <= told->disk_read && disk_written == told->disk_written)
		return;
	told->looked = true;
	told->memory_peak_bytes = later(peak, told->memory_peak_bytes);
	told->children_ns = stat.children_ns;
	told->major_faults = stat.major_faults;
	told->disk_read = disk_read;
	told->disk_written = disk_written;
	told->memory_limit_bytes = limit;
	JOURNAL_ADD(&common->journal, now_ns, process_usage, .process = p->number,
		    .memory_peak_bytes = told->memory_peak_bytes, .children_ns = told->children_ns,
		    .major_faults = told->major_faults, .disk_read = disk_read,
		    .disk_written = disk_written, .memory_limit_bytes = limit);
}

/*
 * Of a process that uses no CPU time, that was stopped before, or whose thread was seen so
 * (`is_seen`). One that ends had not gone on by itself: SIGKILL ends what is stopped.
 */
static uint32_t process_stopped(const struct process *p, uint64_t cpu_ns, bool is_seen)
{
	struct proc_stat stat;

	if (cpu_ns > p->cpu_ns && !p->stopped && !is_seen)
		return 0;
	if (!proc_stat(p->pid, &stat) || stat.zombie || stat.leaving || stat.killed)
		return p->stopped;
	return stat.stopped;
}

/* Is it stopped, or does it go on, since it was told; or is it to be said that it is so still? */
static bool process_stop_is_new(const struct process *p, uint32_t stopped, uint64_t now_ns)
{
	uint64_t pause_ns = p->stop_told_ns - p->stop_ns + STOP_AGAIN_LEAST_NS;

	if (stopped != p->stopped)
		return true;
	return stopped &&
	       now_ns >= p->stop_told_ns + (pause_ns < STOP_AGAIN_NS ? pause_ns : STOP_AGAIN_NS);
}

static bool process_is_examined(const struct process *p)
{
	return p->number && !p->gone && !p->told && p->pid;
}

bool processes_have_stopped(const struct processes *processes, uint64_t now_ns)
{
	for (uint32_t i = 0; i < processes->limit && processes->inspect; i++) {
		const struct process *p = &processes->slot[i];

		if (process_is_examined(p) &&
		    process_stop_is_new(p, process_stopped(p, 0, true), now_ns))
			return true;
	}
	return false;
}

void processes_tell_cpu(struct processes *processes, struct common *common, uint64_t now_ns)
{
	for (uint32_t i = 0; i < processes->limit && processes->inspect; i++) {
		struct process *p = &processes->slot[i];
		uint64_t cpu_ns;
		uint32_t stopped;

		if (!process_is_examined(p))
			continue;
		tell_usage(common, p, now_ns);
		cpu_ns = proc_cpu_ns(p->pid);
		stopped = process_stopped(p, cpu_ns, common->stop_is_new);
		if (cpu_ns <= p->cpu_ns && !process_stop_is_new(p, stopped, now_ns))
			continue;
		p->cpu_ns = later(cpu_ns, p->cpu_ns);
		if (stopped != p->stopped)
			p->stop_ns = now_ns;
		p->stop_told_ns = now_ns;
		p->stopped = stopped;
		JOURNAL_ADD(&common->journal, now_ns, process_cpu, .process = p->number,
			    .cpu_ns = p->cpu_ns, .memory_bytes = proc_memory_bytes(p->pid),
			    .stopped = stopped);
	}
	common->stop_is_new = false;
}

uint64_t process_end_ns(const struct common *common, const struct process *p, uint64_t now_ns)
{
	const struct region_process *shared = &common->view.process[p->entry];
	uint64_t said_tsc = view_load64(p->execed ? &shared->exec_tsc : &shared->exit_tsc);
	uint64_t end_ns = p->start_ns;

	if (p->newest_ticks) /* in the file that record may be one unit later */
		end_ns = later(end_ns,
			       clockmap_ns(&common->clock, p->newest_ticks) + HEAP_TIME_UNIT);
	if (said_tsc)
		end_ns = later(end_ns, common_ns(common, said_tsc));
	else if (p->gone)
		end_ns = later(end_ns, p->execed ? p->image_ns : p->alive_ns);
	else
		end_ns = now_ns;
	return end_ns < now_ns ? end_ns : now_ns;
}

uint64_t processes_end_ns(const struct processes *processes, const struct common *common,
			  uint64_t now_ns)
{
	uint64_t end_ns = processes->ended_ns;

	if (!processes->numbers)
		return now_ns;
	for (uint32_t i = 0; i < processes->limit; i++) {
		const struct process *p = &processes->slot[i];

		if (p->number && !p->told)
			end_ns = later(end_ns, process_end_ns(common, p, now_ns));
	}
	return end_ns < now_ns ? end_ns : now_ns;
}

/* From the kernel if it knows, else from what the process has stored itself. */
static uint64_t process_tell_end(struct common *common, struct process *p, uint64_t now_ns)
{
	struct region_process *shared = &common->view.process[p->entry];
	uint64_t said_cpu_ns = view_load64(&shared->exit_cpu_ns);
	int32_t status = (int32_t)view_load32(&shared->exit_status);
	uint32_t how = view_load32(&shared->exit_how);
	uint64_t end_ns = process_end_ns(common, p, now_ns);
	int wait_status = WATCH_STATUS_UNKNOWN;
	struct memory_kills_end kills = { 0 };
	struct proc_stat stat;

	if (how > EVT_END_EXEC)
		how = EVT_END_UNKNOWN;
	if (p->gone && !p->execed && p->pid) {
		wait_status = watch_wait_status(&p->watch);
		kills = memory_kills_since(&p->kills, end_ns);
		if (proc_stat(p->pid, &stat) && stat.zombie && stat.cpu_ns > p->cpu_ns)
			p->cpu_ns = stat.cpu_ns;
	}
	if (p->execed) {
		how = EVT_END_EXEC;
		status = REGION_STATUS_UNKNOWN;
	} else if (wait_status != WATCH_STATUS_UNKNOWN && WIFSIGNALED(wait_status)) {
		how = EVT_END_KILLED;
		status = 128 + WTERMSIG(wait_status);
	} else if (wait_status != WATCH_STATUS_UNKNOWN) {
		status = WEXITSTATUS(wait_status);
		how = how == EVT_END_UNKNOWN ? EVT_END_IMMEDIATE : how;
	}
	JOURNAL_ADD(&common->journal, end_ns, process_end, .process = p->number,
		    .exit_status = status < 0 || status > 255 ? REGION_STATUS_UNKNOWN : status,
		    .cpu_ns = said_cpu_ns > p->cpu_ns && p->exiting ? said_cpu_ns : p->cpu_ns,
		    .how = how, .oom_kills = kills.kills, .oom_within_ns = kills.within_ns,
		    .oom_machine = kills.is_machine);
	p->told = true;
	return end_ns;
}

void processes_tell_ends(struct processes *processes, struct common *common, uint64_t now_ns)
{
	for (uint32_t i = 0; i < processes->limit; i++) {
		struct process *p = &processes->slot[i];

		if (!p->number || p->told || !(p->exiting || p->gone))
			continue;
		if (!p->gone && p->pid && processes->inspect) {
			tell_usage(common, p, now_ns);
			memory_sample_last(common, p, now_ns);
		}
		processes->ended_ns = later(processes->ended_ns,
					    process_tell_end(common, p, now_ns));
	}
}

void processes_set_flushed(struct processes *processes, struct common *common)
{
	bool any = false;

	for (uint32_t i = 0; i < processes->limit; i++) {
		struct process *p = &processes->slot[i];
		uint32_t expected = REGION_PROCESS_EXITING;

		if (!p->number || !p->told || !p->exiting || p->flushed)
			continue;
		p->flushed = true;
		atomic_compare_exchange_strong(&common->view.process[i].state, &expected,
					       REGION_PROCESS_FLUSHED);
		any = true;
	}
	if (!any)
		return;
	atomic_fetch_add(&common->view.header->flushed, 1);
	view_futex_wake(&common->view.header->flushed);
}

void processes_free_entry(struct processes *processes, struct common *common,
			  struct process *process)
{
	struct region_process *shared = &common->view.process[process->entry];

	processes->waits += view_load64(&shared->waits);
	watch_release(&process->watch);
	modules_release(&process->modules);
	memory_kills_release(&process->kills);
	process_steps_release(process);
	process->number = 0;
	atomic_store(&shared->waits, 0);
	atomic_store(&shared->lost_no_ring, 0);
	atomic_store(&shared->lost_nested, 0);
	atomic_store(&shared->lost_early, 0);
	atomic_store(&shared->lost_stacks, 0);
	atomic_store(&shared->lost_sampled, 0);
	atomic_store(&shared->exit_status, REGION_STATUS_UNKNOWN);
	atomic_store(&shared->exit_how, EVT_END_UNKNOWN);
	atomic_store(&shared->exit_cpu_ns, 0);
	atomic_store(&shared->exit_tsc, 0);
	atomic_store(&shared->exec_tsc, 0);
	atomic_store_explicit(&shared->state, REGION_PROCESS_FREE, memory_order_release);
}

uint64_t processes_waits(const struct processes *processes, const struct common *common)
{
	uint64_t waits = processes->waits;

	for (uint32_t i = 0; i < processes->limit; i++) {
		if (processes->slot[i].number)
			waits += view_load64(&common->view.process[i].waits);
	}
	return waits;
}
