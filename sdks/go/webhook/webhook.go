// Package webhook signs and verifies webhooks as Standard Webhooks says: HMAC-SHA256 over "id.timestamp.body".
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance     = 5 * time.Minute
	signaturesMax = 16
)

// ErrInvalidSignature is matched by all errors of Verify.
var ErrInvalidSignature = errors.New("invalid signature")

// Sign returns the value of webhook-signature. The secret is whsec_….
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	mac, err := mac(secret, id, strconv.FormatInt(at.Unix(), 10), body)
	if err != nil {
		return "", err
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac), nil
}

// SignedHeader returns all three headers of a signed request, for tests of receivers.
func SignedHeader(secret, id string, at time.Time, body []byte) (http.Header, error) {
	signature, err := Sign(secret, id, at, body)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", signature)
	return header, nil
}

// Verify fails unless one of the signatures matches the exact body received, and its timestamp is within five minutes
// of now. Pass all valid secrets during a rotation.
func Verify(header http.Header, body []byte, now time.Time, secrets ...string) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	given := strings.Fields(header.Get("webhook-signature"))
	if id == "" || timestamp == "" || len(given) == 0 {
		return fmt.Errorf("%w: a header is missing", ErrInvalidSignature)
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return fmt.Errorf("%w: webhook-timestamp is not a number of seconds", ErrInvalidSignature)
	}
	if now.Sub(time.Unix(int64(seconds), 0)).Abs() > tolerance {
		return fmt.Errorf("%w: webhook-timestamp is more than five minutes away", ErrInvalidSignature)
	}
	if len(given) > signaturesMax {
		return fmt.Errorf("%w: too many signatures", ErrInvalidSignature)
	}
	fits := false
	for _, secret := range secrets {
		expected, err := mac(secret, id, timestamp, body)
		if err != nil {
			return err
		}
		for _, signature := range given {
			text, isV1 := strings.CutPrefix(signature, "v1,")
			bytes, err := base64.StdEncoding.DecodeString(text)
			// All are looked at, so that the time says nothing of which fits.
			fits = (isV1 && err == nil && hmac.Equal(bytes, expected)) || fits
		}
	}
	if !fits {
		return fmt.Errorf("%w: no signature matches", ErrInvalidSignature)
	}
	return nil
}

func mac(secret, id, timestamp string, body []byte) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, errors.New("the secret is not whsec_ and base64")
	}
	hash := hmac.New(sha256.New, key)
	fmt.Fprintf(hash, "%s.%s.", id, timestamp)
	hash.Write(body)
	return hash.Sum(nil), nil
}
