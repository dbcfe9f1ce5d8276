package console

// AppendReply is for the tests.
var AppendReply = appendReply
