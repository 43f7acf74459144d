# SPDX-License-Identifier: MIT
"""What came of the trials: a table of counts, those that differ, and which of these nobody expected."""
import collections
import fnmatch

import write

GOOD = ("same", "numbers", "unsteady", "none")
MEANING = {
    "same": "same output, standard error and status",
    "numbers": "the same but for numbers, in which two bare runs differ, too",
    "unsteady": "bare runs differ among themselves: only the status was compared, it is the same",
    "differ": "differ from the bare runs",
    "hang": "did not end in time",
    "broken": "left a recording that `prof-report check` does not accept",
    "left": "left a collector behind",
    "error": "could not be tried",
    "none": "not compared: do not end when bare"}
KILLS = {
    "same": "nothing left behind, the file reads; where only the collector went, the program ended as if bare",
    "differ": "the program noticed that its collector went",
    "broken": "left a recording that does not read"}


class Results:
    """Of one part: trials, what was left out ([(name, reason)]), seconds."""

    def __init__(self, part, trials, left_out, seconds):
        self.part, self.left_out, self.seconds = part, left_out, seconds
        self.trials = sorted(trials, key=lambda one: one.name)
        self.meaning = {**MEANING, **KILLS} if part == "kills" else MEANING

    @staticmethod
    def reason(one, expected):
        for pattern, state, reason in expected:
            if state == one.state and fnmatch.fnmatchcase(one.name, pattern):
                return reason
        return None

    def surprises(self, expected):
        return [one for one in self.trials if one.state not in GOOD and not self.reason(one, expected)]

    def counts(self):
        """Lines of a Markdown table."""
        states = collections.Counter(one.state for one in self.trials)
        lines = ["| %s | count |" % self.part, "|---|---|", "| tried | %d |" % len(self.trials)]
        if self.part == "sweep":
            lines.append("| of these, programs with `--version` or its like | %d |" %
                         sum(": " not in one.name for one in self.trials))
        if self.part == "cpython":
            lines.append("| single tests in these modules | %d |" % sum(one.lines for one in self.trials))
        lines += ["| %s | %d |" % (meaning, states[state]) for state, meaning in self.meaning.items() if states[state]]
        lines.append("| not run | %d |" % len(self.left_out))
        files = sum(one.files for one in self.trials)
        if self.part == "kills":
            lines.append("| recordings, of these with at least a frame | %d, %d |" %
                         (files, sum(one.lines for one in self.trials)))
        else:
            lines.append("| recordings that `prof-report check` has read | %d |" % files)
        return lines

    def details(self, expected):
        """A line for each that differs or was not compared."""
        lines = []
        for one in self.trials:
            if one.state not in GOOD:
                reason = self.reason(one, expected)
                lines.append("- %s: %s: %s%s" % (one.name, one.state, one.detail, " (%s)" % reason if reason else ""))
            elif one.state == "none":
                lines.append("- %s: not compared: %s" % (one.name, one.detail))
        for state in ("numbers", "unsteady"):
            names = sorted(one.name for one in self.trials if one.state == state)
            if names:
                lines.append("- %s: %s" % (state, ", ".join(names)))
        return lines

    def text(self, expected):
        """For people: the table, what differs, what was not run."""
        lines = ["%s: %d tried in %d s" % (self.part, len(self.trials), self.seconds), ""]
        lines += self.counts() + [""] + self.details(expected)
        if self.left_out:
            lines.append("- not run: " + ", ".join(sorted(name for name, _ in self.left_out)))
        return "\n".join(lines)

    def document(self, expected):
        """The part's block of docs/RELIABILITY.md."""
        lines = [write.heading() + " It took %d s." % self.seconds, ""] + self.counts()
        shown = [one for one in self.trials if one.state not in GOOD]
        if shown:
            lines += ["", "What differs:", ""]
            lines += ["* `%s`: %s; %s" % (one.name, one.state, self.reason(one, expected) or one.detail) for one in shown]
        if self.part == "jobs":
            lines += ["", "Jobs: " + ", ".join(one.name.split(":")[1] for one in self.trials) + ".",
                      "", "Packages: " + write.packages() + "."]
        return lines
