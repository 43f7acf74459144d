/* SPDX-License-Identifier: MIT */
/*
 * Waits of the operating system, each a known number of times. Nothing here depends on how long
 * anything takes: whoever waits for a thread looks whether it waits.
 *
 *   waits locks N     N uncontended locks of a mutex that is locked before any constructor
 *   waits held        waits for a mutex and an rwlock that a thread holds; prints the thread's id
 *   waits all         each function, and what it returned
 *   waits cancel      threads are cancelled in each cancellation point; what their handlers did
 *   waits signals     waits that signals interrupt
 *   waits fork        a parent and a child
 *   waits steps N     in each of N ranges "step": waits of each group, so many as its number
 *   waits killed      dies by SIGKILL while a thread waits for a mutex; prints both ids first
 */
/* build: -pthread -ldl */
/* races: waits all */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, ready;
static int ends[2], sockets[2];

/* Runs before the constructors of all libraries. */
static void lock_first(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = lock_first;

static void say(const char *what, long result, int error)
{
	printf("%s: %ld %s\n", what, result, error ? strerror(error) : "");
}
#define SAY(call)                            \
	do {                                 \
		errno = 0;                   \
		long result_ = (long)(call); \
		say(#call, result_, errno);  \
	} while (0)

static int tid(void)
{
	return (int)syscall(SYS_gettid);
}

/* --- locks --- */

static int locks(long count)
{
	for (long i = 0; i < count; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}

/* A mutex is 2 as soon as somebody waits for it. */
static void until_mutex_waits(void)
{
	while (__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) != 2)
		sched_yield();
}

/* The state letter of a thread of this process. */
static int thread_state(int thread)
{
	char path[64], text[256] = "", *after;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	fd = open(path, O_RDONLY);
	if (fd < 0 || syscall(SYS_read, fd, text, sizeof(text) - 1) <= 0)
		abort();
	close(fd);
	after = strrchr(text, ')');
	return after && after[1] ? after[2] : 0;
}

static void *hold(void *main_thread)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	printf("holder %d\n", tid());
	fflush(stdout);
	sem_post(&ready);
	until_mutex_waits();
	pthread_mutex_unlock(&mutex);
	/* it asks for the rwlock next, and nothing else can make it sleep */
	while (thread_state(*(int *)main_thread) != 'S')
		sched_yield();
	pthread_rwlock_unlock(&rwlock);
	return NULL;
}

static int held(void)
{
	pthread_t thread;
	int self = tid();

	pthread_create(&thread, NULL, hold, &self);
	sem_wait(&ready);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_join(thread, NULL);
	return 0;
}

static void *wait_for_mutex(void *unused)
{
	printf("waiter %d\n", tid());
	fflush(stdout);
	pthread_mutex_lock(&mutex);
	return unused;
}

static int killed(void)
{
	pthread_t thread;

	printf("holder %d\n", tid());
	pthread_mutex_lock(&mutex);
	pthread_create(&thread, NULL, wait_for_mutex, NULL);
	until_mutex_waits();
	raise(SIGKILL);
	return 1;
}

/* --- each function --- */

static void *nothing(void *unused)
{
	return unused;
}

static pthread_t started(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL))
		abort();
	return thread;
}

static int forked(int status)
{
	int child = fork();

	if (!child)
		_exit(status);
	return child;
}

static void all_locks(const struct timespec *past, const struct timespec *later)
{
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, past));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_timedlock(&mutex, later));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_timedrdlock(&rwlock, later));
	SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_timedwrlock(&rwlock, later));
	SAY(pthread_rwlock_unlock(&rwlock));
	pthread_mutex_lock(&mutex);
	SAY(pthread_cond_timedwait(&condition, &mutex, past));
	pthread_mutex_unlock(&mutex);
	sem_post(&semaphore);
	SAY(sem_wait(&semaphore));
	SAY(sem_timedwait(&semaphore, past));
	sem_post(&semaphore);
	SAY(sem_timedwait(&semaphore, later));
}

static void all_threads(const struct timespec *later)
{
	pthread_barrier_t barrier;

	SAY(pthread_join(started(), NULL));
	SAY(pthread_timedjoin_np(started(), NULL, later));
	pthread_barrier_init(&barrier, NULL, 1);
	SAY(pthread_barrier_wait(&barrier));
	pthread_barrier_destroy(&barrier);
}

static void all_sleeps(void)
{
	struct timespec little = { 0, 1000 }, wrong = { 0, -1 };

	SAY(nanosleep(&little, NULL));
	SAY(nanosleep(&wrong, NULL));
	SAY(clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL));
	SAY(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
	SAY(usleep(1));
	SAY(sleep(0));
}

static void all_children(void)
{
	struct rusage usage;
	siginfo_t about;
	int status, child;

	child = forked(1);
	SAY(wait(&status) == child);
	child = forked(2);
	SAY(waitpid(child, &status, 0) == child);
	SAY(WEXITSTATUS(status));
	child = forked(3);
	SAY(waitid(P_PID, (id_t)child, &about, WEXITED));
	child = forked(4);
	SAY(wait3(&status, 0, &usage) == child);
	child = forked(5);
	SAY(wait4(child, &status, 0, &usage) == child);
	SAY(wait(&status));
	SAY(waitpid(-1, &status, WNOHANG));
}

static void all_transfers(void)
{
	char byte = 'x';
	struct iovec piece = { &byte, 1 };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

	SAY(write(ends[1], &byte, 1));
	SAY(read(ends[0], &byte, 1));
	SAY(writev(ends[1], &piece, 1));
	SAY(readv(ends[0], &piece, 1));
	SAY(read(-1, &byte, 1));
	SAY(send(sockets[0], &byte, 1, 0));
	SAY(recv(sockets[1], &byte, 1, 0));
	SAY(sendto(sockets[0], &byte, 1, 0, NULL, 0));
	SAY(recvfrom(sockets[1], &byte, 1, 0, NULL, NULL));
	SAY(sendmsg(sockets[0], &message, 0));
	SAY(recvmsg(sockets[1], &message, 0));
	SAY(recv(sockets[1], &byte, 1, MSG_DONTWAIT));
	SAY(accept(sockets[0], NULL, NULL));
	SAY(connect(-1, NULL, 0));
}

static void all_polls(void)
{
	struct pollfd one = { .fd = ends[0], .events = POLLIN };
	struct pollfd *volatile nowhere = (struct pollfd *)8;
	struct timespec none = { 0, 0 };
	struct timeval no = { 0, 0 };
	struct epoll_event event;
	sigset_t mask;
	int epoll = epoll_create1(EPOLL_CLOEXEC), file;
	char name[] = "waits-XXXXXX";

	sigemptyset(&mask);
	SAY(poll(&one, 1, 0));
	SAY(poll(nowhere, 1, 0));
	SAY(ppoll(&one, 1, &none, &mask));
	SAY(select(0, NULL, NULL, NULL, &no));
	SAY(pselect(0, NULL, NULL, NULL, &none, &mask));
	SAY(epoll_wait(epoll, &event, 1, 0));
	SAY(epoll_pwait(epoll, &event, 1, 0, &mask));
	close(epoll);
	file = mkstemp(name);
	SAY(flock(file, LOCK_EX));
	SAY(flock(file, LOCK_UN));
	SAY(flock(-1, LOCK_EX));
	close(file);
	unlink(name);
}

static int all(void)
{
	struct timespec past = { 1, 0 }, later;

	clock_gettime(CLOCK_REALTIME, &later);
	later.tv_sec += 3600;
	all_locks(&past, &later);
	all_threads(&later);
	all_sleeps();
	all_children();
	all_transfers();
	all_polls();
	return 0;
}

/* --- signals --- */

static int got;

static void on_signal(int number)
{
	(void)number;
	got++;
	/* a handler may wait itself */
	write(ends[1], "s", 1);
}

/* The signal is pending, and the call lets it in. */
static int signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct timespec hour = { 3600, 0 };
	struct pollfd one = { .fd = sockets[0], .events = POLLIN };
	sigset_t blocked, none;
	int number;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	SAY(sigsuspend(&none));
	raise(SIGUSR1);
	SAY(ppoll(&one, 1, &hour, &none));
	raise(SIGUSR1);
	SAY(pselect(0, NULL, NULL, NULL, &hour, &none));
	raise(SIGUSR1);
	SAY(sigwait(&blocked, &number));
	raise(SIGUSR1);
	SAY(sigwaitinfo(&blocked, NULL) == SIGUSR1);
	raise(SIGUSR1);
	SAY(sigtimedwait(&blocked, NULL, &hour) == SIGUSR1);
	printf("handled %d\n", got);
	return 0;
}

/* --- cancellation --- */

static const char *cancelled_in;
static bool cleaned;

static void clean(void *with_mutex)
{
	cleaned = true;
	if (with_mutex)
		pthread_mutex_unlock(&mutex);
}

#define CANCELLED(name, call)                       \
	static void *in_##name(void *unused)        \
	{                                           \
		char byte[1];                       \
		struct timespec hour = { 3600, 0 }; \
		(void)byte, (void)hour;             \
		cancelled_in = #name;               \
		pthread_cleanup_push(clean, NULL);  \
		pthread_cancel(pthread_self());     \
		call;                               \
		pthread_cleanup_pop(0);             \
		return unused;                      \
	}

static void *in_cond_wait(void *unused)
{
	cancelled_in = "cond_wait";
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, &mutex);
	pthread_cancel(pthread_self());
	pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}
CANCELLED(sem_wait, sem_wait(&semaphore))
CANCELLED(nanosleep, nanosleep(&hour, NULL))
CANCELLED(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL))
CANCELLED(usleep, usleep(1))
CANCELLED(sleep, sleep(3600))
CANCELLED(pause, pause())
CANCELLED(read, read(ends[0], byte, 1))
CANCELLED(recv, recv(sockets[0], byte, 1, 0))
CANCELLED(poll, poll(NULL, 0, -1))
CANCELLED(select, select(0, NULL, NULL, NULL, NULL))
CANCELLED(waitpid, waitpid(getppid(), NULL, 0))
CANCELLED(accept, accept(sockets[0], NULL, NULL))

static void cancel_one(void *(*run)(void *))
{
	pthread_t thread;
	void *result;

	cleaned = false;
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, &result);
	printf("%s: %s, %s, mutex %d\n", cancelled_in,
	       result == PTHREAD_CANCELED ? "cancelled" : "returned",
	       cleaned ? "cleaned" : "not cleaned", pthread_mutex_trylock(&mutex));
	pthread_mutex_unlock(&mutex);
}

static int cancel(void)
{
	static void *(*const runs[])(void *) = {
		in_cond_wait, in_sem_wait, in_nanosleep, in_clock_nanosleep,
		in_usleep,    in_sleep,    in_pause,     in_read,
		in_recv,      in_poll,     in_select,    in_waitpid,
		in_accept,
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		cancel_one(runs[i]);
	return 0;
}

static int both(void)
{
	int child = fork(), status = 0;

	if (!child) {
		for (int i = 0; i < 20; i++)
			locks(1);
		pthread_join(started(), NULL);
		_exit(7);
	}
	locks(10);
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
	return 0;
}

/* A wait of each group; none takes long. */
static void one_of_each(void)
{
	struct pollfd input = { .fd = ends[0], .events = POLLIN };
	const struct timespec short_time = { 0, 1000 };
	char byte = 0;

	locks(1);
	sem_post(&semaphore);
	sem_wait(&semaphore);
	nanosleep(&short_time, NULL);
	if (write(ends[1], &byte, 1) != 1 || poll(&input, 1, -1) != 1 ||
	    read(ends[0], &byte, 1) != 1)
		abort();
}

static int steps(long count)
{
	int (*range_push)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT,
								       "nvtxRangePushA");
	int (*range_pop)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "nvtxRangePop");

	if (!range_push || !range_pop)
		return 3;
	for (int i = 0; i < 5; i++)
		one_of_each(); /* in no step */
	for (long i = 0; i < count; i++) {
		range_push("step");
		for (long k = 0; k < i; k++)
			one_of_each();
		range_pop();
	}
	return 0;
}

static pthread_mutex_t crossed[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t have_one;

static void cross(int first)
{
	pthread_mutex_lock(&crossed[first]);
	pthread_barrier_wait(&have_one);
	pthread_mutex_lock(&crossed[!first]);
}

static void *cross_other(void *unused)
{
	cross(1);
	return unused;
}

/* Two threads wait for each other's mutex, for ever. */
static int deadlock(void)
{
	pthread_t thread;

	pthread_barrier_init(&have_one, NULL, 2);
	pthread_create(&thread, NULL, cross_other, NULL);
	cross(0);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) ||
	    sem_init(&semaphore, 0, 0) || sem_init(&ready, 0, 0))
		return 2;
	if (!strcmp(what, "locks"))
		return locks(atol(argv[2]));
	if (!strcmp(what, "steps"))
		return steps(atol(argv[2]));
	if (!strcmp(what, "held"))
		return held();
	if (!strcmp(what, "all"))
		return all();
	if (!strcmp(what, "cancel"))
		return cancel();
	if (!strcmp(what, "signals"))
		return signals();
	if (!strcmp(what, "fork"))
		return both();
	if (!strcmp(what, "killed"))
		return killed();
	if (!strcmp(what, "deadlock"))
		return deadlock();
	return 2;
}
