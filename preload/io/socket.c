/* SPDX-License-Identifier: MIT */
/* Sockets. An accepted connection is described when it is first used (descriptor.h). */
#include <sys/socket.h>

#include "preload/io/io.h"
#include "preload/io/served.h"

#define PEEKS(flags) ((flags)&MSG_PEEK)

SERVED_READ(recv, recv, to, PEEKS(flags), (int fd, void *to, size_t bytes, int flags),
	    (fd, to, bytes, flags))
SERVED_READ(__recv_chk, recv, to, PEEKS(flags),
	    (int fd, void *to, size_t bytes, size_t room, int flags), (fd, to, bytes, room, flags))
SERVED_READ(recvfrom, recvfrom, to, PEEKS(flags),
	    (int fd, void *to, size_t bytes, int flags, __SOCKADDR_ARG peer, socklen_t *length),
	    (fd, to, bytes, flags, peer, length))
SERVED_READ(__recvfrom_chk, recvfrom, to, PEEKS(flags),
	    (int fd, void *to, size_t bytes, size_t room, int flags, __SOCKADDR_ARG peer,
	     socklen_t *length),
	    (fd, to, bytes, room, flags, peer, length))
SERVED_READ_PIECES(recvmsg, recvmsg, message->msg_iov, message->msg_iovlen, PEEKS(flags),
		   (int fd, struct msghdr *message, int flags), (fd, message, flags))
SERVED_WRITE(send, send, from, (int fd, const void *from, size_t bytes, int flags),
	     (fd, from, bytes, flags))
SERVED_WRITE(sendto, sendto, from,
	     (int fd, const void *from, size_t bytes, int flags, __CONST_SOCKADDR_ARG peer,
	      socklen_t length),
	     (fd, from, bytes, flags, peer, length))
SERVED_WRITE_PIECES(sendmsg, sendmsg, message->msg_iov, message->msg_iovlen,
		    (int fd, const struct msghdr *message, int flags), (fd, message, flags))

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

#define ACCEPT_HOOK(name, parameters, arguments)                           \
	IO_WAIT_RECORDED(int, name, parameters, arguments, accept, fd, fd, \
			 io_record_call(&call, result))                    \
	HOOK_EXPORT int name parameters                                    \
	{                                                                  \
		int saved, result = recorded_##name arguments;             \
                                                                           \
		saved = errno;                                             \
		if (result >= 0)                                           \
			connection_accepted(result);                       \
		errno = saved;                                             \
		return result;                                             \
	}

ACCEPT_HOOK(accept, (int fd, __SOCKADDR_ARG peer, socklen_t *length), (fd, peer, length))
ACCEPT_HOOK(accept4, (int fd, __SOCKADDR_ARG peer, socklen_t *length, int flags),
	    (fd, peer, length, flags))
CALL_HOOK(connect, connect, (int fd, __CONST_SOCKADDR_ARG peer, socklen_t length),
	  (fd, peer, length))
