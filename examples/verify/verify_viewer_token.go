// Verifies viewer tokens of one environment offline, with the standard library alone.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxTokenLength = 8_192
	maxKeysLength  = 65_536
	keysAge        = 5 * time.Minute
	// Tokens with made-up key ids must not cause requests.
	pause     = 10 * time.Second
	clockSkew = 60
)

// Claims are those of a valid viewer token.
type Claims struct {
	Issuer    string                     `json:"iss"`
	Audience  string                     `json:"aud"`
	Subject   string                     `json:"sub"`
	ID        string                     `json:"jti"`
	IssuedAt  int64                      `json:"iat"`
	ExpiresAt int64                      `json:"exp"`
	NotBefore int64                      `json:"nbf"`
	TeamID    *int64                     `json:"team_id"`
	Gen       *int64                     `json:"gen"`
	Viewer    json.RawMessage            `json:"viewer"`
	ViewerKey string                     `json:"viewer_key"`
	Content   []string                   `json:"content"`
	Variables map[string]json.RawMessage `json:"variables"`
	Mapping   map[string]json.RawMessage `json:"mapping"`
	Origins   []string                   `json:"origins"`
}

// Verifier keeps the issuer's public keys: keep one for all requests.
type Verifier struct {
	Issuer, Audience string
	// Revoked gives, from /api/revocations, the lowest valid gen of "TEAM_ID", and the second of before of
	// "TEAM_ID/VIEWER_KEY"; 0 for others.
	Revoked func(key string) int64

	reading     sync.Mutex
	pausedUntil time.Time
	keys        atomic.Pointer[keySet]
}

type keySet struct {
	byID       map[string]*ecdsa.PublicKey
	freshUntil time.Time
}

var base64url = base64.RawURLEncoding.Strict()

// Verify returns the claims of a valid token, and an error for any other. content is what is about to be shown, if
// any; allowUnlimited accepts a token that names no content at all.
func (v *Verifier) Verify(token, content string, allowUnlimited bool) (*Claims, error) {
	parts := strings.Split(token, ".")
	if len(token) > maxTokenLength || len(parts) != 3 {
		return nil, errors.New("not a viewer token")
	}
	var header struct {
		Algorithm string          `json:"alg"`
		Type      string          `json:"typ"`
		KeyID     string          `json:"kid"`
		Critical  json.RawMessage `json:"crit"`
	}
	if err := decode(parts[0], &header); err != nil {
		return nil, err
	}
	// The token must not choose how it is verified.
	if header.Algorithm != "ES256" || header.Type != "viewer+jwt" || header.Critical != nil {
		return nil, errors.New("not a viewer token")
	}
	key, err := v.key(header.KeyID)
	if err != nil {
		return nil, err
	}
	signature, err := base64url.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return nil, errors.New("not a signature")
	}
	hash := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	if !ecdsa.Verify(key, hash[:], r, s) {
		return nil, errors.New("wrong signature")
	}
	var claims Claims
	if err := decode(parts[1], &claims); err != nil {
		return nil, err
	}
	if content != "" && !claims.mayShow(content, allowUnlimited) {
		return nil, errors.New("not for this content")
	}
	return &claims, v.check(&claims)
}

func (c *Claims) mayShow(content string, allowUnlimited bool) bool {
	for _, name := range c.Content {
		if name == content {
			return true
		}
	}
	return c.Content == nil && allowUnlimited
}

func (v *Verifier) check(claims *Claims) error {
	now := time.Now().Unix()
	switch {
	case claims.Issuer != v.Issuer:
		return errors.New("wrong issuer")
	case claims.Audience != v.Audience:
		return errors.New("wrong audience")
	case claims.ExpiresAt <= now-clockSkew:
		return errors.New("expired")
	case claims.NotBefore > now+clockSkew || claims.IssuedAt > now+clockSkew:
		return errors.New("not valid yet")
	case claims.TeamID == nil || claims.Gen == nil || claims.Variables == nil:
		return errors.New("not the claims of a viewer token")
	case v.Revoked != nil && v.isRevoked(claims):
		return errors.New("revoked")
	}
	return nil
}

func (v *Verifier) isRevoked(claims *Claims) bool {
	team := strconv.FormatInt(*claims.TeamID, 10)
	return *claims.Gen < v.Revoked(team) || claims.IssuedAt <= v.Revoked(team+"/"+claims.ViewerKey)
}

func (v *Verifier) key(kid string) (*ecdsa.PublicKey, error) {
	key, isFresh := v.known(kid)
	if key == nil {
		v.reading.Lock()
	} else if isFresh || !v.reading.TryLock() {
		// Only callers without a key wait while another reads the keys.
		return key, nil
	}
	defer v.reading.Unlock()
	if _, isFresh = v.known(kid); !isFresh && time.Now().After(v.pausedUntil) {
		v.pausedUntil = time.Now().Add(pause)
		if keys, err := readKeys(v.Issuer + "/.well-known/jwks.json"); err == nil {
			v.keys.Store(&keySet{keys, time.Now().Add(keysAge)})
		} else {
			// Known keys stay usable while newer ones cannot be read.
			log.Print(err)
		}
	}
	if key, _ = v.known(kid); key == nil {
		return nil, errors.New("unknown key")
	}
	return key, nil
}

func (v *Verifier) known(kid string) (key *ecdsa.PublicKey, isFresh bool) {
	keys := v.keys.Load()
	if keys == nil || keys.byID[kid] == nil {
		return nil, false
	}
	return keys.byID[kid], time.Now().Before(keys.freshUntil)
}

func readKeys(url string) (map[string]*ecdsa.PublicKey, error) {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := http.Client{Timeout: 5 * time.Second, CheckRedirect: stay}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	var set struct {
		Keys []struct{ Kid, Alg, Crv, X, Y string }
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxKeysLength)).Decode(&set); err != nil {
		return nil, err
	}
	if set.Keys == nil {
		return nil, fmt.Errorf("%s: not a key set", url)
	}
	keys := map[string]*ecdsa.PublicKey{}
	for _, key := range set.Keys {
		x, errX := base64url.DecodeString(key.X)
		y, errY := base64url.DecodeString(key.Y)
		if key.Alg != "ES256" || key.Crv != "P-256" || errX != nil || errY != nil {
			continue
		}
		public := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
		if public.Curve.IsOnCurve(public.X, public.Y) {
			keys[key.Kid] = public
		}
	}
	return keys, nil
}

func decode(part string, into any) error {
	text, err := base64url.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Reads a token from each line. The pairs are revocations, and content or content?, which allows unlimited.
func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: verify_viewer_token ISSUER AUDIENCE [KEY=VALUE …]")
	}
	known := map[string]string{}
	for _, argument := range os.Args[3:] {
		key, value, _ := strings.Cut(argument, "=")
		known[key] = value
	}
	verifier := Verifier{
		Issuer:   os.Args[1],
		Audience: os.Args[2],
		Revoked:  func(key string) int64 { return number(known[key]) },
	}
	content, allowUnlimited := known["content?"]
	if !allowUnlimited {
		content = known["content"]
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if claims, err := verifier.Verify(lines.Text(), content, allowUnlimited); err == nil {
			fmt.Println("valid", *claims.TeamID, claims.Subject)
		} else {
			fmt.Println("refused", err)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}

func number(text string) int64 {
	if text == "" {
		return 0
	}
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return value
}
