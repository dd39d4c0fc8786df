import { describe, expect, it } from "vitest";
import { amountOf } from "../../../shared/sources/web/amount.ts";

const nbsp = "\u00A0";
const boundary = "\u0001";

describe("amounts", () => {
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
  ])("reads %j as %j", (text, amount) => {
    expect(amountOf(text, null)).toBe(amount);
  });

  it.each([
    ["1,299", 1299],
    ["$1,249.50", 1249.5],
    ["12,99", undefined],
  ])("takes a comma for thousands in US dollars: %j is %j", (text, amount) => {
    expect(amountOf(text, "USD")).toBe(amount);
  });

  it.each([
    [19.99, 19.99],
    [22.490000000000002, 22.49],
    [0, undefined],
    [-1, undefined],
    [1_000_001, undefined],
    [12.345, undefined],
  ])("reads the number %d as %j", (value, amount) => {
    expect(amountOf(value, "USD")).toBe(amount);
  });

  it.each([
    [["$", "49", ".50"], 49.5],
    [["49", "50"], undefined],
    [["$499", "$499"], 499],
    [["Now", "$7"], 7],
  ])("never runs texts of several elements together: %j is %j", (texts, amount) => {
    expect(amountOf(texts.join(boundary), "USD")).toBe(amount);
  });
});
