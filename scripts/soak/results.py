# SPDX-License-Identifier: MIT
"""What came of the trials: a table of counts, those that differ, and which of these nobody expected."""
import collections
import fnmatch

GOOD = ("same", "numbers", "unsteady", "none")
MEANING = (("same", "same output, same status"),
           ("numbers", "the same but for numbers, in which two bare runs differ, too"),
           ("unsteady", "two bare runs differ: only the status was compared, it is the same"),
           ("differ", "differ from the bare runs"),
           ("hang", "did not end in time"),
           ("broken", "left a recording that `prof-report check` does not accept"),
           ("left", "left a collector behind"),
           ("error", "could not be tried"),
           ("none", "not compared: do not end when bare"))


class Results:
    """Of one part: trials, what was left out ([(name, reason)]), seconds."""

    def __init__(self, part, trials, left_out, seconds):
        self.part, self.left_out, self.seconds = part, left_out, seconds
        self.trials = sorted(trials, key=lambda one: one.name)

    def reason(self, one, expected):
        for pattern, state, reason in expected:
            if state == one.state and fnmatch.fnmatchcase(one.name, pattern):
                return reason
        return None

    def surprises(self, expected):
        return [one for one in self.trials if one.state not in GOOD and not self.reason(one, expected)]

    def counts(self):
        """Lines of a Markdown table."""
        states = collections.Counter(one.state for one in self.trials)
        lines = ["| %s | %d |" % (meaning, states[state]) for state, meaning in MEANING if states[state]]
        lines.append("| not run | %d |" % len(self.left_out))
        if self.part == "cpython":
            lines.append("| single tests in these modules | %d |" % sum(one.lines for one in self.trials))
        lines.append("| recordings, all accepted by `prof-report check` unless above | %d |" %
                     sum(one.files for one in self.trials))
        return lines

    def text(self, expected):
        lines = ["%s: %d tried in %d s" % (self.part, len(self.trials), self.seconds),
                 "", "| %s | count |" % self.part, "|---|---|"] + self.counts() + [""]
        for one in self.trials:
            if one.state not in GOOD:
                lines.append("- %s: %s: %s%s" % (one.name, one.state, one.detail,
                                                 " [expected]" if self.reason(one, expected) else ""))
            elif one.state == "none":
                lines.append("- %s: not compared: %s" % (one.name, one.detail))
        for state in ("numbers", "unsteady"):
            names = sorted(one.name for one in self.trials if one.state == state)
            if names:
                lines.append("- %s: %s" % (state, ", ".join(names)))
        if self.left_out:
            lines.append("- not run: " + ", ".join(sorted(name for name, _ in self.left_out)))
        return "\n".join(lines)
