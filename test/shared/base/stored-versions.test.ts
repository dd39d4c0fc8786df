import { describe, expect, it } from "vitest";
import {
  readable,
  type Stored,
  type StoredKind,
  writable,
} from "../../../shared/base/stored-versions.ts";

/** Version 2 has one URL, and version 3 has a list of URLs. */
const conversion = {
  older: 2,
  olderNames: ["url", "note"],
  newerNames: ["urls", "note"],
  toNewer: ({ url, ...rest }: Stored) => (url === undefined ? rest : { ...rest, urls: [url] }),
  toOlder: ({ urls, ...rest }: Stored) =>
    urls === undefined ? rest : { ...rest, url: (urls as readonly unknown[])[0] },
};
const accepting: StoredKind = { version: 2, conversion };
const writing: StoredKind = { version: 3, conversion };
const requiring: StoredKind = { version: 3 };

const older = { id: "x", url: "a", note: "n" };
const newer = { id: "x", urls: ["a"], note: "n" };

describe("a release of the service", () => {
  it.each([
    ["that accepts the next version", accepting, older],
    ["that writes the next version", writing, newer],
  ])(
    "(%s) converts rows of the older and of the newer version to the version of its code",
    (_, kind, expected) => {
      expect(readable(kind, { ...older, stored_version: 2 }, "it")).toEqual(expected);
      expect(readable(kind, { ...newer, stored_version: 3 }, "it")).toEqual(expected);
    },
  );

  it("stores the version of every row that it writes, except version 1", () => {
    expect(writable(accepting, older, "current")).toEqual({ ...older, stored_version: 2 });
    expect(writable(writing, newer, "current")).toEqual({ ...newer, stored_version: 3 });
    expect(writable(requiring, newer, "current")).toEqual({ ...newer, stored_version: 3 });
    expect(writable({ version: 1 }, older, "current")).toEqual(older);
  });

  it("writes the older version of a kind with a conversion if the release is configured to write the previous version", () => {
    expect(writable(writing, newer, "previous")).toEqual({ ...older, stored_version: 2 });
    expect(writable(accepting, older, "previous")).toEqual({ ...older, stored_version: 2 });
    expect(writable(requiring, newer, "previous")).toEqual({ ...newer, stored_version: 3 });
  });

  it("adds no attribute when it converts a row without the attribute that the conversion changes", () => {
    expect(readable(writing, { id: "x", stored_version: 2 }, "it")).toEqual({ id: "x" });
  });

  it("refuses to read a row of a version that it does not accept, and names the row in the error", () => {
    expect(() => readable(requiring, older, "Row a / b")).toThrow(
      expect.objectContaining({
        status: 503,
        cause: expect.stringContaining(
          "Row a / b has version 1, and this release accepts 3.",
        ) as string,
      }),
    );
  });
});
