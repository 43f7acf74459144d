/* SPDX-License-Identifier: MIT */
/* What the hooks record, and when descriptors are forgotten. */
#include "preload/io/io.h"

#include "collector/arch/calls.h"
#include "preload/io/descriptor.h"
#include "preload/io/short_calls.h"
#include "preload/record/entry.h"
#include "preload/record/family.h"
#include "preload/stacks/long_calls.h"

/* In .tdata it fills a gap, because thread-local storage is small (scripts/check-exports.sh). */
__thread bool io_has_vforked __attribute__((tls_model("initial-exec"), section(".tdata")));

/*
 * The mark is removed when the parent runs again: its thread did not run while the child used its
 * memory.
 */
bool io_is_vforked(void)
{
	int saved = errno;
	bool own = entry_is_own();

	errno = saved;
	if (own)
		io_has_vforked = false;
	return !own;
}

intptr_t io_missing(bool as_null)
{
	errno = ENOSYS;
	return as_null ? 0 : -1;
}

/* --- records --- */

static inline uint64_t io_hash_of(struct string *function)
{
	/* two threads that come first compute the same value */
	if (IO_UNLIKELY(!function->hash))
		__atomic_store_n(&function->hash, string_hash(function->bytes, function->length),
				 __ATOMIC_RELAXED);
	return function->hash;
}

static uint64_t io_name_of(struct string *function, struct recorder_lane *lane)
{
	(void)io_hash_of(function);
	return string_id(function, lane);
}

static inline bool io_fd_is_new(const struct io_call *call)
{
	return call->fd >= 0 && !descriptor_is_known(call->fd);
}

/*
 * Sends what an event of the call would name, because there may be no time for it after the call.
 */
static __attribute__((noinline)) void introduce(struct io_call *call, bool without_fd)
{
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_io, RECORDER_IN_RECORD);

	if (!lane)
		return;
	(void)io_name_of(call->function, lane);
	if (!without_fd && io_fd_is_new(call))
		descriptor_introduce(call->fd, call->start, lane);
	recorder_leave(lane);
}

/* A short call says nothing of its descriptor, so a long one does so when it has ended. */
static inline void call_begins(struct io_call *call, bool closes)
{
	bool without_fd = closes || short_calls_are_summed();
	uint64_t hash = io_hash_of(call->function);

	if (IO_UNLIKELY(!open_call_of(REGION_OPEN_io) || !string_is_sent(hash) ||
			(!without_fd && io_fd_is_new(call)))) {
		int saved = errno;

		introduce(call, without_fd);
		errno = saved;
	}
	open_call_begin(REGION_OPEN_io, call->start, hash,
			!closes && without_fd && io_fd_is_new(call) ? IO_FD_UNKNOWN : call->fd);
}

void io_call_begins(struct io_call *call)
{
	call_begins(call, false);
}

void io_call_begins_closing(struct io_call *call)
{
	call_begins(call, true);
}

/* The data for a record of a call. `lane` is NULL if there is to be none: off, or added up. */
struct io_record {
	struct recorder_lane *lane;
	uint64_t now, function, duration;
	int saved; /* saved errno */
};

static inline __attribute__((always_inline)) struct io_record io_record_begin(
	const struct io_call *call)
{
	struct io_record r = { .saved = errno };

	r.lane = recorder_enter(EVT_FAMILY_io, RECORDER_IN_RECORD);
	if (IO_UNLIKELY(!r.lane))
		return r;
	r.now = recorder_now();
	r.duration = r.now - call->start;
	if (short_calls_take(r.lane, r.now, r.duration)) {
		recorder_leave(r.lane);
		errno = r.saved;
		r.lane = NULL;
		return r;
	}
	r.function = io_name_of(call->function, r.lane);
	return r;
}

static inline void io_record_put(struct io_record *r, uint32_t type, const uint64_t *field,
				 unsigned int fields)
{
	stack_put(r->lane, stack_of_call(r->lane, EVT_FAMILY_io, r->duration), type, r->now, field,
		  fields);
	recorder_leave(r->lane);
	errno = r->saved;
}

static inline void meet(int fd, const struct io_record *r)
{
	if (IO_UNLIKELY(!descriptor_is_known(fd)) && fd >= 0)
		descriptor_introduce(fd, r->now, r->lane);
}

static void put_failure(struct io_record *r, int fd)
{
	io_record_put(
		r, EVT_io_failed,
		(uint64_t[]){ r->function, (uint64_t)(int64_t)fd, (uint64_t)r->saved, r->duration },
		4);
}

/* Begins a record, and ends it if the call has failed. Returns true if nothing is left to do. */
static inline __attribute__((always_inline)) bool record_is_done(struct io_record *r,
								 const struct io_call *call,
								 bool failed)
{
	*r = io_record_begin(call);
	if (IO_UNLIKELY(!r->lane))
		return true;
	meet(call->fd, r);
	if (IO_LIKELY(!failed))
		return false;
	put_failure(r, call->fd);
	return true;
}

void io_record_bytes(uint32_t type, const struct io_call *call, int64_t result)
{
	struct io_record r;

	if (!record_is_done(&r, call, result < 0))
		io_record_put(&r, type,
			      (uint64_t[]){ r.function, (uint64_t)call->fd, (uint64_t)result,
					    r.duration },
			      4);
}

void io_record_bytes_at(uint32_t type, const struct io_call *call, int64_t offset, int64_t result)
{
	struct io_record r;

	if (!record_is_done(&r, call, result < 0))
		io_record_put(&r, type,
			      (uint64_t[]){ r.function, (uint64_t)call->fd, (uint64_t)offset,
					    (uint64_t)result, r.duration },
			      5);
}

void io_record_move(const struct io_call *call, int to, int64_t result)
{
	struct io_record r;

	if (record_is_done(&r, call, result < 0))
		return;
	meet(to, &r);
	io_record_put(&r, EVT_io_move,
		      (uint64_t[]){ r.function, (uint64_t)call->fd, (uint64_t)to, (uint64_t)result,
				    r.duration },
		      5);
}

void io_record_call(const struct io_call *call, int64_t result)
{
	struct io_record r;

	if (!record_is_done(&r, call, result < 0))
		io_record_put(&r, EVT_io_call,
			      (uint64_t[]){ r.function, (uint64_t)call->fd, r.duration }, 3);
}

void io_record_seek(const struct io_call *call, int64_t result)
{
	struct io_record r;

	if (!record_is_done(&r, call, result < 0))
		io_record_put(&r, EVT_io_seek,
			      (uint64_t[]){ r.function, (uint64_t)call->fd, (uint64_t)result,
					    r.duration },
			      4);
}

void io_record_wait(const struct io_call *call, int64_t result)
{
	struct io_record r = io_record_begin(call);

	if (r.lane)
		io_record_put(&r, EVT_io_wait,
			      (uint64_t[]){ r.function, result < 0 ? 0 : (uint64_t)result,
					    result < 0 ? (uint64_t)r.saved : 0, r.duration },
			      4);
}

void io_record_map(const struct io_call *call, const void *address, size_t bytes, int64_t offset)
{
	struct io_record r;

	if (!record_is_done(&r, call, address == (void *)-1))
		io_record_put(&r, EVT_io_map,
			      (uint64_t[]){ r.function, (uint64_t)call->fd, (uintptr_t)address,
					    bytes, (uint64_t)offset, r.duration },
			      6);
}

void io_record_unmap(const struct io_call *call, const void *address, size_t bytes, int result)
{
	struct io_record r;

	/* nobody knows here whether there was a file, so short calls are in no sum either */
	if (short_calls_is_short(recorder_now() - call->start))
		return;
	r = io_record_begin(call);
	if (r.lane)
		io_record_put(&r, EVT_io_unmap,
			      (uint64_t[]){ r.function, (uintptr_t)address, bytes,
					    result < 0 ? (uint64_t)r.saved : 0, r.duration },
			      5);
}

/* --- descriptors --- */

/* Returns the name of the opened file: the kernel's if it is better than the program's. */
static struct string opened_path(int fd, const struct io_opening *opening,
				 char room[DESCRIPTOR_PATH_BYTES])
{
	const char *path = opening->path;
	struct string resolved;

	if (path && *path == '/' && !io_is_nameless(opening->flags))
		return string_of(path);
	if (fd >= 0) {
		resolved = descriptor_path(fd, room);
		if (resolved.length)
			return resolved;
	}
	return string_of(path);
}

void io_record_open(const struct io_call *call, const struct io_opening *opening)
{
	struct io_record r = io_record_begin(call);
	char room[DESCRIPTOR_PATH_BYTES];
	struct string path;
	bool failed = call->fd < 0;
	enum descriptor_kind kind = DESCRIPTOR_UNKNOWN;
	struct io_opening readable = *opening;

	if (!r.lane) {
		descriptor_forget(call->fd);
		return;
	}
	if (failed && r.saved == EFAULT) /* EFAULT means that the path cannot be read */
		readable.path = NULL;
	path = opened_path(call->fd, &readable, room);
	path = descriptor_redacted(path);
	if (!failed) {
		kind = descriptor_kind(call->fd);
		descriptor_know(call->fd, kind);
	}
	io_record_put(&r, EVT_io_open,
		      (uint64_t[]){ r.function, failed ? 0 : (uint64_t)call->fd,
				    failed ? (uint64_t)r.saved : 0, kind,
				    (uint64_t)(unsigned int)arch_open_flags(opening->flags),
				    string_id(&path, r.lane), r.duration },
		      7);
}

int io_close_begins(int fd)
{
	int saved = errno;

	if (fd >= 0 && !descriptor_is_known(fd)) {
		struct recorder_lane *lane;

		if (short_calls_are_summed())
			return IO_FD_UNKNOWN;
		lane = recorder_enter(EVT_FAMILY_io, RECORDER_IN_RECORD);
		if (lane) {
			descriptor_introduce(fd, recorder_now(), lane);
			recorder_leave(lane);
		}
	}
	descriptor_forget(fd);
	errno = saved;
	return fd;
}

void io_record_close(const struct io_call *call, int result)
{
	struct io_record r = io_record_begin(call);

	if (r.lane)
		io_record_put(&r, EVT_io_close,
			      (uint64_t[]){ r.function, (uint64_t)(int64_t)call->fd,
					    result < 0 ? (uint64_t)r.saved : 0, r.duration },
			      4);
}

/* --- the family --- */

PRELOAD_HIDDEN extern const struct family family_io;

const struct family family_io = {
	/* descriptors that changed while nothing was recorded were not noticed */
	.opened = descriptor_forget_all,
	.forked = descriptor_forget_all, /* a child is a process of its own in the file */
};
