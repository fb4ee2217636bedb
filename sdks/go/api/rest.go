package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trunkline.dev/go/internal/wire"
)

const (
	timeoutDefault = 30 * time.Second
	answerBytesMax = 64 << 20
)

// REST is the default transport.
type REST struct {
	base    string
	header  http.Header
	timeout time.Duration
	client  *http.Client
}

// NewREST gives the transport for a server's address, such as http://127.0.0.1:8080.
func NewREST(settings Settings) (*REST, error) {
	parsed, err := url.Parse(settings.URL)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("TRUNKLINE_URL=%q is no address; write it as http://127.0.0.1:8080", settings.URL)
	}
	header := http.Header{"Accept": {"application/json"}}
	for name, values := range settings.Header {
		header[name] = values
	}
	if settings.APIKey != "" {
		header.Set("Authorization", "Bearer "+settings.APIKey)
	}
	rest := &REST{base: strings.TrimRight(settings.URL, "/"), header: header, timeout: settings.Timeout, client: settings.HTTPClient}
	if rest.timeout <= 0 {
		rest.timeout = timeoutDefault
	}
	if rest.client == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = 16
		rest.client = &http.Client{Transport: own}
	}
	return rest, nil
}

// Name implements Transport.
func (r *REST) Name() string { return "rest" }

// Close implements Transport.
func (r *REST) Close() error {
	r.client.CloseIdleConnections()
	return nil
}

// Call implements Transport.
func (r *REST) Call(ctx context.Context, request Request, out any, options ...Option) error {
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = json.Marshal(request.Body); err != nil {
			return fmt.Errorf("%s: the body is no JSON: %w", request.Name, err)
		}
	}
	return Repeat(ctx, r.timeout, request, options, func(ctx context.Context, key string) error {
		return r.once(ctx, request, body, key, out)
	})
}

func (r *REST) once(ctx context.Context, request Request, body []byte, key string, out any) error {
	address := r.base + request.Path
	if len(request.Query) > 0 {
		address += "?" + request.Query.Encode()
	}
	call, err := http.NewRequestWithContext(ctx, request.Method, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", request.Name, err)
	}
	call.Header = r.header.Clone()
	if body != nil {
		call.Header.Set("Content-Type", "application/json")
	}
	if request.Keyed {
		call.Header.Set("Idempotency-Key", key)
	}
	answer, err := r.client.Do(call)
	if err != nil {
		return connectionError(ctx, request.Name, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, answerBytesMax))
	if err != nil {
		return connectionError(ctx, request.Name, err)
	}
	if answer.StatusCode >= 300 {
		return problemOf(answer, content)
	}
	if out == nil || len(content) == 0 {
		return nil
	}
	if err := wire.Unmarshal(content, out); err != nil {
		return fmt.Errorf("%s: the answer is not what this version knows: %w", request.Name, err)
	}
	return nil
}

func connectionError(ctx context.Context, call string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", call, ctx.Err())
	}
	return &ConnectionError{Call: call, Err: err}
}

func problemOf(answer *http.Response, content []byte) error {
	problem := &ProblemError{RetryAfter: -1}
	if json.Unmarshal(content, &problem.Problem) != nil {
		problem.Detail = string(content[:min(len(content), 200)])
	}
	problem.Status = int32(answer.StatusCode)
	if seconds, err := strconv.Atoi(strings.TrimSpace(answer.Header.Get("Retry-After"))); err == nil && seconds >= 0 {
		problem.RetryAfter = time.Duration(min(seconds, 86_400)) * time.Second
	}
	return problem
}
