package trunkline

import (
	"context"
	"encoding/json"
)

// Payload describes what a payload belongs to.
type Payload struct {
	// Kind is "data" or "result".
	Kind    string
	JobType string
}

// Codec encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. It applies to data and results of single
// jobs. Jobs of workflows are not encoded, because expressions of the definition read them; Decode receives everything,
// and returns values that Encode did not create unchanged.
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
