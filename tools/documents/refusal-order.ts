import type { ErrorCode } from "../../shared/base/errors.ts";

/** One step in the order in which calls are refused. */
interface Refusal {
  readonly status: string;
  readonly codes: readonly ErrorCode[];
  readonly when: string;
}

/**
 * The reasons for which a call is refused, in the order of the checks. The response reports the
 * first reason that applies. `functions/http/answer.ts` implements the order;
 * `test/world/edge.slow.test.ts` checks it on every route.
 */
const refusalOrder: readonly Refusal[] = [
  {
    status: "401",
    codes: ["UNAUTHORIZED"],
    when: "The call contains no API key, a malformed one, or one that is not accepted.",
  },
  {
    status: "429",
    codes: ["RATE_LIMITED"],
    when:
      "The key exceeds its rate limit. Calls without an accepted key are counted by IP address, separately " +
      "in each process; above the limit, they get 429 instead of 401.",
  },
  {
    status: "404, 410",
    codes: ["NOT_FOUND", "GONE"],
    when: "The path does not exist, does not support the method (`Allow` lists the supported ones), or was retired.",
  },
  {
    status: "403",
    codes: ["DEMO_READ_ONLY", "UNAUTHORIZED"],
    when:
      "A demo workspace key is used for a call that writes or spends credits, or the key lacks a scope that " +
      "the operation needs.",
  },
  {
    status: "501",
    codes: ["NOT_IMPLEMENTED"],
    when: "The platform, the marketplace or the endpoint is announced but not available yet.",
  },
  {
    status: "400, 413",
    codes: ["MISSING_PARAM", "INVALID_PARAM"],
    when: "The body cannot be read, or a parameter is unknown, missing or not accepted.",
  },
  {
    status: "429",
    codes: ["RATE_LIMITED"],
    when: "The account exceeds its limit of calls that connect to its webhook receivers and S3 stores.",
  },
  {
    status: "404, 409, 422",
    codes: ["NOT_FOUND", "CONFLICT", "INVALID_PARAM"],
    when:
      "The resource does not exist, its state does not allow the call, or an idempotency key was used for another request. " +
      "After that, the service checks values against the resource, such as the ID of one of its items; an invalid one gets 400.",
  },
  {
    status: "402",
    codes: ["INVALID_PARAM"],
    when: "The call would reserve more credits than its `max_credits`.",
  },
  {
    status: "429, 402, 409",
    codes: ["CONCURRENCY_LIMIT", "INSUFFICIENT_CREDITS", "CONFLICT"],
    when:
      "All concurrency slots are busy, or the balance or the account's daily budget cannot cover the " +
      "reservation.",
  },
];

const head = ["HTTP", "code", "when"];
const cells = ({ status, codes, when }: Refusal): readonly string[] => [
  status,
  codes.map((code) => `\`${code}\``).join(", "),
  when,
];
const row = (texts: readonly string[]): string => `| ${texts.join(" | ")} |`;

/** The order in which calls are refused, as a Markdown table. */
export const refusalTable = [
  row(head),
  row(head.map(() => "---")),
  ...refusalOrder.map((one) => row(cells(one))),
].join("\n");
