/* SPDX-License-Identifier: MIT */
/*
 * File operations other than reading and writing: seeking, and flushing to the disk. Input and
 * output through a mapping makes no calls and cannot be seen; mmap() and its relatives are in
 * preload/mappings/. For msync(), the report finds out whether the address belongs to a file.
 */
#include "preload/io/io.h"

#define SEEK_HOOK(name)                                                                         \
	IO_HOOK(off_t, name, (int fd, off_t offset, int whence), (fd, offset, whence), "lseek", \
		fd, io_record_seek(&call, result))

#define CALL_HOOK(name, as, parameters, arguments) \
	IO_HOOK(int, name, parameters, arguments, as, fd, io_record_call(&call, result))

SEEK_HOOK(lseek)
SEEK_HOOK(lseek64)
CALL_HOOK(fsync, "fsync", (int fd), (fd))
CALL_HOOK(fdatasync, "fdatasync", (int fd), (fd))
CALL_HOOK(ftruncate, "ftruncate", (int fd, off_t bytes), (fd, bytes))
CALL_HOOK(ftruncate64, "ftruncate", (int fd, off_t bytes), (fd, bytes))

/* Within another hook, the caller is an allocator that returns memory, or ourselves. */
static void record_unmap(const struct io_call *call, const void *address, size_t bytes, int result)
{
	if (recorder_self.lane[0].owner < RECORDER_BUSY_MIN)
		io_record_unmap(call, address, bytes, result);
}

IO_HOOK(int, msync, (void *address, size_t bytes, int flags), (address, bytes, flags), "msync", -1,
	record_unmap(&call, address, bytes, result))
