package engine

// CLIENT KILL ip:port | option value [option value ...]
func cmdClientKill(c *Call) {
	if c.Left() == 1 {
		addr := string(c.Arg())
		if c.kill(clientFilter{tests: map[string]clientTest{"ADDR": func(s *Session) bool { return s.Addr == addr }}, self: true}) == 0 {
			c.Fail(ErrNoClient)
			return
		}
		c.Reply.Status("OK")
		return
	}
	f := c.readClientFilter(false)
	if c.OK() {
		c.Reply.Int(int64(c.kill(f)))
	}
}

// kill closes the sessions that pass a filter and returns their number. The caller, if it is among
// them, closes after its reply.
func (c *Call) kill(f clientFilter) int {
	list := c.filtered(f)
	for _, s := range list {
		c.Engine.closeSession(c.Session, s)
	}
	return len(list)
}
