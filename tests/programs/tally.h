/* SPDX-License-Identifier: MIT */
/*
 * What a subject program keeps of its own heap calls, to compare with what the report says. One
 * tally a thread; results go to a table in memory that forked children share, and at the end to a
 * file as JSON. Nothing here allocates. It does not follow addresses: the caller knows its sizes.
 */
#ifndef TESTS_PROGRAMS_TALLY_H
#define TESTS_PROGRAMS_TALLY_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TALLY_ROWS 4096u

struct tally {
	uint32_t pid, tid;
	uint64_t allocations, bytes_allocated, frees, bytes_freed, unmatched, temporary;
	uint64_t failed_reallocs; /* two events each: free, and no, not freed */
	void *last; /* block of the thread's last heap event, if that was an allocation */
};

struct tally_table {
	uint32_t count;
	struct tally row[TALLY_ROWS];
	int64_t live_bytes, peak_bytes; /* meaningful with one thread and one process */
};

static struct tally_table *tally_table;

static inline void tally_open(void)
{
	tally_table = (struct tally_table *)mmap(NULL, sizeof(*tally_table), PROT_READ | PROT_WRITE,
						 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally_table == MAP_FAILED)
		_exit(99);
}

static inline struct tally *tally_row(void)
{
	uint32_t index = __atomic_fetch_add(&tally_table->count, 1, __ATOMIC_SEQ_CST);
	struct tally *t = &tally_table->row[index];

	t->pid = (uint32_t)getpid();
	t->tid = (uint32_t)syscall(SYS_gettid);
	return t;
}

/* After an allocation that gave `block`. */
static inline void tally_took(struct tally *t, void *block, size_t size)
{
	int64_t live, peak;

	if (!block)
		_exit(98);
	t->allocations++;
	t->bytes_allocated += size;
	t->last = block;
	live = __atomic_add_fetch(&tally_table->live_bytes, (int64_t)size, __ATOMIC_SEQ_CST);
	peak = __atomic_load_n(&tally_table->peak_bytes, __ATOMIC_SEQ_CST);
	while (live > peak && !__atomic_compare_exchange_n(&tally_table->peak_bytes, &peak, live, 0,
							   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		continue;
}

/* Before a free of `block`, which this process allocated with `size`. */
static inline void tally_gives(struct tally *t, void *block, size_t size)
{
	t->frees++;
	t->bytes_freed += size;
	t->temporary += block == t->last;
	t->last = NULL;
	__atomic_fetch_sub(&tally_table->live_bytes, (int64_t)size, __ATOMIC_SEQ_CST);
}

/* Before a free of a block that was there before this process began. */
static inline void tally_gives_unknown(struct tally *t)
{
	t->unmatched++;
	t->last = NULL;
}

/* Not by dprintf(), which allocates its buffer. */
static inline void tally_put(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(97);
}

static inline void tally_print(int fd, const struct tally *t, const char *end)
{
	char line[512];

	snprintf(line, sizeof(line),
		 "{\"pid\":%u,\"tid\":%u,\"allocations\":%lu,\"bytes_allocated\":%lu,"
		 "\"frees\":%lu,\"bytes_freed\":%lu,\"frees_unmatched\":%lu,"
		 "\"temporary_allocations\":%lu,\"events\":%lu}%s",
		 t->pid, t->tid, t->allocations, t->bytes_allocated, t->frees, t->bytes_freed,
		 t->unmatched, t->temporary,
		 t->allocations + t->frees + t->unmatched + 2 * t->failed_reallocs, end);
	tally_put(fd, line);
}

/* {"threads": [row, ...], "totals": row, "peak_bytes": n} */
static inline void tally_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint32_t count = tally_table->count;
	char last[64];
	struct tally sum = { 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL };

	tally_put(fd, "{\"threads\":[");
	for (uint32_t i = 0; i < count; i++) {
		const struct tally *t = &tally_table->row[i];

		sum.allocations += t->allocations;
		sum.bytes_allocated += t->bytes_allocated;
		sum.frees += t->frees;
		sum.bytes_freed += t->bytes_freed;
		sum.unmatched += t->unmatched;
		sum.temporary += t->temporary;
		sum.failed_reallocs += t->failed_reallocs;
		tally_print(fd, t, i + 1 < count ? ",\n" : "");
	}
	tally_put(fd, "],\n\"totals\":");
	tally_print(fd, &sum, "");
	snprintf(last, sizeof(last), ",\n\"peak_bytes\":%ld}\n", (long)tally_table->peak_bytes);
	tally_put(fd, last);
	close(fd);
}

#endif
