"""Passwords, signatures and tokens."""
import base64
import hashlib
import hmac
import json
import secrets

salt = bytes.fromhex("00112233445566778899aabbccddeeff")
stored = hashlib.pbkdf2_hmac("sha256", b"correct horse", salt, 10_000)
print(stored.hex()[:16], hmac.compare_digest(stored, hashlib.pbkdf2_hmac("sha256", b"correct horse", salt, 10_000)))
print(hashlib.scrypt(b"secret", salt=salt, n=1024, r=8, p=1, dklen=16).hex())


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


head = b64(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()) + "." + b64(json.dumps({"sub": "1"}).encode())
token = head + "." + b64(hmac.new(b"key", head.encode(), hashlib.sha256).digest())
print(token.count("."), len(secrets.token_urlsafe(32)), hashlib.sha256(open("/dev/null", "rb").read()).hexdigest()[:12])
