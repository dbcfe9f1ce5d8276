package console

import "time"

// AppendReply is for the tests.
var AppendReply = appendReply

// Hurry gives browsers less time to send something. It must be called before Listen.
func (c *Console) Hurry(header, request time.Duration) { c.haste = haste{header, request} }
