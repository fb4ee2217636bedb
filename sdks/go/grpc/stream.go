package grpc

import (
	"context"
	"errors"
	"sync"
	"time"

	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
)

const (
	aliveEvery = 20 * time.Second
	// How many messages wait to be sent; a report that finds no room waits.
	waitingMax = 256
)

var (
	errBroken = errors.New("the stream broke before an answer came")
	errSilent = errors.New("nothing came over the stream for too long")
	// errDrained is no failure: an operator drains the worker.
	errDrained = errors.New("an operator drains the worker")
)

// stream is one stream of a worker, from hello to its end.
type stream struct {
	delivery *delivery
	link     *link
	cancel   context.CancelCauseFunc
	out      chan *trunklinev1.FromWorker
	// gone is closed at the end, heard once something came.
	gone, heard chan struct{}
	silence     *time.Timer
	err         error

	mutex   sync.Mutex
	changed chan struct{}
	// over is closed from the beginning.
	over chan struct{}
	// How many more jobs the server may offer.
	credits int
	// Jobs that were offered and that no poll has taken.
	offered  []*trunklinev1.PolledJob
	number   uint64
	answers  map[uint64]chan *trunklinev1.ReportOutcome
	draining bool
	closing  bool
}

// openStream says hello and waits until the server answers.
func openStream(ctx context.Context, d *delivery, asked *trunklinev1.PollJobsRequest) (*stream, error) {
	link, err := d.transport.connected()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	own, cancel := context.WithCancelCause(d.transport.withKey(context.Background()))
	connection, err := trunklinev1.NewWorkerServiceClient(link.connection).Connect(own)
	if err != nil {
		cancel(nil)
		return nil, errorOf(ctx, "pollJobs", err)
	}
	s := &stream{
		delivery: d, link: link, cancel: cancel, out: make(chan *trunklinev1.FromWorker, waitingMax), gone: make(chan struct{}),
		heard: make(chan struct{}), changed: make(chan struct{}), answers: map[uint64]chan *trunklinev1.ReportOutcome{},
	}
	s.over = make(chan struct{})
	close(s.over)
	s.silence = time.AfterFunc(d.transport.silence, func() {
		cancel(errSilent)
		d.transport.replace(link, time.Now())
	})
	s.out <- &trunklinev1.FromWorker{Message: &trunklinev1.FromWorker_Hello{Hello: &trunklinev1.Hello{
		WorkerId: asked.GetWorkerId(), JobTypes: asked.GetJobTypes(), Lease: asked.Lease, Tenant: asked.Tenant, Build: asked.Build,
		Builds: asked.GetBuilds(),
	}}}
	go s.write(connection)
	go s.read(own, connection)
	select {
	case <-s.heard:
		return s, nil
	case <-s.gone:
		return nil, s.err
	case <-ctx.Done():
		cancel(ctx.Err())
		d.transport.replace(link, begun)
		return nil, ctx.Err()
	}
}

// write sends what waits, and signs of life.
func (s *stream) write(connection trunklinev1.WorkerService_ConnectClient) {
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		var next *trunklinev1.FromWorker
		select {
		case next = <-s.out:
		case <-alive.C:
			next = &trunklinev1.FromWorker{Message: &trunklinev1.FromWorker_Alive{Alive: &trunklinev1.Alive{}}}
		case <-s.gone:
			return
		}
		// Nil is the end. What is wrong with the stream is what reading it gives.
		if next == nil {
			_ = connection.CloseSend()
			return
		}
		if connection.Send(next) != nil {
			return
		}
	}
}

func (s *stream) read(ctx context.Context, connection trunklinev1.WorkerService_ConnectClient) {
	for {
		message, err := connection.Recv()
		if err != nil {
			s.end(ctx, err)
			return
		}
		s.silence.Reset(s.delivery.transport.silence)
		s.link.hear()
		s.handle(message)
	}
}

func (s *stream) end(ctx context.Context, err error) {
	s.silence.Stop()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.err = errorOf(context.Background(), "pollJobs", err)
	s.offered = nil
	s.cancel(nil)
	close(s.gone)
	s.announce()
}

// announce wakes polls. The mutex is held.
func (s *stream) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stream) handle(message *trunklinev1.ToWorker) {
	s.mutex.Lock()
	select {
	case <-s.heard:
	default:
		close(s.heard)
	}
	var lost []*trunklinev1.CancelledJob
	switch said := message.GetMessage().(type) {
	case *trunklinev1.ToWorker_Offer:
		s.offered = append(s.offered, said.Offer.GetJobs()...)
		s.credits = max(0, s.credits-len(said.Offer.GetJobs()))
		s.announce()
	case *trunklinev1.ToWorker_Outcome:
		if answer := s.answers[said.Outcome.GetNumber()]; answer != nil {
			delete(s.answers, said.Outcome.GetNumber())
			answer <- said.Outcome
		}
		s.closeDrained()
	case *trunklinev1.ToWorker_Cancel:
		for _, job := range said.Cancel.GetJobs() {
			if job.GetReason() == "not_received" {
				s.withdraw(job.GetId())
			} else {
				lost = append(lost, job)
			}
		}
	case *trunklinev1.ToWorker_Drain:
		if said.Drain.GetReason() == "worker" {
			s.delivery.drain()
		}
		s.draining = true
		s.announce()
		s.closeDrained()
	}
	s.mutex.Unlock()
	for _, job := range lost {
		s.delivery.cancelled(job.GetId(), job.GetReason())
	}
}

// withdraw: an offer that nobody took in time went back, and gives its credit back. The mutex is held.
func (s *stream) withdraw(id string) {
	s.credits++
	for i, job := range s.offered {
		if job.GetId() == id {
			s.offered = append(s.offered[:i:i], s.offered[i+1:]...)
			return
		}
	}
}

// closeDrained ends a drained stream once nothing is on its way. The mutex is held.
func (s *stream) closeDrained() {
	if s.draining && len(s.answers) == 0 && len(s.offered) == 0 && !s.closing {
		s.closing = true
		s.send(nil)
	}
}

// send puts a message into the queue, unless the stream is over; false where there is no room.
func (s *stream) send(message *trunklinev1.FromWorker) bool {
	select {
	case s.out <- message:
		return true
	default:
		return false
	}
}

// delivers says whether jobs still come from here, or wait here to be taken.
func (s *stream) delivers() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.gone:
		return false
	default:
		return len(s.offered) > 0 || (!s.draining && !s.closing)
	}
}

// grant raises the number of jobs that may come, with those that wait, to what the worker has room for.
func (s *stream) grant(room int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	missing := room - s.credits - len(s.offered)
	if missing <= 0 || s.draining || s.closing {
		return
	}
	credits := &trunklinev1.Credits{Count: uint32(missing)}
	if s.send(&trunklinev1.FromWorker{Message: &trunklinev1.FromWorker_Credits{Credits: credits}}) {
		s.credits += missing
	}
}

// take gives jobs that wait, which are the worker's from then on, or a channel that is closed once something changed.
func (s *stream) take(count int) ([]*trunklinev1.PolledJob, <-chan struct{}, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.gone:
		return nil, nil, s.err
	default:
	}
	jobs := s.offered[:min(count, len(s.offered))]
	if len(jobs) == 0 && (s.draining || s.closing) {
		// It drained since it was chosen: nothing will change here.
		return nil, s.over, nil
	}
	if len(jobs) == 0 {
		return nil, s.changed, nil
	}
	// The server may cancel a job as soon as it is confirmed.
	s.delivery.keep(jobs)
	received := &trunklinev1.Received{}
	for _, job := range jobs {
		received.Ids = append(received.Ids, job.GetId())
	}
	if !s.send(&trunklinev1.FromWorker{Message: &trunklinev1.FromWorker_Received{Received: received}}) {
		// Not confirmed, they go back.
		return nil, s.changed, nil
	}
	s.offered = append([]*trunklinev1.PolledJob(nil), s.offered[len(jobs):]...)
	s.closeDrained()
	return jobs, nil, nil
}

// report sends a report and waits for the answer to it; errBroken where the stream ends before.
func (s *stream) report(ctx context.Context, message *trunklinev1.FromWorker) (*trunklinev1.ReportOutcome, error) {
	answer := make(chan *trunklinev1.ReportOutcome, 1)
	s.mutex.Lock()
	if s.closing {
		s.mutex.Unlock()
		return nil, errBroken
	}
	s.number++
	message.Number = s.number
	s.answers[message.Number] = answer
	isSent := s.send(message)
	s.mutex.Unlock()
	if !isSent {
		s.forget(message.Number)
		return nil, errBroken
	}
	select {
	case said := <-answer:
		return said, nil
	case <-s.gone:
		return nil, errBroken
	case <-ctx.Done():
		s.forget(message.Number)
		return nil, ctx.Err()
	}
}

func (s *stream) forget(number uint64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.answers, number)
	s.closeDrained()
}

// halfClose takes no more jobs; what was reported is still answered.
func (s *stream) halfClose() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.draining, s.offered = true, nil
	s.announce()
	s.closeDrained()
}
