import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transferSettings } from "../../../scripts/release/present-settings.ts";

let folder: string;
let project: string;
let release: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"));
  project = join(folder, "project");
  release = join(folder, "release");
  for (const root of [project, release]) mkdirSync(join(root, "stages"), { recursive: true });
  mkdirSync(join(release, "lib"));
  lines = [];
  releaseKnows("sources", "alarmEmail", "domainName", "certificateArn");
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Creates the `lib/context.ts` of a release that refuses a stage's file with a key that is not in
 * `keys`.
 */
function releaseKnows(...keys: readonly string[]): void {
  const parse = `if (Object.keys(JSON.parse(content)).some((key) => !known.includes(key))) throw new Error(name);`;
  writeFileSync(
    join(release, "lib/context.ts"),
    `const known = ${JSON.stringify(keys)};
    export function parseStageFile(name: string, content: string) { ${parse} }`,
  );
}

const write = (root: string, settings: object): void =>
  writeFileSync(join(root, "stages/prod.json"), JSON.stringify(settings));

const settingsOfRelease = (): unknown =>
  JSON.parse(readFileSync(join(release, "stages/prod.json"), "utf8"));

const transfer = (given: readonly string[] = [], hasDomain = false): Promise<void> =>
  transferSettings({
    stage: "prod",
    project,
    release,
    given,
    hasDomain,
    log: (line) => lines.push(line),
  });

describe("transferSettings, which copies a stage's settings to an earlier release,", () => {
  it("replaces the settings in the release with the current settings of the stage", async () => {
    write(release, { alarmEmail: "old@example.com" });
    write(project, { alarmEmail: "new@example.com", sources: "sources.json" });
    await transfer();

    expect(settingsOfRelease()).toEqual({
      alarmEmail: "new@example.com",
      sources: join(project, "sources.json"),
    });
    expect(lines).toEqual([]);
  });

  it("omits a setting that the release does not know, and prints its name", async () => {
    write(project, { alarmEmail: "new@example.com", backups: "off" });
    await transfer();

    expect(settingsOfRelease()).toEqual({ alarmEmail: "new@example.com" });
    expect(lines).toEqual([expect.stringContaining("does not accept 'backups'")]);
  });

  it("removes the settings in the release if the current checkout has none", async () => {
    write(release, { alarmEmail: "old@example.com" });
    await transfer();

    expect(existsSync(join(release, "stages/prod.json"))).toBe(false);
  });

  it("refuses a release that does not know the custom domain of the settings", async () => {
    releaseKnows("alarmEmail");
    write(project, { domainName: "api.example.com" });

    await expect(transfer()).rejects.toThrow("does not accept 'domainName'");
  });

  it("accepts settings without the stage's custom domain only if the command line contains the domain", async () => {
    write(project, { alarmEmail: "new@example.com" });

    await expect(transfer([], true)).rejects.toThrow("would delete the custom domain");
    await transfer(["domainName=api.example.com"], true);
    expect(settingsOfRelease()).toEqual({ alarmEmail: "new@example.com" });
  });

  it("refuses a file of current settings that contains an unknown key", async () => {
    write(project, { alarmMail: "new@example.com" });

    await expect(transfer()).rejects.toThrow("'alarmMail' is unknown");
  });
});
