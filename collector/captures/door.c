/* SPDX-License-Identifier: MIT */
/* The memory is sealed, so nobody can cut it short under the mapping. */
#include "collector/captures/door.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#define MFD_ALLOW_SEALING 2u
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* since Linux 6.3 */
#endif
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#endif

static struct control *door_map(int fd)
{
	void *memory;

	if (ftruncate(fd, sizeof(struct control)) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return NULL;
	memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void door_open(struct door *door, const char *session)
{
	door->control = NULL;
	/* a machine may refuse a memfd without that seal, and older kernels do not know it */
	door->fd = (int)syscall(SYS_memfd_create, CONTROL_NAME,
				MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (door->fd < 0)
		door->fd = (int)syscall(SYS_memfd_create, CONTROL_NAME,
					MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (door->fd < 0)
		return;
	door->control = door_map(door->fd);
	if (!door->control) {
		close(door->fd);
		door->fd = -1;
		return;
	}
	door->control->version = CONTROL_VERSION;
	snprintf(door->control->session, sizeof(door->control->session), "%.*s",
		 (int)sizeof(door->control->session) - 1, session);
	door->control->magic = CONTROL_MAGIC;
}

void door_close(struct door *door)
{
	if (!door->control)
		return;
	munmap(door->control, sizeof(struct control));
	close(door->fd);
	door->control = NULL;
}

bool door_take(struct door *door, char ret_request[CONTROL_TEXT_BYTES])
{
	uint64_t asked;

	if (!door->control)
		return false;
	asked = atomic_load_explicit(&door->control->asked, memory_order_acquire);
	if (asked == door->seen)
		return false;
	door->seen = asked;
	memcpy(ret_request, door->control->request, CONTROL_TEXT_BYTES - 1);
	ret_request[CONTROL_TEXT_BYTES - 1] = 0;
	return true;
}

void door_answer(struct door *door, enum control_answer answer, uint32_t number, const char *text)
{
	struct control *control = door->control;

	if (!control)
		return;
	snprintf(control->text, sizeof(control->text), "%s", text);
	atomic_store(&control->number, number);
	atomic_store(&control->answer, answer);
	atomic_store_explicit(&control->answered, door->seen, memory_order_release);
}

void door_tell(struct door *door, const struct door_news *news)
{
	struct control *control = door->control;

	if (!control)
		return;
	/* nobody takes what follows for the news of an earlier capture */
	atomic_store_explicit(&control->phase, CONTROL_IDLE, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store(&control->newest, news->number);
	atomic_store(&control->how, news->how);
	atomic_store(&control->begin_ns, news->begin_ns);
	atomic_store(&control->end_ns, news->end_ns);
	atomic_store_explicit(&control->phase, news->phase, memory_order_release);
}
