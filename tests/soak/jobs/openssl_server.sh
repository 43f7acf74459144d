#!/bin/bash
# SPDX-License-Identifier: MIT
#
# openssl: a certificate, a server, a client over TLS.
# needs: openssl

openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null
openssl s_server -accept 127.0.0.1:7443 -key k -cert c -www >server.log 2>&1 &
server=$!
until (: </dev/tcp/127.0.0.1/7443) 2>/dev/null; do sleep 0.05; done
printf 'GET / HTTP/1.0\r\n\r\n' | openssl s_client -quiet -verify_return_error -CAfile c -connect 127.0.0.1:7443 2>/dev/null | head -n 1
{ kill $server; wait $server; } 2>/dev/null; echo "server $?"
