package index

// rows are vectors of one length, one behind the other in blocks, so that none is copied when
// others come. The first ones can be taken away.
type rows[F float32 | float64] struct {
	width  int // of a vector
	blocks [][]F
	gone   int // vectors of the first block that were taken away
	n      int // vectors that are there
	held   int // numbers that the blocks have room for
}

// rowsOfBlock is how many vectors a block has. The last one grows up to that.
const rowsOfBlock = 64

// add adds a vector.
func (r *rows[F]) add(v []F) {
	at := (r.gone + r.n) / rowsOfBlock
	if at == len(r.blocks) {
		r.blocks = append(r.blocks, nil)
	}
	if b := r.blocks[at]; len(b)+len(v) > cap(b) {
		grown := make([]F, len(b), max(r.width, min(2*cap(b), rowsOfBlock*r.width)))
		copy(grown, b)
		r.hold(b, -1)
		r.hold(grown, 1)
		r.blocks[at] = grown
	}
	r.blocks[at] = append(r.blocks[at], v...)
	r.n++
}

// hold counts the room of a block, or no longer does.
func (r *rows[F]) hold(b []F, sign int) { r.held += sign * cap(b) }

// at returns vector i.
func (r *rows[F]) at(i int) []F {
	i += r.gone
	from := i % rowsOfBlock * r.width
	return r.blocks[i/rowsOfBlock][from : from+r.width]
}

// shift takes the first vector away.
func (r *rows[F]) shift() {
	r.n--
	if r.gone++; r.gone == rowsOfBlock {
		r.hold(r.blocks[0], -1)
		r.blocks[0] = nil
		r.blocks, r.gone = r.blocks[1:], 0
	}
	if r.n == 0 {
		r.cut(0)
	}
}

// cut leaves the first n vectors.
func (r *rows[F]) cut(n int) {
	if r.n = n; n == 0 {
		*r = rows[F]{width: r.width}
		return
	}
	last := (r.gone + n - 1) / rowsOfBlock
	for _, b := range r.blocks[last+1:] {
		r.hold(b, -1)
	}
	clear(r.blocks[last+1:])
	r.blocks = r.blocks[:last+1]
	r.blocks[last] = r.blocks[last][:(r.gone+n-last*rowsOfBlock)*r.width]
}

// bytes returns the memory of the vectors.
func (r *rows[F]) bytes() int {
	number := 8
	if _, single := any(F(0)).(float32); single {
		number = 4
	}
	return number*r.held + blockHead*cap(r.blocks)
}

// blockHead is what a block takes beside its numbers, in bytes.
const blockHead = 24
