/* SPDX-License-Identifier: MIT */
/*
 * bind() decides which process starts the nursery: the name belongs to one socket at a time, and is
 * free again when the last process that holds the socket ends.
 */
#include "preload/life/nursery.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "collector/region/nursery.h"
#include "collector/region/session_id.h"
#include "preload/base/clock.h"
#include "preload/life/session.h"

#define WAIT_NS 1000000000u
#define NAP_MS 1
#define BACKLOG 128
#define ID_BYTES 32u /* limit for a session's id; ours have 16 */

enum asked {
	ASKED_STARTED,
	ASKED_AGAIN, /* the nursery is just ending, or does not listen yet */
	ASKED_IN_VAIN,
};

static uint64_t mix_file(uint64_t hash, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0) {
		hash = session_hash(hash, &st.st_dev, sizeof(st.st_dev));
		hash = session_hash(hash, &st.st_ino, sizeof(st.st_ino));
	}
	return hash;
}

/* Hashes what programs must have in common to share a nursery. */
static uint64_t surroundings(const char *collector)
{
	uint64_t hash = SESSION_HASH_START;
	uid_t user[3] = { 0 };
	gid_t group[3] = { 0 };

	(void)getresuid(&user[0], &user[1], &user[2]);
	(void)getresgid(&group[0], &group[1], &group[2]);
	hash = session_hash(hash, user, sizeof(user));
	hash = session_hash(hash, group, sizeof(group));
	hash = mix_file(hash, "/");
	hash = mix_file(hash, "/proc/self/ns/pid");
	hash = mix_file(hash, "/proc/self/ns/mnt");
	hash = mix_file(hash, "/proc/self/ns/user");
	hash = session_hash(hash, INTERCEPT_VERSION, sizeof(INTERCEPT_VERSION));
	return session_hash(hash, collector, strlen(collector));
}

/*
 * Makes "\0intercept-<session>-<surroundings>" and returns its length, 0 if the session's id is not
 * one of ours.
 */
static socklen_t address_make(struct sockaddr_un *address, const char *collector)
{
	uint64_t hash = surroundings(collector);
	char *at = address->sun_path + 1;

	if (strlen(session.id) > ID_BYTES)
		return 0;
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	strcpy(at, "intercept-");
	strcat(at, session.id);
	strcat(at, "-");
	at += strlen(at);
	session_id_write(at, hash);
	return (socklen_t)(at + strlen(at) - (char *)address);
}

static bool send_request(int fd, int region_fd)
{
	struct nursery_request request = { .magic = NURSERY_MAGIC,
					   .version = REGION_VERSION,
					   .pid = (uint32_t)syscall(SYS_getpid) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	struct iovec part = { &request, sizeof(request) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.room,
				  .msg_controllen = sizeof(control.room) };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &region_fd, sizeof(int));
	return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(request);
}

/* The process that has bound the name must belong to our user, because the name is no secret. */
static bool peer_is_ours(int fd)
{
	struct ucred who;
	socklen_t length = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0 && who.uid == geteuid();
}

static int ms_left(uint64_t deadline_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	return now < deadline_ns ? (int)((deadline_ns - now) / 1000000u) + 1 : 0;
}

/* `fd` is connected. */
static enum asked nursery_talk(int fd, int region_fd, uint64_t deadline_ns)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct nursery_answer answer = { .error = EPROTO };
	ssize_t n;

	if (!peer_is_ours(fd))
		return ASKED_IN_VAIN;
	if (!send_request(fd, region_fd))
		return ASKED_AGAIN;
	if (poll(&ready, 1, ms_left(deadline_ns)) != 1)
		return ASKED_IN_VAIN;
	n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
	if (n != (ssize_t)sizeof(answer))
		return ASKED_AGAIN;
	return answer.error ? ASKED_IN_VAIN : ASKED_STARTED;
}

/* Opens a socket of its own. If the name was free, ret_listen is set. */
static enum asked nursery_try(const struct sockaddr_un *address, socklen_t length, int region_fd,
			      uint64_t deadline_ns, int *ret_listen)
{
	const struct sockaddr *to = (const struct sockaddr *)address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	enum asked asked = ASKED_IN_VAIN;

	if (fd < 0)
		return ASKED_IN_VAIN;
	if (bind(fd, to, length) == 0) {
		if (listen(fd, BACKLOG) == 0) {
			*ret_listen = fd;
			return ASKED_IN_VAIN;
		}
	} else if (errno == EADDRINUSE) {
		if (connect(fd, to, length) == 0)
			asked = nursery_talk(fd, region_fd, deadline_ns);
		else if (errno == ECONNREFUSED || errno == EAGAIN)
			asked = ASKED_AGAIN;
	}
	close(fd);
	return asked;
}

bool nursery_ask(const char *collector, int region_fd, struct region_header *header,
		 int *ret_listen)
{
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;
	enum asked asked = ASKED_IN_VAIN;
	struct sockaddr_un address;
	socklen_t length = address_make(&address, collector);
	int saved = errno;

	*ret_listen = -1;
	while (length) {
		asked = nursery_try(&address, length, region_fd, deadline_ns, ret_listen);
		if (asked != ASKED_AGAIN || !ms_left(deadline_ns))
			break;
		(void)poll(NULL, 0, NAP_MS);
	}
	errno = saved;
	if (asked == ASKED_STARTED)
		return true;
	/* a nursery that answers too late finds the region taken, or has taken it */
	if (nursery_claim(header, NURSERY_STARTER_PROGRAM))
		return false;
	if (*ret_listen >= 0)
		close(*ret_listen);
	*ret_listen = -1;
	return true;
}
