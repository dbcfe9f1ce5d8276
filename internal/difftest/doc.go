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
// A line "since 7.0.0", in the notation of package release, says whose server has the commands: one
// of "redis-stack:7.4.0" is only compared with that. A command after "first" comes before all.
//
// Keys, members, values and scores come from small pools, so that commands often have the same
// keys, wrong types, the edges of number ranges, and data of earlier commands. A few commands in a
// hundred are broken on purpose: an argument is missing, doubled or replaced.
//
// Batches of commands go over two connections in turn, so that one changes keys during a
// transaction of the other. Odd seeds speak RESP3. Every few thousand commands, and at the end, the
// complete datasets are compared.
//
// The servers are a release and ours that behaves as it: "make random LIKE=redis:7.4" runs two
// million commands, and "make random LIKE=redis-stack:7.4" compares the commands of modules too.
//
// Invariants:
//
//  1. The same seed gives the same commands, independent of the replies.
//  2. Random or timed replies are not compared exactly: their shapes carry a mark.
//  3. Every deliberate difference is listed in known.txt with its reason.
package difftest
