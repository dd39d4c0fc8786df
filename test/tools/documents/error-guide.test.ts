import { describe, expect, it } from "vitest";
import { errorGuide } from "../../../tools/documents/error-guide.ts";
import { errorsPage } from "../../../tools/documents/errors-page.ts";

describe.each(Object.entries(errorGuide))(
  "the error guide's entry of the error code %s",
  (code, { status, example }) => {
    it("has an example response with the error code and one of the statuses of the entry", () => {
      expect(example.code).toBe(code);
      expect(status.split(", ")).toContain(String(example.status));
    });

    it("has a heading and its example response on the errors page", () => {
      expect(errorsPage).toContain(`\n## ${code}\n`);
      expect(errorsPage).toContain(`"docs": "/docs/errors#${code}"`);
    });
  },
);
