import type { Reply } from "./route.ts";

/** The answer to a call that charges per item, with what it cost and what is left. */
export const itemReply = ({
  body,
  credits,
  balance,
}: {
  readonly body: unknown;
  readonly credits: number;
  readonly balance: number;
}): Reply => ({
  status: 200,
  body,
  headers: { "X-Service-Credits": String(credits), "X-Service-Balance": String(balance) },
});
