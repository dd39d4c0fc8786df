import { describe, expect, it } from "vitest";
import { isPageAnswer } from "../../../../shared/sources/http/page-answer.ts";

const isPage = (text: string, status = 200): boolean =>
  isPageAnswer({
    kind: "answered",
    status,
    body: new TextEncoder().encode(text),
    headers: new Map([["content-type", "text/html"]]),
  });

describe("where JSON should be", () => {
  it.each(["<!doctype html><title>x</title>", "\n\t <html>", "\uFEFF<p>", "<?xml version='1.0'?>"])(
    "%j is a page",
    (text) => {
      expect(isPage(text)).toBe(true);
    },
  );

  it.each(["", " ", '{"a":"<html>"}', "\uFEFF[]", '"<"', "not <html>"])(
    "%j is none, whatever type it is called",
    (text) => {
      expect(isPage(text)).toBe(false);
    },
  );

  it.each([302, 404, 500])("a page with status %d says no more than that", (status) => {
    expect(isPage("<html>", status)).toBe(false);
  });
});
