package consensus

import "sync"

// queue hands things from many goroutines to one. Adding never waits; what puts things there has a
// limit of its own.
type queue[T any] struct {
	mu   sync.Mutex
	list []T
	wake chan struct{}
}

func (q *queue[T]) init() { q.wake = make(chan struct{}, 1) }

func (q *queue[T]) add(items ...T) {
	if len(items) == 0 {
		return
	}
	q.mu.Lock()
	q.list = append(q.list, items...)
	q.mu.Unlock()
	notify(q.wake)
}

func (q *queue[T]) take() (list []T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, q.list = q.list, nil
	return list
}

// run handles what is added until the end.
func (q *queue[T]) run(end <-chan struct{}, handle func([]T)) {
	for {
		select {
		case <-q.wake:
			handle(q.take())
		case <-end:
			return
		}
	}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
