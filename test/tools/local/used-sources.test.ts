import { afterEach, describe, expect, it } from "vitest";
import { type DataFolder, openDataFolder } from "../../../tools/local/data-folder.ts";
import { recordSources } from "../../../tools/local/used-sources.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const sandbox = { adapter: "sandbox" };
const store = { adapter: "storefront", baseUrl: "https://store.example" };
const opened: DataFolder[] = [];
afterEach(() => {
  for (const folder of opened.splice(0)) folder.release();
});

function open(path: string, fresh = false): DataFolder {
  const folder = openDataFolder(path, fresh);
  opened.push(folder);
  return folder;
}

const record = (folder: DataFolder, sources: object): void =>
  recordSources(folder, JSON.stringify(sources));

describe("a local world", () => {
  it("does not start with the sandbox for a scraper that has read from a real source", () => {
    const folder = open(temporaryFolder());
    const scrapers = { "retailer_b.standard": store, "retailer_d.standard": sandbox };
    record(folder, scrapers);
    record(folder, scrapers);
    expect(() => record(folder, { ...scrapers, "retailer_b.standard": sandbox })).toThrow(
      /contains real data of retailer_b\.standard \(storefront\).*LOCAL_DIR.*--fresh/,
    );
    record(folder, { ...scrapers, "retailer_d.standard": store });
  });

  it("starts with the sandbox in a new folder", () => {
    const path = temporaryFolder();
    const folder = open(path);
    record(folder, { "retailer_b.standard": store });
    folder.release();
    opened.splice(0);
    expect(() => record(open(path, true), { "retailer_b.standard": sandbox })).not.toThrow();
  });
});
