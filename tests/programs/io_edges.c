/* SPDX-License-Identifier: MIT */
/* races: io_edges cancel */
/* races: io_edges signals */
/* build: -pthread */
/*
 * usage: io_edges cancel|signals|vfork|errno|early|longjmp|aio|nameless
 * Input and output where it is delicate: in threads that are cancelled, in signal handlers, in a
 * child of vfork(), before any constructor. Ends with 1 and a line on stderr when a call did what
 * it does not do by itself. Prints what it has counted.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[4096];
static volatile size_t too_many = (size_t)-1;

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- cancellation: each wait must end when its thread is cancelled --- */

static int pipe_end[2], cleaned;

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
	/* what a program does there */
	free(malloc(100));
	must(write(pipe_end[1], "", 0) >= 0, "write");
}

static void *wait_for_ever(void *kind)
{
	int old;

	pthread_setcanceltype(
		*(int *)kind % 2 ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &old);
	pthread_cleanup_push(clean, NULL);
	if (*(int *)kind < 2)
		(void)!read(pipe_end[0], buffer, 1);
	else
		(void)recv(pipe_end[0], buffer, 1, 0);
	pthread_cleanup_pop(1);
	return NULL;
}

static void cancel(void)
{
	int fd = open("cancel.dat", O_WRONLY | O_CREAT | O_TRUNC, 0600), kind;

	for (int i = 0; i < 200; i++) {
		pthread_t thread;
		void *result;

		kind = i % 4;
		must(kind < 2 ? !pipe(pipe_end) : !socketpair(AF_UNIX, SOCK_STREAM, 0, pipe_end),
		     "pipe");
		must(!pthread_create(&thread, NULL, wait_for_ever, &kind), "thread");
		if (i % 3)
			sched_yield();
		must(!pthread_cancel(thread) && !pthread_join(thread, &result), "cancel");
		must(result == PTHREAD_CANCELED, "result");
		must(write(fd, buffer, 10) == 10, "write");
		close(pipe_end[0]);
		close(pipe_end[1]);
	}
	must(cleaned > 0, "cleaned");
	must(!close(fd), "close");
	printf("cancel.dat 202\n");
}

/* --- signal handlers --- */

static int handler_fd;
static volatile sig_atomic_t handled;

static void handle(int signal)
{
	int saved = errno;

	(void)signal;
	if (write(handler_fd, "x", 1) != 1)
		abort();
	handled++;
	errno = saved;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	int fd = open("main.dat", O_WRONLY | O_CREAT | O_TRUNC, 0600), writes = 0;

	handler_fd = open("handler.dat", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 300) {
		must(write(fd, buffer, 3) == 3, "write");
		free(malloc(64));
		writes++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("main.dat %d\nhandler.dat %d\n", writes + 1, handled + 1);
}

/* --- vfork: what the child does with its descriptors is not the parent's --- */

static void vforked(void)
{
	int fd = open("parent.dat", O_WRONLY | O_CREAT | O_TRUNC, 0600), status;

	must(write(fd, buffer, 10) == 10, "write");
	for (int i = 0; i < 5; i++) {
		pid_t pid = vfork();

		if (!pid) {
			close(fd);
			if (open("child.dat", O_WRONLY | O_CREAT, 0600) != fd)
				_exit(3);
			(void)!write(fd, buffer, 999);
			if (i % 2)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
		must(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "vfork");
		must(write(fd, buffer, 20) == 20, "write");
	}
	must(!close(fd), "close");
	printf("parent.dat 8\n");
}

/* --- errno --- */

static void keeps_errno(void)
{
	int fd = open("errno.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
	FILE *stream;

	errno = 77;
	must(write(fd, buffer, 100) == 100 && errno == 77, "write changes errno");
	must(pread(fd, buffer, 10, 0) == 10 && errno == 77, "pread changes errno");
	must(dup2(fd, 500) == 500 && read(500, buffer, 1) == 0 && errno == 77,
	     "read changes errno");
	must(close(500) == 0 && errno == 77, "close changes errno");
	must(lseek(fd, 0, SEEK_SET) == 0 && errno == 77, "lseek changes errno");
	must(read(999, buffer, 1) < 0 && errno == EBADF, "errno of read");
	must(lseek(0x7fffffff, 0, SEEK_SET) < 0 && errno == EBADF, "errno of lseek");
	must(write(fd, buffer, too_many) < 0 && errno, "errno of write");
	must(open("no/such/file", O_RDONLY) < 0 && errno == ENOENT, "errno of open");
	must(close(-5) < 0 && errno == EBADF, "errno of close");
	errno = 77;
	stream = fopen("errno.dat", "r");
	must(stream != NULL && fread(buffer, 1, 10, stream) == 10 && errno == 77,
	     "fread changes errno");
	must(fclose(stream) == 0 && errno == 77, "fclose changes errno");
	must(close(fd) == 0 && errno == 77, "close changes errno");
}

/* --- longjmp out of a handler that came while read() waited --- */

static sigjmp_buf back;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void jump(void)
{
	int fd = open("jump.dat", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	must(!pipe(pipe_end), "pipe");
	signal(SIGALRM, leave);
	for (int i = 0; i < 20; i++) {
		if (!sigsetjmp(back, 1)) {
			struct itimerval soon = { { 0, 0 }, { 0, 1000 } };

			setitimer(ITIMER_REAL, &soon, NULL);
			(void)!read(pipe_end[0], buffer, 1);
		}
		must(write(fd, buffer, 1) == 1, "write");
	}
	printf("jump.dat 21\n");
}

/* --- before every constructor, of whatever library --- */

static int early_bytes;

static void early(int argc, char **argv, char **environment)
{
	int fd;

	(void)environment;
	if (argc < 2 || strcmp(argv[1], "early"))
		return;
	fd = open("early.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
	early_bytes = (int)write(fd, "early", 5);
	if (pread(fd, buffer, 5, 0) != 5 || close(fd))
		early_bytes = -1;
}
/*
 * --- asynchronous: the requests are the program's calls, what libc's threads do for them is not
 * ---
 */

static ssize_t aio_end(struct aiocb *request)
{
	const struct aiocb *list[] = { request };

	while (aio_error(request) == EINPROGRESS)
		(void)aio_suspend(list, 1, NULL);
	return aio_return(request);
}

static void asynchronous(void)
{
	int fd = open("aio.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct aiocb request = { .aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 100 };
	struct aiocb more[2] = { request, request };
	struct aiocb nothing = { .aio_fildes = fd, .aio_lio_opcode = LIO_NOP };
	struct aiocb *list[] = { &more[0], NULL, &nothing, &more[1] };

	for (int i = 0; i < 10; i++) {
		request.aio_offset = i * 100;
		must(!aio_write(&request) && aio_end(&request) == 100, "aio_write");
	}
	request.aio_offset = 950;
	must(!aio_read(&request) && aio_end(&request) == 50, "aio_read at the end");
	more[0].aio_lio_opcode = LIO_WRITE;
	more[0].aio_offset = 1000;
	more[1].aio_lio_opcode = LIO_READ;
	must(!lio_listio(LIO_WAIT, list, 4, NULL), "lio_listio");
	must(aio_return(&more[0]) == 100 && aio_return(&more[1]) == 100, "what lio_listio did");
	request.aio_reqprio = -1;
	errno = 0;
	must(aio_read(&request) == -1 && errno == EINVAL,
	     "aio_read with a priority there is none of");
	must(!close(fd), "close");
	printf("aio.dat 16\n");
}

__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **,
								      char **) = early;

/* --- files without a name: each is one of its own, not the folder that it was made in --- */

static int nameless_in(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR, 0600);

	return fd >= 0 ? fd
		       : open("/dev/shm", O_TMPFILE | O_RDWR,
			      0600); /* not every file system has them */
}

static void nameless(void)
{
	char folder[4096];
	int fd[2];

	must(!!getcwd(folder, sizeof(folder)), "getcwd");
	for (int i = 0; i < 2;
	     i++) { /* both at once: the kernel names them by their inodes, which it uses again */
		size_t bytes = i ? 20 : 10;

		fd[i] = nameless_in(folder);
		must(fd[i] >= 0, "O_TMPFILE");
		must(write(fd[i], buffer, bytes) == (ssize_t)bytes, "write");
		must(pread(fd[i], buffer, 4, 0) == 4, "pread");
	}
	must(close(fd[0]) == 0 && close(fd[1]) == 0, "close");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "cancel"))
		cancel();
	else if (!strcmp(what, "signals"))
		signals();
	else if (!strcmp(what, "vfork"))
		vforked();
	else if (!strcmp(what, "errno"))
		keeps_errno();
	else if (!strcmp(what, "longjmp"))
		jump();
	else if (!strcmp(what, "aio"))
		asynchronous();
	else if (!strcmp(what, "nameless"))
		nameless();
	else if (!strcmp(what, "early"))
		must(early_bytes == 5, "early");
	else
		return 2;
	return 0;
}
