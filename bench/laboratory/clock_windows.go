package laboratory

import (
	"time"

	"golang.org/x/sys/windows"
)

// busy returns the CPU time that this process has had, in which nothing else works: package windows
// has no call for that of a thread.
func busy() time.Duration {
	var created, ended, system, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &system, &user); err != nil {
		panic(err)
	}
	return ticks(system) + ticks(user)
}

// ticks returns a time that counts 100 ns.
func ticks(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32+int64(t.LowDateTime)) * 100
}
