package eviction

import "slices"

// Pool is the best candidates seen so far, the best last. It is Redis' pool and has its size. With
// it a few samples for each eviction approach exact LRU, since good candidates of earlier samples
// are remembered.
type Pool struct {
	list [poolSize]candidate
	n    int
}

const poolSize = 16

type candidate struct {
	db        int
	key       []byte // the candidate's own; its room is used again
	staleness uint32
}

// minStaleness returns the staleness from which on the pool takes a candidate in.
func (p *Pool) minStaleness() uint32 {
	if p.n < poolSize {
		return 0
	}
	return p.list[0].staleness + 1
}

// insert adds a candidate, unless the pool has it already, or is full of better ones.
func (p *Pool) insert(db int, key string, staleness uint32) {
	full := p.n == poolSize
	if staleness < p.minStaleness() {
		return
	}
	in := p.list[:p.n]
	if slices.ContainsFunc(in, func(c candidate) bool { return c.db == db && string(c.key) == key }) {
		return
	}
	better := slices.IndexFunc(in, func(c candidate) bool { return c.staleness > staleness })
	if better < 0 {
		better = p.n
	}
	var room []byte
	if full { // in place of the worst
		better--
		room = p.list[0].key
		copy(p.list[:better], p.list[1:better+1])
	} else {
		room = p.list[p.n].key
		copy(p.list[better+1:p.n+1], p.list[better:p.n])
		p.n++
	}
	p.list[better] = candidate{db, append(room[:0], key...), staleness}
}

// pop removes and returns the best candidate. Its key is valid until the next insert.
func (p *Pool) pop() *candidate {
	p.n--
	return &p.list[p.n]
}
