package kafka

import (
	"encoding/binary"
	"encoding/json"
	"errors"
)

// The value of a message is JSON, or the bytes of trunkline.v1.JobOffer, which never begin with a brace.

var errNoOffer = errors.New("the message is no offer")

// The field of JobOffer that is the job, and those of OfferedJob by their numbers.
const (
	fieldJob  = 4
	fieldData = 7
)

var (
	textFields = map[uint64]string{
		1: "id", 2: "jobType", 3: "tenant", 4: "priority", 6: "leaseToken", 8: "idempotencyKey", 10: "executionId",
		11: "nodeId", 12: "workflow", 13: "deadline", 14: "traceparent",
	}
	numberFields = map[uint64]string{5: "attempt", 9: "maxRetries"}
)

// jobOf gives the job of an offer, as JSON has it.
func jobOf(value []byte) (map[string]json.RawMessage, error) {
	if len(value) > 0 && value[0] == '{' {
		var envelope struct {
			Job map[string]json.RawMessage `json:"job"`
		}
		err := json.Unmarshal(value, &envelope)
		return envelope.Job, err
	}
	job := map[string]json.RawMessage{"attempt": json.RawMessage("0"), "maxRetries": json.RawMessage("0")}
	err := eachField(value, func(number, _ uint64, message []byte) error {
		if number != fieldJob || message == nil {
			return nil
		}
		return eachField(message, func(number, count uint64, content []byte) (err error) {
			text, isText := textFields[number]
			name, isNumber := numberFields[number]
			switch {
			case isNumber && content == nil:
				job[name], err = json.Marshal(count)
			case isText && content != nil:
				job[text], err = json.Marshal(string(content))
			case number == fieldData && json.Valid(content):
				job["data"] = content
			}
			return err
		})
	})
	return job, err
}

// eachField goes through a message in the wire format of Protocol Buffers. Bytes come as content, which is not nil then, numbers as
// count; fields that are neither are skipped.
func eachField(message []byte, see func(number, count uint64, content []byte) error) error {
	varint := func() uint64 {
		value, size := binary.Uvarint(message)
		if size <= 0 {
			message = nil
			return 0
		}
		message = message[size:]
		return value
	}
	for len(message) > 0 {
		tag := varint()
		number, length := tag>>3, uint64(0)
		switch tag & 7 {
		case 0:
			count := varint()
			if message == nil {
				return errNoOffer
			}
			if err := see(number, count, nil); err != nil {
				return err
			}
			continue
		case 1:
			length = 8
		case 2:
			length = varint()
		case 5:
			length = 4
		default:
			return errNoOffer
		}
		if message == nil || length > uint64(len(message)) {
			return errNoOffer
		}
		content := message[:length:length]
		message = message[length:]
		if tag&7 == 2 {
			if err := see(number, 0, content); err != nil {
				return err
			}
		}
	}
	return nil
}
