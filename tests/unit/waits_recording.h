/* SPDX-License-Identifier: MIT */
/*
 * For tests of what advice says of waits: the places and threads of a training, or of a program
 * without steps, that its samples are at.
 */
#ifndef TESTS_UNIT_WAITS_RECORDING_H
#define TESTS_UNIT_WAITS_RECORDING_H

#include "tests/unit/advice_recording.h"

#define TRAIN "/home/me/train.py"
#define LIBRARY "/usr/lib/python3.11/"
#define PACKAGES "/v/lib/python3.11/site-packages/"
#define TORCH PACKAGES "torch/utils/data/"

/* Streams of samples: of the loop's thread, of another one of the process, and of two workers. */
enum { LOOP = 11, BESIDE = 12, WORKER = 13 };

/* Places, with the numbers of their lines. */
enum place {
	AT_LOOP = 1, /* train.py:20 */
	AT_LOCK,     /* train.py:14, called from 20 */
	AT_HOLDER,   /* train.py:10, of another thread */
	AT_NEXT,     /* the DataLoader waits */
	AT_WORKER,   /* a worker waits for what it is to do */
	AT_FETCH,    /* and fetches */
	AT_SAMPLE,   /* train.py:30, in that */
	AT_ONCE,     /* an event loop, in its own code */
	AT_SELECT,   /* it waits for something to do */
	AT_HANDLE,   /* a callback of it */
	AT_CALLBACK, /* train.py:40, in that */
	AT_RUN_CALLER,
	AT_QUEUE_CALLER,
	AT_WORKER_START, /* what a forked worker has around it */
};

static void place_put(enum place id, enum place from, const char *function, const char *file,
		      uint64_t line)
{
	FRAME_PUT(c.r.fw, 1, python_code, .id = id, .function = name(function), .file = name(file),
		  .line = 1);
	FRAME_PUT(c.r.fw, 1, python_place, .id = id, .from = from, .code = id, .line = line);
}

static void define_places(void)
{
	frame_begin_block(c.r.fw, 0);
	place_put(AT_LOOP, 0, "<module>", TRAIN, 20);
	place_put(AT_LOCK, AT_LOOP, "bump", TRAIN, 14);
	place_put(AT_HOLDER, 0, "compress", TRAIN, 10);
	place_put(AT_NEXT, AT_LOOP, "_try_get_data", TORCH "dataloader.py", 1200);
	place_put(AT_WORKER, AT_LOOP, "_worker_loop", TORCH "_utils/worker.py", 300);
	place_put(AT_FETCH, AT_WORKER, "fetch", TORCH "_utils/fetch.py", 50);
	place_put(AT_SAMPLE, AT_FETCH, "decode", TRAIN, 30);
	frame_end_block(c.r.fw);
	frame_begin_block(c.r.fw, 0);
	place_put(AT_ONCE, AT_LOOP, "_run_once", LIBRARY "asyncio/base_events.py", 1900);
	place_put(AT_SELECT, AT_ONCE, "select", LIBRARY "selectors.py", 468);
	place_put(AT_HANDLE, AT_ONCE, "_run", LIBRARY "asyncio/events.py", 80);
	place_put(AT_CALLBACK, AT_HANDLE, "handle", TRAIN, 40);
	place_put(AT_RUN_CALLER, AT_LOOP, "convert", TRAIN, 25);
	place_put(AT_QUEUE_CALLER, AT_LOOP, "next_batch", TRAIN, 50);
	/* the walk goes by `from` and not by number: these two have a caller behind them */
	place_put(30, AT_RUN_CALLER, "communicate", LIBRARY "subprocess.py", 1200);
	place_put(31, AT_QUEUE_CALLER, "get", LIBRARY "queue.py", 170);
	place_put(32, AT_LOOP, "__next__", TORCH "dataloader.py", 700);
	place_put(33, AT_LOOP, "result", LIBRARY "concurrent/futures/_base.py", 450);
	place_put(34, AT_RUN_CALLER, "sub", LIBRARY "re/__init__.py", 185);
	place_put(35, 34, "compile", LIBRARY "re/_compiler.py", 750);
	place_put(36, AT_RUN_CALLER, "sub", "__init__.py", 185);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 37, .from = AT_FETCH, .code = AT_SAMPLE,
		  .line = 31);
	place_put(38, AT_LOOP, "_bootstrap", LIBRARY "multiprocessing/process.py", 314);
	place_put(39, 38, "_recv", LIBRARY "multiprocessing/connection.py", 378);
	place_put(40, AT_RUN_CALLER, "save", PACKAGES "torch/serialization.py", 900);
	place_put(41, 40, "__init__", PACKAGES "torch/serialization.py", 829);
	place_put(45, AT_HANDLE, "run_code", PACKAGES "IPython/core/interactiveshell.py", 3800);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 46, .from = 45, .code = AT_CALLBACK, .line = 40);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 42, .code = AT_ONCE, .line = 1900);
	FRAME_PUT(c.r.fw, 1, python_place, .id = 43, .from = 42, .code = AT_HANDLE, .line = 80);
	place_put(44, 43, "wait", LIBRARY "threading.py", 331);
	frame_end_block(c.r.fw);
}

#define IN_PACKAGES_LOOP 44u /* a callback of an event loop, in no line of the user's */
#define IN_CELL 46u          /* train.py:40, in a notebook's cell */
#define IN_SUBPROCESS 30u
#define IN_QUEUE 31u
#define IN_LOADER 32u
#define IN_FUTURE 33u
#define IN_MATCH 34u
#define IN_COMPILER 35u
#define IN_ANY_PACKAGE 36u /* a file without folders, of no known package */
#define IN_CHILD 39u       /* a forked worker unpickles, in no line of the user's */
#define IN_SAVE 41u        /* torch.save(), which opens the file */
#define AT_SAMPLE_END 37u  /* train.py:31, in the same function as AT_SAMPLE */

#define SERVER 9u /* forks for process 1, which has started it */
static unsigned int worker_parent = 1;

static void define_threads(void)
{
	frame_begin_block(c.r.fw, 0);
	FRAME_PUT(c.r.fw, 0, process, .process = SERVER, .pid = 299, .parent_pid = 100, .parent = 1,
		  .command = name("python -c from multiprocessing.forkserver import main"));
	FRAME_PUT(c.r.fw, 0, thread, .stream = LOOP, .process = 1, .tid = 100, .level = 2);
	FRAME_PUT(c.r.fw, 0, thread, .stream = BESIDE, .process = 1, .tid = 200, .level = 2);
	for (unsigned int i = 0; i < 2; i++) {
		FRAME_PUT(c.r.fw, 0, process, .process = 2 + i, .pid = 300 + i, .parent_pid = 100,
			  .parent = worker_parent);
		FRAME_PUT(c.r.fw, 0, thread, .stream = WORKER + i, .process = 2 + i, .tid = 300 + i,
			  .level = 2);
		FRAME_PUT(c.r.fw, 0, thread_name, .process = 2 + i, .tid = 300 + i,
			  .name = name("pt_data_worker"));
	}
	frame_end_block(c.r.fw);
}

/* What a thread is seen in, from `from_ns` of a step on, for `took_ns`. */
struct seen {
	unsigned int stream, place;
	enum evt_python_state state;
	uint64_t from_ns, took_ns;
	uint64_t owner, owner_place, call;
};

static bool is_in_cuda; /* what is seen is in a call of CUDA */

static void look_put(const struct seen *seen, uint64_t at_ns)
{
	FRAME_PUT(c.r.fw, at_ns + seen->from_ns, python_sample, .place = AT_LOOP, .state = 0,
		  .looks = 1);
	FRAME_PUT(c.r.fw, at_ns + seen->from_ns + seen->took_ns, python_sample,
		  .place = seen->place, .state = seen->state, .looks = 1, .owner = seen->owner,
		  .owner_place = seen->owner_place, .call = seen->call);
	if (is_in_cuda)
		FRAME_PUT(c.r.fw, at_ns + seen->from_ns + seen->took_ns + US, gpu_call,
			  .function = name("cudaMemcpyAsync"), .duration_ns = seen->took_ns,
			  .correlation = 1);
}

#endif
