/* SPDX-License-Identifier: MIT */
/* races: io_calls all */
/* build: -pthread */
/*
 * usage: io_calls plain|streams|all
 * Reads and writes files in the working directory by every function there is, sockets and pipes
 * too, and counts what it does itself. Prints a line for each file at its end: NAME CALLS
 * BYTES_READ BYTES_WRITTEN ERRORS OPENS. Sockets and pipes are one line each by their kind.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

struct tally {
	const char *name;
	unsigned long calls, bytes_read, bytes_written, errors, opens;
};
static struct tally tallies[32];
static unsigned int count;
static char buffer[4096];
static char *volatile nowhere = (char *)8;

static struct tally *of(const char *name)
{
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(tallies[i].name, name))
			return &tallies[i];
	tallies[count].name = name;
	return &tallies[count++];
}

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static int opened(const char *name, int fd)
{
	of(name)->calls++;
	if (fd < 0)
		of(name)->errors++;
	else
		of(name)->opens++;
	return fd;
}

static void was_read(const char *name, long bytes)
{
	must(bytes >= 0, name);
	of(name)->calls++;
	of(name)->bytes_read += (unsigned long)bytes;
}

static void was_written(const char *name, long bytes)
{
	must(bytes >= 0, name);
	of(name)->calls++;
	of(name)->bytes_written += (unsigned long)bytes;
}

static void called(const char *name, long result)
{
	of(name)->calls++;
	if (result < 0)
		of(name)->errors++;
}

/* --- by descriptor --- */

static void plain_file(void)
{
	const char *name = "plain.dat";
	struct iovec piece[2] = { { buffer, 10 }, { buffer + 10, 20 } };
	int fd = opened(name, open(name, O_RDWR | O_CREAT | O_TRUNC, 0640));
	struct stat st;

	must(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0640, "mode of open");
	for (int i = 0; i < 3; i++)
		was_written(name, write(fd, buffer, 1000));
	was_written(name, pwrite(fd, buffer, 500, 3000));
	was_written(name, writev(fd, piece, 2));
	was_written(name, pwritev(fd, piece, 2, 100));
	was_written(name, pwritev2(fd, piece, 2, -1, 0));
	called(name, lseek(fd, 0, SEEK_SET));
	for (int i = 0; i < 2; i++)
		was_read(name, read(fd, buffer, 700));
	was_read(name, pread(fd, buffer, 300, 1000));
	was_read(name, readv(fd, piece, 2));
	was_read(name, preadv(fd, piece, 2, 40));
	was_read(name, preadv2(fd, piece, 2, -1, 0));
	called(name, fsync(fd));
	called(name, fdatasync(fd));
	called(name, ftruncate(fd, 2000));
	was_read(name, pread(fd, buffer, 300, 5000)); /* beyond the end */
	called(name, close(fd));
}

static void opened_again(void)
{
	const char *name = "again.dat";

	for (int i = 0; i < 50; i++) {
		int fd = opened(name, openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND, 0600));

		was_written(name, write(fd, buffer, 7));
		called(name, close(fd));
	}
	called(name, close(opened(name, creat(name, 0600))));
}

/* What the descriptor of one file is becomes another's. */
static void duplicates(void)
{
	int first = opened("first.dat", open("first.dat", O_RDWR | O_CREAT | O_TRUNC, 0600));
	int second = opened("second.dat", open("second.dat", O_RDWR | O_CREAT | O_TRUNC, 0600));
	int copy = dup(first), far = fcntl(first, F_DUPFD, 700);

	was_written("first.dat", write(copy, buffer, 11));
	was_written("first.dat", write(far, buffer, 13));
	must(dup2(second, copy) == copy, "dup2");
	was_written("second.dat", write(copy, buffer, 17));
	called("second.dat", close(copy));
	called("second.dat", close(second));
	must(dup3(first, second, O_CLOEXEC) == second, "dup3");
	was_written("first.dat", write(second, buffer, 19));
	called("first.dat", close(second));
	called("first.dat", close(far));
	called("first.dat", close(first));
	/* the same number, another file */
	must(opened("second.dat", open("second.dat", O_RDONLY)) == first, "number");
	was_read("second.dat", read(first, buffer, 100));
	called("second.dat", close(first));
}

static void copies(void)
{
	int from = opened("from.dat", open("from.dat", O_RDWR | O_CREAT | O_TRUNC, 0600));
	int to = opened("to.dat", open("to.dat", O_RDWR | O_CREAT | O_TRUNC, 0600));
	off_t offset = 0;
	loff_t in = 0, out = 4096;
	long bytes;

	was_written("from.dat", write(from, buffer, 4096));
	bytes = sendfile(to, from, &offset, 4000);
	was_read("from.dat", bytes);
	of("to.dat")->bytes_written += (unsigned long)bytes;
	bytes = copy_file_range(from, &in, to, &out, 1000, 0);
	was_read("from.dat", bytes);
	of("to.dat")->bytes_written += (unsigned long)bytes;
	called("from.dat", close(from));
	called("to.dat", close(to));
}

static void mappings(void)
{
	int fd = opened("map.dat", open("map.dat", O_RDWR | O_CREAT | O_TRUNC, 0600));
	char *at;

	was_written("map.dat", write(fd, buffer, 4096));
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(at != MAP_FAILED, "mmap");
	called("map.dat", 0);
	called("map.dat", close(fd));
	at[0] = 1;
	called("map.dat", msync(at, 4096, MS_SYNC));
	called("map.dat", munmap(at, 4096));
	/* no file's */
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(at != MAP_FAILED && munmap(at, 4096) == 0, "mmap");
}

static void failures(void)
{
	must(opened("missing.dat", open("missing.dat", O_RDONLY)) < 0 && errno == ENOENT, "ENOENT");
	must(read(-1, buffer, 1) < 0 && errno == EBADF, "EBADF");
	must(close(-1) < 0 && errno == EBADF, "EBADF");
	must(open(nowhere, O_RDONLY) < 0 && errno == EFAULT, "EFAULT");
	int fd = opened("plain.dat", open("plain.dat", O_RDONLY));

	must(write(fd, buffer, 1) < 0 && errno == EBADF, "EBADF");
	called("plain.dat", -1);
	must(read(fd, nowhere, 1) < 0 && errno == EFAULT, "EFAULT");
	called("plain.dat", -1);
	called("plain.dat", close(fd));
}

/* --- sockets, pipes, waits --- */

static void sockets(void)
{
	struct msghdr message = { 0 };
	struct iovec piece = { buffer, 33 };
	struct pollfd ready;
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	was_written("socket", send(pair[0], buffer, 100, 0));
	was_written("socket", sendto(pair[0], buffer, 200, 0, NULL, 0));
	message.msg_iov = &piece;
	message.msg_iovlen = 1;
	was_written("socket", sendmsg(pair[0], &message, 0));
	was_written("socket", write(pair[0], buffer, 50));
	ready = (struct pollfd){ pair[1], POLLIN, 0 };
	must(poll(&ready, 1, -1) == 1, "poll");
	was_read("socket", recv(pair[1], buffer, 100, 0));
	was_read("socket", recvfrom(pair[1], buffer, 100, 0, NULL, NULL));
	was_read("socket", recvmsg(pair[1], &message, 0));
	was_read("socket", read(pair[1], buffer, sizeof(buffer)));
	must(recv(pair[1], buffer, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN, "EAGAIN");
	called("socket", -1);
	called("socket", close(pair[0]));
	called("socket", close(pair[1]));
}

static void pipes(void)
{
	struct timeval none = { 0 };
	fd_set set;
	int end[2];

	must(pipe(end) == 0, "pipe");
	was_written("pipe", write(end[1], buffer, 123));
	FD_ZERO(&set);
	FD_SET(end[0], &set);
	must(select(end[0] + 1, &set, NULL, NULL, &none) == 1, "select");
	was_read("pipe", read(end[0], buffer, 23));
	was_read("pipe", read(end[0], buffer, 1000));
	called("pipe", close(end[1]));
	was_read("pipe", read(end[0], buffer, 1)); /* the end */
	called("pipe", close(end[0]));
}

/* --- streams --- */

static void streams(void)
{
	const char *name = "stream.dat";
	FILE *stream = fopen(name, "w+");
	char *line = NULL;
	size_t room = 0;
	long got;

	opened(name, stream ? 0 : -1);
	was_written(name, (long)fwrite(buffer + 1, 8, 100, stream) * 8);
	was_written(name, fputs("one line\n", stream) < 0 ? -1 : 9);
	was_written(name, fprintf(stream, "%s %d\n", "number", 42));
	called(name, fflush(stream));
	called(name, fseek(stream, 0, SEEK_SET));
	was_read(name, (long)fread(buffer, 1, 800, stream));
	must(fgets(buffer, sizeof(buffer), stream) != NULL, "fgets");
	was_read(name, (long)strlen(buffer));
	got = getline(&line, &room, stream);
	was_read(name, got);
	was_read(name, getline(&line, &room, stream) < 0 ? 0 : -1); /* the end */
	free(line);
	called(name, fclose(stream));
	must(fopen("nowhere/at.all", "r") == NULL && errno == ENOENT, "ENOENT");
	memset(buffer, 'x', sizeof(buffer));
}

/* A stream in memory is no file. */
static void memory_stream(void)
{
	char room[64];
	FILE *stream = fmemopen(room, sizeof(room), "w");

	must(stream && fputs("text", stream) >= 0 && fclose(stream) == 0, "fmemopen");
}

/* --- threads and processes --- */

static void *writer(void *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < 200; i++)
		must(write(fd, buffer, 5) == 5, name);
	must(close(fd) == 0, name);
	return NULL;
}

static void threads(void)
{
	static const char *const names[] = { "thread0.dat", "thread1.dat", "thread2.dat",
					     "thread3.dat" };
	pthread_t thread[4];

	for (int i = 0; i < 4; i++) {
		of(names[i])->calls = 202;
		of(names[i])->opens = 1;
		of(names[i])->bytes_written = 1000;
		must(!pthread_create(&thread[i], NULL, writer, (void *)names[i]), "thread");
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

/* What the child inherits means there what it means here. */
static void child(void)
{
	int fd = opened("child.dat", open("child.dat", O_RDWR | O_CREAT | O_TRUNC, 0600)), status;
	pid_t pid = fork();

	if (!pid) {
		must(write(fd, buffer, 21) == 21 && close(fd) == 0, "child");
		fd = open("child.dat", O_RDONLY);
		must(read(fd, buffer, 100) == 21, "child");
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && status == 0, "child");
	of("child.dat")->calls += 4;
	of("child.dat")->opens++;
	of("child.dat")->bytes_written += 21;
	of("child.dat")->bytes_read += 21;
	was_written("child.dat", write(fd, buffer, 3));
	called("child.dat", close(fd));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";

	if (strcmp(what, "streams")) {
		plain_file();
		opened_again();
		duplicates();
		copies();
		mappings();
		failures();
		sockets();
		pipes();
		threads();
		child();
	}
	if (strcmp(what, "plain")) {
		streams();
		memory_stream();
	}
	for (unsigned int i = 0; i < count; i++)
		printf("%s %lu %lu %lu %lu %lu\n", tallies[i].name, tallies[i].calls,
		       tallies[i].bytes_read, tallies[i].bytes_written, tallies[i].errors,
		       tallies[i].opens);
	return 0;
}
