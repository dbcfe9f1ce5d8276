// Package resp is the wire: the bytes a Redis client and a Redis server exchange.
//
// Both protocol versions are trees written in one pass, a type byte first:
//
//	RESP2   +status  -error  :int  $bulk  *array
//	RESP3   the same, and  _null  ,double  #bool  (bignum  =verbatim
//	        %map  ~set  >push  |attribute
//
//	*2\r\n $3\r\nfoo\r\n :12\r\n       ->  1) "foo"
//	                                       2) (integer) 12
//
// The server's side is Writer: it appends replies to one byte buffer and builds no tree.
// The client's side is Reader, which turns bytes into Value trees; Value prints itself
// the way redis-cli does. Beside them stand the number forms of the protocol: how Redis
// spells a double, a long double and an integer, and what it accepts as one.
//
// Invariants:
//
//  1. A Writer never fails and never looks back: what was appended is what is sent.
//     The one exception is an aggregate of unknown length, see Writer.Defer.
//  2. A reply that exists only in RESP3 has exactly one RESP2 form and the Writer knows it,
//     so a handler says Map or Double and never asks for the protocol version.
//  3. Nothing here keeps a slice that a caller passed in.
//
// Not here: reading commands from a socket buffer (the server uses redcon's reader for that),
// streamed aggregates of RESP3 (no server sends them), sockets.
//
// Redis interleaves reply building with its output lists and output limits. Here a reply is
// a flat buffer, because then a script, the journal or a test can take the same bytes.
package resp
