package engine

import (
	"fmt"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/invariants"
)

// Bytes that are neither keys of the world in which a command runs nor held for clients:
//
//	Account      what parts and the debugger keep besides: copies of data, what browsers have not read ...
//	Elsewhere    the keys of the other worlds, and of the copies in which scripts are debugged
//
// All of them are in use: INFO memory and MEMORY STATS show them, and maxmemory counts them. Who is
// about to take many bytes asks Room or Take before. Bytes that their owner does not need any more
// are given back at once.

// Account is the bytes of one kind of holder. Its methods may be called from any goroutine.
type Account struct {
	Name  string // in MEMORY STATS
	limit int64
	bytes atomic.Int64
	all   *accounts
}

// accounts are all accounts of an engine.
type accounts struct {
	list   []*Account
	sum    atomic.Int64
	copies *Account
	data   int // bytes of all worlds, and of copies of worlds, as they were last counted
}

// WorldBytes is about what a world costs that has no keys.
const WorldBytes = 8 << 10

// Open adds an account that takes at most limit bytes; 0 for no limit of its own. It is called
// before the engine runs commands.
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
	if left := a.bytes.Add(int64(-n)); invariants.Enabled && left < 0 {
		panic(fmt.Sprintf("engine: the account %s returns more than it took", a.Name))
	}
	a.all.sum.Add(int64(-n))
}

// Bytes returns how many bytes the account has.
func (a *Account) Bytes() int { return int(a.bytes.Load()) }

// Accounts returns all accounts. The slice belongs to the engine.
func (e *Engine) Accounts() []*Account { return e.accounts.list }

// Copies is the account of read-only copies of data.
func (e *Engine) Copies() *Account { return e.accounts.copies }

// countData counts the bytes of the world's keys, and returns those of all worlds. It is called
// when the world's commands are over, and before anybody reads the sum.
func (w *World) countData() int {
	n, a := w.Keyspace.Bytes(), &w.engine.accounts
	a.data += n - w.counted
	w.counted = n
	return a.data
}

// Elsewhere returns the bytes of the other worlds, and of copies in which scripts are debugged.
func (w *World) Elsewhere() int { return w.engine.accounts.data - w.counted }

// accountBytes returns the bytes of all accounts and of the other worlds.
func (w *World) accountBytes() int { return int(w.engine.accounts.sum.Load()) + w.Elsewhere() }

// CopyBytes returns what a copy of the world's data takes.
func (w *World) CopyBytes() int { return w.Keyspace.Bytes() + WorldBytes }
