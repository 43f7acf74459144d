# SPDX-License-Identifier: MIT
"""
Reads Prometheus' text format, version 0.0.4, and refuses all that the format does not allow.

usage: exposition.py FILE             prints name{labels} value, a line each, labels in order
       exposition.py FILE EXPRESSION  each EXPRESSION must hold: value("name", label="x") is a
                                      sample, values("name") a list, `metrics` the types by name
"""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
TYPES = ("counter", "gauge", "histogram", "summary", "untyped")


class Wrong(Exception):
    pass


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)


def family_of(name, types):
    """The metric that a sample belongs to: of a histogram, its name has a suffix."""
    for suffix in ("_bucket", "_sum", "_count"):
        base = name[: -len(suffix)]
        if name.endswith(suffix) and types.get(base) == "histogram":
            return base
    if name not in types:
        raise Wrong("%s has no TYPE before it" % name)
    if types[name] == "histogram":
        raise Wrong("%s is a histogram and has a sample without suffix" % name)
    return name


def read_labels(text):
    labels, at = {}, 0
    while at < len(text):
        match = re.compile(LABEL).match(text, at)
        if not match:
            raise Wrong("labels %r" % text)
        if match.group(1) in labels:
            raise Wrong("label %s occurs twice" % match.group(1))
        labels[match.group(1)] = unescape(match.group(2))
        at = match.end()
        if at < len(text):
            if text[at] != "," or at + 1 == len(text):
                raise Wrong("labels %r" % text)
            at += 1
    return labels


def parse(text):
    """Returns the types by name, and the samples: (name, labels, value)."""
    types, helps, samples, done, current = {}, set(), [], set(), None
    if not text.endswith("\n"):
        raise Wrong("the last line has no end")
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            if not re.fullmatch(NAME, name) or name in helps or re.search(r"\\[^\\n]", line):
                raise Wrong(line)
            helps.add(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in types or kind not in TYPES or name not in helps:
                raise Wrong(line)
            if kind == "counter" and not name.endswith("_total"):
                raise Wrong("counter %s does not end in _total" % name)
            types[name] = kind
        else:
            match = re.fullmatch(r"(%s)(?:\{(.*)\})? (\S+)" % NAME, line)
            if not match:
                raise Wrong(line)
            name, labels, value = match.group(1), read_labels(match.group(2) or ""), match.group(3)
            family = family_of(name, types)
            if family != current and family in done:
                raise Wrong("samples of %s are apart" % family)
            current = family
            done.add(family)
            if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
                raise Wrong("value %r" % value)
            samples.append((name, labels, float(value)))
    keys = [(name, tuple(sorted(labels.items()))) for name, labels, _ in samples]
    if len(set(keys)) != len(keys):
        raise Wrong("a sample occurs twice")
    check_histograms(types, samples)
    return types, samples


def check_histograms(types, samples):
    """Classes are cumulative, in order, and the last is +Inf and equals the count."""
    rows = {}
    for name, labels, value in samples:
        if name.endswith("_bucket") and types.get(name[:-7]) == "histogram":
            rest = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
            rows.setdefault((name[:-7], rest), []).append((float(labels["le"]), value))
    for (name, rest), classes in rows.items():
        count = [v for n, labels, v in samples
                 if n == name + "_count" and tuple(sorted(labels.items())) == rest]
        if classes != sorted(classes) or classes[-1][0] != float("inf") or \
                [v for _, v in classes] != sorted(v for _, v in classes) or \
                count != [classes[-1][1]]:
            raise Wrong("histogram %s" % name)


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        metrics, samples = parse(file.read())

    def values(name, **labels):
        return [v for n, has, v in samples
                if n == "intercept_" + name and labels.items() <= has.items()]

    def value(name, **labels):
        found = values(name, **labels)
        if len(found) != 1:
            raise Wrong("%d samples of %s %s" % (len(found), name, labels))
        return found[0]

    if len(sys.argv) == 2:
        for name, labels, number in samples:
            print("%s%s %r" % (name, sorted(labels.items()), number))
    failed = 0
    for expression in sys.argv[2:]:
        names = {"value": value, "values": values, "metrics": metrics, "samples": samples}
        if not eval(expression, names):
            print("does not hold: %s" % expression, file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as why:
        print("%s: %s" % (sys.argv[1], why), file=sys.stderr)
        sys.exit(1)
