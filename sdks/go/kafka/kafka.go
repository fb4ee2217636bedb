// Package kafka is jobs from Kafka for trunkline.dev/go, where the server runs with dispatch.mode = "kafka_outbox". Import it for its
// effect, and set TRUNKLINE_TRANSPORT=kafka and TRUNKLINE_KAFKA_BROKERS:
//
//	import _ "trunkline.dev/go/kafka"
//
// Jobs come by consumer groups and are accepted many with one call; reports and everything else go over REST.
package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"trunkline.dev/go/api"
	"trunkline.dev/go/internal/wire"
)

func init() {
	api.Register("kafka", func(settings api.Settings) (api.Transport, error) { return New(settings) })
}

// Transport receives jobs from Kafka; all calls use REST.
type Transport struct {
	rest      api.Transport
	settings  transportSettings
	consumers consumerFactory

	mutex sync.Mutex
	// By the names of workers.
	deliveries map[string]*delivery
}

// Option is an option of a transport.
type Option func(*transportSettings)

type transportSettings struct {
	brokers, prefix, group string
	single                 bool
	client                 []kgo.Opt
}

// Brokers are addresses as host:port, separated by commas (default: TRUNKLINE_KAFKA_BROKERS).
func Brokers(addresses string) Option { return func(s *transportSettings) { s.brokers = addresses } }

// TopicPrefix is the server's kafka.topic_prefix (default: "trunkline").
func TopicPrefix(prefix string) Option { return func(s *transportSettings) { s.prefix = prefix } }

// SingleTopics is for a server with kafka.topics = "single".
func SingleTopics() Option { return func(s *transportSettings) { s.single = true } }

// Group is the prefix of consumer groups: the group of a job type is GROUP.JOB_TYPE (default: "trunkline").
func Group(group string) Option { return func(s *transportSettings) { s.group = group } }

// Client sets options of franz-go, such as kgo.SASL and kgo.DialTLSConfig.
func Client(options ...kgo.Opt) Option {
	return func(s *transportSettings) { s.client = append(s.client, options...) }
}

// New returns the transport, for trunkline.WithTransport. It does not connect yet.
func New(settings api.Settings, options ...Option) (*Transport, error) {
	own := transportSettings{brokers: os.Getenv("TRUNKLINE_KAFKA_BROKERS"), prefix: "trunkline", group: "trunkline"}
	for _, option := range options {
		option(&own)
	}
	if own.brokers == "" {
		return nil, errors.New("TRUNKLINE_KAFKA_BROKERS is not set: the brokers, as host:port,host:port")
	}
	rest, err := api.NewREST(settings)
	if err != nil {
		return nil, err
	}
	return newTransport(rest, own, franz(strings.Split(own.brokers, ","), own.client)), nil
}

func newTransport(rest api.Transport, settings transportSettings, consumers consumerFactory) *Transport {
	return &Transport{rest: rest, settings: settings, consumers: consumers, deliveries: map[string]*delivery{}}
}

// Name implements api.Transport.
func (t *Transport) Name() string { return "kafka" }

// Events implements api.Transport.
func (t *Transport) Events(ctx context.Context, opened func()) iter.Seq2[api.ChangeEvent, error] {
	return t.rest.Events(ctx, opened)
}

// Close implements api.Transport. It leaves all groups.
func (t *Transport) Close() error {
	t.mutex.Lock()
	all := t.deliveries
	t.deliveries = map[string]*delivery{}
	t.mutex.Unlock()
	for _, d := range all {
		d.end()
	}
	return t.rest.Close()
}

// OnCancel implements api.Pusher. The status of jobs is reported with the responses to heartbeats.
func (t *Transport) OnCancel(string, func(leaseToken, reason string)) {}

// EndDelivery implements api.Pusher: the worker leaves its groups.
func (t *Transport) EndDelivery(workerID string) {
	t.mutex.Lock()
	d := t.deliveries[workerID]
	delete(t.deliveries, workerID)
	t.mutex.Unlock()
	if d != nil {
		d.end()
	}
}

// Call implements api.Transport.
func (t *Transport) Call(ctx context.Context, request api.Request, out any, options ...api.Option) error {
	switch request.Name {
	case "pollJobs":
		return t.poll(ctx, request, out)
	case "completeJobs", "failJobs", "releaseJobs", "heartbeatJobs":
		return t.report(ctx, request, out, options)
	default:
		return t.rest.Call(ctx, request, out, options...)
	}
}

func (t *Transport) poll(ctx context.Context, request api.Request, out any) error {
	var asked struct {
		WorkerID string   `json:"workerId"`
		JobTypes []string `json:"jobTypes"`
		MaxJobs  int      `json:"maxJobs"`
		Wait     string   `json:"wait"`
	}
	body, err := json.Marshal(request.Body)
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		return fmt.Errorf("%s: the body is no poll: %w", request.Name, err)
	}
	wait, err := time.ParseDuration(asked.Wait)
	if err != nil {
		wait = 0
	}
	d, err := t.delivery(asked.WorkerID, asked.JobTypes, asked.MaxJobs)
	if err != nil {
		return err
	}
	jobs, err := d.poll(ctx, asked.MaxJobs, wait)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"jobs": jobs})
	if err != nil {
		return err
	}
	return wire.Unmarshal(text, out)
}

func (t *Transport) delivery(workerID string, jobTypes []string, jobsMax int) (*delivery, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if known := t.deliveries[workerID]; known != nil {
		return known, nil
	}
	d := &delivery{rest: t.rest, workerID: workerID, changed: make(chan struct{}), held: map[string]held{}, over: map[string]bool{}}
	for _, jobType := range jobTypes {
		topics := topicsOf(t.settings.prefix, jobType, t.settings.single)
		room := max(roomMin, roomFactor*jobsMax)
		r, err := startReader(d, t.consumers, t.settings.group+"."+jobType, jobType, topics, room)
		if err != nil {
			d.end()
			return nil, err
		}
		d.mutex.Lock()
		d.readers = append(d.readers, r)
		d.mutex.Unlock()
	}
	t.deliveries[workerID] = d
	return d, nil
}

func (t *Transport) report(ctx context.Context, request api.Request, out any, options []api.Option) error {
	var sent struct {
		Jobs []lease `json:"jobs"`
	}
	body, err := json.Marshal(request.Body)
	if err == nil {
		err = json.Unmarshal(body, &sent)
	}
	if err != nil {
		return fmt.Errorf("%s: the body is no report: %w", request.Name, err)
	}
	var text json.RawMessage
	if err := t.rest.Call(ctx, request, &text, options...); err != nil {
		return err
	}
	var said outcomes
	if err := json.Unmarshal(text, &said); err != nil {
		return &api.ConnectionError{Call: request.Name, Err: err}
	}
	t.mutex.Lock()
	all := make([]*delivery, 0, len(t.deliveries))
	for _, d := range t.deliveries {
		all = append(all, d)
	}
	t.mutex.Unlock()
	for _, d := range all {
		d.report(sent.Jobs, said, request.Name == "heartbeatJobs")
	}
	if out == nil {
		return nil
	}
	return wire.Unmarshal(text, out)
}
