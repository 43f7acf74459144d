#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sqlite3: 200,000 rows, indexes, a join, a backup.
# needs: sqlite3
# case: languages

sqlite3 a.db <<'END'
pragma journal_mode = wal;
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 200000) insert into t select x, 'row ' || (x * 7919 % 200003) from c;
create index i on t(b);
select count(*), min(b), max(b) from t;
select count(*) from t x join t y on x.b = 'row ' || y.a where y.a < 5000;
update t set b = upper(b) where a % 3 = 0;
select count(*) from t where b glob 'ROW*';
pragma integrity_check;
.backup b.db
END
sqlite3 b.db 'select sum(a) from t'
