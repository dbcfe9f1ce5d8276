package json

import (
	"strings"
	"testing"
)

// record is a member of the documents of the benchmarks.
const record = `{"active":true,"address":{"city":"Berlin","zip":"12345"},"email":"user123@example.com",` +
	`"id":123456,"name":"Alice Smith","score":12.34,"tags":["new","red"]}`

func small() string {
	return `{"n":1,"r":[1,2,3],"records":[` + record + "," + record + "," + record + `]}`
}

func large() string {
	return `{"n":1,"records":[` + strings.Repeat(record+",", 600) + record + `],"r":[1,2,3]}`
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{"small": small(), "large": large()} {
		b.Run(name, func(b *testing.B) {
			var p Parser
			var d Doc
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Into(&d, []byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{"small": small(), "large": large()} {
		b.Run(name, func(b *testing.B) {
			d := parsed(b, text)
			var out []byte
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				out = AppendText(out[:0], d.Root())
			}
		})
	}
}

func BenchmarkSet(b *testing.B) {
	for name, text := range map[string]string{"small": small(), "large": large()} {
		b.Run(name, func(b *testing.B) {
			d, one := parsed(b, text), new(Scalar).Int(5)
			var e Editor
			for b.Loop() {
				e.Set(d, Place{0}, one)
			}
		})
	}
}

func BenchmarkInsert(b *testing.B) {
	d, one := parsed(b, `{"r":[`+strings.Repeat("1,", 500)+`1]}`), new(Scalar).Int(5)
	var e Editor
	for b.Loop() {
		n := d.At(Place{0}).Len()
		e.Insert(d, Place{0}, n, one)
		e.Delete(d, Place{0, uint32(n)})
	}
}
