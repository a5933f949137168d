import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/**
 * Verifies viewer tokens of one environment offline, with the JDK alone. Keep one for all requests: it keeps the issuer's
 * public keys. The JDK has no JSON parser: with Jackson or Gson at hand, replace Json by it.
 */
public class VerifyViewerToken {
    static final int MAX_TOKEN_LENGTH = 8_192;
    static final int MAX_KEYS_LENGTH = 65_536;
    static final long KEYS_AGE = Duration.ofMinutes(5).toNanos();
    /** Tokens with made-up key ids must not cause requests. */
    static final long PAUSE = Duration.ofSeconds(10).toNanos();
    static final long CLOCK_SKEW = 60;

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final String issuer;
    private final String audience;
    private final ToLongFunction<String> revoked;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile Map<String, PublicKey> keys = Map.of();
    private volatile long freshUntil = System.nanoTime();
    private volatile long pausedUntil = System.nanoTime();

    /**
     * revoked gives, from /api/revocations, the lowest valid gen of "TEAM_ID", and the second of before of
     * "TEAM_ID/VIEWER_KEY"; 0 for others.
     */
    VerifyViewerToken(String issuer, String audience, ToLongFunction<String> revoked) {
        this.issuer = issuer;
        this.audience = audience;
        this.revoked = revoked;
    }

    /**
     * Returns the claims of a valid token, and throws for any other. content is what is about to be shown, or null;
     * allowUnlimited accepts a token that names no content at all.
     */
    Map<?, ?> verify(String token, String content, boolean allowUnlimited) throws GeneralSecurityException {
        var parts = token.split("\\.", -1);
        require(token.length() <= MAX_TOKEN_LENGTH && parts.length == 3, "not a viewer token");
        var header = decode(parts[0]);
        // The token must not choose how it is verified.
        require("ES256".equals(header.get("alg")) && "viewer+jwt".equals(header.get("typ")), "not a viewer token");
        require(!header.containsKey("crit"), "not a viewer token");
        var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initVerify(key(header.get("kid")));
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        require(signature.verify(bytes(parts[2])), "wrong signature");
        var claims = decode(parts[1]);
        check(claims);
        var mayShow = claims.get("content") instanceof List<?> named ? named.contains(content) : allowUnlimited;
        require(content == null || mayShow, "not for this content");
        return claims;
    }

    private void check(Map<?, ?> claims) throws GeneralSecurityException {
        var now = System.currentTimeMillis() / 1000;
        require(issuer.equals(claims.get("iss")), "wrong issuer");
        require(audience.equals(claims.get("aud")), "wrong audience");
        require(claims.get("exp") instanceof Long exp && exp > now - CLOCK_SKEW, "expired");
        require(claims.get("iat") instanceof Long iat && iat <= now + CLOCK_SKEW, "not valid yet");
        require(!claims.containsKey("nbf") || claims.get("nbf") instanceof Long nbf && nbf <= now + CLOCK_SKEW,
            "not valid yet");
        require(claims.get("sub") instanceof String && claims.get("variables") instanceof Map, "not a viewer token");
        require(claims.get("team_id") instanceof Long && claims.get("gen") instanceof Long, "not a viewer token");
        var team = String.valueOf(claims.get("team_id"));
        var second = revoked.applyAsLong(team + "/" + claims.get("viewer_key"));
        require((Long) claims.get("gen") >= revoked.applyAsLong(team) && (Long) claims.get("iat") > second, "revoked");
    }

    private PublicKey key(Object id) throws GeneralSecurityException {
        require(id instanceof String, "no key id");
        var kid = (String) id;
        if (isDue(kid)) {
            // Only callers without a key wait while another reads the keys.
            if (!reading.tryLock() && !keys.containsKey(kid)) reading.lock();
            try {
                if (reading.isHeldByCurrentThread() && isDue(kid)) readKeys();
            } finally {
                if (reading.isHeldByCurrentThread()) reading.unlock();
            }
        }
        var key = keys.get(kid);
        require(key != null, "unknown key");
        return key;
    }

    private boolean isDue(String kid) {
        var now = System.nanoTime();
        return (!keys.containsKey(kid) || now - freshUntil >= 0) && now - pausedUntil >= 0;
    }

    private void readKeys() throws GeneralSecurityException {
        pausedUntil = System.nanoTime() + PAUSE;
        try {
            keys = currentKeys();
            freshUntil = System.nanoTime() + KEYS_AGE;
        } catch (IOException | RuntimeException error) {
            // Known keys stay usable while newer ones cannot be read.
            System.err.println(issuer + ": " + error);
        }
    }

    private Map<String, PublicKey> currentKeys() throws GeneralSecurityException, IOException {
        var url = URI.create(issuer + "/.well-known/jwks.json");
        var request = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(5)).build();
        HttpResponse<InputStream> response;
        try {
            response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException(error);
        }
        String text;
        try (var body = response.body()) {
            // The request's timeout ends with the headers: a body that drips would never end.
            var end = new FutureTask<>(() -> { body.close(); return null; });
            CompletableFuture.delayedExecutor(5, TimeUnit.SECONDS).execute(end);
            text = new String(body.readNBytes(MAX_KEYS_LENGTH), StandardCharsets.UTF_8);
        }
        if (response.statusCode() != 200) throw new IOException("status " + response.statusCode());
        var parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec("secp256r1"));
        var curve = parameters.getParameterSpec(ECParameterSpec.class);
        var found = new HashMap<String, PublicKey>();
        for (var each : (List<?>) Json.read(text).get("keys")) {
            var key = (Map<?, ?>) each;
            if (!"ES256".equals(key.get("alg")) || !"P-256".equals(key.get("crv"))) continue;
            var point = new ECPoint(coordinate(key.get("x")), coordinate(key.get("y")));
            var spec = new ECPublicKeySpec(point, curve);
            found.put((String) key.get("kid"), KeyFactory.getInstance("EC").generatePublic(spec));
        }
        return found;
    }

    private static BigInteger coordinate(Object text) throws GeneralSecurityException {
        return new BigInteger(1, bytes((String) text));
    }

    private static byte[] bytes(String text) throws GeneralSecurityException {
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException error) {
            throw new GeneralSecurityException("not base64url", error);
        }
    }

    private static Map<?, ?> decode(String part) throws GeneralSecurityException {
        try {
            return Json.read(new String(bytes(part), StandardCharsets.UTF_8));
        } catch (IOException error) {
            throw new GeneralSecurityException("not JSON", error);
        }
    }

    private static void require(boolean condition, String message) throws GeneralSecurityException {
        if (!condition) throw new GeneralSecurityException(message);
    }

    /** Reads JSON into Map, List, String, Long, Double, Boolean and null. */
    static final class Json {
        private static final int MAX_DEPTH = 64;
        private final String text;
        private int at = 0;

        private Json(String text) {
            this.text = text;
        }

        /** Reads an object. */
        static Map<?, ?> read(String text) throws IOException {
            try {
                var json = new Json(text);
                var value = json.value(0);
                json.next();
                if (json.at == text.length() && value instanceof Map<?, ?> object) return object;
            } catch (IndexOutOfBoundsException | IllegalArgumentException error) {
                throw new IOException("not JSON", error);
            }
            throw new IOException("not a JSON object");
        }

        private Object value(int depth) throws IOException {
            if (depth > MAX_DEPTH) throw new IOException("too deep");
            var first = next();
            if (first == '{') {
                var object = new HashMap<String, Object>();
                for (at++; next() != '}'; separator('}')) {
                    next();
                    var name = string();
                    expect(':');
                    object.put(name, value(depth + 1));
                }
                at++;
                return object;
            }
            if (first == '[') {
                var list = new ArrayList<Object>();
                for (at++; next() != ']'; separator(']')) list.add(value(depth + 1));
                at++;
                return list;
            }
            return first == '"' ? string() : literal();
        }

        private Object literal() throws IOException {
            var start = at;
            while (at < text.length() && "+-.".indexOf(text.charAt(at)) >= 0 || Character.isLetterOrDigit(peek())) at++;
            var word = text.substring(start, at);
            switch (word) {
                case "true": return true;
                case "false": return false;
                case "null": return null;
                default:
            }
            if (!word.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")) throw new IOException("not JSON");
            if (word.matches("-?\\d{1,18}")) return Long.valueOf(word);
            return Double.valueOf(word);
        }

        private String string() throws IOException {
            if (text.charAt(at++) != '"') throw new IOException("not a string");
            var value = new StringBuilder();
            for (var character = text.charAt(at++); character != '"'; character = text.charAt(at++)) {
                value.append(character == '\\' ? escape() : character);
            }
            return value.toString();
        }

        private char escape() {
            var character = text.charAt(at++);
            if (character == 'u') return (char) Integer.parseInt(text.substring(at, at += 4), 16);
            var escaped = "bfnrt".indexOf(character);
            return escaped < 0 ? character : "\b\f\n\r\t".charAt(escaped);
        }

        private void separator(char end) throws IOException {
            if (next() == end) return;
            expect(',');
        }

        private void expect(char character) throws IOException {
            if (next() != character) throw new IOException("not JSON");
            at++;
        }

        /** The next character that is no white space; NUL at the end. */
        private char next() {
            while (" \t\r\n".indexOf(peek()) >= 0) at++;
            return peek();
        }

        private char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }
    }

    /** Reads a token from each line. The pairs are revocations, and content or content?, which allows unlimited. */
    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: VerifyViewerToken ISSUER AUDIENCE [KEY=VALUE …]");
            System.exit(2);
        }
        var known = new HashMap<String, String>();
        for (var pair : List.of(args).subList(2, args.length)) {
            var parts = pair.split("=", 2);
            known.put(parts[0], parts[1]);
        }
        var allowUnlimited = known.containsKey("content?");
        var content = known.get(allowUnlimited ? "content?" : "content");
        var verifier = new VerifyViewerToken(args[0], args[1], key -> Long.parseLong(known.getOrDefault(key, "0")));
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            try {
                var claims = verifier.verify(line, content, allowUnlimited);
                System.out.println("valid " + claims.get("team_id") + " " + claims.get("sub"));
            } catch (GeneralSecurityException error) {
                System.out.println("refused " + error.getMessage());
            }
        }
    }
}
