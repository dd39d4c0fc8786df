/** Code with which a receiver verifies a delivery. Tests run this code. */
export const verifySnippets = {
  typescript: `import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Returns true if the signature in a header matches the body, and its time is at most five
 * minutes from now.
 * @param body the raw bytes of the request, before any parsing
 */
export function isGenuine(body: Buffer, header: string, secret: string): boolean {
  const parts = header.split(",").map((part) => part.split("="));
  const time = parts.find(([name]) => name === "t")?.[1] ?? "";
  const age = Math.abs(Date.now() / 1000 - Number(time));
  if (!(age <= 300)) return false;
  const expected = createHmac("sha256", secret).update(time + ".").update(body).digest();
  return parts.some(([name, value = ""]) => {
    const given = Buffer.from(value, "hex");
    return name === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  python: `import hashlib
import hmac
import time


def is_genuine(body: bytes, header: str, secret: str) -> bool:
    """body: the raw bytes of the request, before any parsing."""
    parts = [part.partition("=")[::2] for part in header.split(",")]
    sent = dict(parts).get("t", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    signed = sent.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return any(
        name == "v1" and hmac.compare_digest(value.encode(), expected.encode())
        for name, value in parts
    )
`,
} as const;
