import { describe, expect, it } from "vitest";
import { amountOf } from "../../../../shared/sources/web/amount.ts";

const nbsp = "\u00A0";
const boundary = "\u0001";

describe("the parser of amounts in web pages", () => {
  it.each([
    ["19.99", 19.99],
    ["$19.99", 19.99],
    ["19,99 €", 19.99],
    [`1${nbsp}299,00${nbsp}kr`, 1299],
    ["1'299.00 CHF", 1299],
    ["1.299,00", 1299],
    ["1,299.00", 1299],
    ["1,299", 1299],
    ["12,5", 12.5],
    ["67.8400", 67.84],
    ["99,-", 99],
    ["1.299.000", undefined],
    ["24.990", 24.99],
    ["1.299", undefined],
    ["499499499", undefined],
    ["71,91 € 79,90 €", undefined],
    ["10 - 20", undefined],
    ["1,2,3", undefined],
    ["0", undefined],
    ["0.00", undefined],
    ["", undefined],
    ["free", undefined],
    ["-5", undefined],
  ])("parses the text %j as the amount %j", (text, amount) => {
    expect(amountOf(text, null)).toBe(amount);
  });

  it.each([
    ["1,299", 1299],
    ["$1,249.50", 1249.5],
    ["12,99", undefined],
  ])(
    "treats a comma in US dollars as a thousands separator: parses the text %j as %j",
    (text, amount) => {
      expect(amountOf(text, "USD")).toBe(amount);
    },
  );

  it.each([
    "US$19.99",
    "19.99 USD",
    "USD 19.99",
    "$19.99 each",
    "Price: $19.99",
    "CA$19.99",
    "US $19.99",
    "19.99 US $",
    "19.99€",
  ])("parses the text %j, which names a currency or a single piece", (text) => {
    expect(amountOf(text, null)).toBe(19.99);
  });

  it.each([
    "$19 99",
    "12 99",
    "1 2990",
    "1234 567",
    "1'29",
    "99¢",
    "99 cents",
    "$2.50/lb",
    "$2.50 / lb",
    "$1.20 per 100 g",
    "$29.99/mo",
    "$29.99 monthly",
    "From $10",
    "from 10.00",
    "$10+",
    "$10 and up",
    "up to $10",
    "50% off",
    "50 %",
    "Save $20",
    "$20 off",
    "$20 OFF",
    "Was $20",
    "(5.00)",
    "2 for 5",
  ])("rejects the text %j, which is not the price of a single piece", (text) => {
    expect(amountOf(text, "USD")).toBeUndefined();
    expect(amountOf(text, null)).toBeUndefined();
  });

  it.each([
    ["1 299", 1299],
    ["12 990,50", 12990.5],
    ["1'299'000", undefined],
    ["1'299 000", undefined],
    ["999'000", 999_000],
  ])(
    "accepts blanks and apostrophes only as thousands separators: parses the text %j as %j",
    (text, amount) => {
      expect(amountOf(text, null)).toBe(amount);
    },
  );

  it.each([
    [19.99, 19.99],
    [22.490000000000002, 22.49],
    [0, undefined],
    [-1, undefined],
    [1_000_001, undefined],
    [12.345, undefined],
  ])("converts the number %d to the amount %j", (value, amount) => {
    expect(amountOf(value, "USD")).toBe(amount);
  });

  it.each([
    [["$", "49", ".50"], 49.5],
    [["49", "50"], undefined],
    [["$499", "$499"], 499],
    [["Now", "$7"], 7],
    [["$19", "99"], undefined],
    [["From", "$7"], undefined],
    [["$7", "/lb"], undefined],
    [["$7", ".50", "/mo"], undefined],
  ])("parses the texts %j of several elements as the amount %j", (texts, amount) => {
    expect(amountOf(texts.join(boundary), "USD")).toBe(amount);
  });
});
