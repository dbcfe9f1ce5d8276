package console

import "time"

// AppendReply is for the tests.
var AppendReply = appendReply

// Hurry gives browsers less time to send something. It must be called before Listen.
func (c *Console) Hurry(header, request time.Duration) { c.haste = haste{header, request} }

// Exposition returns the text of one sample of a metric.
func Exposition(name, help string, value float64, labels ...string) string {
	e := make(exposition)
	e.add(gauge, name, help, value, labels...)
	return string(e.text())
}
