/* SPDX-License-Identifier: MIT */
/*
 * Processes, threads and streams. Their numbers belong to a file. If their definition was lost with
 * a frame, a row without data stands for them.
 */
#include "report/session/source_state.h"

#include "collector/format/error.h"

#define LEVEL_SAMPLES 2u /* value of thread.level for samples */
#define NAME_WAITS_NS 1000000000u
#define EARLIER_LIMIT 64u /* limit for threads with the same tid that are searched */

/* FNV-1a: there are few hosts, and a collision would only join two pids. */
static uint64_t hash_add(uint64_t hash, const char *text)
{
	for (const char *at = text; at && *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
	return hash;
}

/*
 * Sessions that are ranks of one job may come from containers with the same host name and the same
 * pids.
 */
static uint64_t host_key(const struct file_row *file, uint64_t pid)
{
	uint64_t hash = hash_add(0xcbf29ce484222325ull, file->file.host);

	return hash_add(hash, file->file.session) << 32 | (uint32_t)pid;
}

static int process_make(struct file_row *file, uint64_t number, uint64_t time_ns,
			struct process_row **ret_process)
{
	struct source *source = file->source;
	struct process_row *row;
	int error;

	if (source->process_count >= SOURCE_PROCESSES_MAX)
		return EVT_TOO_LARGE;
	error = array_reserve(&source->process, source->process_count, &source->process_room,
			      sizeof(*source->process));
	row = error ? NULL : store_take(&source->store, sizeof(*row));
	if (!row || lookup_put(&file->processes, number, row))
		return EVT_NO_MEMORY;
	row->process = (struct source_process){
		.index = (uint32_t)source->process_count,
		.number = (uint32_t)number,
		.file = &file->file,
		.command = &source->empty_name,
		.executable = &source->empty_name,
		.start_ns = time_ns,
		.end_ns = time_ns,
		.exit_status = -1,
		.rank = UINT64_MAX,
	};
	source->process[source->process_count++] = &row->process;
	*ret_process = row;
	return EVT_OK;
}

int process_mention(struct file_row *file, uint64_t number, uint64_t time_ns,
		    struct process_row **ret_process)
{
	struct process_row *row;

	if (number > UINT32_MAX)
		number = 0;
	row = lookup_find(&file->processes, number);
	if (!row)
		return process_make(file, number, time_ns, ret_process);
	*ret_process = row;
	return EVT_OK;
}

/*
 * Returns its recorded parent. A process after an exec is in another file, or has another number.
 */
static struct source_process *process_find_parent(struct file_row *file,
						  const struct evt_process *event)
{
	struct process_row *row = NULL;

	if (event->parent && event->parent <= UINT32_MAX && event->parent != event->process)
		row = lookup_find(&file->processes, event->parent);
	if (!row && event->parent_pid && event->parent_pid != event->pid)
		row = lookup_find(&file->source->process_by_pid, host_key(file, event->parent_pid));
	return row ? &row->process : NULL;
}

int process_define(struct file_row *file, const struct evt_process *event, uint64_t time_ns)
{
	struct process_row *row;
	struct source_process *process;
	int error = process_mention(file, event->process, time_ns, &row);

	if (error || row->defined)
		return error;
	process = &row->process;
	row->defined = true;
	file->first = file->first ? file->first : process;
	process->pid = (uint32_t)event->pid;
	process->parent_pid = (uint32_t)event->parent_pid;
	process->parent = process_find_parent(file, event);
	process->command = source_name_of(file->source, &file->file, event->command);
	process->executable = source_name_of(file->source, &file->file, event->executable);
	if (time_ns < process->start_ns)
		process->start_ns = time_ns;
	return lookup_put(&file->source->process_by_pid, host_key(file, event->pid), row);
}

static uint64_t thread_key(const struct source_process *process, uint64_t tid)
{
	return (uint64_t)process->index << 32 | (uint32_t)tid;
}

struct thread_row *thread_find(struct source *source, const struct source_process *process,
			       uint64_t tid, uint64_t time_ns)
{
	struct thread_row *row = lookup_find(&source->thread_by_tid, thread_key(process, tid));

	for (unsigned int i = 0; row && row->earlier && i < EARLIER_LIMIT; i++) {
		if (row->thread.start_ns <= time_ns)
			break;
		row = row->earlier;
	}
	return row;
}

struct waiting_name {
	struct thread_naming naming; /* name NULL: a thread has taken it */
	uint64_t time_ns;
};

/* "Thread-1 (work)": threading.Thread's, where nobody named it. */
static bool name_is_made_up(const struct source_name *name)
{
	return name->text && name->length > 7 && !memcmp(name->text, "Thread-", 7) &&
	       name->text[7] >= '0' && name->text[7] <= '9';
}

/*
 * Up to 3.13 Python tells the kernel no names, later as much as fits: then a thread has its
 * creator's name, or the start of its own.
 */
static bool name_is_own(struct source *source, const struct source_thread *thread)
{
	const struct source_name *kernel = thread->kernel_name, *given = thread->given_name;
	const struct thread_row *main = thread_find(source, thread->process, thread->process->pid,
						    thread->start_ns);
	const struct source_name *inherited = main ? main->thread.kernel_name : NULL;

	if (!kernel || !kernel->length || !inherited || inherited == kernel)
		return false;
	return kernel->length > given->length ||
	       memcmp(kernel->text, given->text, kernel->length) != 0;
}

/*
 * What the program says counts more than the kernel's name, but where Python made it up and the
 * thread has named itself.
 */
static void thread_choose_name(struct source *source, struct source_thread *thread)
{
	thread->name = thread->given_name ? thread->given_name : thread->kernel_name;
	if (thread->given_name && name_is_made_up(thread->given_name) &&
	    name_is_own(source, thread))
		thread->name = thread->kernel_name;
}

void thread_take_kernel_name(struct source *source, struct source_thread *thread,
			     const struct source_name *name)
{
	thread->kernel_name = name;
	thread_choose_name(source, thread);
}

void thread_set_name(struct source *source, const struct source_process *process, uint64_t tid,
		     uint64_t time_ns, const struct thread_naming *naming)
{
	struct thread_row *row = thread_find(source, process, tid, time_ns);
	struct waiting_name *waiting;

	if (row && !(row->thread.ended && row->thread.end_ns < time_ns)) {
		row->thread.given_name = naming->name;
		if (naming->pool_threads)
			row->thread.pool_threads = naming->pool_threads;
		thread_choose_name(source, &row->thread);
		return;
	}
	waiting = lookup_find(&source->name_by_tid, thread_key(process, tid));
	if (!waiting) {
		waiting = store_take(&source->store, sizeof(*waiting));
		if (!waiting || lookup_put(&source->name_by_tid, thread_key(process, tid), waiting))
			return;
	}
	*waiting = (struct waiting_name){ *naming, time_ns };
}

/*
 * A thread's first stream may begin with its first sample. A later stream is another thread with
 * that id.
 */
static void thread_take_waiting(struct source *source, struct source_thread *thread)
{
	struct waiting_name *waiting = lookup_find(&source->name_by_tid,
						   thread_key(thread->process, thread->tid));

	if (!waiting || !waiting->naming.name ||
	    thread->start_ns > waiting->time_ns + NAME_WAITS_NS)
		return;
	thread->given_name = waiting->naming.name;
	thread->pool_threads = waiting->naming.pool_threads;
	thread_choose_name(source, thread);
	waiting->naming.name = NULL;
}

static void process_add_thread(struct source_process *process, struct source_thread *thread)
{
	if (process->last_thread)
		process->last_thread->next = thread;
	else
		process->first_thread = thread;
	process->last_thread = thread;
	process->thread_count++;
}

static int thread_make(struct source *source, struct source_process *process, uint64_t tid,
		       uint64_t time_ns, struct thread_row **ret_thread)
{
	struct thread_row *row;
	int error;

	if (source->thread_count >= SOURCE_THREADS_MAX)
		return EVT_TOO_LARGE;
	error = array_reserve(&source->thread, source->thread_count, &source->thread_room,
			      sizeof(*source->thread));
	row = error ? NULL : store_take(&source->store, sizeof(*row));
	if (!row)
		return EVT_NO_MEMORY;
	row->thread = (struct source_thread){
		.index = (uint32_t)source->thread_count,
		.process = process,
		.tid = (uint32_t)tid,
		.start_ns = time_ns,
		.end_ns = time_ns,
	};
	source->thread[source->thread_count++] = &row->thread;
	process_add_thread(process, &row->thread);
	*ret_thread = row;
	return EVT_OK;
}

static int stream_put(struct file_row *file, uint64_t stream, uint64_t level,
		      struct thread_row *thread)
{
	struct stream_row *row = store_take(&file->source->store, sizeof(*row));

	if (!row)
		return EVT_NO_MEMORY;
	*row = (struct stream_row){ thread, level };
	return lookup_put(&file->streams, stream, row);
}

int stream_mention(struct file_row *file, uint64_t stream, uint64_t time_ns,
		   struct thread_row **ret_thread)
{
	struct stream_row *row = lookup_find(&file->streams, stream);
	struct process_row *process;
	int error;

	if (row) {
		*ret_thread = row->thread;
		return EVT_OK;
	}
	error = process_mention(file, 0, time_ns, &process);
	if (!error)
		error = thread_make(file->source, &process->process, 0, time_ns, ret_thread);
	return error ? error : stream_put(file, stream, 0, *ret_thread);
}

const struct source_process *source_process_of(const struct source_file *file, uint64_t number)
{
	const struct process_row *row = NULL;

	if (number <= UINT32_MAX)
		row = lookup_find(&((const struct file_row *)file)->processes, number);
	return row ? &row->process : NULL;
}

const struct source_thread *source_thread_of(const struct source_file *file, uint64_t stream)
{
	/* a file_row begins with its source_file */
	const struct stream_row *row = lookup_find(&((const struct file_row *)file)->streams,
						   stream);

	return row ? &row->thread->thread : NULL;
}

/* Returns an existing thread that this stream belongs to. */
static struct thread_row *thread_to_join(struct source *source,
					 const struct source_process *process,
					 const struct evt_thread *event, uint64_t time_ns)
{
	struct thread_row *row = thread_find(source, process, event->tid, time_ns);

	if (!row || row->thread.ended)
		return NULL;
	return event->level == 0 && row->has_main ? NULL : row;
}

/* The beginning of its counted time: its start if that was recorded, else its first record. */
static void thread_take_life(struct source_thread *thread, const struct evt_thread *event,
			     uint64_t time_ns)
{
	struct source_thread_cpu *cpu = &thread->cpu;
	uint64_t begin_ns = time_ns - (event->lived_ns < time_ns ? event->lived_ns : time_ns);
	uint64_t before_ns = event->cpu_ns -
			     (event->used_ns < event->cpu_ns ? event->used_ns : event->cpu_ns);

	if (event->cpu_ns && (!cpu->is_known || before_ns < cpu->start_ns)) {
		cpu->is_known = true;
		cpu->start_ns = before_ns;
	}
	if (begin_ns < thread->start_ns)
		thread->start_ns = begin_ns;
}

int stream_define(struct file_row *file, const struct evt_thread *event, uint64_t time_ns)
{
	struct source *source = file->source;
	struct stream_row *known = lookup_find(&file->streams, event->stream);
	struct process_row *process;
	struct thread_row *row, *latest;
	uint64_t key;
	int error;

	if (event->stream == 0 || (known && known->thread->defined))
		return EVT_OK;
	error = process_mention(file, event->process, time_ns, &process);
	if (error)
		return error;
	row = thread_to_join(source, &process->process, event, time_ns);
	if (!row) {
		error = thread_make(source, &process->process, event->tid, time_ns, &row);
		if (error)
			return error;
		key = thread_key(&process->process, event->tid);
		latest = lookup_find(&source->thread_by_tid, key);
		row->earlier = latest;
		error = lookup_put(&source->thread_by_tid, key, row);
	}
	row->defined = true;
	row->has_main |= event->level == 0;
	row->thread.has_records |= event->level != LEVEL_SAMPLES;
	thread_take_life(&row->thread, event, time_ns);
	thread_take_waiting(source, &row->thread);
	return error ? error : stream_put(file, event->stream, event->level, row);
}

void stream_end(struct file_row *file, const struct evt_thread_end *event, uint64_t time_ns)
{
	struct stream_row *row = lookup_find(&file->streams, event->stream);
	struct source_thread *thread;

	if (!row || (row->level != 0 && row->thread->has_main))
		return;
	thread = &row->thread->thread;
	thread_note_cpu(thread, event->cpu_ns);
	thread->ended = true;
	if (time_ns > thread->end_ns)
		thread->end_ns = time_ns;
}

/* Readings come from several sources, and the latest one has the highest value. */
void thread_note_cpu(struct source_thread *thread, uint64_t cpu_ns)
{
	if (cpu_ns > thread->cpu.last_ns)
		thread->cpu.last_ns = cpu_ns;
}

void stream_take_sched(struct file_row *file, const struct evt_thread_sched *event)
{
	struct stream_row *row = lookup_find(&file->streams, event->stream);
	struct source_thread_cpu *cpu;

	if (!row)
		return;
	cpu = &row->thread->thread.cpu;
	thread_note_cpu(&row->thread->thread, event->cpu_ns);
	if (!cpu->is_looked)
		cpu->first_runnable_ns = event->runnable_ns;
	cpu->is_looked = true;
	cpu->runnable_ns = event->runnable_ns;
	cpu->voluntary = event->voluntary;
	cpu->involuntary = event->involuntary;
}

void threads_settle(const struct source *source)
{
	for (size_t i = 0; i < source->thread_count; i++) {
		struct source_thread *thread = source->thread[i];
		struct source_process *process = thread->process;

		if (thread->end_ns > process->end_ns && !process->ended)
			process->end_ns = thread->end_ns; /* it was still there */
		if (thread->end_ns > process->end_ns || (process->ended && !thread->ended))
			thread->end_ns = process->end_ns;
		if (thread->start_ns > thread->end_ns)
			thread->start_ns = thread->end_ns;
	}
}
