package conformance

import (
	"context"
	"encoding/json"

	trunkline "trunkline.dev/go"
)

// sealed is a codec after which the server cannot read what it has.
type sealed struct {
	// Bytes are base64 in JSON.
	Sealed []byte `json:"sealed"`
}

func (sealed) Encode(_ context.Context, value json.RawMessage, _ trunkline.Payload) (json.RawMessage, error) {
	return json.Marshal(sealed{value})
}

func (sealed) Decode(_ context.Context, value json.RawMessage, _ trunkline.Payload) (json.RawMessage, error) {
	var content sealed
	if err := json.Unmarshal(value, &content); err != nil || content.Sealed == nil {
		return value, nil // It is none of ours.
	}
	return content.Sealed, nil
}
