import { describe, expect, it } from "vitest";
import {
  parseUpstreamReply,
  type UpstreamEntry,
} from "../../../../shared/sources/upstream/reply.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

function entryOf(fetchedAt: unknown): UpstreamEntry | undefined {
  const results = [{ id: "1", status: "ok", data: {}, fetchedAt }];
  const body = Buffer.from(JSON.stringify({ results }));
  const reply = { kind: "answered", status: 200, body, headers: new Map() } as const;
  return parseUpstreamReply(reply, ({ id }) => id, now)?.get("1");
}

it.each([
  ["2026-03-01T11:00:00Z", "2026-03-01T11:00:00.000Z"],
  [" 2026-03-01T12:30:00+01:00 ", "2026-03-01T11:30:00.000Z"],
  ["2026-03-01T13:00:00Z", now.toISOString()],
  [undefined, now.toISOString()],
  [null, now.toISOString()],
])("an upstream result with 'fetchedAt' %j is accepted", (fetchedAt, readAt) => {
  expect(entryOf(fetchedAt)).toEqual({ status: "ok", fetchedAt: readAt, data: {} });
});

it.each([
  "2026-02-28T11:00:00Z",
  "yesterday",
  "",
  "2026-03-01 11:00",
  "2026-02-31T99:00:00Z",
  "Sun, 01 Mar 2026 11:00:00 GMT",
  1_772_362_800,
  true,
  {},
])("an upstream result with the old or invalid 'fetchedAt' %j is \"unavailable\"", (fetchedAt) => {
  expect(entryOf(fetchedAt)).toMatchObject({ status: "unavailable", data: undefined });
});

describe("the parser of upstream replies that have an error beside the results", () => {
  const entriesOf = (beside: object) => {
    const results = ["ok", "partial", "not_found", "unavailable"].map((status, n) => ({
      id: String(n),
      status,
    }));
    const body = Buffer.from(JSON.stringify({ ...beside, results }));
    const reply = { kind: "answered", status: 200, body, headers: new Map() } as const;
    return [...(parseUpstreamReply(reply, ({ id }) => id, now)?.values() ?? [])];
  };

  it.each([{ error: "db down" }, { errors: [{ code: 1 }] }, { fault: { code: 1 } }])(
    'returns no item as "not_found" (the error fields: %j)',
    (beside) => {
      const entries = entriesOf(beside);
      const statuses = entries.map(({ status }) => status);
      expect(statuses).toEqual(["ok", "partial", "unavailable", "unavailable"]);
      expect(entries.map(({ isDowngraded }) => isDowngraded)).toEqual([
        undefined,
        undefined,
        true,
        undefined,
      ]);
    },
  );

  it.each([{}, { error: null }, { error: 0, errors: [], message: "" }, { error: false }])(
    "ignores empty error fields (%j)",
    (beside) => {
      expect(entriesOf(beside).map(({ status }) => status)).toContain("not_found");
    },
  );
});
