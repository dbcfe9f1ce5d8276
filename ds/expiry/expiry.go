// Package expiry keeps the deadlines of a collection's elements, beside the collection.
//
//	Array   one deadline of 6 bytes for each element, by its position      . . 17 . 21 .
//	Table   items (deadline, element) for those that have one, and a queue of the same, soonest
//	        first
//
// An Array is for elements packed in a block, and for lists, whose elements have no other name than
// their position. A Table is for collections that keep each element in a cell of their arena: it
// knows the element by the cell's reference, so that no text is stored twice. An element that moves
// to another cell must be replaced in the Table.
//
// Deadlines are milliseconds since the epoch, from 1 to Max; 0 stands for none. An element is due
// at its deadline, not only after it.
//
// The queue of a Table is lazy: a deadline that moves later leaves its item where it is, and when
// the item comes up it moves to its real place. So renewing a deadline costs the writing of eight
// bytes. Queue items of elements that are gone, or have an earlier deadline now, are removed when
// they come up, or all at once when they outnumber the others.
//
// Invariants, verified by Check:
//  1. An Array or Table knows how many deadlines it holds, and none is sooner than Next says.
//  2. Each item of a Table is also in the queue at its deadline or before.
//  3. The queue is at most twice as long as there are items, plus queueSlack.
//
// Non-goals: removing elements, which the collection does, and the time, which the caller knows.
//
// Unlike Redis, whose buckets of deadlines are linked through the fields themselves, nothing is
// reserved in an element that has none.
package expiry

// Max is the last deadline that can be kept, of the year 4199; Redis has the same bound.
const Max = (1<<48 - 1) >> 2
