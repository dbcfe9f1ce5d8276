package engine

// Care is what one who keeps the engine's data on disk is told. All are called under the lock, and
// each may be nil.
type Care struct {
	// Tick comes ten times a second or more, between commands and outside of transactions and scripts.
	Tick func()
	// Flushed tells that FLUSHALL removed everything.
	Flushed func()
	// Shutdown comes before SHUTDOWN ends the server. A text is the error that refuses it.
	Shutdown func(how Shutdown) (refusal string)
}

// AddCare adds one who keeps the data.
func (e *Engine) AddCare(c Care) { e.cares = append(e.cares, c) }

// Dirty returns how many changes there were since the data was last saved, as far as SetDirty was told.
// It is called under the lock, like SetDirty.
func (e *Engine) Dirty() int64 { return e.stats.dirty }

// SetDirty says how many changes are not saved.
func (e *Engine) SetDirty(n int64) { e.stats.dirty = n }

// FlushAll empties all databases, for whoever puts other data in their place. Transactions that watch
// keys fail, and whoever tracks keys is told. It is called under the lock.
func (e *Engine) FlushAll() {
	for i := range e.Keyspace.Len() {
		e.touchDB(e.Keyspace.DB(i), nil)
		e.Keyspace.DB(i).Flush()
	}
	e.invalidateAll(nil)
}

func (e *Engine) tickCares() {
	for _, c := range e.cares {
		if c.Tick != nil {
			c.Tick()
		}
	}
}

func (e *Engine) tellFlushed() {
	for _, c := range e.cares {
		if c.Flushed != nil {
			c.Flushed()
		}
	}
}

// consent asks all before a shutdown, and returns the first refusal.
func (e *Engine) consent(how Shutdown) (refusal string) {
	for _, c := range e.cares {
		if c.Shutdown != nil && refusal == "" {
			refusal = c.Shutdown(how)
		}
	}
	return refusal
}

// DebugLine is a subcommand of DEBUG that another package provides.
type DebugLine struct {
	Name        string
	Least, Most int // arguments after the name
	Args, About string
	Run         Handler
}

// AddDebug adds subcommands to DEBUG.
func (e *Engine) AddDebug(lines ...DebugLine) { e.debugging = append(e.debugging, lines...) }
