// Package grpc is gRPC as a transport of trunkline.dev/go. Import it for its effect, and set TRUNKLINE_TRANSPORT=grpc:
//
//	import _ "trunkline.dev/go/grpc"
//
// With it nothing calls REST. What only REST has fails and says so. Package trunkline.dev/go/grpc/proto/trunkline/v1 has the
// generated clients of the contract.
package grpc

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"trunkline.dev/go/api"
)

const (
	portDefault     = "9090"
	timeoutDefault  = 30 * time.Second
	messageBytesMax = 64 << 20
	// A stream from which nothing came for so long is dead; the server says something every 20 s.
	silenceDefault = time.Minute
)

func init() {
	api.Register("grpc", func(settings api.Settings) (api.Transport, error) { return New(settings) })
}

// Transport carries calls over gRPC.
type Transport struct {
	target  string
	options []rpc.DialOption
	key     string
	timeout time.Duration
	silence time.Duration

	mutex sync.Mutex
	link  *link
	// By the names of workers.
	deliveries map[string]*delivery
	closed     bool
}

// Option is an option of a transport.
type Option func(*transportSettings)

type transportSettings struct {
	url     string
	tls     *tls.Config
	silence time.Duration
}

// URL is where gRPC is, such as http://127.0.0.1:9090 or https://…; TRUNKLINE_GRPC_URL, else the host of the server with port 9090.
func URL(url string) Option { return func(s *transportSettings) { s.url = url } }

// TLS sets certificates of one's own. With it the address may be http:// all the same.
func TLS(config *tls.Config) Option { return func(s *transportSettings) { s.tls = config } }

// Silence is after how long without a message a worker's stream counts as dead; a minute where absent.
func Silence(limit time.Duration) Option { return func(s *transportSettings) { s.silence = limit } }

// New returns the transport, for trunkline.WithTransport. It does not connect yet.
func New(settings api.Settings, options ...Option) (*Transport, error) {
	own := transportSettings{url: os.Getenv("TRUNKLINE_GRPC_URL"), silence: silenceDefault}
	for _, option := range options {
		option(&own)
	}
	target, secure, err := targetOf(own.url, settings.URL)
	if err != nil {
		return nil, err
	}
	secrecy := insecure.NewCredentials()
	if secure || own.tls != nil {
		secrecy = credentials.NewTLS(own.tls)
	}
	t := &Transport{
		target: target, key: settings.APIKey, timeout: settings.Timeout, silence: own.silence, deliveries: map[string]*delivery{},
		options: []rpc.DialOption{
			rpc.WithTransportCredentials(secrecy),
			rpc.WithDefaultCallOptions(rpc.MaxCallRecvMsgSize(messageBytesMax), rpc.MaxCallSendMsgSize(messageBytesMax)),
			// Calls are made again here, where it is known which may be.
			rpc.WithDisableRetry(),
		},
	}
	if t.timeout <= 0 {
		t.timeout = timeoutDefault
	}
	return t, nil
}

// targetOf reads an address; server is that of REST.
func targetOf(address, server string) (target string, secure bool, err error) {
	name := "TRUNKLINE_GRPC_URL"
	isDerived := address == ""
	if isDerived {
		name, address = "TRUNKLINE_URL", server
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" {
		return "", false, fmt.Errorf("%s=%q is no address; write it as http://127.0.0.1:9090", name, address)
	}
	port := parsed.Port()
	if isDerived || port == "" {
		port = portDefault
	}
	return "dns:///" + net.JoinHostPort(parsed.Hostname(), port), parsed.Scheme == "https" || parsed.Scheme == "grpcs", nil
}

// Name implements api.Transport.
func (t *Transport) Name() string { return "grpc" }

// Close implements api.Transport.
func (t *Transport) Close() error {
	t.mutex.Lock()
	deliveries, link := t.deliveries, t.link
	t.deliveries, t.link, t.closed = map[string]*delivery{}, nil, true
	t.mutex.Unlock()
	for _, delivery := range deliveries {
		delivery.end()
	}
	if link != nil {
		return link.connection.Close()
	}
	return nil
}

// Call implements api.Transport.
func (t *Transport) Call(ctx context.Context, request api.Request, out any, options ...api.Option) error {
	if handled, err := t.deliver(ctx, request, out, options); handled {
		return err
	}
	mirrored, err := table().find(request)
	if err != nil {
		return err
	}
	input, err := mirrored.input(request)
	if err != nil {
		return err
	}
	return api.Repeat(ctx, t.timeout, request, options, func(ctx context.Context, key string) error {
		output := mirrored.output()
		if err := t.once(ctx, request, mirrored.path, key, input, output); err != nil {
			return err
		}
		return mirrored.answer(output, out)
	})
}

func (t *Transport) once(ctx context.Context, request api.Request, path, key string, input, output proto.Message) error {
	link, err := t.connected()
	if err != nil {
		return err
	}
	ctx = t.withKey(ctx)
	if request.Keyed {
		ctx = metadata.AppendToOutgoingContext(ctx, "idempotency-key", key)
	}
	begun := time.Now()
	err = link.connection.Invoke(ctx, path, input, output)
	if err == nil {
		link.hear()
		return nil
	}
	failed := errorOf(ctx, request.Name, err)
	if _, refused := failed.(*api.ProblemError); refused {
		link.hear()
	} else if ctx.Err() != nil {
		t.replace(link, begun)
	}
	return failed
}

func (t *Transport) withKey(ctx context.Context) context.Context {
	if t.key == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+t.key)
}
