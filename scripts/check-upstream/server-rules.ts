/** Checks the rules that concern the server as a whole. */
import * as v from "valibot";
import { upstreamCapabilities } from "../../shared/sources/upstream/contract.ts";
import { jsonOf, type CallOutcome, send, type Server, summary } from "./exchange.ts";
import { type Finding, findingOf, skippedFinding, type Verdict } from "./finding.ts";
import { readBody, type Subject } from "./read-call.ts";

/** The valid body of `GET /capabilities`. */
export type Capabilities = v.InferOutput<typeof upstreamCapabilities>;

/**
 * Reads the server's capabilities and checks their form. `capabilities` is null if the server
 * declares none, or if its reply is invalid.
 */
export async function readCapabilities(
  server: Server,
): Promise<{ readonly capabilities: Capabilities | null; readonly finding: Finding }> {
  const rule = "capabilities";
  const seen = await send(server, { path: "/capabilities" });
  if (seen.kind === "answered" && seen.status === 404) {
    return {
      capabilities: null,
      finding: skippedFinding(rule, "the server declares none, which is valid"),
    };
  }
  const parsed = v.safeParse(upstreamCapabilities, jsonOf(seen));
  const isRead = seen.kind === "answered" && seen.status === 200 && parsed.success;
  const issue = parsed.success
    ? ""
    : `, ${v.getDotPath(parsed.issues[0]) ?? "the body"} is invalid`;
  const finding = findingOf({
    rule,
    level: "must",
    expected: "404, or 200 with a body that matches the schema",
    trouble: isRead ? null : summary(seen) + issue,
  });
  return { capabilities: isRead ? parsed.output : null, finding };
}

/**
 * Sends invalid calls and checks that the server refuses them. Returns one finding for each call.
 * If `server` has no secret, skips the calls without a secret and with a wrong secret.
 */
export async function checkRefusals(
  server: Server,
  subject: Pick<Subject, "scraper" | "marketplace">,
): Promise<Finding[]> {
  const path = "/read";
  const body = readBody(subject, ["none"]);
  const plain = { "Content-Type": "text/plain" };
  const broken = await send(server, { path, body: '{"scraper": ' });
  const other = await send(server, { path, body: { ...body, scraper: "no_such.scraper" } });
  const asText = await send(server, { path, body: JSON.stringify(body), headers: plain });
  const findings = [
    refusal("broken-json", "must", broken),
    refusal("unknown-scraper", "must", other),
    refusal("not-json-type", "should", asText),
  ].map((verdict) => findingOf(verdict));
  if (server.secret === undefined) {
    return [
      ...findings,
      skippedFinding("secret", "pass --secret-env to check that the server requires its secret"),
    ];
  }
  const wrong = await send(server, { path, body, secret: `${server.secret}x` });
  const without = await send(server, { path, body, secret: null });
  return [
    ...findings,
    findingOf(judgeUnauthorized("wrong-secret", wrong)),
    findingOf(judgeUnauthorized("no-secret", without)),
  ];
}

const expectedOf = {
  "broken-json": "400 for a body that is not JSON",
  "unknown-scraper": "400 for an unknown scraper",
  "not-json-type": "400 or 415 for a body that is not application/json",
  "wrong-secret": "401 or 403 for a wrong secret",
  "no-secret": "401 or 403 for a call without a secret",
} as const;

/**
 * Checks that the server refused an invalid call. Accepts every 4xx status that has no other
 * meaning in the contract.
 */
function refusal(
  rule: keyof typeof expectedOf,
  level: Verdict["level"],
  seen: CallOutcome,
): Verdict {
  const isRefused =
    seen.kind === "answered" &&
    seen.status >= 400 &&
    seen.status < 500 &&
    ![401, 403, 408, 425, 429].includes(seen.status);
  return { rule, level, expected: expectedOf[rule], trouble: isRefused ? null : summary(seen) };
}

function judgeUnauthorized(rule: keyof typeof expectedOf, seen: CallOutcome): Verdict {
  const isRefused = seen.kind === "answered" && [401, 403].includes(seen.status);
  return {
    rule,
    level: "must",
    expected: expectedOf[rule],
    trouble: isRefused ? null : summary(seen),
  };
}
