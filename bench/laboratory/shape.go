package laboratory

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// Shape is what the elements of a case look like.
type Shape struct {
	Name, About string
	Integers    bool
	Most        int // elements that there are of it
	text        func(i int) string
}

// Shapes are the shapes in order.
var Shapes = []Shape{
	{"ints", "integers from 0 on", true, 1 << 30, strconv.Itoa},
	{"times", "time stamps of 13 digits, 137 ms apart", true, 1 << 30,
		func(i int) string { return strconv.Itoa(1_700_000_000_000 + 137*i) }},
	{"8 bytes", "texts of 8 bytes", false, 10_000_000, func(i int) string { return padded(i, 8) }},
	{"16 bytes", "texts of 16 bytes", false, 1 << 30, func(i int) string { return padded(i, 16) }},
	{"64 bytes", "texts of 64 bytes, the longest in a ziplist by default", false, 1 << 30,
		func(i int) string { return padded(i, 64) }},
	{"65 bytes", "texts of 65 bytes", false, 1 << 30, func(i int) string { return padded(i, 65) }},
	{"uuids", "random UUIDs of 36 characters", false, 1 << 30, uuid},
}

func padded(i, n int) string { return fmt.Sprintf("m%0*d", n-1, i) }

func uuid(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 36))
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48, b&(1<<48-1))
}

func shape(name string) Shape {
	for _, s := range Shapes {
		if s.Name == name {
			return s
		}
	}
	return Shape{}
}

// element is one element: a member with its score, a field, a key.
type element struct {
	text  []byte
	score float64
}

// elements returns n elements of a shape. The score is the time for times, and else the place.
func elements(s Shape, n int) []element {
	list := make([]element, n)
	for i := range list {
		list[i] = element{[]byte(s.text(i)), float64(i)}
		if s.Name == mainShape {
			list[i].score = float64(1_700_000_000_000 + 137*i)
		}
	}
	return list
}
