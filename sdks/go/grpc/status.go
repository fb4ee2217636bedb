package grpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"trunkline.dev/go/api"
	trunklinev1 "trunkline.dev/go/grpc/proto/trunkline/v1"
)

// ErrOnlyREST is what calls fail with that gRPC does not have.
var ErrOnlyREST = errors.New("this is over REST only; use a client with TRUNKLINE_TRANSPORT=rest for it")

// domain is what errors of the server name as their domain.
const domain = "trunkline"

var statuses = map[codes.Code]int{
	codes.InvalidArgument: http.StatusUnprocessableEntity, codes.Unauthenticated: http.StatusUnauthorized,
	codes.PermissionDenied: http.StatusForbidden, codes.NotFound: http.StatusNotFound, codes.FailedPrecondition: http.StatusConflict,
	codes.Aborted: http.StatusConflict, codes.AlreadyExists: http.StatusConflict, codes.ResourceExhausted: http.StatusTooManyRequests,
	codes.Unavailable: http.StatusServiceUnavailable, codes.Unimplemented: http.StatusNotImplemented,
	codes.DeadlineExceeded: http.StatusGatewayTimeout, codes.OutOfRange: http.StatusRequestEntityTooLarge,
}

// errorOf is the error of a call as REST has it.
func errorOf(ctx context.Context, call string, err error) error {
	said, isStatus := status.FromError(err)
	if !isStatus {
		return &api.ConnectionError{Call: call, Err: err}
	}
	problem := &api.ProblemError{RetryAfter: -1}
	problem.Detail = said.Message()
	isOurs, facts := false, map[string]string{}
	for _, detail := range said.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			isOurs = isOurs || detail.GetDomain() == domain
			problem.Code = detail.GetReason()
			facts = detail.GetMetadata()
			addFacts(problem, facts)
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				fault := api.Fault{Pointer: violation.GetField(), Message: violation.GetDescription()}
				problem.Errors = append(problem.Errors, fault)
			}
		case *errdetails.RetryInfo:
			problem.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	if !isOurs {
		return foreign(ctx, call, said)
	}
	problem.Status = http.StatusInternalServerError
	if known, found := statuses[said.Code()]; found {
		problem.Status = int32(known)
	}
	if exact, err := strconv.ParseInt(facts["status"], 10, 32); err == nil {
		problem.Status = int32(exact)
	}
	if said.Code() == codes.Aborted && problem.RetryAfter < 0 {
		// The first call with the same idempotency key goes on.
		problem.RetryAfter = time.Second
	}
	return problem
}

// foreign is a status that did not come from the server's own code: the connection's, or a message that cannot be.
func foreign(ctx context.Context, call string, said *status.Status) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", call, ctx.Err())
	}
	switch said.Code() {
	case codes.ResourceExhausted, codes.OutOfRange, codes.InvalidArgument, codes.Unimplemented:
		problem := &api.ProblemError{RetryAfter: -1}
		problem.Status, problem.Code, problem.Detail = http.StatusRequestEntityTooLarge, "too_large", said.Message()
		if said.Code() == codes.Unimplemented {
			problem.Status, problem.Code = http.StatusNotImplemented, "not_implemented"
		}
		return problem
	}
	return &api.ConnectionError{Call: call, Err: said.Err()}
}

// problemOf is a refusal that came over a stream.
func problemOf(said *trunklinev1.Problem) error {
	problem := &api.ProblemError{RetryAfter: -1}
	problem.Status, problem.Code, problem.Title, problem.Type = int32(said.GetStatus()), said.GetCode(), said.GetTitle(), said.GetType()
	problem.Detail = said.GetDetail()
	for _, fault := range said.GetErrors() {
		problem.Errors = append(problem.Errors, api.Fault{Pointer: fault.GetPointer(), Message: fault.GetMessage()})
	}
	return problem
}

func addFacts(problem *api.ProblemError, facts map[string]string) {
	if quota, found := facts["quota"]; found {
		problem.Quota = &quota
	}
	if id, found := facts["existingId"]; found {
		problem.ExistingID = &id
	}
	problem.Used, problem.Limit = number(facts["used"]), number(facts["limit"])
}

func number(text string) *int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &value
}
