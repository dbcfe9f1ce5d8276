// Package difftest runs the same random commands against two servers and compares replies.
//
//	families/*.txt ──▶ Generator ──▶ commands ──┬──▶ redis-server ──┐
//	                   (a seed)                 └──▶ ours ──────────┴──▶ first difference,
//	                                                                     cut down to few commands
//
// A family is a text file with one command shape on each line, in a small grammar (see shape):
//
//	ZADD $k [ ( NX | XX ) ] [ CH ] { $s $m }
//	~ ZUNION 2 $k $k            members may come in any order
//
// Keys, members, values and scores come from small pools, so that commands meet the same keys, the
// wrong types, the edges of number ranges and each other's leftovers. A few commands in a hundred
// are broken on purpose: an argument lost, doubled or replaced.
//
// Commands are sent in batches over two connections that take turns; transactions of one meet
// changes by the other. Odd seeds speak RESP3. Every few thousand commands, and in the end,
// the complete datasets are compared.
//
// Invariants:
//
//  1. The same seed gives the same commands, whatever the replies are.
//  2. Nothing random or timed is compared to the letter: such shapes carry a mark.
//  3. A difference that is meant is listed in known.txt with its reason, and nowhere else.
package difftest
