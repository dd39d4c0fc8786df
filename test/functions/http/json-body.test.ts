import { deflateSync, gzipSync } from "node:zlib";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { jsonBody } from "../../../functions/http/json-body.ts";
import { limits } from "../../../shared/base/limits.ts";

const json = { "Content-Type": "application/json" };

/** Returns a gateway event of an API whose media types are all binary. */
const eventOf = (bytes: Buffer, headers: Record<string, string> = json): APIGatewayProxyEvent =>
  ({
    httpMethod: "POST",
    headers,
    body: bytes.toString("base64"),
    isBase64Encoded: true,
  }) as unknown as APIGatewayProxyEvent;

const read = (bytes: Buffer, headers: Record<string, string> = {}): Promise<object | undefined> =>
  jsonBody(eventOf(bytes, { ...json, ...headers }));

const text = '{"name":"Käse ☕"}';
const value = { name: "Käse ☕" };
const utf8 = Buffer.from(text);

describe("the body of an API call", () => {
  it.each([
    ["UTF-8", utf8, {}],
    ["UTF-8 after a byte order mark", Buffer.from(`\uFEFF${text}`), {}],
    ["declared as utf-8", utf8, { "Content-Type": "application/json; charset=utf-8" }],
    ["declared as UTF8", utf8, { "Content-Type": 'Application/JSON ; charset="UTF8"' }],
    ["of a JSON type", utf8, { "Content-Type": "application/vnd.shop.v1+json" }],
    ["compressed with gzip", gzipSync(utf8), { "Content-Encoding": "gzip" }],
    ["compressed with GZIP", gzipSync(utf8), { "content-encoding": " GZIP, identity" }],
    [
      "of several gzip members",
      Buffer.concat([gzipSync('{"name":'), gzipSync('"Käse ☕"}')]),
      { "Content-Encoding": "gzip" },
    ],
    ["decompressed by the gateway already", utf8, { "Content-Encoding": "gzip" }],
    ["declared as identity-encoded", utf8, { "Content-Encoding": "identity" }],
  ])(
    "is parsed in each accepted encoding: %s",
    async (_, bytes, headers: Record<string, string>) => {
      expect(await read(bytes, headers)).toEqual(value);
    },
  );

  it("is parsed if the gateway passes it as text instead of base64", async () => {
    const event = { ...eventOf(utf8), body: text, isBase64Encoded: false };
    expect(await jsonBody(event)).toEqual(value);
  });

  it("is undefined when the call has no body, and for methods without a body", async () => {
    expect(await jsonBody({ ...eventOf(utf8), body: null })).toBeUndefined();
    expect(await jsonBody({ ...eventOf(utf8), httpMethod: "DELETE" })).toBeUndefined();
  });
});

describe("the error 400 for a body that cannot be parsed states the reason for", () => {
  const utf16 = Buffer.from(text, "utf16le");
  const utf32 = Buffer.from(Array.from('{"a":1}', (char) => [char.charCodeAt(0), 0, 0, 0]).flat());
  const cut = gzipSync("x".repeat(10_000)).subarray(0, 40);
  const rows = [
    ["invalid UTF-8", Buffer.from('{"name":"K\xe4se"}', "latin1"), {}, "is not valid UTF-8"],
    ["a truncated character", Buffer.from('{"name":"☕').subarray(0, -1), {}, "is not valid UTF-8"],
    ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), {}, "is not valid UTF-8"],
    ["UTF-16, little-endian", utf16, {}, "The body must be UTF-8 (got UTF-16). Send it as UTF-8."],
    [
      "UTF-16 with a byte order mark",
      Buffer.from(`\uFEFF${text}`, "utf16le"),
      {},
      "must be UTF-8 (got UTF-16)",
    ],
    ["UTF-16, big-endian", Buffer.from(utf16).swap16(), {}, "must be UTF-8 (got UTF-16)"],
    ["UTF-32", utf32, {}, "must be UTF-8 (got UTF-32)"],
    ["UTF-32, big-endian", Buffer.from(utf32).swap32(), {}, "must be UTF-8 (got UTF-32)"],
    [
      "a declared UTF-16",
      utf8,
      { "Content-Type": "application/json; charset=utf-16" },
      'must be UTF-8 (got "utf-16"). Send the body as UTF-8.',
    ],
    [
      "a declared Latin-1",
      utf8,
      { "Content-Type": "application/json; charset=ISO-8859-1" },
      'must be UTF-8 (got "ISO-8859-1")',
    ],
    ["brotli", utf8, { "Content-Encoding": "br" }, 'The Content-Encoding "br" is not supported'],
    [
      "deflate",
      deflateSync(utf8),
      { "Content-Encoding": "deflate" },
      'The Content-Encoding "deflate" is not',
    ],
    [
      "two encodings",
      utf8,
      { "Content-Encoding": "gzip, zstd" },
      'The Content-Encoding "gzip, zstd" is not',
    ],
    [
      "truncated gzip",
      cut,
      { "Content-Encoding": "gzip" },
      "is gzip, but the data is truncated or corrupt",
    ],
    [
      "gzip with garbage after it",
      Buffer.concat([gzipSync(utf8), utf8]),
      { "Content-Encoding": "gzip" },
      "truncated or corrupt",
    ],
    ["gzip that is not declared", gzipSync(utf8), {}, "is not valid UTF-8"],
    ["another type", utf8, { "Content-Type": "text/json" }, "'Content-Type: application/json'"],
    ["no type", utf8, { "Content-Type": "" }, "'Content-Type: application/json'"],
    ["invalid JSON", Buffer.from("{"), {}, "is not valid JSON"],
    ["JSON that is not an object", Buffer.from("[]"), {}, "must be a JSON object"],
    [
      "a key of the prototype",
      Buffer.from('{"__proto__":{}}'),
      {},
      "has a key that could change a prototype",
    ],
  ] as const;
  const cases = rows.map(([name, bytes, headers, reason]) => ({ name, bytes, headers, reason }));

  it.each(cases)("an invalid body: $name", async ({ bytes, headers, reason }) => {
    await expect(read(bytes, headers)).rejects.toMatchObject({
      status: 400,
      code: "INVALID_PARAM",
      message: expect.stringContaining(reason),
      details: { param: "body" },
    });
  });
});

describe("a request body above the size limit", () => {
  const max = limits.bodyBytesMax;
  const bodyOf = (bytes: number): Buffer => Buffer.from(`{"a":"${"x".repeat(bytes - 8)}"}`);

  it("gets 413, both as a compressed body and as a plain one", async () => {
    await expect(read(bodyOf(max))).resolves.toBeDefined();
    await expect(read(bodyOf(max + 1))).rejects.toMatchObject({ status: 413 });
    const gzip = { "Content-Encoding": "gzip" };
    await expect(read(gzipSync(bodyOf(max)), gzip)).resolves.toBeDefined();
    await expect(read(gzipSync(bodyOf(max + 1)), gzip)).rejects.toMatchObject({ status: 413 });
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(max);
    await expect(read(bomb, gzip)).rejects.toMatchObject({
      status: 413,
      code: "INVALID_PARAM",
      details: { param: "body" },
    });
  });
});
