package trunkline

import (
	"context"
	"encoding/json"
)

// Payload says of what a payload is.
type Payload struct {
	// Kind is "data" or "result".
	Kind    string
	JobType string
}

// Codec encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. Data and results of single jobs go through it. Jobs of
// workflows are left alone on the way out, because expressions of the definition read them; Decode sees everything, and
// gives back unchanged what Encode did not make.
type Codec interface {
	Encode(ctx context.Context, value json.RawMessage, payload Payload) (json.RawMessage, error)
	Decode(ctx context.Context, value json.RawMessage, payload Payload) (json.RawMessage, error)
}

type plainCodec struct{}

func (plainCodec) Encode(_ context.Context, value json.RawMessage, _ Payload) (json.RawMessage, error) {
	return value, nil
}

func (plainCodec) Decode(_ context.Context, value json.RawMessage, _ Payload) (json.RawMessage, error) {
	return value, nil
}
