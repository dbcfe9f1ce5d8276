package engine

import "sync/atomic"

// Bytes that are neither keys of the world in which commands run nor held for clients:
//
//	Account      what parts and the debugger keep besides: copies of data, what browsers have not read ...
//	elsewhere    the keys of the other worlds, and of the copies in which scripts are debugged
//
// All of them are in use: INFO memory and MEMORY STATS show them, and maxmemory counts them. Who is about to take many bytes asks Room
// or Take before. Bytes that their owner does not need any more are given back at once.

// Account is the bytes of one kind of holder. Its methods may be called from any goroutine.
type Account struct {
	Name  string // in MEMORY STATS
	limit int64
	bytes atomic.Int64
	all   *accounts
}

// accounts are all accounts of an engine.
type accounts struct {
	list      []*Account
	sum       atomic.Int64
	copies    *Account
	elsewhere int // bytes of the worlds and copies of worlds that are not the current one
}

// WorldBytes is about what a world costs that has no keys.
const WorldBytes = 8 << 10

// Open adds an account that takes at most limit bytes; 0 for no limit of its own. It is called before the engine runs commands.
func (e *Engine) Open(name string, limit int64) *Account {
	a := &Account{Name: name, limit: limit, all: &e.accounts}
	e.accounts.list = append(e.accounts.list, a)
	return a
}

// Take adds n bytes. It returns false, and takes nothing, if that is more than the account's limit.
func (a *Account) Take(n int) bool {
	if sum := a.bytes.Add(int64(n)); a.limit > 0 && sum > a.limit {
		a.bytes.Add(int64(-n))
		return false
	}
	a.all.sum.Add(int64(n))
	return true
}

// Return takes n bytes off again.
func (a *Account) Return(n int) {
	a.bytes.Add(int64(-n))
	a.all.sum.Add(int64(-n))
}

// Bytes returns how many bytes the account has.
func (a *Account) Bytes() int { return int(a.bytes.Load()) }

// Accounts returns all accounts. The slice belongs to the engine.
func (e *Engine) Accounts() []*Account { return e.accounts.list }

// Copies is the account of read-only copies of data.
func (e *Engine) Copies() *Account { return e.accounts.copies }

// Elsewhere returns the bytes of the worlds in which the command does not run, and of copies in which scripts are debugged.
func (e *Engine) Elsewhere() int { return e.accounts.elsewhere }

// bytes returns all bytes of the accounts and of the other worlds.
func (a *accounts) bytes() int { return int(a.sum.Load()) + a.elsewhere }

// CopyBytes returns what a copy of the data of the current world takes.
func (e *Engine) CopyBytes() int { return e.Keyspace.Bytes() + WorldBytes }
