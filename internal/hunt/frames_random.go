//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// lengths are what a client may write where a number of arguments or of bytes belongs.
var lengths = []string{"0", "1", "2", "3", "9", "10", "11", "-1", "-2", "-0", "+1", "01", "", " 1", "1 ", "1\x00", "a",
	"0x1", "16384", "16385", "65536", "65537", "1048576", "1048577",
	"536870912", "536870913", "2147483647", "2147483648", "4294967295", "4294967296",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551614", "18446744073709551615", "18446744073709551616", "99999999999999999999999999999999999999"}

// ends are what may stand at the end of a line.
var ends = []string{"\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n", "\n\r", "\r\nx", ""}

// blanks separate the words of inline requests.
var blanks = []string{" ", " ", " ", "  ", "\t", "\x00", "\v", "\r", ""}

var words = []string{"PING", "ECHO", "GET", "ping", "x", "EcHo",
	"SET", "k", "", "\"a b\"", "'a'", "\"\\x41\"", "\"\\n\"", "\"", "'", "a\"b\"c", "\"a\"b",
	"\\", "*1", "$1", "\xff", "post", "Host:", "0", "AUTH", "QUIT", "RESET", "MULTI", "EXEC"}

// short returns a few requests, of which the last ones are likely to be damaged.
func short(r *rand.Rand) stream {
	s := stream{authed: r.IntN(2) == 0}
	for size := 0; len(s.requests) < 1+r.IntN(4) && size < shortest; {
		next := damaged(r)
		if r.IntN(2) == 0 {
			next = sound(r)
		}
		next = next[:min(len(next), shortest-size)]
		s.requests = append(s.requests, next)
		size += len(next)
	}
	return s
}

// long returns a pipeline of sound requests, in pieces of any size, with a damaged request at its
// end.
func long(r *rand.Rand, most int) stream {
	s := stream{authed: true}
	size := 0
	for range 1 + r.IntN(most) {
		s.requests = append(s.requests, sound(r))
		size += len(s.requests[len(s.requests)-1])
	}
	s.requests = append(s.requests, damaged(r))
	for at := r.IntN(1 + size); r.IntN(4) > 0 && at < size; at += 1 + r.IntN(size) {
		s.cuts = append(s.cuts, at)
	}
	return s
}

// sound returns a request that the server understands. Its reply is short.
func sound(r *rand.Rand) []byte {
	switch r.IntN(8) {
	case 0:
		return []byte("PING\r\n")
	case 1:
		return []byte("\r\n")
	case 2:
		return []byte("*0\r\n")
	case 3:
		return []byte("*-1\r\n")
	case 4:
		return []byte(fmt.Sprintf("ECHO \"%d\\x0d\"\n", r.IntN(1000)))
	case 5:
		return request("GET", binary(r, 20))
	case 6:
		return request("ECHO", binary(r, 10))
	}
	return request("PING")
}

// binary returns up to n random bytes, in which the bytes of the protocol are frequent.
func binary(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		if r.IntN(2) == 0 {
			b.WriteByte("\r\n*$\"' -1"[r.IntN(9)])
		} else {
			b.WriteByte(byte(r.IntN(256)))
		}
	}
	return b.String()
}

// damaged returns something like a request.
func damaged(r *rand.Rand) []byte {
	switch r.IntN(4) {
	case 0:
		return inline(r)
	case 1:
		return multibulk(r)
	}
	return mutate(r, sound(r))
}

func inline(r *rand.Rand) []byte {
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteString(pick(r, words) + pick(r, blanks))
	}
	return []byte(b.String() + pick(r, ends))
}

// multibulk returns a request with numbers that may be wrong.
func multibulk(r *rand.Rand) []byte {
	args := []string{"ECHO", binary(r, 4), pick(r, words)}[:1+r.IntN(3)]
	count := fmt.Sprint(len(args))
	if r.IntN(2) == 0 {
		count = pick(r, lengths)
	}
	var b strings.Builder
	b.WriteString("*" + count + pick(r, ends))
	for _, arg := range args {
		length := fmt.Sprint(len(arg))
		if r.IntN(4) == 0 {
			length = pick(r, lengths)
		}
		b.WriteString("$" + length + pick(r, ends) + arg + pick(r, ends))
	}
	return []byte(b.String())
}

// mutate changes, removes, doubles or inserts a few bytes.
func mutate(r *rand.Rand, b []byte) []byte {
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[at] = byte(r.IntN(256))
		case 1:
			b = append(b[:at:at], b[at+1:]...)
		case 2:
			b = append(b[:at+1:at+1], b[at:]...)
		case 3:
			b = append(b[:at:at], append([]byte(pick(r, lengths)), b[at:]...)...)
		}
	}
	return b
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
