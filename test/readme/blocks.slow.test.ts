import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { type RunningWorld, startRunningWorld } from "../support/running-world.ts";
import { runScript } from "../support/run-script.ts";
import { blocksOf, codeBlocks } from "./code-blocks.ts";
import { pages, pageText, root } from "./pages.ts";

/**
 * Pages with blocks that call the service contain this link, because readers must run the linked
 * block first.
 */
const setUpLink = "api-guide.md#set-up-a-shell";
const shellInfos = ["sh", "sh aws", "sh manual"];

const allBlocks = pages.flatMap((page) =>
  blocksOf(pageText(page)).map(({ info, code }) => ({ page, info, code })),
);
const pagesWithShell = pages.filter((page) => codeBlocks(page, "sh").length > 0);

describe("the code blocks of the Markdown pages", () => {
  it("have a language in their info string that these tests recognize", () => {
    const known = new Set([...shellInfos, "", "json", "mermaid", "python", "sql", "ts"]);

    expect(allBlocks.filter(({ info }) => !known.has(info))).toEqual([]);
  });

  it("are valid shell, JSON or Python", () => {
    const shell = allBlocks.filter(({ info }) => shellInfos.includes(info));
    const checked: readonly (readonly [string, (code: string) => string])[] = [
      // Readers replace the placeholders in angle brackets.
      [
        "sh",
        (code: string) => complaintsOf("bash", ["-n"], code.replaceAll(/<[a-z_ ]+>/g, "VALUE")),
      ],
      ["json", faultOfJson],
      ...(hasPython
        ? ([
            ["python", (code: string) => complaintsOf("python3", ["-c", parsePython], code)],
          ] as const)
        : []),
    ];
    expect(shell.length).toBeGreaterThan(15);
    const faults = allBlocks.flatMap(({ page, info, code }) =>
      checked
        .filter(([language]) => info.split(" ")[0] === language)
        .map(([, check]) => check(code))
        .filter((fault) => fault !== "")
        .map((fault) => `${page}: ${fault}\n${code}`),
    );

    expect(faults).toEqual([]);
  });

  it("use only npm scripts that exist", () => {
    const named = pages
      .filter((page) => page !== "CHANGELOG.md" && !page.startsWith("docs/adr/"))
      .flatMap((page) =>
        [...pageText(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = ""]) => name),
      );

    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !(name in packageFile.scripts))).toEqual([]);
  });
});

describe("the shell blocks of a page, pasted in their order,", () => {
  let world: RunningWorld;
  beforeAll(async () => {
    world = await startRunningWorld();
  });
  afterAll(() => world.dispose());

  /**
   * Variables that a reader sets to their own values. Each page has a new account, because the
   * probes of several pages within 15 seconds would exceed the limit of one account.
   */
  const ownValues = async () => ({
    URL: world.ready["base_url"],
    KEY: await createAccount(),
    HOOK: `${world.ready["webhook_receiver_url"]}/hooks`,
    BUCKET: world.ready["export_bucket"],
    S3_ENDPOINT: world.ready["s3_endpoint"],
    S3_KEY_ID: "local",
    S3_SECRET: "local",
  });

  /** Creates an account with the operators' command, and returns an API key for it. */
  async function createAccount(): Promise<string> {
    const { id } = await admin("create-account", "--name", "Reader", "--email", "a@reader.example");
    const { key } = await admin("create-key", "--account", String(id), "--name", "shell");
    return String(key);
  }

  async function admin(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const env = { ...process.env, LOCAL_DIR: world.folder };
    const { out, err } = await runScript("scripts/admin.ts", [...args, "--json"], { env });
    expect(err).toBe("");
    return JSON.parse(out) as Readonly<Record<string, unknown>>;
  }

  it("exit with 0 for the README with a data folder that the reader chooses", async () => {
    const session = await paste(codeBlocks("README.md", "sh"), root, { LOCAL_DIR: world.folder });

    expectSuccess(session);
    expect(session.output).toContain('"last_change":{"changed_at"');
  });

  it("exit with 0 for the README with the default data folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "readme-"));
    symlinkSync(world.folder, join(folder, ".local"));
    // Links the files of the project into this folder, so that the commands of the project work
    // here.
    for (const name of readdirSync(root).filter((one) => one !== ".local")) {
      symlinkSync(join(root, name), join(folder, name));
    }
    try {
      const session = await paste(codeBlocks("README.md", "sh"), folder, { LOCAL_DIR: undefined });

      expectSuccess(session);
      expect(session.output).toContain('"last_change":{"changed_at"');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(pagesWithShell.filter((page) => page !== "README.md"))(
    "exit with 0 for the page %s",
    async (page) => {
      const [setUp = ""] = codeBlocks("docs/api-guide.md", "sh");
      const first = pageText(page).includes(setUpLink) ? [setUp] : [];
      const environment = { ...(await ownValues()), LOCAL_DIR: world.folder };

      expectSuccess(await paste([...first, ...codeBlocks(page, "sh")], root, environment));
    },
  );
});

interface Session {
  readonly status: number | null;
  readonly output: string;
  readonly complaints: string;
}

/** Runs blocks in one shell, which stops at a command that fails and at an unset variable. */
async function paste(
  blocks: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Session> {
  const shell = spawn("bash", ["-eu"], { cwd: folder, env: { ...process.env, ...environment } });
  const exit = once(shell, "exit");
  const read = Promise.all([text(shell.stdout), text(shell.stderr)]);
  shell.stdin.end(blocks.join("\n"));
  const [output, complaints] = await read;
  const [status] = (await exit) as [number | null];
  return { status, output, complaints };
}

function expectSuccess({ status, output, complaints }: Session): void {
  expect(status, `${output}\n${complaints}`).toBe(0);
  expect(output).not.toContain('{"error":{');
  expect(output).not.toBe("");
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const parsePython = "import ast, sys; ast.parse(sys.stdin.read())";

/** Returns the errors that a command prints about code; empty if it accepts the code. */
function complaintsOf(command: string, words: readonly string[], code: string): string {
  const { status, stderr } = spawnSync(command, words, { input: code, encoding: "utf8" });
  return status === 0 ? "" : stderr;
}

function faultOfJson(code: string): string {
  try {
    JSON.parse(code);
    return "";
  } catch (error) {
    return String(error);
  }
}
