// Package lapse keeps the deadlines of a collection's elements, beside the collection.
//
//	Row     one deadline of 6 bytes for each element, by its position      . . 17 . 21 .
//	Table   marks (deadline, element) for those that have one, and a queue of the same, soonest first
//
// A Row is for what lies packed in a block, and for lists, whose elements have no other name than
// their position. A Table is for collections that keep each element in a block of its own: it points
// to the block, so that no text is stored twice.
//
// Deadlines are milliseconds since the epoch, from 1 to Max; 0 stands for none. An element is due at
// its deadline, not only after it.
//
// The queue of a Table is lazy: a deadline that moves later leaves its item where it is, and when the
// item surfaces it is put where it belongs by then. So a deadline that is renewed all the time costs
// the writing of eight bytes. Items of elements that are gone, or came to be due earlier, are dropped
// when they surface, or all at once when they outnumber the others.
//
// Invariants, verified by Check:
//  1. A Row or Table knows how many deadlines it holds, and none is sooner than Next says.
//  2. Each mark of a Table has an item in the queue at its deadline or before.
//  3. The queue is at most twice as long as there are marks, and some.
//
// Non-goals: removing elements, which is the collection's affair, and the time, which the caller
// knows.
//
// Unlike Redis, whose buckets of deadlines are linked through the fields themselves, nothing is
// reserved in an element that has none.
package expiry

// Max is the last deadline that can be kept, of the year 4199; Redis has the same bound.
const Max = (1<<48 - 1) >> 2
