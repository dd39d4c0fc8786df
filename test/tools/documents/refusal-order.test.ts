import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import document from "../../../functions/meta/generated/openapi.json" with { type: "json" };
import pages from "../../../functions/meta/generated/pages.json" with { type: "json" };
import { refusalOrder, refusalTable } from "../../../tools/documents/refusal-order.ts";

/** The formatter pads the columns of a table. */
const unpadded = (text: string): string => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

describe("the order in which a call is refused", () => {
  it("is the same table in the README and in the introduction of the OpenAPI document", () => {
    const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
    expect(unpadded(readme)).toContain(refusalTable);
    expect(document.info.description).toContain(refusalTable);
  });

  it("is on the page of error codes", () => {
    for (const { when } of refusalOrder) {
      const [start = ""] = when.split("`");
      expect(pages.errors.html).toContain(start);
    }
  });
});
