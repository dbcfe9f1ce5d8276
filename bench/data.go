package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/miniserver-go/miniserver/resp"
)

// members is the number of elements of the collections that the rows below work on.
const members = 100_000

// dataWorkloads are the rows of compare for the types beyond strings. Their setup stores what they
// read or remove.
func dataWorkloads() []workload {
	one := func(name string, share float64, setup func(*server) error, args ...string) workload {
		return workload{name: name + ", 50 clients", clients: 50, pipeline: 1, share: share, keyspace: members,
			args: args, setup: setup}
	}
	element := "element:__rand_int__"
	publish := one("PUBLISH to 50 subscribers", 0.3, nil, "PUBLISH", "news", "element:000000000001")
	publish.listeners = 50
	return []workload{
		one("LPUSH", 1, nil, "LPUSH", "list", element),
		one("RPOP", 1, fillWith(2*members, "RPUSH", "list", "element:%012d"), "RPOP", "list"),
		one("SADD", 1, nil, "SADD", "set", element),
		one("SPOP", 1, fillWith(2*members, "SADD", "set", "element:%012d"), "SPOP", "set"),
		one("ZADD", 1, nil, "ZADD", "zset", "__rand_int__", element),
		one("ZRANGE 10 of 100k by rank", 1, fillScores, "ZRANGE", "zset", "50000", "50009"),
		one("LRANGE_100", 0.5, fillWith(members, "RPUSH", "list", "element:%012d"), "LRANGE", "list", "0", "99"),
		one("LRANGE_300", 0.2, fillWith(members, "RPUSH", "list", "element:%012d"), "LRANGE", "list", "0", "299"),
		one("LRANGE_600", 0.1, fillWith(members, "RPUSH", "list", "element:%012d"), "LRANGE", "list", "0", "599"),
		one("MSET of 10", 0.5, nil, msetArgs()...),
		one("XADD", 1, nil, "XADD", "stream", "*", "field", element),
		one("PFADD", 1, nil, "PFADD", "hll", element),
		one("GEOSEARCH in 100k points", 0.5, fillPlaces, "GEOSEARCH", "places", "FROMMEMBER", "place:__rand_int__",
			"BYRADIUS", "1", "km", "ASC"),
		publish,
	}
}

func msetArgs() []string {
	args := []string{"MSET"}
	for range 10 {
		args = append(args, "key:__rand_int__", "xxx")
	}
	return args
}

// fillWith returns a setup that adds n elements, named after pattern, to one key.
func fillWith(n int, command, key, pattern string) func(*server) error {
	return func(s *server) error {
		return s.fill(n, []string{command, key}, func(i int) []string { return []string{fmt.Sprintf(pattern, i)} })
	}
}

func fillScores(s *server) error {
	return s.fill(members, []string{"ZADD", "zset"}, func(i int) []string {
		return []string{strconv.Itoa(i), fmt.Sprintf("element:%012d", i)}
	})
}

// fillPlaces scatters places over a square of one degree, so that there are some thirty within a
// kilometre of each.
func fillPlaces(s *server) error {
	dice := rand.New(rand.NewPCG(1, 2))
	return s.fill(members, []string{"GEOADD", "places"}, func(i int) []string {
		lon, lat := 116+dice.Float64(), 39+dice.Float64()
		return []string{strconv.FormatFloat(lon, 'f', 6, 64), strconv.FormatFloat(lat, 'f', 6, 64),
			fmt.Sprintf("place:%012d", i)}
	})
}

// fill sends a command for every thousand of n elements; words are the arguments of one.
func (s *server) fill(n int, command []string, words func(i int) []string) error {
	const batch = 1000
	for from := 0; from < n; from += batch {
		args := command[:len(command):len(command)]
		for i := from; i < min(n, from+batch); i++ {
			args = append(args, words(i)...)
		}
		if _, err := s.do(args...); err != nil {
			return err
		}
	}
	return nil
}

// listen opens n connections that subscribe to the channel news and read whatever comes, until the
// function is called.
func (s *server) listen(n int) (hangUp func(), err error) {
	var conns []net.Conn
	hangUp = func() {
		for _, c := range conns {
			c.Close()
		}
	}
	for range n {
		c, err := net.Dial(s.process.Network, s.process.Address)
		if err != nil {
			return hangUp, err
		}
		conns = append(conns, c)
		if _, err := c.Write([]byte("SUBSCRIBE news\r\n")); err != nil {
			return hangUp, err
		}
		if _, err := resp.NewReader(c).Read(); err != nil {
			return hangUp, err
		}
		go swallow(c)
	}
	return hangUp, nil
}

// swallow reads a connection until it ends.
func swallow(c net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}
