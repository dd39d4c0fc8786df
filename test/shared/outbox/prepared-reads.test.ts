import { expect, it } from "vitest";
import { preparedReads } from "../../../shared/outbox/prepared-reads.ts";

it("A prepared read begins at once, and its result is returned once", async () => {
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

it("A prepared read that fails throws its error only to its reader", async () => {
  const reads = preparedReads(() => Promise.reject(new Error("no table")));
  reads.begin("unused");
  reads.begin("a");

  await expect(reads.read("a")).rejects.toThrow("no table");
});
