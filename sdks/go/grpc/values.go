package grpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Messages are read from and written as the JSON of REST: names in camelCase, fields of bytes hold JSON as it is, so that large
// integers stay exact, and what is absent is left out.

func newMessage(descriptor protoreflect.MessageDescriptor) protoreflect.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.FullName())
	if err != nil {
		panic(err) // Generated code registers all messages of the contract.
	}
	return kind.New()
}

// readMessage sets the fields that an object has. Those that the contract does not know are left out.
func readMessage(message protoreflect.Message, text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	for name, value := range object {
		field := message.Descriptor().Fields().ByJSONName(name)
		if field == nil {
			continue
		}
		if err := setJSON(message, field, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func setJSON(message protoreflect.Message, field protoreflect.FieldDescriptor, text json.RawMessage) error {
	isJSON := field.Kind() == protoreflect.BytesKind && !field.IsList() && !field.IsMap()
	if bytes.Equal(text, []byte("null")) && !isJSON {
		return nil
	}
	switch {
	case field.IsList():
		var items []json.RawMessage
		if err := json.Unmarshal(text, &items); err != nil {
			return err
		}
		list := message.Mutable(field).List()
		for _, item := range items {
			value, err := readValue(field, list.NewElement, item)
			if err != nil {
				return err
			}
			list.Append(value)
		}
	case field.IsMap():
		var entries map[string]json.RawMessage
		if err := json.Unmarshal(text, &entries); err != nil {
			return err
		}
		target := message.Mutable(field).Map()
		for key, entry := range entries {
			value, err := readValue(field.MapValue(), target.NewValue, entry)
			if err != nil {
				return err
			}
			target.Set(protoreflect.ValueOfString(key).MapKey(), value)
		}
	default:
		value, err := readValue(field, func() protoreflect.Value { return message.NewField(field) }, text)
		if err != nil {
			return err
		}
		message.Set(field, value)
	}
	return nil
}

func readValue(field protoreflect.FieldDescriptor, empty func() protoreflect.Value, text json.RawMessage) (protoreflect.Value, error) {
	switch field.Kind() {
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(text), nil
	case protoreflect.MessageKind:
		value := empty()
		if text[0] == '"' {
			// Where REST takes a text for an object, it is the object's message.
			return value, setJSON(value.Message(), value.Message().Descriptor().Fields().ByName("message"), text)
		}
		return value, readMessage(value.Message(), text)
	case protoreflect.StringKind:
		var own string
		err := json.Unmarshal(text, &own)
		return protoreflect.ValueOfString(own), err
	}
	return parse(field.Kind(), string(text))
}

// setText sets a field to what stands in a path or query.
func setText(message protoreflect.Message, field protoreflect.FieldDescriptor, text string) error {
	value := protoreflect.ValueOfString(text)
	if field.Kind() != protoreflect.StringKind {
		var err error
		if value, err = parse(field.Kind(), text); err != nil {
			return err
		}
	}
	message.Set(field, value)
	return nil
}

func parse(kind protoreflect.Kind, text string) (protoreflect.Value, error) {
	switch kind {
	case protoreflect.BoolKind:
		value, err := strconv.ParseBool(text)
		return protoreflect.ValueOfBool(value), err
	case protoreflect.DoubleKind:
		value, err := strconv.ParseFloat(text, 64)
		return protoreflect.ValueOfFloat64(value), err
	case protoreflect.Int32Kind:
		value, err := strconv.ParseInt(text, 10, 32)
		return protoreflect.ValueOfInt32(int32(value)), err
	case protoreflect.Int64Kind:
		value, err := strconv.ParseInt(text, 10, 64)
		return protoreflect.ValueOfInt64(value), err
	case protoreflect.Uint32Kind:
		value, err := strconv.ParseUint(text, 10, 32)
		return protoreflect.ValueOfUint32(uint32(value)), err
	case protoreflect.Uint64Kind:
		value, err := strconv.ParseUint(text, 10, 64)
		return protoreflect.ValueOfUint64(value), err
	}
	return protoreflect.Value{}, fmt.Errorf("the contract has no %s", kind)
}

// appendMessage writes an object. Fields that may be absent and are, and bytes that are empty, are left out.
func appendMessage(out []byte, message protoreflect.Message) ([]byte, error) {
	out = append(out, '{')
	isFirst := true
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		isJSON := field.Kind() == protoreflect.BytesKind && !field.IsList() && !field.IsMap()
		if (field.HasPresence() || isJSON) && !message.Has(field) {
			continue
		}
		if !isFirst {
			out = append(out, ',')
		}
		isFirst = false
		out = append(strconv.AppendQuote(out, field.JSONName()), ':')
		var err error
		if out, err = appendField(out, field, message.Get(field)); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendField(out []byte, field protoreflect.FieldDescriptor, value protoreflect.Value) ([]byte, error) {
	switch {
	case field.IsList():
		list := value.List()
		out = append(out, '[')
		for i := range list.Len() {
			if i > 0 {
				out = append(out, ',')
			}
			var err error
			if out, err = appendValue(out, field.Kind(), list.Get(i)); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case field.IsMap():
		out = append(out, '{')
		isFirst := true
		var failed error
		value.Map().Range(func(key protoreflect.MapKey, entry protoreflect.Value) bool {
			if !isFirst {
				out = append(out, ',')
			}
			isFirst = false
			if out, failed = appendText(out, key.String()); failed == nil {
				out, failed = appendValue(append(out, ':'), field.MapValue().Kind(), entry)
			}
			return failed == nil
		})
		return append(out, '}'), failed
	}
	return appendValue(out, field.Kind(), value)
}

func appendValue(out []byte, kind protoreflect.Kind, value protoreflect.Value) ([]byte, error) {
	switch kind {
	case protoreflect.BytesKind:
		return append(out, value.Bytes()...), nil
	case protoreflect.MessageKind:
		return appendMessage(out, value.Message())
	case protoreflect.StringKind:
		return appendText(out, value.String())
	case protoreflect.DoubleKind:
		return strconv.AppendFloat(out, value.Float(), 'g', -1, 64), nil
	}
	return fmt.Append(out, value.Interface()), nil
}

func appendText(out []byte, text string) ([]byte, error) {
	quoted, err := json.Marshal(text)
	return append(out, quoted...), err
}
