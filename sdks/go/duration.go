package trunkline

import (
	"strconv"
	"time"
)

// durationText writes a duration as the server reads it: whole milliseconds, rounded up.
func durationText(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Millisecond-1)/time.Millisecond), 10) + "ms"
}
