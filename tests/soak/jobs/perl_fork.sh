#!/bin/bash
# SPDX-License-Identifier: MIT
#
# perl: hashes, forks, pipes, signals, exec.
# needs: perl
# case: languages

cat >a.pl <<'END'
use strict; use IO::Handle; use POSIX ":sys_wait_h";
my %h; $h{$_ % 101} .= chr(65 + $_ % 26) for 1 .. 100000; print length(join "", map { $h{$_} } sort keys %h), "\n";
my $sum = 0;
for my $i (1 .. 20) { pipe(my $r, my $w); my $pid = fork; if (!$pid) { close $r; print $w $i * $i; close $w; exit $i } close $w; $sum += <$r>; waitpid $pid, 0; $sum += $? >> 8 }
print "$sum\n"; my $seen = 0; $SIG{USR1} = sub { $seen++ }; kill USR1 => $$ for 1 .. 50; print "seen ", $seen > 0 ? 1 : 0, "\n";
print `echo from a shell`; system("exit 3"); print $? >> 8, "\n"; exec "sh", "-c", "echo end; exit 9";
END
perl a.pl; echo "status $?"
