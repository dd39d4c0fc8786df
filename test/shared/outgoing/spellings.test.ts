import { describe, expect, it } from "vitest";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { parsePublicUrl } from "../../../shared/outgoing/url.ts";

const rules = { policy: addressPolicy(), own: { hosts: [], apiId: null } };

type Bytes = readonly [number, number, number, number];

const whole = ([a, b, c, d]: Bytes): number => ((a * 256 + b) * 256 + c) * 256 + d;
const hex = (value: number): string => value.toString(16);
const octal = (value: number): string => `0${value.toString(8)}`;
const word = (high: number, low: number): string => hex(high * 256 + low);
const words = ([a, b, c, d]: Bytes): string => `${word(a, b)}:${word(c, d)}`;
/**
 * Returns a dotted address with the digits of the Unicode range that starts at the code point
 * `zero`. IDNA maps them to ASCII digits.
 */
const digitsAt = (zero: number, bytes: Bytes): string =>
  bytes.join(".").replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const superscripts = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
const circled = "\u24ea\u2460\u2461\u2462\u2463\u2464\u2465\u2466\u2467\u2468";
const drawn = (digits: string, bytes: Bytes): string =>
  bytes.join(".").replaceAll(/\d/g, (digit) => digits[Number(digit)] ?? "");

/** Spellings of an IPv4 address that a URL parser converts to that address. */
const ipv4Spellings: Record<string, (bytes: Bytes) => string> = {
  "dotted decimal": (bytes) => bytes.join("."),
  "one decimal number": (bytes) => String(whole(bytes)),
  "one hexadecimal number": (bytes) => `0x${hex(whole(bytes))}`,
  "one octal number": (bytes) => octal(whole(bytes)),
  "hexadecimal parts": (bytes) => bytes.map((byte) => `0X${hex(byte)}`).join("."),
  "octal parts": (bytes) => bytes.map(octal).join("."),
  "padded octal parts": (bytes) => bytes.map((byte) => `000${octal(byte)}`).join("."),
  "mixed parts": ([a, b, c, d]) => `${a}.0x${hex(b)}.${octal(c)}.${d}`,
  "three parts": ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  "two parts": ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  "a dot at the end": (bytes) => `${bytes.join(".")}.`,
  "fullwidth digits": (bytes) => digitsAt(0xff10, bytes),
  "mathematical digits": (bytes) => digitsAt(0x1d7ce, bytes),
  "superscript digits": (bytes) => drawn(superscripts, bytes),
  "circled digits": (bytes) => drawn(circled, bytes),
  "fullwidth dots": (bytes) => bytes.join("\uff0e"),
  "ideographic dots": (bytes) => bytes.join("\u3002"),
  "halfwidth ideographic dots": (bytes) => bytes.join("\uff61"),
  "percent-encoded dots": (bytes) => bytes.join("%2e"),
  "percent-encoded digits": (bytes) => bytes.join(".").replaceAll(/\d/g, (digit) => `%3${digit}`),
  "soft hyphens": (bytes) => bytes.join("\u00ad."),
  "zero width spaces": (bytes) => bytes.join("\u200b."),
  "a port": (bytes) => `${bytes.join(".")}:8443`,
};

/** IPv6 addresses that contain an IPv4 address. */
const ipv6Spellings: Record<string, (bytes: Bytes) => string> = {
  mapped: (bytes) => `::ffff:${bytes.join(".")}`,
  "mapped, as words": (bytes) => `::ffff:${words(bytes)}`,
  "mapped, without zeros left out": (bytes) => `0:0:0:0:0:ffff:${words(bytes)}`,
  compatible: (bytes) => `::${bytes.join(".")}`,
  translated: (bytes) => `::ffff:0:${words(bytes)}`,
  NAT64: (bytes) => `64:ff9b::${bytes.join(".")}`,
  "local NAT64": (bytes) => `64:ff9b:1::${words(bytes)}`,
  "6to4": (bytes) => `2002:${words(bytes)}::1`,
  "Teredo server": (bytes) => `2001:0:${words(bytes)}:0:ffff:808:808`,
  "Teredo client": ([a, b, c, d]) =>
    `2001:0:808:808:0:ffff:${words([255 - a, 255 - b, 255 - c, 255 - d])}`,
  "link-local ISATAP": (bytes) => `fe80::5efe:${words(bytes)}`,
};

const privateAddresses: readonly Bytes[] = [
  [127, 0, 0, 1],
  [10, 0, 0, 1],
  [169, 254, 169, 254],
  [172, 16, 0, 1],
  [192, 168, 0, 1],
  [100, 64, 0, 1],
  [168, 63, 129, 16],
  [0, 0, 0, 0],
];

describe("a webhook URL with a private IP address as its host", () => {
  it.each(Object.entries(ipv4Spellings))(
    "is refused if the address is written in the form: %s",
    (name, spell) => {
      for (const bytes of privateAddresses) {
        expect(parsePublicUrl(`https://${spell(bytes)}/hook`, rules)).toMatchObject({
          outcome: "refused",
          reason: "must have a public host",
        });
      }
      // A public address in the same spelling is accepted.
      const port = name === "a port" ? ":8443" : "";
      expect(parsePublicUrl(`https://${spell([8, 8, 4, 4])}/hook`, rules)).toEqual({
        outcome: "accepted",
        href: `https://8.8.4.4${port}/hook`,
        hostname: "8.8.4.4",
      });
    },
  );

  it.each(Object.entries(ipv6Spellings))(
    "is refused if the address is inside an IPv6 address of the form: %s",
    (_, spell) => {
      for (const bytes of [...privateAddresses, [8, 8, 4, 4] as const]) {
        expect(parsePublicUrl(`https://[${spell(bytes)}]/hook`, rules)).toMatchObject({
          outcome: "refused",
          reason: "must have a public host",
        });
      }
    },
  );
});

describe("a webhook URL with a host name", () => {
  it.each([
    ["https://b\u00fccher.shop/", "xn--bcher-kva.shop"],
    ["https://\u65e5\u672c\u8a9e\u3002jp/", "xn--wgv71a119e.jp"],
    ["https://HOOKS.SHOP-EXAMPLE.COM/", "hooks.shop-example.com"],
    ["https://\uff48\uff4f\uff4f\uff4b\uff53.shop-example.com/", "hooks.shop-example.com"],
  ])("is stored with the DNS form of the name (URL: %s)", (raw, hostname) => {
    expect(parsePublicUrl(raw, rules)).toMatchObject({ outcome: "accepted", hostname });
  });

  it.each([
    "https://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/",
    "https://local\u00adhost/",
    "https://%6c%6f%63%61%6c%68%6f%73%74/",
    "https://metadata\u3002google\uff0einternal/",
    "https://printer.loca\u2113/",
  ])("is refused if the name is an internal host in any spelling (URL: %s)", (raw) => {
    expect(parsePublicUrl(raw, rules)).toMatchObject({
      outcome: "refused",
      reason: "must have a public host",
    });
  });
});
