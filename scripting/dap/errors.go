package dap

import "errors"

var (
	errTexts        = errors.New("keys and args must be lists of strings or numbers")
	errPaths        = errors.New("load must be the name of a file, or a list of such names")
	errNoRequest    = errors.New("the message is not a request of the Debug Adapter Protocol")
	errUnknown      = errors.New("unknown request")
	errNotInit      = errors.New("the first request must be initialize")
	errNotLaunched  = errors.New("nothing has been launched")
	errInitialized  = errors.New("the session is already initialized")
	errLaunched     = errors.New("the session has already launched a script")
	errConfigured   = errors.New("the configuration is already done")
	errAttach       = errors.New("attach is not supported: the debugger launches a script itself, without a server")
	errNoProgram    = errors.New("launch needs the attribute program, the file of a script or a library")
	errRuns         = errors.New("the script is running: pause it first")
	errEnded        = errors.New("the script has ended")
	errNotEnding    = errors.New("the script does not end")
	errAborted      = errors.New("ERR script aborted for user request")
	errReference    = errors.New("the variable no longer exists")
	errTooLarge     = errors.New("the reply is too large")
	errLongHeader   = errors.New("the header of a message is too long")
	errHeader       = errors.New("a message must begin with Content-Length, the number of its bytes")
	errLongMessage  = errors.New("a message is longer than 16 MB")
	errHitCondition = errors.New("a hit condition is a number, with one of ==, >=, >, <=, < and % before it")
	errOtherFile    = errors.New("this is not the file that is being debugged")
	errNoCode       = errors.New("neither this line nor a later one has code")
	errPending      = errors.New("the breakpoint will be set when the script reaches its next line")
	errNoWatch      = errors.New("to watch an expression, stop in the function whose variables it uses")
)

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
