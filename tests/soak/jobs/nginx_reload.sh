#!/bin/bash
# SPDX-License-Identifier: MIT
#
# nginx: workers, three reloads under requests, an orderly end.
# needs: nginx curl
# limit: 90

mkdir -p w l; seq 1 10000 >w/f
cat >n.conf <<END
daemon on; pid $PWD/pid; error_log $PWD/l/error.log; worker_processes 3;
events { worker_connections 64; }
http { access_log off; client_body_temp_path $PWD/l; proxy_temp_path $PWD/l; fastcgi_temp_path $PWD/l; uwsgi_temp_path $PWD/l;
scgi_temp_path $PWD/l; server { listen 127.0.0.1:7082; root $PWD/w; } }
END
nginx -e "$PWD/l/e" -p "$PWD" -c "$PWD/n.conf"; echo "start $?"
until (: </dev/tcp/127.0.0.1/7082) 2>/dev/null; do sleep 0.05; done
for i in 1 2 3; do
	for j in $(seq 1 10); do curl -s "http://127.0.0.1:7082/f" | cmp - w/f || echo "differ $i $j"; done
	nginx -e "$PWD/l/e" -p "$PWD" -c "$PWD/n.conf" -s reload; echo "reload $?"
done
pid=$(cat pid)
nginx -e "$PWD/l/e" -p "$PWD" -c "$PWD/n.conf" -s quit; echo "quit $?"
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
echo ended
