package index

// Holds is what an index holds, and in how much memory.
type Holds struct {
	Documents int
	Given     uint64 // numbers, to documents
	Words     int
	Entries   int // of words, tags and numbers
	Blocks    int
	Positions int

	PostingBytes, PositionBytes int // the second are part of the first
	WordBytes, TagBytes         int // of the words and tags themselves
	NumberBytes, VectorBytes    int
	ShapeBytes                  int
	TableBytes, KeyBytes        int // of the documents, and of their keys
	SortBytes                   int
}

// Total returns the bytes of all.
func (h *Holds) Total() int {
	return h.PostingBytes + h.WordBytes + h.TagBytes + h.NumberBytes + h.VectorBytes + h.ShapeBytes +
		h.TableBytes + h.KeyBytes + h.SortBytes
}

// Holds returns what the index holds. O(fields, and blocks of numbers).
func (x *Index) Holds() *Holds {
	h := &Holds{Documents: x.Len(), Given: uint64(x.docs.last()) + x.docs.freed, Words: x.words.len()}
	h.WordBytes = h.dictionary(&x.words)
	for _, f := range x.Fields {
		l := &f.lists
		h.TagBytes += h.dictionary(&l.tags)
		h.Entries += l.numbers.count + int(l.missing.count)
		h.Blocks += len(l.numbers.runs)
		h.NumberBytes += l.numbers.bytes()
		h.PostingBytes += l.missing.bytes()
		h.VectorBytes += l.vectors.bytes()
		h.ShapeBytes += l.shapes.bytes()
		h.SortBytes += l.sorted.bytes()
	}
	t := &x.docs
	h.TableBytes = documentBytes*len(t.byKey) + t.payloads + t.byNumber()
	h.KeyBytes = keyBytes*len(t.byKey) + t.texts - t.payloads
	return h
}

// What a document, a text for sorting, and entries of maps of keys and of words take beside their
// texts.
const documentBytes, textBytes, keyBytes, wordBytes = 64, 16, 52, 176

// dictionary adds the postings of a dictionary, and returns the bytes of its words.
func (h *Holds) dictionary(d *dictionary) int {
	h.Entries += d.sums.entries
	h.Blocks += d.sums.blocks
	h.PostingBytes += d.sums.bytes
	h.Positions += d.sums.positions
	h.PositionBytes += d.sums.positionBytes
	return d.bytes + wordBytes*len(d.of)
}

// Bytes returns how much memory the index takes, within a few percent. O(fields, and blocks of
// numbers).
func (x *Index) Bytes() int {
	n := x.defined + x.DocumentBytes() + x.WordBytes()
	for _, f := range x.Fields {
		n += f.Bytes()
	}
	return n
}

// What a text of a definition takes beside its bytes, and how many bytes a filter takes for each of
// its text.
const definedBytes, filterBytes = 64, 16

// bytes returns about how much memory the definition takes beside its fields' lists.
func (d *Definition) bytes() int {
	n := len(d.Name) + len(d.LanguageField) + len(d.ScoreField) + len(d.PayloadField) + filterBytes*len(d.FilterText)
	for _, p := range d.Prefixes {
		n += definedBytes + len(p)
	}
	if d.HasStops {
		for _, w := range d.Stops.Words() {
			n += definedBytes + len(w)
		}
	}
	for _, f := range d.Fields {
		n += f.names()
	}
	return n
}

// names returns the bytes of the name of a field and of its path, which may be the same.
func (f *Field) names() int {
	if f.Name == f.Path {
		return len(f.Name)
	}
	return len(f.Name) + len(f.Path)
}

// DocumentBytes returns the memory of the documents beside what the lists say of them.
func (x *Index) DocumentBytes() int { return x.docs.bytes() }

// WordBytes returns the memory of the words of all text fields, and of what is known of them.
func (x *Index) WordBytes() int { return x.words.memory() }

// Bytes returns the memory of the field; that of the words of a text field is the index's.
func (f *Field) Bytes() int { return f.lists.bytes() + fieldBytes }

// bytes returns the memory of the documents.
func (t *table) bytes() int {
	return len(t.byKey)*(documentBytes+keyBytes) + t.texts + t.byNumber() + len(t.waiting)*keyBytes +
		cap(t.dues)*dueBytes
}

// byNumber returns the bytes of what lies in the order of numbers.
func (t *table) byNumber() int { return 8*cap(t.docs) + 12*cap(t.standings) }

// bytes returns the memory of the lists.
func (l *lists) bytes() int {
	return l.tags.memory() + l.numbers.bytes() + l.vectors.bytes() + l.shapes.bytes() + l.missing.bytes() +
		l.sorted.bytes()
}

// What a field takes beside its lists.
const fieldBytes = 500
