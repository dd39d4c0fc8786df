import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifySnippets } from "../../functions/dashboard/browser/pages/webhooks/verify-snippets.ts";
import { signatureHeader } from "../../shared/webhooks/signature.ts";

const body = '{"id":"evt_1","text":"Käse"}';
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const now = new Date();
const signed = (secrets: readonly string[], at = now): string =>
  signatureHeader({ body: Buffer.from(body), secrets, at });

interface Delivery {
  readonly body: string;
  readonly header: string;
  readonly secret: string;
}

/** Requests to a receiver: a name for the test, the request, and true if the service sent it. */
const deliveries: readonly (readonly [string, Delivery, boolean])[] = [
  ["a signed one", { body, header: signed([secret]), secret }, true],
  ["one in a rotation", { body, header: signed(["whsec_new", secret]), secret }, true],
  ["one with another body", { body: `${body} `, header: signed([secret]), secret }, false],
  ["one of another secret", { body, header: signed(["whsec_other"]), secret }, false],
  [
    "one that is sent again after ten minutes",
    { body, header: signed([secret], new Date(now.getTime() - 600_000)), secret },
    false,
  ],
  ["one without a time", { body, header: signed([secret]).replace(/^t=\d+,/, ""), secret }, false],
  ["one without a signature", { body, header: "", secret }, false],
  ["one with rubbish", { body, header: "t=x,v1=,v1=zz,=", secret }, false],
];

const lacksPython = spawnSync("python3", ["--version"]).status !== 0;

describe("the code snippets of the dashboard that verify a webhook signature", () => {
  let dir = "";
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "snippets-"));
    writeFileSync(join(dir, "verify.ts"), verifySnippets.typescript);
    writeFileSync(join(dir, "verify.py"), verifySnippets.python);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  const verdicts = (command: string, script: string): unknown => {
    const input = JSON.stringify(deliveries.map(([, delivery]) => delivery));
    const { stdout, stderr } = spawnSync(command, [command === "python3" ? "-c" : "-e", script], {
      cwd: dir,
      input,
      encoding: "utf8",
    });
    return stderr.includes("Error") ? stderr : (JSON.parse(stdout) as unknown);
  };
  const expected = deliveries.map(([, , genuine]) => genuine);

  it("accept the service's deliveries and reject forged ones, in TypeScript", () => {
    const script = `
      const { isGenuine } = await import(process.cwd() + "/verify.ts");
      const all = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
      console.log(JSON.stringify(all.map((one) => isGenuine(Buffer.from(one.body), one.header, one.secret))));
    `;
    expect(verdicts(process.execPath, `(async () => {${script}})()`)).toEqual(expected);
  });

  it.skipIf(lacksPython)(
    "accept the service's deliveries and reject forged ones, in Python",
    () => {
      const script = [
        "import json, sys",
        "sys.path.insert(0, '.')",
        "from verify import is_genuine",
        "all = json.load(sys.stdin)",
        "print(json.dumps([is_genuine(one['body'].encode(), one['header'], one['secret']) for one in all]))",
      ].join("\n");
      expect(verdicts("python3", script)).toEqual(expected);
    },
  );
});
