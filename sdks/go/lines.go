package trunkline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"trunkline.dev/go/api"
)

const (
	linesOfCallMax = 100
	lineBytesMax   = 8 * 1024
	// One line less than an attempt may have on the server: the last one says how many were dropped.
	linesOfAttemptMax = 999
	bytesOfAttemptMax = 255 * 1024
	// How long a line waits for others.
	linesPause   = time.Second
	linesTimeout = 5 * time.Second
)

// logLine is a line that a handler logged.
type logLine struct {
	At       time.Time       `json:"at"`
	Level    string          `json:"level"`
	Message  string          `json:"message"`
	Fields   json.RawMessage `json:"fields,omitempty"`
	Sequence int             `json:"sequence"`
}

// jobLines is what a call sends for one job.
type jobLines struct {
	ID         string    `json:"id"`
	LeaseToken string    `json:"leaseToken"`
	Lines      []logLine `json:"lines"`
}

// attemptLines is the lines of one attempt that wait to be sent.
type attemptLines struct {
	id, token string
	onLine    func()
	mutex     sync.Mutex
	waiting   []logLine
	sequence  int
	bytes     int
	dropped   int
	closed    bool
}

func (l *attemptLines) add(level, message string, fields json.RawMessage, at time.Time) {
	message = cutLine(message)
	if len(message)+len(fields) > lineBytesMax {
		fields = nil
	}
	size := len(message) + len(fields)
	l.mutex.Lock()
	isFull := l.dropped > 0 || l.sequence >= linesOfAttemptMax || l.bytes+size > bytesOfAttemptMax
	switch {
	case l.closed:
	case isFull:
		l.dropped++
	default:
		l.bytes += size
		l.put(logLine{At: at, Level: level, Message: message, Fields: fields})
	}
	l.mutex.Unlock()
	if l.onLine != nil {
		l.onLine()
	}
}

func (l *attemptLines) put(line logLine) {
	l.sequence++
	line.Sequence = l.sequence
	l.waiting = append(l.waiting, line)
}

// close takes no more; where lines were dropped, a last one says how many.
func (l *attemptLines) close() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.closed && l.dropped > 0 {
		l.put(logLine{At: time.Now(), Level: "warn", Message: fmt.Sprintf("%d more lines were dropped by the worker", l.dropped)})
	}
	l.closed = true
}

func (l *attemptLines) first(count int) []logLine {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]logLine(nil), l.waiting[:min(count, len(l.waiting))]...)
}

// sent forgets lines that need not be sent again.
func (l *attemptLines) sent(lines []logLine) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for len(lines) > 0 && len(l.waiting) > 0 && l.waiting[0].Sequence <= lines[len(lines)-1].Sequence {
		l.waiting = l.waiting[1:]
	}
}

// lineSender sends the lines of all attempts of a worker, in batches.
type lineSender struct {
	channel channel
	wake    chan struct{}
	mutex   sync.Mutex
	open    map[*attemptLines]struct{}
	refused bool
	// sending is held during a call, so that the lines of an attempt stay in order.
	sending sync.Mutex
}

func newLineSender(channel channel) *lineSender {
	return &lineSender{channel: channel, wake: make(chan struct{}, 1), open: map[*attemptLines]struct{}{}}
}

func (s *lineSender) begin(job leasedJob) *attemptLines {
	lines := &attemptLines{id: job.ID, token: job.LeaseToken}
	lines.onLine = func() {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	s.mutex.Lock()
	s.open[lines] = struct{}{}
	s.mutex.Unlock()
	return lines
}

// end sends what an attempt has logged, before its report ends the lease. Tried once: lines are worth no delay of a report.
func (s *lineSender) end(ctx context.Context, lines *attemptLines) {
	s.forget(lines)
	for before := lines.first(1); len(before) > 0; {
		s.send(ctx, []*attemptLines{lines})
		after := lines.first(1)
		if len(after) > 0 && after[0].Sequence == before[0].Sequence {
			return
		}
		before = after
	}
}

// forget: the attempt is over, whatever became of it.
func (s *lineSender) forget(lines *attemptLines) {
	lines.close()
	s.mutex.Lock()
	delete(s.open, lines)
	s.mutex.Unlock()
}

// run sends what comes, gathered for a moment, until ctx ends.
func (s *lineSender) run(ctx context.Context) {
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(linesPause):
		case <-ctx.Done():
			return
		}
		s.mutex.Lock()
		open := make([]*attemptLines, 0, len(s.open))
		for lines := range s.open {
			open = append(open, lines)
		}
		s.mutex.Unlock()
		s.send(ctx, open)
		for _, lines := range open {
			if len(lines.first(1)) > 0 {
				lines.onLine()
			}
		}
	}
}

func (s *lineSender) send(ctx context.Context, from []*attemptLines) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.refused {
		return
	}
	room := linesOfCallMax
	var jobs []jobLines
	var senders []*attemptLines
	for _, lines := range from {
		if first := lines.first(room); len(first) > 0 {
			room -= len(first)
			jobs, senders = append(jobs, jobLines{lines.id, lines.token, first}), append(senders, lines)
		}
	}
	if len(jobs) == 0 {
		return
	}
	err := s.channel.log(ctx, jobs, linesTimeout)
	var problem *ProblemError
	if err != nil && (!errors.As(err, &problem) || api.IsTransient(err)) {
		// Sent again: the server keeps a line with the same number once.
		return
	}
	if problem != nil && (problem.Status == 404 || problem.Status == 405) {
		// A server that knows no lines yet is not asked again.
		s.refused = true
	}
	for i, lines := range senders {
		lines.sent(jobs[i].Lines)
	}
}

// cutLine gives a message within its bounds. The server takes neither NUL nor broken characters.
func cutLine(message string) string {
	message = strings.ReplaceAll(strings.ToValidUTF8(message, "\uFFFD"), "\x00", "\uFFFD")
	if len(message) <= lineBytesMax {
		return message
	}
	end := lineBytesMax - len("…")
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}

// lineHandler gives records to the server beside the program's own handler. The server gets everything from Info on, and Debug
// where the program's handler takes it.
type lineHandler struct {
	inner  slog.Handler
	fields []slog.Attr
	prefix string
	take   func(level, message string, fields json.RawMessage, at time.Time)
}

func (h *lineHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.inner.Enabled(ctx, level)
}

func (h *lineHandler) Handle(ctx context.Context, record slog.Record) error {
	fields := map[string]any{}
	for _, attr := range h.fields {
		addField(fields, "", attr)
	}
	record.Attrs(func(attr slog.Attr) bool {
		addField(fields, h.prefix, attr)
		return true
	})
	h.take(lineLevel(record.Level), record.Message, fieldsText(fields), record.Time)
	if h.inner.Enabled(ctx, record.Level) {
		return h.inner.Handle(ctx, record)
	}
	return nil
}

func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	own := *h
	own.inner, own.fields = h.inner.WithAttrs(attrs), append([]slog.Attr(nil), h.fields...)
	for _, attr := range attrs {
		attr.Key = h.prefix + attr.Key
		own.fields = append(own.fields, attr)
	}
	return &own
}

func (h *lineHandler) WithGroup(name string) slog.Handler {
	own := *h
	own.inner, own.prefix = h.inner.WithGroup(name), h.prefix+name+"."
	return &own
}

func addField(fields map[string]any, prefix string, attr slog.Attr) {
	value := attr.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		for _, inner := range value.Group() {
			addField(fields, prefix+attr.Key+".", inner)
		}
		return
	}
	plain := value.Any()
	switch own := plain.(type) {
	case error:
		plain = own.Error()
	case time.Duration:
		plain = own.String()
	}
	if _, err := json.Marshal(plain); err != nil {
		plain = fmt.Sprint(plain)
	}
	fields[prefix+attr.Key] = plain
}

// fieldsText is nil where there are none. A log line never fails its handler.
func fieldsText(fields map[string]any) json.RawMessage {
	if len(fields) == 0 {
		return nil
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return json.RawMessage(strings.ReplaceAll(string(text), `\u0000`, `\ufffd`))
}

func lineLevel(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warn"
	case level >= slog.LevelInfo:
		return "info"
	default:
		return "debug"
	}
}
