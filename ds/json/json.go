// Package json is the JSON document: a value of JSON that can be read and changed at any place in
// it, in about as many bytes as its text has.
//
//	small   length │ names │ root                      one text, in the entry of its key
//	large   names, and a tree:   root ─▶ pages ─▶ pages    see tree.go
//
// All values are packed: a byte that says what it is, and its bytes. See packed.go. The names of
// members stand once in a document, however many objects have them; a packed member only says where
// its name begins. So an array of a thousand records takes less than half of its text.
//
// A document of more than smallBytes is a tree. What is large in it, a container of more than
// nearBytes or a long text, lies elsewhere: far. The children of a large container are in pages of
// up to pageBytes, and an object with many pages has an index of its members. So a change moves a
// page at most, whatever the size of the document, and finds its way in steps of containers and
// pages. A tree that becomes small is packed again.
//
// Invariants, verified by Check:
//  1. A small document has at most smallBytes and nothing far in it.
//  2. Each cell and box of a tree is referred to once, or free.
//  3. A page has at most pageBytes; a box knows how many children each of its pages has, and all.
//  4. An index has exactly the members of its object. What is noted of the way to a child, its page
//     or where it begins, is so.
//  5. Names are found where they begin; two are never equal; no object has a name twice.
//
// Names that no member has any more stay until they are as many as the others, or the document is
// half as large; then it is built anew.
//
// Texts are read and written as by RedisJSON 2, and refused with its errors, which are those of
// Rust's serde_json. Integers have 64 bits, numbers are written in their shortest form, a text has
// fewer than 128 levels, and of equal names the last counts. A new member is the last of its
// object, and the last takes the place of one that goes. Only numbers of many digits differ: they
// are rounded to the nearest double, so that what is written reads back as it was.
//
// Non-goals: keeping the text as it was written; concurrent use.
package json
