package aggregate

// Profile is what the stages of a pipeline did.
type Profile struct {
	Clock  func() int64 // in microseconds
	Stages []*Stage
}

// Stage is what a stage did.
type Stage struct {
	Type  string // as RediSearch calls it
	Calls int    // for a row
	Time  int64  // in microseconds, with that of the stages before
}

// push adds a stage.
func (p *Pipeline) push(name string, s stage) {
	p.last = s
	if of := p.plan.Profile; of != nil {
		one := &Stage{Type: name}
		of.Stages = append(of.Stages, one)
		p.last = &timed{s, one, of.Clock}
	}
}

// timed is a stage with a profile.
type timed struct {
	stage
	of    *Stage
	clock func() int64
}

func (c *timed) next() (*row, error) {
	begin := c.clock()
	r, err := c.stage.next()
	c.of.Time += c.clock() - begin
	c.of.Calls++
	return r, err
}

// unwrap returns a stage without its profile.
func unwrap(s stage) stage {
	if c, ok := s.(*timed); ok {
		return c.stage
	}
	return s
}

// passing stands in a profile for what another stage does, too.
type passing struct{ from stage }

func (s *passing) next() (*row, error) { return s.from.next() }
