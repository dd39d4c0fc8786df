import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  documentHash,
  operationsOf,
  root,
  serviceVersion,
} from "../../../scripts/clients/document.ts";
import { operations } from "../../../clients/typescript/source/generated/operations.ts";

const fileOf = (path: string): string => readFileSync(`${root}clients/${path}`, "utf8");

describe("the generated types of the clients", () => {
  it.each(["typescript/source", "python/retail_product_data"])(
    "in clients/%s match the current OpenAPI document (otherwise run `npm run clients`)",
    (folder) => {
      expect(fileOf(`${folder}/generated/document.sha256`).trim()).toBe(documentHash());
    },
  );

  it("contain every operation below /v1", () => {
    expect(Object.keys(operations)).toEqual(operationsOf().map(({ id }) => id));
  });

  it("belong to packages with the same version as the service", () => {
    const version = serviceVersion();
    expect(JSON.parse(fileOf("typescript/package.json"))).toMatchObject({ version });
    expect(fileOf("python/pyproject.toml")).toContain(`\nversion = "${version}"\n`);
  });
});
