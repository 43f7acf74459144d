# SPDX-License-Identifier: MIT
"""How a command is run bare, under intercept, and under each peer, and what one run has cost."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time


def beneath(environment):
    """With the libraries of $BENEATH preloaded after ours: a fake CUDA, for a test of these scripts."""
    libraries = os.environ.get("BENEATH", "")
    mine = dict(environment)
    if libraries:
        mine["LD_PRELOAD"] = ":".join(filter(None, (mine.get("LD_PRELOAD"), libraries)))
    return {**os.environ, **mine}


class Run:
    """One run: wall time and CPU time of the command and its children, and what the subject measured itself.

    peak_bytes is at least the memory that this program had when the run began (Linux counts from there).
    After `limit` seconds the run is ended and its status is None."""

    def __init__(self, argv, env=None, capture=False, limit=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.perf_counter_ns()
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env=beneath(env or {}), start_new_session=limit is not None)
            killer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL)) if limit else None
            if killer:
                killer.start()
            _, status, usage = os.wait4(process.pid, 0)
            self.wall_ns = time.perf_counter_ns() - start
            process.returncode = status
            if killer:
                killer.cancel()
            out.seek(0)
            err.seek(0)
            text = out.read().decode(errors="replace")
            self.errors = err.read().decode(errors="replace")
        self.argv = argv
        self.status = None if limit and self.wall_ns >= limit * 1e9 else status
        self.peak_bytes = usage.ru_maxrss * 1024
        self.cpu_ns = int((usage.ru_utime + usage.ru_stime) * 1e9)
        self.text = text if capture else ""
        found = re.findall(r"^result (\{.*\})$", text, re.M)
        self.result = {key: value for line in found for key, value in json.loads(line).items()}

    def check(self):
        if self.status is None:
            raise RuntimeError("'%s' was ended after %.0f s" % (" ".join(self.argv), self.wall_ns / 1e9))
        if self.status:
            raise RuntimeError("'%s' ended with status %d: %s"
                               % (" ".join(self.argv), self.status, self.errors.strip()[-300:]))
        return self


class Tool:
    """Bare: nothing around the command. A `path` says where the tool puts its file, without suffix."""

    name = "bare"
    package = ""  # what to install when it is missing
    limit = None  # seconds a run may take

    def missing(self):
        return False

    def environment(self, path):
        return {}

    def wrap(self, argv, path):
        return argv

    def begin(self, path):
        pass

    def end(self, path):
        pass

    def run(self, argv, path, env=None):
        self.clean(path)
        self.begin(path)
        try:
            return Run(self.wrap(argv, path), {**(env or {}), **self.environment(path)}, limit=self.limit).check()
        finally:
            self.end(path)

    def files(self, path):
        """What the run left: all in the directory of `path`, which belongs to one tool."""
        return [os.path.join(top, name) for top, _, names in os.walk(os.path.dirname(path)) for name in names]

    def bytes(self, path):
        return sum(os.path.getsize(file) for file in self.files(path))

    def clean(self, path):
        """Makes the directory of `path`, empty."""
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        os.makedirs(os.path.dirname(path))


class Intercept(Tool):
    """`settings`: environment variables without their prefix."""

    name = "intercept"

    def __init__(self, build, name=None, **settings):
        self.name = name or self.name
        self.settings = {"INTERCEPT_" + key: str(value) for key, value in settings.items()}
        self.library = os.path.abspath(os.path.join(build, "libintercept.so"))
        self.report = os.path.abspath(os.path.join(build, "prof-report"))

    def environment(self, path):
        return {"LD_PRELOAD": self.library, "INTERCEPT_OUTPUT": path + ".evt", **self.settings}

    def totals(self, path, report="summary"):
        """The totals of a report. prof-report waits for the collector to finish the file."""
        run = Run([self.report, report, "--format", "json", path + ".evt"], capture=True)
        return json.loads(run.check().text)["totals"]


class Lttng(Tool):
    name = "lttng-ust libc wrapper"
    package = "lttng-tools liblttng-ust-dev"
    library = "liblttng-ust-libc-wrapper.so"
    session = "intercept-bench"

    def __init__(self, home):
        self.home = home
        self.daemon = None
        self.discarded = 0

    def missing(self):
        loaded = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, universal_newlines=True).stdout
        return not (shutil.which("lttng") and shutil.which("lttng-sessiond") and self.library in loaded)

    def lttng(self, *words):
        done = subprocess.run(["lttng", "--no-sessiond", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True, env={**os.environ, "LTTNG_HOME": self.home})
        if done.returncode:
            raise RuntimeError("lttng %s: %s" % (words[0], done.stdout.strip()))
        return done.stdout

    def start_daemon(self):
        """One of our own unless one runs already."""
        os.makedirs(self.home, exist_ok=True)
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env={**os.environ, "LTTNG_HOME": self.home},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(50):
            time.sleep(0.1)
            try:
                return self.lttng("list")
            except RuntimeError:
                continue
        raise RuntimeError("lttng-sessiond does not answer")

    def stop_daemon(self):
        if self.daemon and self.daemon.poll() is None:
            self.daemon.terminate()
            self.daemon.wait()
        self.daemon = None

    def begin(self, path):
        if not self.daemon:
            self.start_daemon()
        self.lttng("create", self.session, "--output=" + path + ".lttng")
        # room enough that nothing is discarded: its default would be 4 times 512 KiB a core
        self.lttng("enable-channel", "-u", "--subbuf-size=8M", "--num-subbuf=8", "-s", self.session, "heap")
        self.lttng("enable-event", "-u", "-s", self.session, "-c", "heap", "lttng_ust_libc:*")
        self.lttng("start", self.session)

    def end(self, path):
        self.lttng("stop", self.session)
        lost = re.findall(r"Discarded events: (\d+)", self.lttng("list", self.session))
        self.discarded = sum(map(int, lost))
        self.lttng("destroy", self.session)

    def environment(self, path):
        return {"LD_PRELOAD": self.library, "LTTNG_HOME": self.home}


class Heaptrack(Tool):
    name = "heaptrack"
    package = "heaptrack"
    interpreters = ("/usr/lib/heaptrack/libexec/heaptrack_interpret",
                    "/usr/lib/x86_64-linux-gnu/heaptrack/libexec/heaptrack_interpret")

    def missing(self):
        return not shutil.which("heaptrack")

    def wrap(self, argv, path):
        return ["heaptrack", "--raw", "-o", path] + argv

    def interpret(self, path):
        """What `heaptrack` does after a run: the file that heaptrack_print reads. Returns its name."""
        raw = [file for file in self.files(path) if ".raw" in file][0]
        interpreter = [file for file in self.interpreters if os.path.exists(file)][0]
        unpack = "zstd -dc" if raw.endswith(".zst") else "gzip -dc"
        pack = "zstd -c" if raw.endswith(".zst") else "gzip -c"
        done = raw.replace(".raw", ".done")
        subprocess.run("%s <'%s' | '%s' | %s >'%s'" % (unpack, raw, interpreter, pack, done), shell=True,
                       check=True, stderr=subprocess.DEVNULL)
        return done


class Memray(Tool):
    name = "memray"
    package = "memray (PyPI, into the interpreter of find-python.sh)"
    options = ()

    def __init__(self, python):
        self.python = python

    def missing(self):
        return not self.python or bool(subprocess.run(
            [self.python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('memray'))"]).returncode)

    def wrap(self, argv, path):
        return [argv[0], "-m", "memray", "run", "-q", "-f", *self.options, "-o", path + ".memray", *argv[1:]]


class MemrayNative(Memray):
    name = "memray --native"
    options = ("--native",)


class Uftrace(Tool):
    """Traces the calls of any function of a library through the PLT; knows nothing of CUDA."""

    name = "uftrace, times only"
    package = "uftrace"
    options = ()

    def missing(self):
        return not shutil.which("uftrace")

    def wrap(self, argv, path):
        return ["uftrace", "record", "--force", "--no-event", *self.options, "-d", path + ".uftrace", *argv]


class UftraceArguments(Uftrace):
    """With what a record of ours has: the result, and the arguments as far as it can show them."""

    name = "uftrace, with arguments"
    arguments = {"cudaLaunchKernel": 5, "cudaMemcpyAsync": 5, "cudaEventRecord": 2, "cudaMalloc": 2, "cudaFree": 1}
    options = [word for function, count in arguments.items() for word in (
        "-A", "%s@%s" % (function, ",".join("arg%d/x" % (i + 1) for i in range(count))), "-R", function + "@retval")]


class TorchProfiler(Tool):
    """Options as profiled.py takes them, all of them after "profiler"."""

    def __init__(self, *options):
        self.options = options
        self.name = "torch.profiler" + "".join(" + " + option for option in options if option != "table")
        self.script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/bench/profiled.py")

    def trace(self, path):
        return path + ".json"

    def wrap(self, argv, path):
        return [argv[0], os.path.normpath(self.script), ",".join(("profiler",) + self.options), self.trace(path),
                *argv[1:]]


class Scalene(Tool):
    """Installed apart from the interpreter's own packages (install-deps.sh), so that it changes no version there."""

    package = "scalene (scripts/install-deps.sh bench)"
    limit = 60

    def __init__(self, python, name="Scalene", *options):
        self.python = python
        self.name = name
        self.options = options
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.packages = os.path.join(cache, "intercept", "scalene")

    def missing(self):
        return not self.python or not os.path.isdir(os.path.join(self.packages, "scalene"))

    def environment(self, path):
        return {"PYTHONPATH": self.packages}

    def wrap(self, argv, path):
        return [argv[0], "-m", "scalene", "run", *self.options, "-o", path + ".json", *argv[1:]]
