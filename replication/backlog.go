package replication

// backlog holds the last bytes of the stream in a ring buffer.
type backlog struct {
	ring []byte
	at   int // index of the next byte
	held int // bytes in the ring
}

// size returns the bytes that the backlog takes.
func (b *backlog) size() int { return len(b.ring) }

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

// resize changes the size of the ring to n bytes. The last bytes stay, as many as fit.
func (b *backlog) resize(n int) {
	if n == len(b.ring) {
		return
	}
	kept := b.last(min(n, b.held))
	*b = backlog{ring: make([]byte, n)}
	b.add(kept)
}
