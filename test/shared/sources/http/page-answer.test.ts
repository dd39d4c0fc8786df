import { describe, expect, it } from "vitest";
import {
  isBlockedByProxy,
  isPageAnswer,
  isCallerRefused,
} from "../../../../shared/sources/http/page-answer.ts";

const answerOf = (text: string, status: number): Parameters<typeof isPageAnswer>[0] => ({
  kind: "answered",
  status,
  body: new TextEncoder().encode(text),
  headers: new Map([["content-type", "text/html"]]),
});
const isPage = (text: string, status = 200): boolean => isPageAnswer(answerOf(text, status));

describe("a JSON source's answer", () => {
  it.each(["<!doctype html><title>x</title>", "\n\t <html>", "\uFEFF<p>", "<?xml version='1.0'?>"])(
    "is a page with the body %j",
    (text) => {
      expect(isPage(text)).toBe(true);
    },
  );

  it.each(["", " ", '{"a":"<html>"}', "\uFEFF[]", '"<"', "not <html>"])(
    "is not a page with the body %j, whatever its content type",
    (text) => {
      expect(isPage(text)).toBe(false);
    },
  );

  it.each([302, 404, 500])("is not a block if it is a page with status %d", (status) => {
    expect(isPage("<html>", status)).toBe(false);
  });
});

describe("a 403 of a JSON source", () => {
  it("blocks all callers if it is a page, and otherwise only the caller", () => {
    for (const text of ["<html>", '{"error":"key"}', ""]) {
      expect(isCallerRefused(answerOf(text, 403))).toBe(true);
      expect(isBlockedByProxy(answerOf(text, 403))).toBe(text === "<html>");
    }
  });
});
