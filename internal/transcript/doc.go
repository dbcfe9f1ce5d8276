// Package transcript runs redis-cli sessions as tests. One corpus, many worlds: the same file runs
// against an engine in process, a server over TCP and a real redis-server, and every world has to
// give the same replies. The corpus of this repository is recorded (package corpus runs it); users
// write files of the same format for their scripts, which miniserver test runs
// (docs/scripts-tests.md).
//
// A transcript reads like a terminal:
//
//	# BLPOP: an element that exists, and one that arrives later.
//	> RPUSH q x
//	(integer) 1
//	> BLPOP q 0
//	1) "q"
//	2) "x"
//
//	a> BLPOP q 0
//	> RPUSH q y
//	(integer) 1
//	a<
//	1) "q"
//	2) "y"
//
// The first line of a file in the corpus is a comment that says what the file covers. Then:
//
//	# text            a comment
//	> COMMAND args    sends a command; the lines up to an empty line or another step are
//	                  the reply as redis-cli 7.0 shows it on a terminal. No reply lines
//	                  means that no reply comes (yet).
//	a> COMMAND args   the same on a connection named a; names are made of a-z and 0-9
//	a<   or   <       what arrives next on that connection: the reply of a blocked command,
//	                  a further reply of the same command, a message of a subscription,
//	                  or (error) (closed by the server)
//	@ directive       see below
//
// Arguments are quoted as for redis-cli: "a\x00\n\"b" with escapes, 'a\'b' without. A reply line
// that would look like a step, a comment or an empty line has a backslash in front. In a reply
// <int>, <num> and <hex> stand for any integer, number and lower case hexadecimal string, <text>
// for any text within a line, and <lines>, alone on a line, for any lines. A line /regexp/ stands
// for one that matches; it may be behind the number of an element. A reply that is only <any>
// stands for any, and <first 1>, <not first 1>, <at most 3> and <at least 3> for those whose first
// scalar is like that. (A reply equal to the expected text always matches.)
//
// In commands that take a script, @path stands for the text of a file beside this one, or for its
// SHA1.
//
// Directives:
//
//	@ test NAME       begins a test, with an empty server; what stands above the first one begins
//	                  every test
//	@ table           the lines after the rows, up to "@ end", run once for each row: | a | b |,
//	                  with {a} replaced
//	@ random          a load of random commands and its invariants, up to "@ end": see load
//	@ freeze at 2024-01-01T00:00:00Z   sets the clock of a world whose clock can be set
//	@ advance 1m30s   the same as
//	@ +1m30s          moves the clock (units d h m s ms). A world with a real clock sleeps if
//	                  the step is short; otherwise the steps up to the next reset are skipped.
//	@ resp 3          the protocol version of all connections from here on
//	@ config NAME VALUE   sets a parameter until the next reset
//	@ sorted          sorts the aggregates of scalars in the next reply
//	@ pairs           sorts by key the arrays of key, value, key, value, or of pairs
//	@ for i = 1..200  sends the next command once for each i, with {i} replaced;
//	                  the reply shown is the last one's
//	@ let NAME = text     replaces {NAME} in the arguments of later commands; the text may be
//	@ let NAME = 600 * ab a word repeated, or, with nothing after the sign, the lines that
//	                  follow, each beginning with "| "
//	@ close a         closes connection a
//	@ reset           an empty server without connections and with its first parameters
//	@ only TAG...     the lines up to "@ end" or the end of the file run only in worlds
//	@ not TAG...      with one of the tags, or with none of them
//	@ since 7.2       the same for worlds of that version of Redis or a later one, and for Valkey
//	                  up to 7.2, of which it has all. "valkey:8.1" is a version of Valkey; "8.0
//	                  valkey:8.1" is either, "8.0 redis-stack:7.4" also Redis Stack; no release
//	                  has what another server brought, "keydb:6.0.0". A world of ours without a
//	                  release has every version
//	@ before 8.0      the same for the worlds that "since" leaves out
//	@ like 8.6        the same as since, for what a release does otherwise and not for what came
//	                  with it: a world of ours without a release is like the default release
//	@ unlike 8.6      the same for the worlds that "like" leaves out
//	@ end             ends the innermost only, not, since, before, like or unlike, or the table
//
// Tags name a world's kind and its properties: miniserver, redis (also for Valkey), valkey and
// redis-stack (also ours that stands for them), memory, tcp, resp3, virtual (its clock moves only
// by directive), and others that a world defines. A file about commands of a module begins with "@
// only miniserver redis-stack", and if not every release of ours has them with "@ since 8.0
// redis-stack:7.4" as well.
//
// A world may speak RESP3 although the file was recorded in RESP2. Then the test compares the
// leaves of its replies, each in its RESP2 form. A file about the shape of RESP3 replies says
// "@ resp 3", and its replies must be equal.
//
// The replies in the files come from a real server: go test with -update=redis rewrites the replies
// of every step that the default release of package reference can run, -update=redis:7.0 those of
// the others that redis-server 7.0 can run, -update=redis-stack:7.4 those of commands of modules,
// and -update=miniserver the rest that ours can.
// Comments, order and placeholders that still match stay.
package transcript
