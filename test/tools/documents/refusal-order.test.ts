import { describe, expect, it } from "vitest";
import document from "../../../functions/meta/generated/openapi.json" with { type: "json" };
import pages from "../../../functions/meta/generated/pages.json" with { type: "json" };
import { pageText } from "../../readme/pages.ts";
import { refusalOrder, refusalTable } from "../../../tools/documents/refusal-order.ts";

/** The formatter pads the columns of a table. */
const unpadded = (text: string): string => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

describe("the order in which a call is refused", () => {
  it("is the same table in docs/api-guide.md and in the OpenAPI document's introduction", () => {
    expect(unpadded(pageText("docs/api-guide.md"))).toContain(refusalTable);
    expect(document.info.description).toContain(refusalTable);
  });

  it("is on the page of error codes", () => {
    for (const { when } of refusalOrder) {
      const [start = ""] = when.split("`");
      expect(pages.errors.html).toContain(start);
    }
  });
});
