//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/dataset"
)

// restored is the number of RESTOREs in a step.
const restored = 20000

// openRestore restores payloads with mutated contents and true checksums. What the server accepts
// must bear all commands, and what DUMP then replies must be accepted again. It also lets Bloom
// filters announce memory that maxmemory does not leave.
func openRestore(h *hunt) (step, error) {
	server, err := h.serve("--maxmemory", "100mb")
	if err != nil {
		return nil, err
	}
	a := &restoring{hunt: h, server: server}
	return a.step, nil
}

type restoring struct {
	*hunt
	server *target
}

func (a *restoring) step(r *rand.Rand) error {
	c, err := a.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := a.announce(c, r); err != nil {
		return err
	}
	sound, err := c.payloads(r)
	if err != nil {
		return err
	}
	batch := make([][]byte, a.size(restored))
	for i := range batch {
		batch[i] = sealed(mutated(r, sound[r.IntN(len(sound))], sound[r.IntN(len(sound))]))
	}
	a.count("RESTOREs", len(batch))
	if err := a.restore(c, batch); err != nil {
		return errors.Join(err, a.culprit(batch))
	}
	return nil
}

// payloads returns the contents of payloads of random keys. Long ones are left out: they are slow,
// and hide what is mutated.
func (c *conn) payloads(r *rand.Rand) (sound [][]byte, err error) {
	for len(sound) == 0 && err == nil {
		g := dataset.New(r.Uint64())
		for range 20 {
			if err = errors.Join(err, c.fill(g.Key())); err != nil {
				return nil, err
			}
			for db := range 16 {
				replies, err := c.pipeline([][]string{{"SELECT", strconv.Itoa(db)}, {"RANDOMKEY"}})
				if err != nil {
					return nil, err
				}
				if key := replies[1].Text; key != "" {
					payload, err := c.do("DUMP", key)
					if err != nil {
						return nil, err
					}
					if n := len(payload.Text); n > 10 && n < 2000 {
						sound = append(sound, content(payload.Text))
					}
				}
			}
		}
	}
	return sound, err
}

// restore restores payloads, and uses the keys of those that are accepted.
func (a *restoring) restore(c *conn, batch [][]byte) error {
	commands := [][]string{{"SELECT", "0"}, {"FLUSHALL"}}
	for i, payload := range batch {
		commands = append(commands, []string{"RESTORE", "k" + strconv.Itoa(i), "0", string(payload)})
	}
	replies, err := c.pipeline(commands)
	if err != nil {
		return err
	}
	var uses [][]string
	for i, reply := range replies[2:] {
		if reply.Text == "OK" {
			uses = append(uses, usesOf("k"+strconv.Itoa(i))...)
		}
	}
	replies, err = c.pipeline(uses)
	if err != nil {
		return err
	}
	each := len(usesOf(""))
	var again [][]string
	for i := 0; i < len(replies); i += each {
		if replies[i].IsNull() { // all elements were due
			continue
		}
		again = append(again, []string{"RESTORE", "again", "0", replies[i].Text, "REPLACE"})
	}
	a.count("accepted", len(again))
	replies, err = c.pipeline(again)
	for i, reply := range replies {
		if reply.IsError() {
			a.found("the server refuses what DUMP replied: "+reply.Text,
				fmt.Sprintf("printf '%s' | nc 127.0.0.1 6379", escape(request(again[i]...))))
		}
	}
	return err
}

// usesOf returns commands of all types for a key. DUMP comes first.
func usesOf(key string) [][]string {
	return [][]string{{"DUMP", key}, {"MEMORY", "USAGE", key}, {"LRANGE", key, "0", "-1"}, {"RPUSH", key, "x"},
		{"LSET", key, "0", "y"},
		{"LREM", key, "1", "x"}, {"SMEMBERS", key}, {"SADD", key, "x", "1"}, {"SPOP", key}, {"HGETALL", key},
		{"HSET", key, "f", "x"},
		{"HDEL", key, "f"}, {"ZRANGE", key, "0", "-1", "WITHSCORES"}, {"ZADD", key, "1", "x"}, {"ZPOPMIN", key},
		{"XRANGE", key, "-", "+"},
		{"XINFO", "STREAM", key, "FULL"}, {"XADD", key, "*", "f", "v"}, {"XTRIM", key, "MAXLEN", "1"},
		{"BF.ADD", key, "x"}, {"APPEND", key, "x"}, {"JSON.GET", key, "$..*"}, {"JSON.SET", key, "$..*", "[1,{}]"},
		{"JSON.DEL", key, "$..[1]"}, {"ARSCAN", key, "0", "18446744073709551614"}, {"ARINFO", key, "FULL"},
		{"ARSET", key, "7", "x"}, {"ARDELRANGE", key, "3", "18446744073709551614"}, {"ARRING", key, "3", "x"},
		{"PFCOUNT", key}, {"COPY", key, "copy", "REPLACE"}}
}

// culprit looks for the payload that brought the server down, and restores it again.
func (a *restoring) culprit(batch [][]byte) error {
	falls := func(part [][]byte) bool {
		c, err := a.server.dial()
		if err == nil {
			_ = a.restore(c, part)
			c.Close()
		}
		return a.fell()
	}
	if !a.fell() {
		return nil
	}
	part := reduce(batch, falls)
	text := ""
	for _, payload := range part {
		text += escape(request("RESTORE", "k", "0", string(payload), "REPLACE"))
	}
	for _, use := range usesOf("k") {
		text += escape(request(use...))
	}
	a.doing("printf '%s' | nc 127.0.0.1 6379", text)
	c, err := a.server.dial()
	if err == nil {
		defer c.Close()
		err = a.restore(c, part)
	}
	return err
}

// announce reserves a filter and has the server take all the memory that it may need.
func (a *restoring) announce(c *conn, r *rand.Rand) error {
	rate := []string{"0.000000001", "0.001", "0.2"}[r.IntN(3)]
	capacity := strconv.Itoa(1 << (20 + r.IntN(11)))
	a.count("announcements", 1)
	a.doing("redis-cli CONFIG SET maxmemory 100mb\nredis-cli BF.RESERVE large %s %s\nredis-cli DUMP large | wc -c",
		rate, capacity)
	replies, err := c.pipeline([][]string{{"FLUSHALL"}, {"BF.RESERVE", "large", rate, capacity},
		{"BF.SCANDUMP", "large", "0"},
		{"MEMORY", "USAGE", "large"}, {"BF.INFO", "large", "SIZE"}})
	if err != nil || replies[1].IsError() {
		return err
	}
	if accounted, size := replies[3].Int, replies[4].Elems[0].Int; accounted < size/10*9 {
		a.found(fmt.Sprintf("a filter of %d bytes is accounted as %d", size, accounted), a.attempted())
	}
	_, err = c.pipeline([][]string{{"DUMP", "large"}, {"DEL", "large"},
		{"BF.LOADCHUNK", "large", "1", replies[2].Elems[1].Text},
		{"COPY", "large", "copy"}, {"BF.SCANDUMP", "large", "1"}, {"DUMP", "copy"}, {"FLUSHALL"}})
	return err
}
