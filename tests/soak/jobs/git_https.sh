#!/bin/bash
# SPDX-License-Identifier: MIT
#
# git: a clone over https from a local server with its own certificate.
# needs: git openssl /usr/bin/python3

export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' GIT_CONFIG_NOSYSTEM=1
git config --global user.name a; git config --global user.email a@b; git config --global init.defaultBranch main
git init -q r; (cd r && seq 1 5000 >f && git add f && git commit -qm c && git update-server-info && git gc -q && git update-server-info)
openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null
cat >s.py <<'END'
import http.server, ssl
server = http.server.ThreadingHTTPServer(("127.0.0.1", 7444), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("c", "k")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
END
/usr/bin/python3 s.py 2>/dev/null &
server=$!
until (: </dev/tcp/127.0.0.1/7444) 2>/dev/null; do sleep 0.05; done
GIT_SSL_CAINFO=$PWD/c git clone -q https://127.0.0.1:7444/r/.git clone; echo "status $?"
git -C clone rev-parse HEAD; cmp r/f clone/f && echo same
{ kill $server; wait $server; } 2>/dev/null; echo "server $?"
