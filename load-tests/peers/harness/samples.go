package main

import (
	"context"
	"encoding/json"
	"os"
	"time"
)

// sample writes all metrics at instants that are multiples of the interval, so that those of systems line up.
func (b *bench) sample(ctx context.Context) {
	var enqueued, completed int64
	for {
		next := time.Now().Truncate(b.settings.sampleEvery).Add(b.settings.sampleEvery)
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(next)):
		}
		now, every := instant(next), b.settings.sampleEvery.Seconds()
		write := func(metric string, value float64, seconds int) {
			b.emit(map[string]any{
				"t": now, "system": system, "kind": "adapter", "subject_kind": "adapter", "subject": "",
				"metric": metric, "value": value, "window_s": seconds,
			})
		}
		for _, times := range []struct {
			name   string
			window *window
		}{
			{"producer_call", b.calls}, {"producer", b.enqueues}, {"subscriber", b.starts}, {"claim", b.starts},
			{"end_to_end", b.ends},
		} {
			values := times.window.milliseconds(50, 95, 99)
			for place, percent := range []string{"p50", "p95", "p99"} {
				write(times.name+"_"+percent+"_ms", values[place], windowSeconds)
			}
		}
		newEnqueued, newCompleted := b.enqueued.Load(), b.completed.Load()
		write("enqueue_rate", float64(newEnqueued-enqueued)/every, int(every))
		write("completion_rate", float64(newCompleted-completed)/every, int(every))
		enqueued, completed = newEnqueued, newCompleted
		if b.observes() {
			write("queue_depth", max(0, float64(b.depth.Load())), 0)
			write("producer_target_rate", b.settings.targetRate(), 0)
		}
	}
}

// emit writes one line.
func (b *bench) emit(record map[string]any) {
	record["instance_id"] = b.settings.instance
	text, err := json.Marshal(record)
	if err != nil {
		// Records hold texts and numbers only.
		panic(err)
	}
	b.output.Lock()
	defer b.output.Unlock()
	_, _ = os.Stdout.Write(append(text, '\n'))
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
