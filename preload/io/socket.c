/* SPDX-License-Identifier: MIT */
/* Sockets. An accepted connection is described when it is first used (descriptor.h). */
#include "preload/io/io.h"

#define BYTES_HOOK(event, name, as, parameters, arguments)             \
	IO_WAIT_HOOK(ssize_t, name, parameters, arguments, as, fd, fd, \
		     io_record_bytes(EVT_##event, &call, result))

BYTES_HOOK(io_read, recv, recv, (int fd, void *to, size_t bytes, int flags), (fd, to, bytes, flags))
BYTES_HOOK(io_read, __recv_chk, recv, (int fd, void *to, size_t bytes, size_t room, int flags),
	   (fd, to, bytes, room, flags))
BYTES_HOOK(io_read, recvfrom, recvfrom,
	   (int fd, void *to, size_t bytes, int flags, __SOCKADDR_ARG peer, socklen_t *length),
	   (fd, to, bytes, flags, peer, length))
BYTES_HOOK(io_read, __recvfrom_chk, recvfrom,
	   (int fd, void *to, size_t bytes, size_t room, int flags, __SOCKADDR_ARG peer,
	    socklen_t *length),
	   (fd, to, bytes, room, flags, peer, length))
BYTES_HOOK(io_read, recvmsg, recvmsg, (int fd, struct msghdr *message, int flags),
	   (fd, message, flags))
BYTES_HOOK(io_write, send, send, (int fd, const void *from, size_t bytes, int flags),
	   (fd, from, bytes, flags))
BYTES_HOOK(io_write, sendto, sendto,
	   (int fd, const void *from, size_t bytes, int flags, __CONST_SOCKADDR_ARG peer,
	    socklen_t length),
	   (fd, from, bytes, flags, peer, length))
BYTES_HOOK(io_write, sendmsg, sendmsg, (int fd, const struct msghdr *message, int flags),
	   (fd, message, flags))

static void record_messages(uint32_t type, const struct io_call *call,
			    const struct mmsghdr *message, int count)
{
	int64_t bytes = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++)
		bytes += message[i].msg_len;
	io_record_bytes(type, call, bytes);
}

IO_WAIT_HOOK(int, recvmmsg,
	     (int fd, struct mmsghdr *message, unsigned int count, int flags,
	      struct timespec *timeout),
	     (fd, message, count, flags, timeout), recvmmsg, fd, fd,
	     record_messages(EVT_io_read, &call, message, result))

IO_WAIT_HOOK(int, sendmmsg, (int fd, struct mmsghdr *message, unsigned int count, int flags),
	     (fd, message, count, flags), sendmmsg, fd, fd,
	     record_messages(EVT_io_write, &call, message, result))

#define CALL_HOOK(name, as, parameters, arguments) \
	IO_WAIT_HOOK(int, name, parameters, arguments, as, fd, fd, io_record_call(&call, result))

CALL_HOOK(accept, accept, (int fd, __SOCKADDR_ARG peer, socklen_t *length), (fd, peer, length))
CALL_HOOK(accept4, accept, (int fd, __SOCKADDR_ARG peer, socklen_t *length, int flags),
	  (fd, peer, length, flags))
CALL_HOOK(connect, connect, (int fd, __CONST_SOCKADDR_ARG peer, socklen_t length),
	  (fd, peer, length))
