package grpc

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
	"trunkline.dev/go/internal/wire"
)

// method is a method of the contract, and the call of REST that it mirrors.
type method struct {
	path       string
	descriptor protoreflect.MethodDescriptor
	rest       *trunklinev1.Rest
	// segments of the path of REST; those in braces are parameters.
	segments   []string
	fixedQuery url.Values
}

// contract has methods by the call of REST: its verb and the number of segments.
type contract struct{ methods map[string][]*method }

var table = sync.OnceValue(func() *contract {
	out := &contract{map[string][]*method{}}
	protoregistry.GlobalFiles.RangeFilesByPackage("trunkline.v1", func(file protoreflect.FileDescriptor) bool {
		for s := range file.Services().Len() {
			service := file.Services().Get(s)
			for m := range service.Methods().Len() {
				out.add(service, service.Methods().Get(m))
			}
		}
		return true
	})
	return out
})

func (c *contract) add(service protoreflect.ServiceDescriptor, descriptor protoreflect.MethodDescriptor) {
	rest, _ := proto.GetExtension(descriptor.Options(), trunklinev1.E_Rest).(*trunklinev1.Rest)
	verb, path, found := strings.Cut(rest.GetCall(), " ")
	if !found {
		return
	}
	fixed, err := url.ParseQuery(rest.GetFixedQuery())
	if err != nil {
		return
	}
	own := &method{
		path: fmt.Sprintf("/%s/%s", service.FullName(), descriptor.Name()), descriptor: descriptor, rest: rest,
		segments: strings.Split(path, "/"), fixedQuery: fixed,
	}
	key := fmt.Sprint(verb, len(own.segments))
	c.methods[key] = append(c.methods[key], own)
}

// find gives the method that mirrors a call: of several, the one whose fixed query says most.
func (c *contract) find(request api.Request) (*method, error) {
	segments := strings.Split(request.Path, "/")
	var best *method
	for _, candidate := range c.methods[fmt.Sprint(request.Method, len(segments))] {
		if candidate.fits(segments, request.Query) && (best == nil || candidate.isBetter(best)) {
			best = candidate
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: %w", request.Name, ErrOnlyREST)
	}
	return best, nil
}

func (m *method) fits(segments []string, query url.Values) bool {
	for i, segment := range m.segments {
		if !isParameter(segment) && segment != segments[i] {
			return false
		}
	}
	for name, values := range m.fixedQuery {
		if query.Get(name) != values[0] {
			return false
		}
	}
	return true
}

func (m *method) isBetter(other *method) bool {
	if len(m.fixedQuery) != len(other.fixedQuery) {
		return len(m.fixedQuery) > len(other.fixedQuery)
	}
	// A segment that is a word goes before a parameter: /v1/jobs/poll is no job.
	return m.parameters() < other.parameters()
}

func (m *method) parameters() int {
	count := 0
	for _, segment := range m.segments {
		if isParameter(segment) {
			count++
		}
	}
	return count
}

func isParameter(segment string) bool { return strings.HasPrefix(segment, "{") }

func (m *method) output() proto.Message { return newMessage(m.descriptor.Output()).Interface() }

// input makes the message of a call.
func (m *method) input(request api.Request) (proto.Message, error) {
	message := newMessage(m.descriptor.Input())
	fields := message.Descriptor().Fields()
	for i, segment := range strings.Split(request.Path, "/") {
		if !isParameter(m.segments[i]) {
			continue
		}
		text, err := url.PathUnescape(segment)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", request.Name, err)
		}
		if err := setText(message, fields.ByJSONName(strings.Trim(m.segments[i], "{}")), text); err != nil {
			return nil, fmt.Errorf("%s: %w", request.Name, err)
		}
	}
	for name, values := range request.Query {
		if _, isFixed := m.fixedQuery[name]; isFixed {
			continue
		}
		field := fields.ByJSONName(name)
		if field == nil || !contains(m.rest.GetQuery(), name) {
			return nil, fmt.Errorf("%s with %s: %w", request.Name, name, ErrOnlyREST)
		}
		if err := setText(message, field, values[0]); err != nil {
			return nil, fmt.Errorf("%s: %w", request.Name, err)
		}
	}
	if request.Body == nil {
		return message.Interface(), nil
	}
	body, err := json.Marshal(request.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: the body is no JSON: %w", request.Name, err)
	}
	if name := m.rest.GetBody(); name != "" {
		err = setJSON(message, fields.ByJSONName(name), body)
	} else {
		err = readMessage(message, body)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", request.Name, err)
	}
	return message.Interface(), nil
}

// answer decodes the answer of a call as that of REST.
func (m *method) answer(output proto.Message, out any) error {
	if out == nil {
		return nil
	}
	var text []byte
	var err error
	message := output.ProtoReflect()
	if name := m.rest.GetAnswer(); name != "" {
		field := message.Descriptor().Fields().ByJSONName(name)
		text, err = appendField(nil, field, message.Get(field))
	} else {
		text, err = appendMessage(nil, message)
	}
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return nil
	}
	return wire.Unmarshal(text, out)
}

func contains(list []string, wanted string) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}
