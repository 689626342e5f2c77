// SPDX-License-Identifier: GPL-2.0-only

// A proxy in Go, with its client and its server in one process: go_proxy spliced|wrapped. It passes 8 MiB from one
// TCP connection to another. io.Copy splices between two *net.TCPConn. A type that embeds the net.Conn, as one that
// counts or logs does, has no ReadFrom: io.Copy then reads and writes.
package main

import (
	"io"
	"log"
	"net"
	"os"
)

const total = 8 << 20

// counted wraps a connection.
type counted struct {
	net.Conn
	bytes int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.bytes += int64(n)
	return n, err
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	return l
}

// proxy passes what the next client sends to the server.
func proxy(l net.Listener, server string, wrapped bool) {
	client, err := l.Accept()
	check(err)
	upstream, err := net.Dial("tcp", server)
	check(err)
	if wrapped {
		upstream = &counted{Conn: upstream}
	}
	_, err = io.Copy(upstream, client)
	check(err)
	check(upstream.Close())
}

func send(address string) {
	conn, err := net.Dial("tcp", address)
	check(err)
	piece := make([]byte, 64<<10)
	for sent := 0; sent < total; sent += len(piece) {
		_, err = conn.Write(piece)
		check(err)
	}
	check(conn.Close())
}

func main() {
	front, back := listen(), listen()
	go proxy(front, back.Addr().String(), os.Args[1] == "wrapped")
	go send(front.Addr().String())
	conn, err := back.Accept()
	check(err)
	n, err := io.Copy(io.Discard, conn)
	check(err)
	if n != total {
		log.Fatalf("%d of %d bytes arrived", n, total)
	}
}
