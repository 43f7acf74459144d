# SPDX-License-Identifier: MIT
"""Runs COMMAND on a terminal of its own and does what the script says: for programs that draw.

usage: terminal.py COLUMNSxROWS SCRIPT COMMAND...

SCRIPT is words with blanks between:
    see:TEXT      until the screen's lines have that text (an underscore is a blank)
    raw:TEXT      the same of the bytes that have come since the last key, size or signal
    key:K         types it; ^C and ^Z are those
    size:CxR      the terminal has another size; screens for the one before may come still: judged is from the first that fits on
    drawn         until a screen that fits the size has come
    signal:NAME   sends it to the program
    stopped       until the program is stopped
    end           until it has ended
Prints "status N", what the terminal was left in, and the lines of the screen at the end. A word that does not come true
within a minute is an error.
"""
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

LIMIT_S = 600


class Screen:
    """As much of a terminal as is needed: two screens, cursor, erase, text."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.normal, self.alternate = [""] * rows, None
        self.row = self.column = 0
        self.cursor, self.left, self.odd = True, "", []
        # once a whole screen fits the size, all later ones do; how many are on their way when the size changes, nobody knows
        self.fits, self.is_whole, self.is_odd = True, True, False

    def lines(self):
        return self.normal if self.alternate is None else self.alternate

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.fits, self.is_whole, self.is_odd = False, False, False
        self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)
        for screen in (self.normal, self.alternate):
            if screen is not None:
                screen[rows:] = []
                screen.extend([""] * (rows - len(screen)))

    def judge(self, odd):
        if self.fits:
            self.odd.append(odd)
        self.is_odd = True

    def put(self, character):
        lines = self.lines()
        if self.column >= self.columns:
            self.judge("a line is wider than the terminal")
            return
        line = lines[self.row].ljust(self.column)
        lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def newline(self):
        lines = self.lines()
        if self.row + 1 < self.rows:
            self.row += 1
            return
        if self.alternate is not None:
            self.judge("the screen was scrolled")
        lines.append("")
        del lines[0]

    def control(self, final, text):
        lines = self.lines()
        if text == "?1049" and final == "h":
            self.alternate, self.row, self.column = [""] * self.rows, 0, 0
        elif text == "?1049" and final == "l":
            self.alternate, self.row, self.column = None, 0, 0
        elif text == "?25":
            self.cursor = final == "h"
        elif final == "H" and not text:
            self.row = self.column = 0
            self.fits = self.fits or self.is_whole and not self.is_odd
            self.is_whole, self.is_odd = True, False
        elif final == "K" and not text:
            lines[self.row] = lines[self.row][:self.column]
        elif final == "J" and not text:
            lines[self.row] = lines[self.row][:self.column]
            lines[self.row + 1:] = [""] * (self.rows - self.row - 1)
        elif final != "m":
            self.odd.append("an unknown sequence: ESC [ %s %s" % (text, final))

    def take(self, text):
        text = self.left + text
        self.left = ""
        while text:
            found = re.match(r"\x1b\[([?0-9;]*)([A-Za-z])", text)
            if found:
                self.control(found.group(2), found.group(1))
                text = text[found.end():]
                continue
            if text[0] == "\x1b" and re.match(r"\x1b(\[[?0-9;]*)?$", text):
                self.left = text
                return
            if text[0] == "\n":
                self.newline()
            elif text[0] == "\r":
                self.column = 0
            elif text[0] < " ":
                self.odd.append("a control character: %r" % text[0])
            else:
                self.put(text[0])
            text = text[1:]


def lead(tell, waits, command):
    """As a shell does: a job of its own can be stopped, the leader of a session cannot. Ends as the program does."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    pid = os.fork()
    if not pid:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.write(tell, b"%d" % os.getpid())
        os.read(waits, 1)
        os.execvp(command[0], command)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(status if status >= 0 else 128 - status)


class Session:
    def __init__(self, size, command):
        self.columns, self.rows = map(int, size.split("x"))
        self.screen = Screen(self.columns, self.rows)
        self.seen, self.status = "", None
        (told, tell), (waits, go) = os.pipe(), os.pipe()
        self.leader, self.fd = pty.fork()
        if not self.leader:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))
            lead(tell, waits, command)
        self.pid = int(os.read(told, 32))
        self.before = termios.tcgetattr(self.fd)
        os.write(go, b"1")

    def read(self):
        ready = select.select([self.fd], [], [], 0.05)[0]
        try:
            data = os.read(self.fd, 65536) if ready else b""
        except OSError:
            return
        self.seen += data.decode("utf-8", "replace")
        self.screen.take(data.decode("utf-8", "replace"))

    def wait(self, what, is_true):
        end = time.monotonic() + LIMIT_S
        while not is_true():
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                sys.exit("%s did not come; the screen:\n%s" % (what, "\n".join(self.screen.lines())))
            self.read()

    def is_stopped(self):
        with open("/proc/%d/stat" % self.pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"

    def has_ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.leader, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.after = termios.tcgetattr(self.fd)
                for _ in range(20):
                    self.read()
        return self.status is not None

    def do(self, word):
        name, _, value = word.partition(":")
        text = value.replace("_", " ")
        if name == "see":
            self.wait(word, lambda: text in "\n".join(self.screen.lines()))
        elif name == "raw":
            self.wait(word, lambda: text in self.seen)
        elif name == "key":
            os.write(self.fd, {"^C": b"\x03", "^Z": b"\x1a"}.get(value, value.encode()))
        elif name == "size":
            columns, rows = map(int, value.split("x"))
            self.screen.resize(columns, rows)
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        elif name == "signal":
            os.kill(self.pid, getattr(signal, "SIG" + value))
        elif name == "drawn":
            self.wait(word, lambda: self.screen.fits)
        elif name == "stopped":
            self.wait(word, self.is_stopped)
        elif name == "end":
            self.wait(word, self.has_ended)
        else:
            sys.exit("unknown word '%s'" % word)


def main():
    session = Session(sys.argv[1], sys.argv[3:])
    for word in sys.argv[2].split():
        if word.startswith(("key", "size", "signal")):
            session.seen = ""
        session.do(word)
    session.wait("end", session.has_ended)
    same = session.after[:4] == session.before[:4]
    print("status", session.status)
    print("terminal", "as before" if same else "changed", "cursor" if session.screen.cursor else "no cursor",
          "screen" if session.screen.alternate is None else "alternate screen")
    for odd in sorted(set(session.screen.odd)):
        print("odd", odd)
    print("\n".join(line.rstrip() for line in session.screen.lines()))


main()
