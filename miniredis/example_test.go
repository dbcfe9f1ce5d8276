package miniredis_test

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"github.com/miniserver-go/miniserver/miniredis"
	"github.com/miniserver-go/miniserver/miniredis/server"
)

// ask sends a line to a server and prints the reply; clients do the same for a program.
func ask(m *miniredis.Miniredis, line string) {
	c, err := net.Dial("tcp", m.Addr())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "%s\r\n", line); err != nil {
		panic(err)
	}
	reply, err := server.ParseReply(bufio.NewReader(c))
	if err != nil {
		reply = err
	}
	fmt.Println(reply)
}

func Example() {
	m, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	defer m.Close()

	// What the code under test expects to find:
	_ = m.Set("greeting", "hello")
	m.HSet("user:1", "name", "ann")

	// The code under test, with any client:
	ask(m, "GET greeting")
	ask(m, "HINCRBY user:1 visits 1")
	ask(m, "SET session ann EX 60")

	// What it has done:
	fmt.Println(m.HGet("user:1", "visits"), m.TTL("session"))
	m.FastForward(time.Minute)
	fmt.Println(m.Exists("session"))
	fmt.Print(m.Dump())
	// Output:
	// hello
	// 1
	// OK
	// 1 1m0s
	// false
	// - greeting
	//    "hello"
	// - user:1
	//    name: "ann"
	//    visits: "1"
}

func ExampleMiniredis_SetTime() {
	m, _ := miniredis.Run()
	defer m.Close()
	m.SetTime(time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC))
	ask(m, "TIME")
	ask(m, "XADD events * name start")
	ask(m, "SET offer half EXAT 1709208060")
	fmt.Println(m.TTL("offer"))
	// Output:
	// [1709208000 0]
	// 1709208000000-0
	// OK
	// 1m0s
}

func ExampleMiniredis_SetError() {
	m, _ := miniredis.Run()
	defer m.Close()
	m.SetError("LOADING Redis is loading the dataset in memory")
	ask(m, "GET k")
	m.SetError("")
	ask(m, "PING")
	// Output:
	// LOADING Redis is loading the dataset in memory
	// PONG
}

func ExampleMiniredis_Server() {
	m, _ := miniredis.Run()
	defer m.Close()
	_ = m.Server().Register("KEYS.SORTED", func(c *server.Peer, cmd string, args []string) {
		c.WriteStrings(m.Keys())
	})
	m.Server().SetPreHook(func(c *server.Peer, cmd string, args ...string) bool {
		if cmd != "FLUSHALL" {
			return false // it runs
		}
		c.WriteError("ERR not in production")
		return true
	})
	_ = m.Set("b", "1")
	_ = m.Set("a", "2")
	ask(m, "FLUSHALL")
	ask(m, "KEYS.SORTED")
	// Output:
	// ERR not in production
	// [a b]
}

func ExampleMiniredis_NewSubscriber() {
	m, _ := miniredis.Run()
	defer m.Close()
	s := m.NewSubscriber()
	defer s.Close()
	s.Subscribe("news")
	ask(m, "PUBLISH news hello")
	fmt.Println((<-s.Messages()).Message)
	// Output:
	// 1
	// hello
}

func ExampleMiniredis_Restart() {
	m, _ := miniredis.Run()
	defer m.Close()
	_ = m.Set("k", "v")
	before := m.Addr()
	m.Close()
	if err := m.Restart(); err != nil {
		panic(err)
	}
	ask(m, "GET k")
	fmt.Println(m.Addr() == before)
	// Output:
	// v
	// true
}
