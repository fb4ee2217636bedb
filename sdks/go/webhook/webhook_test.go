package webhook_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"trunkline.dev/go/webhook"
)

// The example of the Standard Webhooks specification.
const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body   = `{"test": 2432232314}`
)

var now = time.Unix(1614265330, 0)

func TestSignaturesAreThoseOfTheSpecification(t *testing.T) {
	value, err := webhook.Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", now, []byte(body))
	if err != nil || value != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Fatal(value, err)
	}
}

func TestOnlyWhatIsSignedIsAccepted(t *testing.T) {
	good, err := webhook.SignedHeader(secret, "m1", now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := webhook.Verify(good, []byte(body), now, "whsec_b3RoZXI=", secret); err != nil {
		t.Error(err)
	}
	with := func(name, value string) http.Header {
		header := good.Clone()
		header.Set(name, value)
		return header
	}
	for name, err := range map[string]error{
		"body":      webhook.Verify(good, []byte(body+" "), now, secret),
		"late":      webhook.Verify(good, []byte(body), now.Add(301*time.Second), secret),
		"early":     webhook.Verify(good, []byte(body), now.Add(-301*time.Second), secret),
		"id":        webhook.Verify(with("webhook-id", "m2"), []byte(body), now, secret),
		"timestamp": webhook.Verify(with("webhook-timestamp", "+1614265330"), []byte(body), now, secret),
		"none":      webhook.Verify(with("webhook-signature", ""), []byte(body), now, secret),
		"secret":    webhook.Verify(good, []byte(body), now, "whsec_b3RoZXI="),
	} {
		if !errors.Is(err, webhook.ErrInvalidSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
