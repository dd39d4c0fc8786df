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

describe("a response of a JSON source", () => {
  it.each(["<!doctype html><title>x</title>", "\n\t <html>", "\uFEFF<p>", "<?xml version='1.0'?>"])(
    "counts as an HTML page if its body is %j",
    (text) => {
      expect(isPage(text)).toBe(true);
    },
  );

  it.each(["", " ", '{"a":"<html>"}', "\uFEFF[]", '"<"', "not <html>"])(
    "does not count as an HTML page if its body is %j, whatever the content type",
    (text) => {
      expect(isPage(text)).toBe(false);
    },
  );

  it.each([302, 404, 500])(
    "does not count as a block if the response is an HTML page with the status %d",
    (status) => {
      expect(isPage("<html>", status)).toBe(false);
    },
  );
});

describe("a response 403 from a JSON source", () => {
  it("counts as a block by a proxy if its body is an HTML page, and otherwise as the source's refusal of the caller", () => {
    for (const text of ["<html>", '{"error":"key"}', ""]) {
      expect(isCallerRefused(answerOf(text, 403))).toBe(true);
      expect(isBlockedByProxy(answerOf(text, 403))).toBe(text === "<html>");
    }
  });
});
