import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as v from "valibot";
import type { Stage } from "../../lib/config.ts";
import { type GivenContext, parseStageFile } from "../../lib/context.ts";

/** The transfer of a stage's current settings into an earlier release. */
export interface SettingsTransfer {
  readonly stage: Stage;
  /** The folder of this checkout. */
  readonly project: string;
  /** The folder of a checkout of the earlier release. */
  readonly release: string;
  /** The CDK context values of the command line, as `key=value`. */
  readonly given: readonly string[];
  /** True if the deployed API has a custom domain. */
  readonly hasDomain: boolean;
  readonly log: (line: string) => void;
}

/**
 * The settings of the custom domain. A release that ignores one of them would delete the domain.
 */
const ofDomain: ReadonlySet<string> = new Set(["domainName", "certificateArn", "hostedZoneId"]);

/**
 * Copies the current settings of a stage (`stages/<stage>.json`) into a checkout of an earlier
 * release, because the settings may have changed since that release.
 * - Omits and logs keys that the release does not accept.
 * - Makes a relative path in `sources` absolute.
 * - Deletes the file in the release if no key remains.
 * @throws Error if the release does not accept a setting of the custom domain.
 * @throws Error if the API has a custom domain, but neither the file nor `given` sets `domainName`.
 * The deployment would delete the custom domain in both cases.
 */
export async function transferSettings(transfer: SettingsTransfer): Promise<void> {
  const { stage, project, release, given, hasDomain, log } = transfer;
  const name = join("stages", `${stage}.json`);
  const settings = settingsIn(join(project, name), name);
  const isKnown = await knownKeys(release);
  const keptSettings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (isKnown(key)) keptSettings[key] = key === "sources" ? absolute(value, project) : value;
    else if (ofDomain.has(key)) throw new Error(domainRefusal(`does not accept '${key}'`));
    else log(`${name}: the release does not accept '${key}'. It is deployed without this key.`);
  }
  const keys = new Set([...Object.keys(keptSettings), ...given.map((pair) => pair.split("=")[0])]);
  if (hasDomain && !keys.has("domainName")) {
    throw new Error(domainRefusal(`gets no 'domainName', because neither ${name} nor -c sets it`));
  }
  const file = join(release, name);
  rmSync(file, { force: true });
  if (Object.keys(keptSettings).length === 0) return;
  mkdirSync(join(release, "stages"), { recursive: true });
  writeFileSync(file, JSON.stringify(keptSettings));
}

const domainRefusal = (reason: string): string =>
  `The rollback would delete the custom domain of the API: the release ${reason}. ` +
  "Nothing was deployed. Set domainName in the stage's file or with -c domainName=<name>, or deploy a fix of the current release.";

const settingsIn = (file: string, name: string): GivenContext =>
  existsSync(file) ? parseStageFile(name, readFileSync(file, "utf8")) : {};

/**
 * Makes a relative path in `sources` absolute. Relative paths in a stage's file are relative to the
 * root of the checkout that contains the file.
 */
const absolute = (sources: unknown, project: string): unknown =>
  typeof sources === "string" && sources !== "sandbox" && !sources.trimStart().startsWith("{")
    ? resolve(project, sources)
    : sources;

const contextModule = v.object({ parseStageFile: v.function() });

/**
 * Returns a function that returns true for a key that the release in the folder `release` accepts
 * in a stage's file.
 */
async function knownKeys(release: string): Promise<(key: string) => boolean> {
  const url = pathToFileURL(join(release, "lib", "context.ts")).href;
  const ofRelease = v.parse(contextModule, await import(url));
  return (key) => {
    try {
      ofRelease.parseStageFile("the stage's file", JSON.stringify({ [key]: "" }));
      return true;
    } catch {
      return false;
    }
  };
}
