package kafka

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

const (
	pollLimit = 100 * time.Millisecond
	// While nothing is to be read, turns only let partitions be taken away.
	pausedLimit = 20 * time.Millisecond
	commitEvery = 500 * time.Millisecond
)

// offer is an offer that was received.
type offer struct {
	reader *reader
	record record
	tier   int
	id     string
	token  string
	job    map[string]json.RawMessage
}

// reader reads the topics of one job type: it fills buffers, pauses what is not wanted, and commits what is over. Its buffers and
// offsets are guarded by the mutex of its delivery.
type reader struct {
	delivery *delivery
	jobType  string
	topics   []string
	room     int
	consumer consumer
	buffers  [][]*offer
	offsets  *offsets
	failure  error
	paused   map[int]bool

	// ready is closed once the consumer is known here.
	ready       chan struct{}
	committedAt time.Time
	stop        context.CancelFunc
	done        chan struct{}
}

func startReader(d *delivery, factory consumerFactory, group, jobType string, topics []string, room int) (*reader, error) {
	ctx, stop := context.WithCancel(context.Background())
	r := &reader{
		delivery: d, jobType: jobType, topics: topics, room: room, buffers: make([][]*offer, len(topics)), offsets: newOffsets(),
		paused: map[int]bool{}, stop: stop, done: make(chan struct{}), ready: make(chan struct{}),
	}
	consumer, err := factory(group, topics, r.revoked)
	if err != nil {
		stop()
		return nil, err
	}
	r.consumer = consumer
	close(r.ready)
	go r.run(ctx)
	return r, nil
}

func (r *reader) run(ctx context.Context) {
	defer close(r.done)
	defer r.consumer.close()
	for ctx.Err() == nil {
		wanted := r.adjust()
		limit := pollLimit
		if wanted == 0 {
			limit = pausedLimit
		}
		r.consumer.turn(ctx, limit, max(1, wanted), func(records []record) {
			r.receive(records)
			if time.Since(r.committedAt) >= commitEvery {
				r.commit()
			}
		})
		r.fail(r.consumer.failed(ctx))
	}
	r.commit()
}

// close leaves the group after what is over is committed. What was not begun is its next owner's.
func (r *reader) close(limit time.Duration) {
	r.stop()
	select {
	case <-r.done:
	case <-time.After(limit):
	}
}

// adjust pauses the tiers that are not to be read now: the lower ones while a higher one has messages, and all while the buffers are
// full. It gives how many messages are wanted.
func (r *reader) adjust() int {
	r.delivery.mutex.Lock()
	total, highest := 0, len(r.buffers)
	for tier, buffer := range r.buffers {
		total += len(buffer)
		if len(buffer) > 0 {
			highest = min(highest, tier)
		}
	}
	r.delivery.mutex.Unlock()
	// Below half of the room it reads on, so that it does not pause and resume with each message.
	full := total >= r.room || (r.paused[0] && total > r.room/2)
	for tier, topic := range r.topics {
		pause := full || tier > highest
		if pause != r.paused[tier] {
			r.consumer.pause([]string{topic}, pause)
			r.paused[tier] = pause
		}
	}
	if full {
		return 0
	}
	return r.room - total
}

func (r *reader) receive(records []record) {
	if len(records) == 0 {
		return
	}
	r.delivery.mutex.Lock()
	defer r.delivery.mutex.Unlock()
	for _, one := range records {
		r.offsets.received(one.partition, one.offset)
		read := r.read(one)
		if read == nil {
			r.offsets.over(one.partition, one.offset)
			continue
		}
		r.buffers[read.tier] = append(r.buffers[read.tier], read)
	}
	r.failure = nil
	r.delivery.change()
}

// read gives the offer of a message; nil where it is another type's, or no offer at all.
func (r *reader) read(one record) *offer {
	if one.jobType != "" && one.jobType != r.jobType {
		return nil
	}
	read := &offer{reader: r, record: one, tier: slices.Index(r.topics, one.topic)}
	var jobType string
	job, err := jobOf(one.value)
	for name, into := range map[string]*string{"id": &read.id, "leaseToken": &read.token, "jobType": &jobType} {
		if err == nil {
			err = json.Unmarshal(job[name], into)
		}
	}
	if err != nil || read.id == "" || read.token == "" || jobType != r.jobType {
		// If it was one, it returns after a while.
		slog.Error("a message is no offer", "topic", one.topic, "partition", one.number, "offset", one.offset)
		return nil
	}
	read.job = job
	return read
}

func (r *reader) fail(reason error) {
	r.delivery.mutex.Lock()
	defer r.delivery.mutex.Unlock()
	if (reason == nil) != (r.failure == nil) {
		r.failure = reason
		r.delivery.change()
	}
}

// revoked: what is buffered of these partitions was not begun. The next owner reads it again, and no attempt is lost.
func (r *reader) revoked(gone []partition, owner bool) {
	<-r.ready
	if owner {
		r.commit()
	}
	r.delivery.mutex.Lock()
	defer r.delivery.mutex.Unlock()
	r.offsets.forget(gone)
	for tier, buffer := range r.buffers {
		r.buffers[tier] = slices.DeleteFunc(buffer, func(one *offer) bool { return slices.Contains(gone, one.record.partition) })
	}
}

func (r *reader) commit() {
	r.delivery.mutex.Lock()
	r.committedAt = time.Now()
	wanted := r.offsets.toCommit()
	r.delivery.mutex.Unlock()
	if len(wanted) == 0 || !r.consumer.commit(wanted) {
		return
	}
	r.delivery.mutex.Lock()
	defer r.delivery.mutex.Unlock()
	r.offsets.haveCommitted(wanted)
}

// putBack: it could not be accepted now. One whose partition was taken away is its next owner's. Called under the mutex.
func (r *reader) putBack(one *offer) {
	if r.offsets.has(one.record.partition, one.record.offset) {
		r.buffers[one.tier] = slices.Insert(r.buffers[one.tier], 0, one)
	}
}

// take gives offers of all readers, those of higher tiers first, and of a tier one of each reader in turn.
func take(readers []*reader, count int) []*offer {
	var taken []*offer
	for tier := range tiers {
		for found := true; found && len(taken) < count; {
			found = false
			for _, r := range readers {
				if len(r.buffers[tier]) > 0 && len(taken) < count {
					taken = append(taken, r.buffers[tier][0])
					r.buffers[tier] = r.buffers[tier][1:]
					found = true
				}
			}
		}
	}
	return taken
}
