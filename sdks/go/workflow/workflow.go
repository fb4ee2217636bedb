// Package workflow builds workflow definitions. What it gives is the JSON that docs/workflows.md describes:
//
//	order := workflow.New("order").
//		Node("check", workflow.Task("order.check", workflow.Input())).
//		Node("ship", workflow.Task("order.ship", workflow.Output("check")), workflow.DependsOn("check")).
//		Output(workflow.Output("ship"))
package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type fields = map[string]any

// Definition is an unfinished definition. Errors that can be detected here are returned by MarshalJSON.
type Definition struct {
	head    fields
	nodes   []fields
	failure []fields
	errs    []error
}

// New starts version 1 of a workflow.
func New(name string) *Definition {
	return &Definition{head: fields{"name": name, "version": 1}}
}

// Version sets the version.
func (d *Definition) Version(version int) *Definition { return d.set("version", version) }

// InputSchema is the JSON Schema of the input.
func (d *Definition) InputSchema(schema any) *Definition { return d.set("input", schema) }

// Timeout is the maximum duration of a run.
func (d *Definition) Timeout(limit time.Duration) *Definition { return d.set("timeout", text(limit)) }

// Retry is the default retry policy of nodes.
func (d *Definition) Retry(retry RetryPolicy) *Definition { return d.set("retry", retry) }

// MaxConcurrent is the maximum number of concurrent runs.
func (d *Definition) MaxConcurrent(n int) *Definition {
	return d.set("limits", fields{"maxConcurrent": n})
}

// Output is the output of a run, with ${…} expressions.
func (d *Definition) Output(template any) *Definition { return d.set("output", template) }

func (d *Definition) set(name string, value any) *Definition {
	d.head[name] = value
	return d
}

// Node adds a node. Without DependsOn, it starts immediately, in parallel with others.
func (d *Definition) Node(id string, work Work, options ...NodeOption) *Definition {
	known := map[string]bool{}
	for _, node := range d.nodes {
		known[node["id"].(string)] = true
	}
	if known[id] {
		d.errs = append(d.errs, fmt.Errorf("two nodes are named %s", id))
	}
	node := nodeOf(id, work, options)
	if names, found := node["dependsOn"].([]string); found {
		for _, name := range names {
			if !known[name] {
				d.errs = append(d.errs, fmt.Errorf("node %s depends on %s, which no node before it is named", id, name))
			}
		}
	}
	d.nodes = append(d.nodes, node)
	return d
}

// OnFailure adds a node that runs when the run fails; ${error.message} is in scope.
func (d *Definition) OnFailure(id string, work Work, options ...NodeOption) *Definition {
	d.failure = append(d.failure, nodeOf(id, work, options))
	return d
}

// MarshalJSON returns the definition, or its errors.
func (d *Definition) MarshalJSON() ([]byte, error) {
	if err := errors.Join(d.errs...); err != nil {
		return nil, err
	}
	out := fields{"nodes": d.nodes}
	for name, value := range d.head {
		out[name] = value
	}
	if len(d.failure) > 0 {
		out["onFailure"] = d.failure
	}
	return json.Marshal(out)
}

func nodeOf(id string, work Work, options []NodeOption) fields {
	node := fields{"id": id}
	for name, value := range work {
		node[name] = value
	}
	for _, option := range options {
		option(node)
	}
	return node
}

// Work is the work of a node.
type Work map[string]any

// Task is a job for a worker. A nil input is an empty object.
func Task(jobType string, input any) Work {
	return with(Work{"type": "SERVICE_TASK", "jobType": jobType}, "input", input)
}

// Request is the request of an HTTP node.
type Request struct {
	Method  string            `json:"method,omitempty"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`
}

// HTTP is a request that the server sends. Without expect any 2xx is a success.
func HTTP(request Request, expect ...int) Work {
	work := Work{"type": "HTTP", "request": request}
	if len(expect) > 0 {
		work["expect"] = expect
	}
	return work
}

// Transform computes its output in place.
func Transform(output any) Work { return Work{"type": "TRANSFORM", "output": output} }

// Timer waits.
func Timer(wait time.Duration) Work { return Work{"type": "TIMER", "duration": text(wait)} }

// TimerUntil waits until an instant, as RFC 3339 or an expression.
func TimerUntil(instant string) Work { return Work{"type": "TIMER", "until": instant} }

// Signal waits for a signal of this name; its payload is the output.
func Signal(name string) Work { return Work{"type": "SIGNAL", "signal": name} }

// Person describes who completes a user task, its input and its form.
type Person struct {
	Assignee string
	Group    string
	Input    any
	// Form is the JSON Schema of the submitted data.
	Form  any
	DueIn time.Duration
}

// UserTask waits for a person.
func UserTask(person Person) Work {
	work := with(with(Work{"type": "USER_TASK"}, "input", person.Input), "form", person.Form)
	if person.Assignee != "" {
		work["assignee"] = person.Assignee
	}
	if person.Group != "" {
		work["group"] = person.Group
	}
	if person.DueIn > 0 {
		work["dueIn"] = text(person.DueIn)
	}
	return work
}

// WaitWebhook waits for one request to a one-time URL.
func WaitWebhook() Work { return Work{"type": "WAIT_WEBHOOK"} }

// Child runs another workflow to its end. Version 0 is the latest.
func Child(name string, input any, version int) Work {
	work := with(Work{"type": "WORKFLOW", "workflow": name}, "input", input)
	if version > 0 {
		work["version"] = version
	}
	return work
}

// Map runs work for each item of a list, at most concurrency at a time (0: all); ${item} and ${index} are in scope.
func Map(items any, work Work, concurrency int) Work {
	out := Work{"type": "MAP", "items": items, "node": work}
	if concurrency > 0 {
		out["concurrency"] = concurrency
	}
	return out
}

// Case is a case of a Switch.
type Case struct {
	When string `json:"when"`
	Goto string `json:"goto"`
}

// Switch continues at the node of the first condition that is true, or else at otherwise, unless that is empty.
func Switch(otherwise string, cases ...Case) Work {
	work := Work{"type": "SWITCH", "cases": cases}
	if otherwise != "" {
		work["default"] = otherwise
	}
	return work
}

// NodeOption is an option of nodes of any type.
type NodeOption func(fields)

// DependsOn names the nodes that the node depends on.
func DependsOn(ids ...string) NodeOption { return func(f fields) { f["dependsOn"] = ids } }

// When is a CEL condition; the node is skipped if it is false.
func When(condition string) NodeOption { return func(f fields) { f["when"] = condition } }

// Timeout is the timeout of an attempt, or of a wait.
func Timeout(limit time.Duration) NodeOption { return func(f fields) { f["timeout"] = text(limit) } }

// RetryPolicy is the retry policy of a node. Zero fields are the server's defaults, except MaxRetries.
type RetryPolicy struct {
	MaxRetries int
	Initial    time.Duration
	Factor     float64
	Max        time.Duration
	NoJitter   bool
}

// MarshalJSON encodes it in the format of the server.
func (r RetryPolicy) MarshalJSON() ([]byte, error) {
	out := fields{"maxRetries": r.MaxRetries}
	if r.Initial > 0 {
		out["initial"] = text(r.Initial)
	}
	if r.Factor > 0 {
		out["factor"] = r.Factor
	}
	if r.Max > 0 {
		out["max"] = text(r.Max)
	}
	if r.NoJitter {
		out["jitter"] = false
	}
	return json.Marshal(out)
}

// Retry sets the retry policy of the node.
func Retry(retry RetryPolicy) NodeOption { return func(f fields) { f["retry"] = retry } }

// ContinueOnError uses the error as the output.
func ContinueOnError() NodeOption { return func(f fields) { f["onError"] = "continue" } }

// GotoOnError continues at another node when no retries are left.
func GotoOnError(id string) NodeOption {
	return func(f fields) { f["onError"] = fields{"goto": id} }
}

// Compensate sets the compensation of the node, which runs if the run fails later.
func Compensate(work Work) NodeOption { return func(f fields) { f["compensate"] = work } }

// Repeat repeats the node until the condition holds, at most rounds times.
func Repeat(until string, rounds int, delay time.Duration) NodeOption {
	return func(f fields) { f["repeat"] = fields{"until": until, "max": rounds, "delay": text(delay)} }
}

// Output is ${nodes.ID.output.PATH}, which keeps the type of its value.
func Output(id string, path ...string) string {
	return "${nodes" + member(id) + ".output" + members(path) + "}"
}

// Input is ${input.PATH}.
func Input(path ...string) string { return "${input" + members(path) + "}" }

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func member(name string) string {
	if plainName.MatchString(name) {
		return "." + name
	}
	return "[" + strconv.Quote(name) + "]"
}

func members(path []string) string {
	var out strings.Builder
	for _, name := range path {
		out.WriteString(member(name))
	}
	return out.String()
}

func with(work Work, name string, value any) Work {
	if value != nil {
		work[name] = value
	}
	return work
}

func text(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }
