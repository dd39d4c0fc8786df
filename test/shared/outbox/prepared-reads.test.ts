import { expect, it } from "vitest";
import { preparedReads } from "../../../shared/outbox/prepared-reads.ts";

it("a prepared read begins immediately, and only the first caller gets its result", async () => {
  const begun: string[] = [];
  const reads = preparedReads(async (id) => {
    begun.push(id);
    return `${id} ${begun.length}`;
  });
  reads.begin("a");
  expect(begun).toEqual(["a"]);

  expect(await reads.read("a")).toBe("a 1");
  expect(await reads.read("a")).toBe("a 2");
  expect(await reads.read("b")).toBe("b 3");
});

it("a prepared read that fails throws its error only to the caller that requests its result", async () => {
  const reads = preparedReads(() => Promise.reject(new Error("no table")));
  reads.begin("unused");
  reads.begin("a");

  await expect(reads.read("a")).rejects.toThrow("no table");
});
