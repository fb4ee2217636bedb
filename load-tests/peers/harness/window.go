package main

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// windowSeconds is how far percentiles look back.
const windowSeconds = 30

// window holds the times of the last thirty seconds in as many histograms, so that memory does not grow with the rate.
type window struct {
	mutex   sync.Mutex
	seconds [windowSeconds]*hdrhistogram.Histogram
	// last is the second whose histogram was written last.
	last int64
}

func newWindow() *window {
	made := &window{}
	for second := range made.seconds {
		// Microseconds up to ten minutes, three digits.
		made.seconds[second] = hdrhistogram.New(1, 600_000_000, 3)
	}
	return made
}

// add counts a time, so many times.
func (w *window) add(took time.Duration, times int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	second := w.turn()
	_ = w.seconds[second%windowSeconds].RecordValues(max(1, took.Microseconds()), int64(times))
}

// turn empties the histograms of seconds that passed since the last call.
func (w *window) turn() int64 {
	second := time.Now().Unix()
	for passed := max(w.last+1, second-windowSeconds+1); passed <= second; passed++ {
		w.seconds[passed%windowSeconds].Reset()
	}
	w.last = max(w.last, second)
	return second
}

// milliseconds answers percentiles; zero where nothing was counted.
func (w *window) milliseconds(percents ...float64) []float64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.turn()
	all := hdrhistogram.New(1, 600_000_000, 3)
	for _, second := range w.seconds {
		all.Merge(second)
	}
	values := make([]float64, len(percents))
	for place, percent := range percents {
		values[place] = float64(all.ValueAtQuantile(percent)) / 1000
	}
	return values
}
