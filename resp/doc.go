// Package resp implements the protocol of Redis clients and servers, in versions 2 and 3.
//
// In both versions a value is a tree written in one pass, a type byte first:
//
//	RESP2   +status  -error  :int  $bulk  *array
//	RESP3   the same, and  _null  ,double  #bool  (bignum  =verbatim
//	        %map  ~set  >push  |attribute
//
//	*2\r\n $3\r\nfoo\r\n :12\r\n       ->  1) "foo"
//	                                       2) (integer) 12
//
// The server's side is Writer: it appends replies to one byte buffer and builds no tree.
// The client's side is Reader, which parses replies into Value trees; Value prints itself
// as redis-cli does. The package also formats and parses the numbers of the protocol:
// doubles, long doubles and integers. Scanner reads commands that follow one another without
// replies, as in a journal.
//
// Invariants:
//
//  1. A Writer never fails and never changes bytes that it has appended.
//     The one exception is an aggregate of unknown length, see Writer.Defer.
//  2. A type that exists only in RESP3 has exactly one RESP2 form, and the Writer chooses it.
//     So a handler calls Map or Double without a look at the protocol version.
//  3. The package keeps no slice that a caller passed in.
//
// Not here: parsing commands from a socket buffer (package server does that),
// streamed aggregates of RESP3 (no server sends them), sockets.
//
// Redis mixes the building of replies with its output lists and limits. Here a reply is a
// flat buffer, so that scripts, the journal and tests can use the same bytes.
package resp
