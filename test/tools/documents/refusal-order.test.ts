import { describe, expect, it } from "vitest";
import document from "../../../functions/meta/generated/openapi.json" with { type: "json" };
import { pageText } from "../../readme/pages.ts";
import { refusalTable } from "../../../tools/documents/refusal-order.ts";

/** Removes the spaces with which the formatter pads the columns of a table. */
const unpadded = (text: string): string => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

describe("the table with the order of error checks", () => {
  it("is identical in docs/api-guide.md and in the introduction of the OpenAPI document", () => {
    expect(unpadded(pageText("docs/api-guide.md"))).toContain(refusalTable);
    expect(document.info.description).toContain(refusalTable);
  });

  it("is linked from the errors page", () => {
    expect(pageText("docs/errors.md")).toContain("](api-guide.md#errors)");
  });
});
