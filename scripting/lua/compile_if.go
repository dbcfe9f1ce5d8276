package lua

func (c *compiler) ifStatement(s *ifStat) action {
	tests := make([]test, len(s.conditions))
	branches := make([]action, len(s.branches))
	for i := range s.conditions {
		tests[i] = c.test(s.conditions[i])
		if c.profile != nil && i > 0 {
			tests[i] = c.profile.condition(s.lines[i], tests[i])
		}
		branches[i] = c.block(s.branches[i])
	}
	var otherwise action
	if len(s.otherwise) > 0 {
		otherwise = c.block(s.otherwise)
	}
	if len(tests) == 1 {
		if slot, k, op, ok := c.guard(s.conditions[0]); ok && otherwise == nil {
			return ifCompared(op, slot, k, tests[0], branches[0])
		}
		return ifElse(tests[0], branches[0], otherwise)
	}
	return func(f *Call) signal {
		for i, t := range tests {
			if t(f) {
				return branches[i](f)
			}
		}
		if otherwise != nil {
			return otherwise(f)
		}
		return goOn
	}
}

//go:noinline
func ifElse(condition test, then, otherwise action) action {
	if otherwise == nil {
		return func(f *Call) signal {
			if condition(f) {
				return then(f)
			}
			return goOn
		}
	}
	return func(f *Call) signal {
		if condition(f) {
			return then(f)
		}
		return otherwise(f)
	}
}

// guard reports whether a condition compares a local variable with a constant number.
func (c *compiler) guard(e expression) (slot uint8, k float64, op operator, ok bool) {
	b, ok := e.(*binaryExpr)
	if !ok || b.op < opLess || b.op > opGreaterEqual {
		return 0, 0, 0, false
	}
	constant, isNumber := b.right.(numberExpr)
	slot, isLocal := plainLocal(b.left)
	return slot, constant.value, b.op, isNumber && isLocal
}

// ifCompared runs then if the local variable in a slot compares with k. Values other than numbers are left to otherwise.
//
//go:noinline
func ifCompared(op operator, slot uint8, k float64, otherwise test, then action) action {
	switch op {
	case opLess:
		return func(f *Call) signal {
			v := &f.slots[slot]
			if v.IsNumber() && v.num() < k || !v.IsNumber() && otherwise(f) {
				return then(f)
			}
			return goOn
		}
	case opLessEqual:
		return func(f *Call) signal {
			v := &f.slots[slot]
			if v.IsNumber() && v.num() <= k || !v.IsNumber() && otherwise(f) {
				return then(f)
			}
			return goOn
		}
	case opGreater:
		return func(f *Call) signal {
			v := &f.slots[slot]
			if v.IsNumber() && v.num() > k || !v.IsNumber() && otherwise(f) {
				return then(f)
			}
			return goOn
		}
	}
	return func(f *Call) signal {
		v := &f.slots[slot]
		if v.IsNumber() && v.num() >= k || !v.IsNumber() && otherwise(f) {
			return then(f)
		}
		return goOn
	}
}
