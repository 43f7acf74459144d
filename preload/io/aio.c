/* SPDX-License-Identifier: MIT */
/*
 * POSIX asynchronous input and output: what was asked for, when it was. The reads and writes are made later by threads
 * of libc, which are not seen. struct aiocb64 is struct aiocb here.
 */
#include "preload/io/io.h"

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one record for both");

static void record_request(uint32_t type, struct io_call call, const struct aiocb *request,
			   int result)
{
	call.fd = request->aio_fildes;
	io_record_bytes_at(type, &call, request->aio_offset,
			   result < 0 ? -1 : (int64_t)request->aio_nbytes);
}

#define AIO_HOOK(event, name, as, type)                                \
	IO_HOOK(int, name, (struct type * request), (request), as, -1, \
		record_request(EVT_##event, call, (const struct aiocb *)request, result))

AIO_HOOK(io_read_at, aio_read, "aio_read", aiocb)
AIO_HOOK(io_read_at, aio_read64, "aio_read", aiocb64)
AIO_HOOK(io_write_at, aio_write, "aio_write", aiocb)
AIO_HOOK(io_write_at, aio_write64, "aio_write", aiocb64)

/* Of one that failed nobody knows which of the requests were taken: LIO_WAIT fails for one that did, too. */
static void record_list(const struct io_call *call, const struct aiocb *const *list, int count,
			int result)
{
	for (int i = 0; i < count; i++) {
		if (!list[i] || list[i]->aio_lio_opcode == LIO_NOP)
			continue;
		record_request(list[i]->aio_lio_opcode == LIO_READ ? EVT_io_read_at
								   : EVT_io_write_at,
			       *call, list[i], result);
	}
}

#define LIO_HOOK(name, type)                                                             \
	IO_HOOK(int, name,                                                               \
		(int mode, struct type *const *list, int count, struct sigevent *event), \
		(mode, list, count, event), "lio_listio", -1,                            \
		record_list(&call, (const struct aiocb *const *)list, count, result))

LIO_HOOK(lio_listio, aiocb)
LIO_HOOK(lio_listio64, aiocb64)
