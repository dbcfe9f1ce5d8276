package server

import (
	"bufio"
	"strconv"
	"strings"
)

// Writer writes a reply, or a message, for the function that Peer.Block calls. What there is only
// in RESP3 is written in the form of RESP2 to a client that does not speak it.
type Writer struct {
	out   *bufio.Writer
	resp3 bool
}

// oneLine keeps a text from ending its line.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

func (w *Writer) line(mark byte, text string) {
	_ = w.out.WriteByte(mark)
	_, _ = w.out.WriteString(text)
	_, _ = w.out.WriteString("\r\n")
}

// length writes the line before n elements: mark in RESP3, and else as an array of them.
func (w *Writer) length(mark byte, n, inArray int) {
	if !w.resp3 {
		mark, n = '*', inArray
	}
	w.line(mark, strconv.Itoa(n))
}

// WriteError writes an error, such as "ERR no such key". Line breaks become spaces.
func (w *Writer) WriteError(e string) { w.line('-', oneLine.Replace(e)) }

// WriteInline writes a status, such as "OK". Line breaks become spaces.
func (w *Writer) WriteInline(s string) { w.line('+', oneLine.Replace(s)) }

// WriteBulk writes a string of any bytes.
func (w *Writer) WriteBulk(s string) {
	w.line('$', strconv.Itoa(len(s)))
	_, _ = w.out.WriteString(s)
	_, _ = w.out.WriteString("\r\n")
}

// WriteInt writes an integer.
func (w *Writer) WriteInt(n int) { w.line(':', strconv.Itoa(n)) }

// WriteFloat writes a number; in RESP2 its text.
func (w *Writer) WriteFloat(n float64) {
	text := strconv.FormatFloat(n, 'g', -1, 64)
	if w.resp3 {
		w.line(',', text)
		return
	}
	w.WriteBulk(text)
}

// WriteNull writes that there is no value.
func (w *Writer) WriteNull() {
	if w.resp3 {
		w.line('_', "")
		return
	}
	w.line('$', "-1")
}

// WriteLen begins an array of n elements.
func (w *Writer) WriteLen(n int) { w.length('*', n, n) }

// WriteMapLen begins a map of n keys, each with its value behind it.
func (w *Writer) WriteMapLen(n int) { w.length('%', n, 2*n) }

// WriteSetLen begins a set of n elements.
func (w *Writer) WriteSetLen(n int) { w.length('~', n, n) }

// WritePushLen begins a message of n elements, which is no reply.
func (w *Writer) WritePushLen(n int) { w.length('>', n, n) }

// WriteStrings writes an array of strings.
func (w *Writer) WriteStrings(strs []string) {
	w.WriteLen(len(strs))
	for _, s := range strs {
		w.WriteBulk(s)
	}
}

// WriteRaw writes what is in the protocol already.
func (w *Writer) WriteRaw(s string) { _, _ = w.out.WriteString(s) }

// Flush sends what is written.
func (w *Writer) Flush() { _ = w.out.Flush() }

// WriteError is that of Writer.
func (c *Peer) WriteError(e string) { c.Block(func(w *Writer) { w.WriteError(e) }) }

// WriteInline is that of Writer.
func (c *Peer) WriteInline(s string) { c.Block(func(w *Writer) { w.WriteInline(s) }) }

// WriteOK writes the status OK.
func (c *Peer) WriteOK() { c.WriteInline("OK") }

// WriteBulk is that of Writer.
func (c *Peer) WriteBulk(s string) { c.Block(func(w *Writer) { w.WriteBulk(s) }) }

// WriteInt is that of Writer.
func (c *Peer) WriteInt(n int) { c.Block(func(w *Writer) { w.WriteInt(n) }) }

// WriteFloat is that of Writer.
func (c *Peer) WriteFloat(n float64) { c.Block(func(w *Writer) { w.WriteFloat(n) }) }

// WriteNull is that of Writer.
func (c *Peer) WriteNull() { c.Block(func(w *Writer) { w.WriteNull() }) }

// WriteLen is that of Writer.
func (c *Peer) WriteLen(n int) { c.Block(func(w *Writer) { w.WriteLen(n) }) }

// WriteMapLen is that of Writer.
func (c *Peer) WriteMapLen(n int) { c.Block(func(w *Writer) { w.WriteMapLen(n) }) }

// WriteSetLen is that of Writer.
func (c *Peer) WriteSetLen(n int) { c.Block(func(w *Writer) { w.WriteSetLen(n) }) }

// WritePushLen is that of Writer.
func (c *Peer) WritePushLen(n int) { c.Block(func(w *Writer) { w.WritePushLen(n) }) }

// WriteStrings is that of Writer.
func (c *Peer) WriteStrings(strs []string) { c.Block(func(w *Writer) { w.WriteStrings(strs) }) }

// WriteRaw is that of Writer.
func (c *Peer) WriteRaw(s string) { c.Block(func(w *Writer) { w.WriteRaw(s) }) }
