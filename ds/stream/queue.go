package stream

import (
	"slices"
	"sort"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// queue is messages ordered by ID, in blocks of up to blockMost of which none is empty. A small
// block that became empty is kept for the next message: many consumers take one and acknowledge it,
// over and over.
type queue struct {
	blocks [][]*Pending
	free   []*Pending
	n      int
	held   int // bytes of the blocks
}

const (
	blockMost   = 128
	blockHeader = 24
	freeMost    = 32
)

// bytes returns what the queue takes beyond itself and the messages. O(1).
func (q *queue) bytes() int { return q.held + sizeclass.RoundScanned(cap(q.blocks)*blockHeader) }

func blockBytes(b []*Pending) int { return sizeclass.RoundScanned(cap(b) * 8) }

// setBlock replaces block i.
func (q *queue) setBlock(i int, b []*Pending) {
	q.held += blockBytes(b) - blockBytes(q.blocks[i])
	q.blocks[i] = b
}

// find returns the first place whose message is not before id; i is len(q.blocks) if there is none.
func (q *queue) find(id ID) (i, j int) {
	i = sort.Search(len(q.blocks), func(i int) bool {
		b := q.blocks[i]
		return !b[len(b)-1].ID.Before(id)
	})
	if i < len(q.blocks) {
		b := q.blocks[i]
		j = sort.Search(len(b), func(j int) bool { return !b[j].ID.Before(id) })
	}
	return i, j
}

// get returns the message of an ID, or nil.
func (q *queue) get(id ID) *Pending {
	if i, j := q.find(id); i < len(q.blocks) && q.blocks[i][j].ID == id {
		return q.blocks[i][j]
	}
	return nil
}

// first returns the first message of a queue that has one.
func (q *queue) first() *Pending { return q.blocks[0][0] }

// last returns the last message of a queue that has one.
func (q *queue) last() *Pending {
	b := q.blocks[len(q.blocks)-1]
	return b[len(b)-1]
}

// insert adds a message, of whose ID there is none.
func (q *queue) insert(p *Pending) {
	i, j := q.find(p.ID)
	if i == len(q.blocks) && i > 0 && len(q.blocks[i-1]) < blockMost {
		i, j = i-1, len(q.blocks[i-1])
	}
	if i < len(q.blocks) && len(q.blocks[i]) == blockMost {
		i, j = q.split(i, j)
	}
	if i == len(q.blocks) {
		q.blocks = append(q.blocks, q.free)
		q.free = nil
	}
	q.setBlock(i, slices.Insert(q.blocks[i], j, p))
	q.n++
}

// split halves a full block and returns where its place j is now.
func (q *queue) split(i, j int) (int, int) {
	const half = blockMost / 2
	b := q.blocks[i]
	q.blocks = slices.Insert(q.blocks, i+1, nil)
	q.setBlock(i+1, slices.Clone(b[half:]))
	q.setBlock(i, slices.Delete(b, half, blockMost))
	if j > half {
		return i + 1, j - half
	}
	return i, j
}

// remove takes out a message that is there.
func (q *queue) remove(p *Pending) {
	i, j := q.find(p.ID)
	q.n--
	if len(q.blocks[i]) == 1 {
		q.removeBlock(i)
		return
	}
	q.setBlock(i, slices.Delete(q.blocks[i], j, j+1))
	q.join(i)
}

// join puts a block and the next one together if both are small.
func (q *queue) join(i int) {
	if i+1 < len(q.blocks) && len(q.blocks[i])+len(q.blocks[i+1]) <= blockMost/2 {
		q.setBlock(i, append(q.blocks[i], q.blocks[i+1]...))
		q.removeBlock(i + 1)
	}
}

func (q *queue) removeBlock(i int) {
	b := q.blocks[i]
	if q.free == nil && cap(b) <= freeMost {
		clear(b)
		q.free = b[:0]
	} else {
		q.held -= blockBytes(b)
	}
	q.blocks = slices.Delete(q.blocks, i, i+1)
}

// each calls fn with the messages from an ID on until it returns false.
func (q *queue) each(from ID, fn func(p *Pending) bool) {
	for i, j := q.find(from); i < len(q.blocks); {
		p := q.blocks[i][j]
		if !fn(p) {
			return
		}
		switch {
		case i >= len(q.blocks) || j >= len(q.blocks[i]) || q.blocks[i][j] != p:
			i, j = q.find(p.ID) // it is gone, and the next in its place
		case j+1 < len(q.blocks[i]):
			j++
		default:
			i, j = i+1, 0
		}
	}
}
