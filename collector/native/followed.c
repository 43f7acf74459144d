/* SPDX-License-Identifier: MIT */
/*
 * Opens an event for each thread on each CPU and directs it into that CPU's ring. /proc/PID/task is
 * listed again until it has no new thread. The kernel's event ids rise, so events are found by
 * binary search.
 */
#include "collector/native/followed.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/native/perf_open.h"
#include "collector/native/rights.h"
#include "collector/native/seccomp.h"
#include "collector/processes/proc.h"

#define RINGS_BYTES (32ull << 20) /* for all CPUs together */
#define RING_BYTES (512ull << 10) /* what an unprivileged user may lock per CPU, minus a page */
#define RING_BYTES_LEAST (128ull << 10) /* requested at least, however many CPUs there are */
#define RING_BYTES_MIN (64ull << 10)    /* used if no more may be locked: room for one sample */
#define LISTINGS 3u                     /* of threads, at most, until there is no new one */

int following_init(struct following *following, uint64_t period_ns)
{
	uint32_t number[FOLLOWED_CPUS];
	struct rlimit limit = { 1024, 1024 };

	*following = (struct following){ .period_ns = period_ns, .ring_bytes = RING_BYTES };
	following->cpus = perf_cpus(number, FOLLOWED_CPUS);
	following->cpu = calloc(following->cpus + 1, sizeof(*following->cpu));
	if (!following->cpu || tables_init(&following->tables))
		return -1;
	for (uint32_t i = 0; i < following->cpus; i++) {
		following->cpu[i].number = number[i];
		following->cpu[i].ring.fd = -1;
	}
	while (following->ring_bytes > RING_BYTES_LEAST &&
	       following->ring_bytes * following->cpus > RINGS_BYTES)
		following->ring_bytes /= 2;
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	following->fds_max = limit.rlim_cur / 2 < UINT32_MAX ? (uint32_t)(limit.rlim_cur / 2)
							     : UINT32_MAX;
	if (seccomp_kills_perf())
		following->off = EVT_NATIVE_OFF_ABSENT;
	return 0;
}

static void rings_close(struct following *following)
{
	for (uint32_t i = 0; i < following->cpus && following->cpu; i++)
		perf_ring_close(&following->cpu[i].ring);
}

void following_release(struct following *following)
{
	for (uint32_t i = 0; i < REGION_PROCESSES; i++)
		following_end(following, i);
	rings_close(following);
	tables_release(&following->tables);
	free(following->cpu);
	free(following->event);
	following->cpu = NULL;
	following->event = NULL;
	following->cpus = following->events = 0;
}

static enum evt_native_off off_of(int error)
{
	struct rights rights;

	switch (error) {
	case -EPERM:
	case -EACCES:
		rights = rights_read();
		return rights_why_refused(&rights, error);
	case -ENOSYS:
	case -EOPNOTSUPP:
	case -ENOENT:
		return EVT_NATIVE_OFF_ABSENT;
	case -EINVAL:
	case -E2BIG:
		return EVT_NATIVE_OFF_OLD;
	default:
		return EVT_NATIVE_OFF_ROOM;
	}
}

/* The CPU is offline now. */
static bool is_gone(int error)
{
	return error == -ENODEV || error == -ENXIO;
}

/* --- events --- */

static bool event_keep(struct following *following, const struct followed_event *event)
{
	uint32_t room = following->event_room ? following->event_room * 2 : 256;
	struct followed_event *larger;

	if (following->events == following->event_room) {
		larger = realloc(following->event, room * sizeof(*larger));
		if (!larger)
			return false;
		following->event = larger;
		following->event_room = room;
	}
	following->event[following->events++] = *event;
	return true;
}

static bool fd_keep(struct following *following, struct followed *process, int fd)
{
	uint32_t room = process->fd_room ? process->fd_room * 2 : 8;
	int *larger;

	if (process->fds == process->fd_room) {
		larger = realloc(process->fd, room * sizeof(*larger));
		if (!larger)
			return false;
		process->fd = larger;
		process->fd_room = room;
	}
	process->fd[process->fds++] = fd;
	following->fds++;
	return true;
}

/* Opens all rings with one size. On failure none is open. Returns 0 or -errno. */
static int rings_open_of(struct following *following, uint64_t bytes)
{
	for (uint32_t i = 0; i < following->cpus; i++) {
		struct perf_cpu *cpu = &following->cpu[i];
		int error = cpu->is_off ? 0 : perf_ring_open(&cpu->ring, cpu->number, bytes);

		cpu->is_off |= is_gone(error);
		if (error && !cpu->is_off) {
			rings_close(following);
			return error;
		}
	}
	return 0;
}

/*
 * Opens all rings or none, so that one CPU's ring does not take the whole limit on locked memory.
 */
static int rings_open(struct following *following)
{
	uint64_t bytes = following->ring_bytes;
	int error = rings_open_of(following, bytes);

	while (error == -ENOMEM && bytes > RING_BYTES_MIN)
		error = rings_open_of(following, bytes /= 2);
	if (!error)
		following->ring_bytes = bytes;
	return error;
}

/* Opens the event of a thread on one CPU, in that CPU's ring; 0 or -errno. */
static int event_open(struct following *following, uint32_t entry, uint32_t tid,
		      struct perf_cpu *cpu)
{
	struct followed *process = &following->process[entry];
	struct perf_wish wish = { tid, cpu->number, following->period_ns, following->user_only };
	int fd = following->fds < following->fds_max ? perf_open_samples(&wish) : -EMFILE;
	int error = 0;

	if ((fd == -EACCES || fd == -EPERM) && !wish.user_only) {
		wish.user_only = true;
		fd = perf_open_samples(&wish);
		following->user_only = fd >= 0;
	}
	if (fd < 0)
		return fd;
	if (cpu->ring.fd < 0)
		error = rings_open(following);
	if (!error && cpu->is_off)
		error = -ENODEV;
	if (!error && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->ring.fd))
		error = -errno;
	if (!error && (!event_keep(following, &(struct followed_event){ perf_id(fd), entry,
									process->number, tid }) ||
		       !fd_keep(following, process, fd)))
		error = -ENOMEM;
	if (error)
		close(fd);
	return error;
}

/* Returns 0 or -errno; -ESRCH: the thread has ended. */
static int thread_open(struct following *following, uint32_t entry, uint32_t tid)
{
	int error = 0;

	for (uint32_t i = 0; i < following->cpus && !error; i++) {
		struct perf_cpu *cpu = &following->cpu[i];

		if (cpu->is_off)
			continue;
		error = event_open(following, entry, tid, cpu);
		if (!is_gone(error))
			continue;
		cpu->is_off = true;
		error = 0;
	}
	return error;
}

/* --- threads of a process --- */

struct listing {
	uint32_t tid[FOLLOWED_THREADS];
	uint32_t count;
	bool is_cut;
};

static bool listing_has(const struct listing *listing, uint32_t tid)
{
	for (uint32_t i = 0; i < listing->count; i++)
		if (listing->tid[i] == tid)
			return true;
	return false;
}

/* Adds the new threads and returns their number. */
static uint32_t listing_read(struct listing *listing, uint32_t pid)
{
	char path[PROC_PATH_BYTES];
	uint32_t before = listing->count;
	struct dirent *entry;
	DIR *folder;

	proc_path(pid, "task", path, sizeof(path));
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (!tid || listing_has(listing, tid))
			continue;
		if (listing->count == FOLLOWED_THREADS) {
			listing->is_cut = true;
			break;
		}
		listing->tid[listing->count++] = tid;
	}
	if (folder)
		closedir(folder);
	return listing->count - before;
}

/* A thread that is created meanwhile by a thread without an event is in the next listing. */
static void threads_open(struct following *following, uint32_t entry)
{
	static struct listing listing; /* 16 KiB; one thread */
	struct followed *process = &following->process[entry];
	uint32_t opened = 0;
	int error = 0;

	listing.count = 0;
	listing.is_cut = false;
	for (uint32_t round = 0; round < LISTINGS && listing_read(&listing, process->pid); round++)
		for (; opened < listing.count; opened++) {
			error = thread_open(following, entry, listing.tid[opened]);
			if (!error || error == -ESRCH)
				continue;
			process->now.partial += opened != 0;
			if (opened)
				continue;
			process->now.off = off_of(error);
			return;
		}
	process->now.partial += listing.is_cut;
}

void following_begin(struct following *following, uint32_t entry, const struct process *process)
{
	struct followed *followed = &following->process[entry];

	following_end(following, entry);
	*followed = (struct followed){ .number = process->number, .pid = process->pid };
	followed->now.process = process->number;
	followed->now.period_ns = following->period_ns;
	followed->now.off = process->moved ? EVT_NATIVE_OFF_ELSEWHERE : following->off;
	if (!followed->now.off)
		threads_open(following, entry);
	/* after the events, so that later mappings are in the ring */
	if (!followed->now.off)
		(void)mappings_read(&followed->mappings, &following->tables, process->pid);
	followed->now.user_only = following->user_only;
}

void following_end(struct following *following, uint32_t entry)
{
	struct followed *followed = &following->process[entry];
	uint32_t kept = 0;

	if (!followed->number)
		return;
	for (uint32_t i = 0; i < followed->fds; i++)
		close(followed->fd[i]);
	following->fds -= followed->fds;
	for (uint32_t i = 0; i < following->events; i++)
		if (following->event[i].entry != entry)
			following->event[kept++] = following->event[i];
	following->events = kept;
	free(followed->fd);
	mappings_release(&followed->mappings);
	*followed = (struct followed){ 0 };
}

struct followed *following_find(struct following *following, uint64_t id, uint32_t *ret_entry,
				uint32_t *ret_tid)
{
	uint32_t low = 0, high = following->events;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (following->event[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == following->events || following->event[low].id != id)
		return NULL;
	*ret_entry = following->event[low].entry;
	*ret_tid = following->event[low].tid;
	return &following->process[*ret_entry];
}
