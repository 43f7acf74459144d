/* SPDX-License-Identifier: MIT */
/*
 * POSIX asynchronous input and output: records the requests, at the time when they are made. The
 * reads and writes themselves are done later by threads of libc, which are not recorded. Here
 * struct aiocb64 is struct aiocb.
 *
 * A request may be finished, and freed by the program, before the call that starts it returns. So
 * it is read before the call.
 */
#include "preload/io/io.h"

#define LISTED 64 /* requests of a list that are kept on the stack */

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one record for both");

struct asked {
	uint32_t type; /* EVT_io_read_at, EVT_io_write_at */
	int fd;
	int64_t offset, bytes;
};

static struct asked asked_of(uint32_t type, const struct aiocb *request)
{
	return (struct asked){ type, request->aio_fildes, request->aio_offset,
			       (int64_t)request->aio_nbytes };
}

static void record_asked(struct io_call call, const struct asked *asked, int result)
{
	call.fd = asked->fd;
	io_record_bytes_at(asked->type, &call, asked->offset, result < 0 ? -1 : asked->bytes);
}

#define AIO_HOOK(event, name, as, struct_type)                                               \
	static __attribute__((noinline)) int recorded_##name(struct_type *request)           \
	{                                                                                    \
		static struct string function = { .bytes = (as), .length = sizeof(as) - 1 }; \
		struct io_call call;                                                         \
		struct asked asked;                                                          \
		int result;                                                                  \
                                                                                             \
		if (!hook_real.name && (!hook_resolve() || !hook_real.name))                 \
			return (int)io_missing(false);                                       \
		if (io_is_off())                                                             \
			return hook_real.name(request);                                      \
		asked = asked_of(EVT_##event, (const struct aiocb *)request);                \
		call = (struct io_call){ &function, recorder_now(), asked.fd };              \
		result = hook_real.name(request);                                            \
		record_asked(call, &asked, result);                                          \
		return result;                                                               \
	}                                                                                    \
	IO_EXPORTED(int, name, name, (struct_type * request), (request))

AIO_HOOK(io_read_at, aio_read, "aio_read", struct aiocb)
AIO_HOOK(io_read_at, aio_read64, "aio_read", struct aiocb64)
AIO_HOOK(io_write_at, aio_write, "aio_write", struct aiocb)
AIO_HOOK(io_write_at, aio_write64, "aio_write", struct aiocb64)

static bool is_asked(const struct aiocb *request)
{
	return request && request->aio_lio_opcode != LIO_NOP;
}

static struct asked asked_in_list(const struct aiocb *request)
{
	return asked_of(request->aio_lio_opcode == LIO_READ ? EVT_io_read_at : EVT_io_write_at,
			request);
}

/*
 * Copies the first requests of a list to `asked` and returns their number. The rest is recorded at
 * once, as if they were accepted.
 */
static int list_begins(const struct io_call *call, const struct aiocb *const *list, int count,
		       struct asked *asked)
{
	int kept = 0;

	for (int i = 0; i < count; i++) {
		struct asked one;

		if (!is_asked(list[i]))
			continue;
		one = asked_in_list(list[i]);
		if (kept < LISTED)
			asked[kept++] = one;
		else
			record_asked(*call, &one, 0);
	}
	return kept;
}

/*
 * If a list fails, nobody knows which of its requests were accepted: LIO_WAIT also fails for a
 * request that was accepted and then failed.
 */
#define LIO_HOOK(name, struct_type)                                                              \
	static __attribute__((noinline)) int recorded_##name(int mode, struct_type *const *list, \
							     int count, struct sigevent *event)  \
	{                                                                                        \
		static struct string function = { .bytes = "lio_listio", .length = 10 };         \
		struct io_call call;                                                             \
		struct asked asked[LISTED];                                                      \
		int result, kept;                                                                \
                                                                                                 \
		if (!hook_real.name && (!hook_resolve() || !hook_real.name))                     \
			return (int)io_missing(false);                                           \
		if (io_is_off())                                                                 \
			return hook_real.name(mode, list, count, event);                         \
		call = (struct io_call){ &function, recorder_now(), -1 };                        \
		kept = list_begins(&call, (const struct aiocb *const *)list, count, asked);      \
		result = hook_real.name(mode, list, count, event);                               \
		for (int i = 0; i < kept; i++)                                                   \
			record_asked(call, &asked[i], result);                                   \
		return result;                                                                   \
	}                                                                                        \
	IO_EXPORTED(int, name, name,                                                             \
		    (int mode, struct_type *const *list, int count, struct sigevent *event),     \
		    (mode, list, count, event))

LIO_HOOK(lio_listio, struct aiocb)
LIO_HOOK(lio_listio64, struct aiocb64)
