package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"trunkline.dev/go/api"
)

const deadline = 20 * time.Second

// memoryKafka has topics of one partition each. Of a group, the last consumer that came has all of them.
type memoryKafka struct {
	mutex     sync.Mutex
	logs      map[string][][]byte
	committed map[string]map[partition]int64
	owners    map[string]*memoryConsumer
	away      error
}

func newMemoryKafka() *memoryKafka {
	return &memoryKafka{logs: map[string][][]byte{}, committed: map[string]map[partition]int64{}, owners: map[string]*memoryConsumer{}}
}

func (k *memoryKafka) publish(topic string, value []byte) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.logs[topic] = append(k.logs[topic], value)
}

// offer publishes an offer as the relay does.
func (k *memoryKafka) offer(number int, tier string) {
	value := fmt.Sprintf(`{"v": 1, "eventId": "event-%d", "job": {"id": "job_%d", "jobType": "add", "tenant": "default", "priority": %q,
		"attempt": 1, "maxRetries": 3, "leaseToken": "offer-%d", "idempotencyKey": "job_%d", "data": {"n": %d}}}`, number, number, tier, number, number, number)
	k.publish("trunkline.jobs.add."+tier, []byte(value))
}

func (k *memoryKafka) offset(topic string) int64 {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.committed["trunkline.add"][partition{topic, 0}]
}

func (k *memoryKafka) setAway(reason error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.away = reason
}

func (k *memoryKafka) consumer(group string, topics []string, revoked func([]partition, bool)) (consumer, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	made := &memoryConsumer{kafka: k, group: group, topics: topics, revoked: revoked, paused: map[string]bool{}, before: k.owners[group]}
	k.owners[group] = made
	return made, nil
}

type memoryConsumer struct {
	kafka   *memoryKafka
	group   string
	topics  []string
	revoked func([]partition, bool)
	before  *memoryConsumer
	// Guarded by the mutex of memoryKafka.
	positions map[partition]int64
	paused    map[string]bool
}

func (c *memoryConsumer) turn(_ context.Context, limit time.Duration, recordsMax int, handle func([]record)) {
	c.kafka.mutex.Lock()
	lost := []partition(nil)
	if c.kafka.owners[c.group] != c {
		for of := range c.positions {
			lost = append(lost, of)
		}
	}
	c.kafka.mutex.Unlock()
	if lost != nil {
		c.revoked(lost, true)
	}
	c.kafka.mutex.Lock()
	if lost != nil {
		c.positions = nil
	}
	// Once the owner before has given them up.
	if c.kafka.owners[c.group] == c && c.positions == nil && (c.before == nil || c.before.positions == nil) {
		c.positions = map[partition]int64{}
		for _, topic := range c.topics {
			c.positions[partition{topic, 0}] = c.kafka.committed[c.group][partition{topic, 0}]
		}
	}
	var found []record
	for _, topic := range c.topics {
		of := partition{topic, 0}
		position, owned := c.positions[of]
		for owned && !c.paused[topic] && len(found) < recordsMax && int(position) < len(c.kafka.logs[topic]) {
			found = append(found, record{partition: of, offset: position, value: c.kafka.logs[topic][position]})
			position++
			c.positions[of] = position
		}
	}
	c.kafka.mutex.Unlock()
	if len(found) == 0 {
		time.Sleep(min(limit, 5*time.Millisecond))
	}
	handle(found)
}

func (c *memoryConsumer) pause(topics []string, paused bool) {
	for _, topic := range topics {
		c.paused[topic] = paused
	}
}

func (c *memoryConsumer) commit(all map[partition]int64) bool {
	c.kafka.mutex.Lock()
	defer c.kafka.mutex.Unlock()
	if c.kafka.committed[c.group] == nil {
		c.kafka.committed[c.group] = map[partition]int64{}
	}
	for of, offset := range all {
		c.kafka.committed[c.group][of] = offset
	}
	return true
}

func (c *memoryConsumer) failed(context.Context) error {
	c.kafka.mutex.Lock()
	defer c.kafka.mutex.Unlock()
	return c.kafka.away
}

func (c *memoryConsumer) close() {
	c.kafka.mutex.Lock()
	defer c.kafka.mutex.Unlock()
	c.positions = nil
	if c.kafka.owners[c.group] == c {
		delete(c.kafka.owners, c.group)
	}
}

// acceptingServer answers as the server does: the first worker that accepts an offer has it.
type acceptingServer struct {
	test    *testing.T
	mutex   sync.Mutex
	holders map[string]string
	done    map[string]string
	accepts int
	// So many answers of accept are lost, after the server has done what was asked.
	lost int
}

func newServer(t *testing.T) *acceptingServer {
	return &acceptingServer{test: t, holders: map[string]string{}, done: map[string]string{}}
}

func (s *acceptingServer) Name() string { return "memory" }

func (s *acceptingServer) Close() error { return nil }

func (s *acceptingServer) Events(context.Context, func()) iter.Seq2[api.ChangeEvent, error] {
	return func(func(api.ChangeEvent, error) bool) {}
}

func (s *acceptingServer) Call(_ context.Context, request api.Request, out any, _ ...api.Option) error {
	var asked struct {
		WorkerID string  `json:"workerId"`
		Jobs     []lease `json:"jobs"`
		Poll     any     `json:"poll"`
	}
	body, _ := json.Marshal(request.Body)
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if request.Name == "pollJobs" || asked.Poll != nil {
		s.test.Errorf("the server is asked for jobs by %s", request.Name)
	}
	results := []map[string]any{}
	for _, job := range asked.Jobs {
		result := map[string]any{"id": job.ID, "outcome": "ok", "leaseExpiresAt": time.Now().Add(30 * time.Second)}
		switch request.Name {
		case "acceptJobs":
			s.accept(job, asked.WorkerID, result)
		case "heartbeatJobs":
		default:
			if how, twice := s.done[job.ID]; twice {
				s.test.Errorf("%s is settled twice: %s, %s", job.ID, how, request.Name)
			}
			s.done[job.ID] = request.Name
		}
		results = append(results, result)
	}
	if request.Name == "acceptJobs" {
		s.accepts++
		if s.lost > 0 {
			s.lost--
			return &api.ConnectionError{Call: request.Name, Err: errors.New("the answer was lost")}
		}
	}
	text, err := json.Marshal(map[string]any{"results": results})
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(text, out)
}

func (s *acceptingServer) accept(job lease, worker string, result map[string]any) {
	if s.holders[job.ID] == "" {
		s.holders[job.ID] = worker
	}
	switch {
	case s.done[job.ID] != "":
		result["outcome"] = "already_done"
	case s.holders[job.ID] != worker:
		result["outcome"] = "taken"
	default:
		result["leaseToken"] = job.LeaseToken + "-" + worker
	}
}

func (s *acceptingServer) doneCount() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.done)
}

func (s *acceptingServer) heldBy(worker string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	count := 0
	for _, holder := range s.holders {
		if holder == worker {
			count++
		}
	}
	return count
}
