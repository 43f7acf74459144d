# SPDX-License-Identifier: MIT
"""One run of a command in a box: a directory and a HOME of its own that start empty, no terminal, no input, an
environment of its own, limits of memory, files and processes, no network but its own loopback, and not as root.
At the limit of time, and at its end, all that it left behind is killed. One box a process: what a program leaves
behind becomes a child of the process that runs it."""
import contextlib
import ctypes
import fcntl
import os
import pwd
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games"
FILE_BYTES = 1 << 29
DATA_BYTES = 6 << 30
PROCESSES = 4096
LEFT_SECONDS = 30  # the collector ends by itself: it waits at most 5 s for nothing

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
CLONE_NEWNET = 0x40000000
WALL = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1  # ip link set up, where there is no ip
libc = ctypes.CDLL(None, use_errno=True)


def user():
    """Who runs the programs: (uid, gid), nobody where we are root, else None: as we are."""
    if os.getuid():
        return None
    entry = pwd.getpwnam("nobody")
    return entry.pw_uid, entry.pw_gid


def prepare():
    """Once a process, before its first box."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if not os.getuid() and libc.unshare(CLONE_NEWNET) == 0:
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            fcntl.ioctl(link, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def confine():
    """In the child, before its program: a session of its own, limits, no privileges."""
    os.setsid()
    os.umask(0o022)
    for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, FILE_BYTES),
                       (resource.RLIMIT_DATA, DATA_BYTES), (resource.RLIMIT_NPROC, PROCESSES)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    who = user()
    if who:
        os.setgroups([])
        os.setgid(who[1])
        os.setuid(who[0])


def descendants(pid):
    """All processes below, {pid: name}; those that have ended are not among them."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % entry, errors="replace") as file:
                head, tail = file.read().rsplit(")", 1)
        except OSError:
            continue
        state, parent = tail.split()[:2]
        parents.setdefault(int(parent), []).append(int(entry))
        if state not in "ZX":
            names[int(entry)] = head.split("(", 1)[1]
    found, todo = {}, [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            todo.append(child)
            if child in names:
                found[child] = names[child]
    return found


def reap():
    """Collect what has ended: {pid: status}."""
    ended = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG | WALL)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended[pid] = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def share():
    """The part of a second that a process gets where more of them are running than there are CPUs."""
    return min(1.0, len(os.sched_getaffinity(0)) / max(os.getloadavg()[0], 1.0))


def await_end(process, seconds):
    """Its status, None when it does not end in so many seconds of the machine: on a busy one each counts for what a process gets of it.
    Orphans that come to us are collected meanwhile, as process 1 would."""
    left, looked = seconds, time.monotonic()
    while left > 0:
        ended = reap()
        if process.pid in ended:
            return ended[process.pid]
        time.sleep(0.004)
        if time.monotonic() - looked > 1:
            left -= (time.monotonic() - looked) * share()
            looked = time.monotonic()
    return None


def kill_all():
    """End all that is below us."""
    left = descendants(os.getpid())
    while left:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.01)
        reap()
        left = descendants(os.getpid())
    reap()


def sweep_out():
    """Wait for what the program left behind, kill what stays: its names."""
    end = time.monotonic() + LEFT_SECONDS
    left = descendants(os.getpid())
    while left and time.monotonic() < end:
        time.sleep(0.01)
        reap()
        left = descendants(os.getpid())
    kill_all()
    return sorted(set(left.values()))


class Run:
    """What a run was: status (None: it did not end in time), out and err (bytes), left (names), seconds."""

    def __init__(self, status, out, err, left, seconds):
        self.status, self.out, self.err, self.left, self.seconds = status, out, err, left, seconds


def empty(directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory + "/home")
    os.makedirs(directory + "/work")
    os.makedirs(directory + "/tmp")
    who = user()
    if who:
        for path in (directory, directory + "/home", directory + "/work", directory + "/tmp"):
            os.chown(path, *who)


def read(path):
    with open(path, "rb") as file:
        return file.read(1 << 26)


def run(argv, directory, seconds, preload):
    """argv in the box `directory`, which is emptied first; preload: more of the environment."""
    empty(directory)
    environment = {"PATH": PATH, "HOME": directory + "/home", "TMPDIR": directory + "/tmp", "LC_ALL": "C.UTF-8",
                   "TERM": "dumb", "USER": "nobody", "LOGNAME": "nobody", "SHELL": "/bin/sh",
                   "XDG_RUNTIME_DIR": directory + "/tmp", **preload}
    out, err = directory + ".out", directory + ".err"
    start = time.monotonic()
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        process = subprocess.Popen(argv, cwd=directory + "/work", env=environment, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=stderr, preexec_fn=confine)
        status = await_end(process, seconds)
        if status is None:
            kill_all()
        process.returncode = status or 0
    taken = time.monotonic() - start
    left = sweep_out()
    done = Run(status, read(out), read(err), left, taken)
    os.unlink(out)
    os.unlink(err)
    return done
