package remote

import "os"

// switchSignals make a migration switch: Windows has none for it, so Enter does, or
// --switch-when-caught-up.
var switchSignals []os.Signal
