import * as v from "valibot";
import type { DataFolder } from "./data-folder.ts";

const fileName = "sources.json";
const adapters = v.record(v.string(), v.string());
const configuration = v.record(v.string(), v.object({ adapter: v.string() }));

/**
 * Records in the data folder which scrapers read from a real source. The sandbox must not serve
 * these scrapers later, because its invented data would replace the real data and be reported as
 * changes.
 * @param variable value of the variable SOURCES
 * @throws Error if the sandbox is configured for a scraper that has read from a real source
 */
export function recordSources(folder: DataFolder, variable: string): void {
  const sources = Object.entries(v.parse(configuration, JSON.parse(variable))).map(
    ([scraper, { adapter }]) => [scraper, adapter] as const,
  );
  const used = folder.read(fileName, adapters) ?? {};
  const replaced = sources.flatMap(([scraper, adapter]) => {
    const earlier = used[scraper];
    return adapter === "sandbox" && earlier !== undefined ? [`${scraper} (${earlier})`] : [];
  });
  if (replaced.length > 0) {
    throw new Error(
      `The folder ${folder.path} contains real data of ${replaced.join(", ")}, which the sandbox would replace ` +
        "with invented data. Start again with the same --source while the source responds. For the " +
        "sandbox, set LOCAL_DIR to another folder, or delete the data with --fresh.",
    );
  }
  const real = sources.filter(([, adapter]) => adapter !== "sandbox");
  if (real.length > 0) folder.write(fileName, { ...used, ...Object.fromEntries(real) });
}
