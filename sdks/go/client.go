// Package trunkline is the client and the worker of Trunkline, the job and workflow platform. See README.md for a tour.
package trunkline

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"time"

	"trunkline.dev/go/api"
)

// Client is a client of one server. It is safe for concurrent use.
type Client struct {
	// API has every call of the server.
	API       *api.Calls
	transport api.Transport
	codec     Codec
	tenant    string
}

type clientSettings struct {
	api.Settings
	transportName string
	transport     api.Transport
	codec         Codec
	tenant        string
}

// ClientOption overrides the environment and the defaults of NewClient.
type ClientOption func(*clientSettings)

// URL is the server; TRUNKLINE_URL, else http://127.0.0.1:8080.
func URL(url string) ClientOption { return func(s *clientSettings) { s.URL = url } }

// APIKey is the API key (default: TRUNKLINE_API_KEY).
func APIKey(key string) ClientOption { return func(s *clientSettings) { s.APIKey = key } }

// Tenant is the tenant of created jobs and runs, for keys that are not bound to a tenant.
func Tenant(tenant string) ClientOption { return func(s *clientSettings) { s.tenant = tenant } }

// WithTransport uses a custom transport instead of the one named by TRUNKLINE_TRANSPORT.
func WithTransport(transport api.Transport) ClientOption {
	return func(s *clientSettings) { s.transport = transport }
}

// WithCodec sets the codec of data and results.
func WithCodec(codec Codec) ClientOption { return func(s *clientSettings) { s.codec = codec } }

// CallTimeout is the timeout of a call, including retries (default: 30 s).
func CallTimeout(limit time.Duration) ClientOption {
	return func(s *clientSettings) { s.Timeout = limit }
}

// WithHTTPClient sets the HTTP client of REST, for example for custom certificates. Leave its Timeout zero: polls are
// long.
func WithHTTPClient(client *http.Client) ClientOption {
	return func(s *clientSettings) { s.HTTPClient = client }
}

// NewClient returns a client for TRUNKLINE_URL with TRUNKLINE_API_KEY over TRUNKLINE_TRANSPORT, unless options override
// them.
func NewClient(options ...ClientOption) (*Client, error) {
	settings := clientSettings{transportName: envOr("TRUNKLINE_TRANSPORT", "rest"), codec: plainCodec{}}
	settings.URL = envOr("TRUNKLINE_URL", "http://127.0.0.1:8080")
	settings.APIKey = os.Getenv("TRUNKLINE_API_KEY")
	for _, option := range options {
		option(&settings)
	}
	if settings.transport == nil {
		transport, err := api.Open(settings.transportName, settings.Settings)
		if err != nil {
			return nil, err
		}
		settings.transport = transport
	}
	return &Client{
		API: api.NewCalls(settings.transport), transport: settings.transport, codec: settings.codec, tenant: settings.tenant,
	}, nil
}

// Close closes the transport.
func (c *Client) Close() error { return c.transport.Close() }

// Enqueue enqueues a job. It is stored durably once this returns.
func (c *Client) Enqueue(ctx context.Context, jobType string, data any, options ...Option) (*JobHandle, error) {
	settings := settingsOf(options)
	body, err := c.jobRequest(ctx, jobType, data, settings)
	if err != nil {
		return nil, err
	}
	enqueued, err := c.API.EnqueueJob(ctx, body, api.IdempotencyKey(settings.idempotencyKey))
	if err != nil {
		return nil, err
	}
	return &JobHandle{client: c, ID: enqueued.ID, Existing: enqueued.Existing != nil && *enqueued.Existing}, nil
}

// BatchItem is one job of a batch.
type BatchItem struct {
	Type    string
	Data    any
	Options []Option
}

// BatchResult is the result of one job of a batch: a handle, or a problem in a partial batch.
type BatchResult struct {
	Job *JobHandle
	Err *ProblemError
}

// EnqueueBatch enqueues many jobs in one commit. With the option Partial(), the result of an invalid job is a problem,
// instead of an error for the entire batch.
func (c *Client) EnqueueBatch(ctx context.Context, items []BatchItem, options ...Option) ([]BatchResult, error) {
	settings := settingsOf(options)
	body := api.JobBatch{Partial: &settings.partial, Jobs: make([]api.JobRequest, len(items))}
	for i, item := range items {
		request, err := c.jobRequest(ctx, item.Type, item.Data, settingsOf(item.Options))
		if err != nil {
			return nil, fmt.Errorf("job %d: %w", i, err)
		}
		body.Jobs[i] = request
	}
	answer, err := c.API.EnqueueJobs(ctx, body, api.IdempotencyKey(settings.idempotencyKey))
	if err != nil {
		return nil, err
	}
	results := make([]BatchResult, len(answer.Results))
	for i, result := range answer.Results {
		switch {
		case result.Error != nil:
			results[i].Err = &ProblemError{Problem: *result.Error, RetryAfter: -1}
		case result.ID != nil:
			results[i].Job = &JobHandle{client: c, ID: *result.ID, Existing: result.Existing != nil && *result.Existing}
		}
	}
	return results, nil
}

// Job returns the handle of an existing job.
func (c *Client) Job(id string) *JobHandle { return &JobHandle{client: c, ID: id, Existing: true} }

// Start starts a workflow. It is stored durably once this returns. A nil input is an empty object.
func (c *Client) Start(ctx context.Context, workflow string, input any, options ...Option) (*RunHandle, error) {
	settings := settingsOf(options)
	body := api.ExecutionRequest{
		Workflow: workflow, Version: settings.version, Priority: settings.job.Priority, Tags: settings.job.Tags,
		CorrelationID: settings.correlationID, Tenant: c.tenantOf(settings), Traceparent: traceparentOf(ctx, settings),
	}
	if input != nil {
		text, err := json.Marshal(input)
		if err != nil {
			return nil, fmt.Errorf("the input is no JSON: %w", err)
		}
		body.Input = text
	}
	answer, err := c.API.StartExecution(ctx, body, api.StartExecutionQuery{}, api.IdempotencyKey(settings.idempotencyKey))
	if err != nil {
		return nil, err
	}
	var created api.CreatedExecution
	if err := json.Unmarshal(answer, &created); err != nil {
		return nil, fmt.Errorf("start: the answer is not what this version knows: %w", err)
	}
	return c.Run(created.ID), nil
}

// Run returns the handle of an existing run.
func (c *Client) Run(id string) *RunHandle { return &RunHandle{client: c, ID: id} }

// Push registers a version of a workflow: a *workflow.Definition, or anything that is a definition as JSON. The same
// content again changes nothing. It returns the name and the version.
func (c *Client) Push(ctx context.Context, definition any) (string, int, error) {
	text, err := json.Marshal(definition)
	if err != nil {
		return "", 0, fmt.Errorf("the definition is no JSON: %w", err)
	}
	answer, err := c.API.RegisterWorkflow(ctx, text, api.RegisterWorkflowQuery{})
	if err != nil || answer.Name == nil || answer.Version == nil {
		return "", 0, err
	}
	return *answer.Name, int(*answer.Version), nil
}

// Events is the stream of changes until ctx ends; each signals that a resource should be read again. opened, if not
// nil, is called once the stream is open.
func (c *Client) Events(ctx context.Context, opened func()) iter.Seq2[api.ChangeEvent, error] {
	return c.transport.Events(ctx, opened)
}

func (c *Client) jobRequest(ctx context.Context, jobType string, data any, settings *settings) (api.JobRequest, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return api.JobRequest{}, fmt.Errorf("the data is no JSON: %w", err)
	}
	encoded, err := c.codec.Encode(ctx, text, Payload{Kind: "data", JobType: jobType})
	if err != nil {
		return api.JobRequest{}, fmt.Errorf("the codec failed: %w", err)
	}
	body := settings.job
	body.JobType, body.Data = jobType, encoded
	body.Tenant, body.Traceparent = c.tenantOf(settings), traceparentOf(ctx, settings)
	return body, nil
}

func (c *Client) tenantOf(settings *settings) *string {
	if settings.job.Tenant == nil && c.tenant != "" {
		return &c.tenant
	}
	return settings.job.Tenant
}

// traceparentOf carries the trace of the handler on that ctx belongs to.
func traceparentOf(ctx context.Context, settings *settings) *string {
	if own := JobFrom(ctx).Traceparent; settings.job.Traceparent == nil && own != "" {
		return &own
	}
	return settings.job.Traceparent
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
