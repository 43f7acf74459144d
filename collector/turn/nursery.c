/* SPDX-License-Identifier: MIT */
/*
 * A poll() that SIGCHLD interrupts. The nursery maps nothing and keeps no memory, so what it forks
 * is a collector as fresh as one that was just executed. The nursery is a child of the first
 * collector, which must not wait for it.
 */
#include "collector/turn/nursery.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/region/nursery.h"

#define REQUEST_MS 200 /* a program sends its request right after it has connected */
#define CPUS_BYTES 1024

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct asking {
	int connection;
	int region_fd;
	pid_t pid; /* pid of the program as this process sees it */
};

static void child_ended(int signal)
{
	(void)signal;
}

static void signals_set(void (*on_child)(int), bool blocked)
{
	struct sigaction action = { .sa_handler = on_child };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigaction(SIGCHLD, &action, NULL);
	sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &child, NULL);
}

/* Occupies the descriptor numbers of a collector in the nursery. */
static void descriptors_reserve(const struct nursery *nursery)
{
	dup2(0, nursery->region_fd);
	dup2(0, nursery->watched_fd);
}

static void answer(int connection, int error)
{
	struct nursery_answer say = { .error = error };

	(void)!send(connection, &say, sizeof(say), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Requests are accepted only from the same user. */
static bool asking_is_ours(struct asking *asking)
{
	struct ucred who;
	socklen_t length = sizeof(who);

	if (getsockopt(asking->connection, SOL_SOCKET, SO_PEERCRED, &who, &length) ||
	    who.uid != geteuid())
		return false;
	asking->pid = who.pid;
	return true;
}

/* Receives the request and the region's descriptor; 0 or an errno. */
static int asking_receive(struct asking *asking)
{
	struct nursery_request request = { 0 };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { &request, sizeof(request) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.room,
				  .msg_controllen = sizeof(control.room) };
	struct pollfd ready = { .fd = asking->connection, .events = POLLIN };
	struct cmsghdr *header;

	if (poll(&ready, 1, REQUEST_MS) != 1 ||
	    recvmsg(asking->connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) !=
		    (ssize_t)sizeof(request))
		return EPROTO;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&asking->region_fd, CMSG_DATA(header), sizeof(int));
	if (asking->region_fd < 0 || request.magic != NURSERY_MAGIC ||
	    request.version != REGION_VERSION)
		return EPROTO;
	/* another pid namespace: the collector must be in the program's namespace */
	return request.pid == (uint32_t)asking->pid ? 0 : EXDEV;
}

/*
 * Adopts the program's CPU affinity and niceness, so that the collector is like one that the
 * program had started.
 */
static void program_imitate(pid_t pid)
{
	unsigned long cpus[CPUS_BYTES / sizeof(unsigned long)];
	long length = syscall(SYS_sched_getaffinity, pid, sizeof(cpus), cpus);
	int nice;

	if (length > 0)
		(void)syscall(SYS_sched_setaffinity, 0, length, cpus);
	errno = 0;
	nice = getpriority(PRIO_PROCESS, (id_t)pid);
	if (!errno)
		(void)setpriority(PRIO_PROCESS, 0, nice);
}

/* Takes the region unless the program has given up waiting; 0 or an errno. */
static int region_take(int fd)
{
	struct region_header *header;
	struct stat st;
	int error = 0;

	if (fstat(fd, &st) || st.st_size < (off_t)REGION_BYTES_MIN)
		return EPROTO;
	header = mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (header == MAP_FAILED)
		return errno;
	if (header->magic != REGION_MAGIC || !nursery_claim(header, NURSERY_STARTER_NURSERY))
		error = EALREADY;
	munmap(header, sizeof(*header));
	return error;
}

/* In the child: becomes the collector for the program that asks. */
static enum nursery_child collector_begin(const struct nursery *nursery,
					  const struct asking *asking)
{
	int watched = (int)syscall(SYS_pidfd_open, asking->pid, 0);
	int error;

	signals_set(SIG_DFL, false);
	prctl(PR_SET_NAME, "intercept-coll");
	setsid();
	program_imitate(asking->pid);
	error = region_take(asking->region_fd);
	answer(asking->connection, error);
	if (error)
		return NURSERY_OVER;
	dup2(asking->region_fd, nursery->region_fd);
	close(asking->region_fd);
	close(asking->connection);
	close(nursery->listen_fd);
	if (watched < 0) {
		close(nursery->watched_fd);
		return NURSERY_COLLECTOR;
	}
	dup2(watched, nursery->watched_fd);
	close(watched);
	return NURSERY_COLLECTOR_WATCHED;
}

/* Serves one program. Returns true in the forked child, with what it is to be. */
static bool nursery_serve(const struct nursery *nursery, int connection,
			  enum nursery_child *ret_child)
{
	struct asking asking = { .connection = connection, .region_fd = -1 };
	pid_t pid = -1;
	int error;

	if (asking_is_ours(&asking)) {
		error = asking_receive(&asking);
		pid = error ? -1 : fork();
		if (pid == 0) {
			*ret_child = collector_begin(nursery, &asking);
			return true;
		}
		if (pid < 0)
			answer(connection, error ? error : errno);
	}
	if (asking.region_fd >= 0)
		close(asking.region_fd);
	close(connection);
	return false;
}

/* Serves all programs that ask. True in a child, false in the nursery. */
static bool nursery_accept(const struct nursery *nursery, enum nursery_child *ret_child)
{
	int connection;

	do {
		connection = accept4(nursery->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (connection >= 0 && nursery_serve(nursery, connection, ret_child))
			return true;
	} while (connection >= 0);
	return false;
}

/* True while a collector lives: the first one, our parent, or a child. */
static bool nursery_is_needed(pid_t parent)
{
	pid_t pid;

	do
		pid = waitpid(-1, NULL, WNOHANG);
	while (pid > 0);
	return getppid() == parent || pid == 0 || errno != ECHILD;
}

static enum nursery_child nursery_live(const struct nursery *nursery, pid_t parent)
{
	struct pollfd ready = { .fd = nursery->listen_fd, .events = POLLIN };
	enum nursery_child child;
	sigset_t none;

	sigemptyset(&none);
	for (;;) {
		bool needed = nursery_is_needed(parent);

		if (needed)
			(void)ppoll(&ready, 1, NULL, &none);
		if (nursery_accept(nursery, &child))
			return child;
		/* a program that comes from here on finds nobody, and then the name free */
		if (!needed && !nursery_is_needed(parent))
			return NURSERY_OVER;
	}
}

enum nursery_child nursery_run(const struct nursery *nursery, enum nursery_child first)
{
	pid_t parent = getpid();

	signals_set(child_ended, true);
	if (fork() == 0) {
		prctl(PR_SET_NAME, "intercept-nurse");
		prctl(PR_SET_PDEATHSIG,
		      SIGCHLD); /* the end of our parent wakes us as that of a child does */
		setsid();
		descriptors_reserve(nursery);
		return nursery_live(nursery, parent);
	}
	signals_set(SIG_DFL, false);
	close(nursery->listen_fd);
	return first;
}
