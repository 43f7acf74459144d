/* SPDX-License-Identifier: MIT */
/* Functions that read and write by descriptor. */
#include "preload/io/io.h"
#include "preload/io/served.h"

#define BYTES_AT_HOOK(event, name, as, parameters, arguments) \
	IO_HOOK(ssize_t, name, parameters, arguments, as, fd, \
		io_record_bytes_at(EVT_##event, &call, offset, result))

SERVED_READ(read, read, to, false, (int fd, void *to, size_t bytes), (fd, to, bytes))
SERVED_READ(__read_chk, read, to, false, (int fd, void *to, size_t bytes, size_t room),
	    (fd, to, bytes, room))
SERVED_WRITE(write, write, from, (int fd, const void *from, size_t bytes), (fd, from, bytes))
SERVED_READ_PIECES(readv, readv, piece, pieces, false,
		   (int fd, const struct iovec *piece, int pieces), (fd, piece, pieces))
SERVED_WRITE_PIECES(writev, writev, piece, pieces, (int fd, const struct iovec *piece, int pieces),
		    (fd, piece, pieces))

#define PREAD(name)                                                                              \
	BYTES_AT_HOOK(io_read_at, name, "pread", (int fd, void *to, size_t bytes, off_t offset), \
		      (fd, to, bytes, offset))
#define PREAD_CHK(name)                                                            \
	BYTES_AT_HOOK(io_read_at, name, "pread",                                   \
		      (int fd, void *to, size_t bytes, off_t offset, size_t room), \
		      (fd, to, bytes, offset, room))
#define PWRITE(name)                                                          \
	BYTES_AT_HOOK(io_write_at, name, "pwrite",                            \
		      (int fd, const void *from, size_t bytes, off_t offset), \
		      (fd, from, bytes, offset))
#define VECTOR_AT(event, name, as)                                                   \
	BYTES_AT_HOOK(event, name, as,                                               \
		      (int fd, const struct iovec *piece, int pieces, off_t offset), \
		      (fd, piece, pieces, offset))

PREAD(pread)
PREAD(pread64)
PREAD_CHK(__pread_chk)
PREAD_CHK(__pread64_chk)
PWRITE(pwrite)
PWRITE(pwrite64)
VECTOR_AT(io_read_at, preadv, "preadv")
VECTOR_AT(io_read_at, preadv64, "preadv")
VECTOR_AT(io_write_at, pwritev, "pwritev")
VECTOR_AT(io_write_at, pwritev64, "pwritev")

/* For these functions an offset of -1 means the file's current offset. */
static void record_vector(uint32_t type, uint32_t type_at, const struct io_call *call,
			  int64_t offset, int64_t result)
{
	if (offset == -1)
		io_record_bytes(type, call, result);
	else
		io_record_bytes_at(type_at, call, offset, result);
}

#define VECTOR_FLAGS(event, name, as)                                                     \
	IO_HOOK(ssize_t, name,                                                            \
		(int fd, const struct iovec *piece, int pieces, off_t offset, int flags), \
		(fd, piece, pieces, offset, flags), as, fd,                               \
		record_vector(EVT_##event, EVT_##event##_at, &call, offset, result))

VECTOR_FLAGS(io_read, preadv2, "preadv2")
VECTOR_FLAGS(io_read, preadv64v2, "preadv2")
VECTOR_FLAGS(io_write, pwritev2, "pwritev2")
VECTOR_FLAGS(io_write, pwritev64v2, "pwritev2")

#define MOVE_HOOK(name, as, parameters, arguments) \
	IO_HOOK(ssize_t, name, parameters, arguments, as, from, io_record_move(&call, to, result))

#define SENDFILE_HOOK(name)                                                                      \
	IO_RECORDED(false, ssize_t, name, name, (int to, int from, off_t *offset, size_t bytes), \
		    (to, from, offset, bytes), "sendfile", from,                                 \
		    io_record_move(&call, to, result))                                           \
	SERVED_EXPORTED(ssize_t, name, to, (int to, int from, off_t *offset, size_t bytes),      \
			(to, from, offset, bytes), connection_sent_file(to, result, started))

SENDFILE_HOOK(sendfile)
SENDFILE_HOOK(sendfile64)
MOVE_HOOK(copy_file_range, "copy_file_range",
	  (int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
	   unsigned int flags),
	  (from, from_offset, to, to_offset, bytes, flags))
MOVE_HOOK(splice, "splice",
	  (int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
	   unsigned int flags),
	  (from, from_offset, to, to_offset, bytes, flags))
