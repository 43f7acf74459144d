/* SPDX-License-Identifier: MIT */
/*
 * Waits until descriptors become ready. A wait covers many files at once, and belongs to none of
 * them.
 */
#include "preload/io/io.h"

#define WAIT_HOOK(name, as, parameters, arguments) \
	IO_WAIT_HOOK(int, name, parameters, arguments, as, -1, -1, io_record_wait(&call, result))
#define EPOLL_HOOK(name, parameters, arguments) \
	IO_WAIT_HOOK(int, name, parameters, arguments, name, fd, -1, io_record_wait(&call, result))

WAIT_HOOK(poll, poll, (struct pollfd * list, nfds_t count, int timeout), (list, count, timeout))
WAIT_HOOK(__poll_chk, poll, (struct pollfd * list, nfds_t count, int timeout, size_t room),
	  (list, count, timeout, room))
WAIT_HOOK(ppoll, ppoll,
	  (struct pollfd * list, nfds_t count, const struct timespec *timeout,
	   const sigset_t *mask),
	  (list, count, timeout, mask))
WAIT_HOOK(__ppoll_chk, ppoll,
	  (struct pollfd * list, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
	   size_t room),
	  (list, count, timeout, mask, room))
WAIT_HOOK(select, select,
	  (int count, fd_set *in, fd_set *out, fd_set *bad, struct timeval *timeout),
	  (count, in, out, bad, timeout))
WAIT_HOOK(pselect, pselect,
	  (int count, fd_set *in, fd_set *out, fd_set *bad, const struct timespec *timeout,
	   const sigset_t *mask),
	  (count, in, out, bad, timeout, mask))
EPOLL_HOOK(epoll_wait, (int fd, struct epoll_event *list, int count, int timeout),
	   (fd, list, count, timeout))
EPOLL_HOOK(epoll_pwait,
	   (int fd, struct epoll_event *list, int count, int timeout, const sigset_t *mask),
	   (fd, list, count, timeout, mask))
EPOLL_HOOK(epoll_pwait2,
	   (int fd, struct epoll_event *list, int count, const struct timespec *timeout,
	    const sigset_t *mask),
	   (fd, list, count, timeout, mask))
