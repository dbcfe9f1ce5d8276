package replication

// backlog is the last bytes of the stream, in a ring.
type backlog struct {
	ring []byte
	at   int // where the next byte goes
	held int // bytes that are there
}

// add appends text.
func (b *backlog) add(text []byte) {
	if over := len(text) - len(b.ring); over > 0 {
		text = text[over:]
	}
	b.held = min(b.held+len(text), len(b.ring))
	for len(text) > 0 {
		n := copy(b.ring[b.at:], text)
		text, b.at = text[n:], (b.at+n)%len(b.ring)
	}
}

// last returns a copy of the last n bytes, which must be held.
func (b *backlog) last(n int) []byte {
	from := b.at - n
	if from >= 0 {
		return append([]byte(nil), b.ring[from:b.at]...)
	}
	return append(append([]byte(nil), b.ring[len(b.ring)+from:]...), b.ring[:b.at]...)
}

// resize gives the backlog room for n bytes. What fits of it stays.
func (b *backlog) resize(n int) {
	if n == len(b.ring) {
		return
	}
	kept := b.last(min(n, b.held))
	*b = backlog{ring: make([]byte, n)}
	b.add(kept)
}
