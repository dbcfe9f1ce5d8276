package lua

// Loops. Each turn counts one tick, so that no loop escapes the hook.

// tick counts one turn of a loop.
func (f *Call) tick(pc uint32) {
	L := f.L
	L.ticks--
	if L.ticks < 0 {
		f.pc = pc
		L.tock()
	}
}

func (c *compiler) while(s *whileStat) action {
	condition := c.test(s.condition)
	body := c.block(s.body)
	pc := c.site(s.line, nameNone, "")
	return func(f *Call) signal {
		for condition(f) {
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			f.tick(pc)
		}
		return goOn
	}
}

// repeat compiles repeat ... until: the condition sees the variables of the body.
func (c *compiler) repeat(s *repeatStat) action {
	body := sequence(c.statements(s.body))
	condition := c.test(s.condition)
	pc := c.site(s.line, nameNone, "")
	return func(f *Call) signal {
		for {
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			if condition(f) {
				break
			}
			f.tick(pc)
		}
		return goOn
	}
}

func (c *compiler) numericFor(s *numericForStat) action {
	start := c.eval(s.start)
	temps := c.temps(3)
	limit := c.eval(s.limit)
	var step eval
	if s.step != nil {
		step = c.eval(s.step)
	} else {
		step = func(*Call) Value { return Number(1) }
	}
	slot := c.declare(s.variable)
	body := c.block(s.body)
	pc := c.site(s.doLine, nameNone, "")
	loop := forLoop(body, slot, pc)
	if s.variable.cell() {
		loop = forLoopCell(body, slot, pc)
	}
	return func(f *Call) signal {
		f.slots[temps] = start(f)
		f.slots[temps+1] = limit(f)
		f.slots[temps+2] = step(f)
		f.pc = pc
		i := f.forNumber(f.slots[temps], "initial value")
		to := f.forNumber(f.slots[temps+1], "limit")
		by := f.forNumber(f.slots[temps+2], "step")
		return loop(f, i-by, to, by)
	}
}

// forNumber returns a number a for loop starts from, ends at or steps by.
func (f *Call) forNumber(v Value, what string) float64 {
	x, ok := v.ToNumber()
	if !ok {
		f.L.fail("'for' %s must be a number", what)
	}
	return x
}

// forLoop runs body with i, which starts one step early, in a slot.
func forLoop(body action, slot uint8, pc uint32) func(f *Call, i, to, by float64) signal {
	return func(f *Call, i, to, by float64) signal {
		for i += by; by > 0 && i <= to || by <= 0 && to <= i; i += by {
			f.slots[slot] = Number(i)
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			f.tick(pc)
		}
		return goOn
	}
}

// forLoopCell is forLoop for a variable that closures share: each turn has its own.
func forLoopCell(body action, slot uint8, pc uint32) func(f *Call, i, to, by float64) signal {
	return func(f *Call, i, to, by float64) signal {
		for i += by; by > 0 && i <= to || by <= 0 && to <= i; i += by {
			f.slots[slot] = Number(i)
			f.makeCell(slot)
			if sig := body(f); sig != goOn {
				if sig == breaks {
					break
				}
				return sig
			}
			f.tick(pc)
		}
		return goOn
	}
}

// genericFor keeps generator, state and control in three slots before the variables.
func (c *compiler) genericFor(s *genericForStat) action {
	base := c.free
	fill := c.adjust(s.values, 3)
	state := c.temps(3)
	first := c.free
	var cells []uint8
	for _, v := range s.variables {
		slot := c.declare(v)
		if v.cell() {
			cells = append(cells, slot)
		}
	}
	n := len(s.variables)
	body := c.block(s.body)
	pc := c.site(s.callLine, nameGenerator, "(for generator)")
	c.proto.sites[pc].call = true
	return func(f *Call) signal {
		fill(f, base)
		for {
			f.pc = pc
			values := f.L.generate(f, f.slots[state], f.slots[state+1], f.slots[state+2])
			if len(values) == 0 || values[0].IsNil() {
				return goOn
			}
			f.slots[state+2] = values[0]
			variables := f.slots[first : first+n]
			clear(variables[copy(variables, values):])
			f.makeCells(cells)
			if sig := body(f); sig != goOn {
				if sig == breaks {
					return goOn
				}
				return sig
			}
			f.tick(pc)
		}
	}
}

// generate calls a generator. C Lua's loop makes this call as from C, so it counts as one.
func (L *State) generate(f *Call, generator, state, control Value) []Value {
	L.ccalls++
	if L.ccalls >= maxHostCalls {
		L.hostOverflow()
	}
	c := f.call2(generator, state, control)
	L.ccalls--
	return c.results()
}
