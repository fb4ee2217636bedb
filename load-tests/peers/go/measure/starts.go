package measure

import (
	"math"
	"slices"
	"sync"
	"time"
)

// starts are the instants at which each job was sent and its handler started.
type starts struct {
	mutex   sync.Mutex
	sent    []time.Time
	started []time.Time
	left    int
}

func newStarts(count int) *starts {
	return &starts{sent: make([]time.Time, count), started: make([]time.Time, count), left: count}
}

func (s *starts) send(number int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.sent[number] = time.Now()
}

// start keeps the first start of a job that is started twice.
func (s *starts) start(number int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.started[number].IsZero() {
		s.started[number] = time.Now()
		s.left--
	}
}

func (s *starts) missing() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.left
}

// milliseconds answers how long each took that was started, the shortest first.
func (s *starts) milliseconds() []float64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var times []float64
	for number, started := range s.started {
		if !started.IsZero() {
			times = append(times, milliseconds(started.Sub(s.sent[number])))
		}
	}
	slices.Sort(times)
	return times
}

// percentile is the value of a sorted list below which so many percent lie; nil for an empty list.
func percentile(sorted []float64, percent float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	return &sorted[int(math.Round(percent/100*float64(len(sorted)-1)))]
}
