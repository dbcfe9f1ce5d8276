//go:build linux

package main

import (
	encoding "encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// pipeline sends commands at once and returns their replies.
func (c *conn) pipeline(commands [][]string) ([]resp.Value, error) {
	sent := make(chan error, 1)
	go func() {
		var text []byte
		for _, command := range commands {
			text = append(text, request(command...)...)
		}
		_, err := c.Write(text)
		sent <- err
	}()
	replies := make([]resp.Value, len(commands))
	for i := range replies {
		reply, err := c.replies.Read()
		if err != nil {
			c.Close() // ends the writing
			<-sent
			return nil, err
		}
		replies[i] = reply
	}
	return replies, <-sent
}

// fill replaces all data by those that commands build. The server may have just begun, and load.
func (c *conn) fill(commands []dataset.Command) error {
	if _, err := loadedReply(c, "PING"); err != nil {
		return err
	}
	batch := [][]string{{"FLUSHALL"}}
	for _, command := range commands {
		batch = append(batch, command)
	}
	replies, err := c.pipeline(append(batch, []string{"SELECT", "0"}))
	for i, reply := range replies {
		if reply.IsError() {
			return fmt.Errorf("%.80q: %s", batch[i], reply.Text)
		}
	}
	return err
}

// witnesses are commands whose replies show all of a key's value and deadlines, whatever its type
// and encoding. Times of delivery in streams are not among them.
var witnesses = []string{"DEBUG DIGEST-VALUE %s", "PEXPIRETIME %s",
	"XINFO GROUPS %s", "XPENDING %s g1", "HPEXPIRETIME %s FIELDS 1 dated",
	"SPEXPIRETIME %s MEMBERS 1 dated", "ZPEXPIRETIME %s MEMBERS 1 dated", "LPEXPIRETIME %s ELEMENTS 1 dated"}

// state returns what witnesses say of all keys, in lines that are equal if the data are.
func (c *conn) state() (string, error) {
	return c.read(witnesses, func(reply resp.Value) resp.Value { return reply })
}

// read returns the replies to commands about each key, each changed by a function, in lines. Errors
// are left out.
func (c *conn) read(commands []string, changed func(resp.Value) resp.Value) (string, error) {
	var all []string
	for db := range 16 {
		replies, err := c.pipeline([][]string{{"SELECT", strconv.Itoa(db)}, {"KEYS", "*"}})
		if err != nil {
			return "", err
		}
		for _, key := range replies[1].Elems {
			line, err := c.testimony(key.Text, commands, changed)
			if err != nil {
				return "", err
			}
			all = append(all, fmt.Sprintf("%d %q: %s", db, key.Text, line))
		}
	}
	slices.Sort(all)
	_, err := c.do("SELECT", "0")
	return strings.Join(all, "\n"), err
}

// testimony returns the replies to commands about a key.
func (c *conn) testimony(key string, about []string, changed func(resp.Value) resp.Value) (string, error) {
	var commands [][]string
	for _, line := range about {
		list, _ := resp.Words([]byte(line), nil)
		words := make([]string, len(list))
		for i, word := range list {
			if words[i] = string(word); words[i] == "%s" {
				words[i] = key
			}
		}
		commands = append(commands, words)
	}
	replies, err := c.pipeline(commands)
	var said []string
	for _, reply := range replies {
		if !reply.IsError() {
			said = append(said, strings.ReplaceAll(changed(reply).Raw(), "\n", " "))
		}
	}
	return strings.Join(said, " "), err
}

// difference returns the first lines in which two states differ, from a little before the
// difference on.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			from := max(0, at-100)
			return fmt.Sprintf("%.40s: %.250s\n%.40s: %.250s", a[i], a[i][from:], b[i], b[i][from:])
		}
	}
	return fmt.Sprintf("%d keys\n%d keys", len(a), len(b))
}

// telling are bytes that mean something in the format of snapshots: lengths, encodings, types and
// opcodes.
var telling = []byte{0, 1, 2, 4, 9, 11, 14, 15, 18, 20, 25, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xc0, 0xc1, 0xc2, 0xc3, 0xf4,
	0xfa, 0xfc, 0xfe, 0xff}

// extremes are values of 8 bytes: numbers that are none, infinite, the largest and the smallest,
// and zeros.
var extremes = []string{"\xff\xff\xff\xff\xff\xff\xff\xff",
	"\x00\x00\x00\x00\x00\x00\xf8\x7f", "\x00\x00\x00\x00\x00\x00\xf0\x7f",
	"\xff\xff\xff\xff\xff\xff\xff\x7f", "\x00\x00\x00\x00\x00\x00\x00\x80", "\x00\x00\x00\x00\x00\x00\x00\x00"}

// mutated returns a copy of data with a few changes; it may contain pieces of other.
func mutated(r *rand.Rand, data, other []byte) []byte {
	data = slices.Clone(data)
	for range 1 + r.IntN(3) {
		at, end := r.IntN(len(data)+1), 0
		end = min(len(data), at+1+r.IntN(9))
		switch r.IntN(9) {
		case 0:
			data = slices.Delete(data, at, end)
		case 1:
			data = slices.Insert(data, at, data[at:end]...)
		case 2:
			from := r.IntN(len(other) + 1)
			data = slices.Insert(data, at, other[from:min(len(other), from+r.IntN(40))]...)
		case 3:
			data = slices.Insert(data, at, telling[r.IntN(len(telling))])
		case 4:
			from := r.IntN(len(other) + 1)
			copy(data[at:end], other[from:])
		case 5:
			copy(data[at:], pick(r, extremes))
		default:
			if at == len(data) {
				continue
			}
			if data[at] ^= 1 << r.IntN(8); r.IntN(2) == 0 {
				data[at] = telling[r.IntN(len(telling))]
			}
		}
	}
	return data
}

// sealed returns the content of a payload with its version and a true checksum.
func sealed(content []byte) []byte {
	content = encoding.LittleEndian.AppendUint16(slices.Clip(content), 9)
	return encoding.LittleEndian.AppendUint64(content, rdb.Sum(0, content))
}

// content returns a payload without version and checksum.
func content(payload string) []byte { return []byte(payload[:len(payload)-10]) }
