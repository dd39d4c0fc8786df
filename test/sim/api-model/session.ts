import type fc from "fast-check";
import { limits } from "../../../shared/base/limits.ts";
import type { ApiAnswer, ApiRequest } from "../api.ts";
import { anything, differences, type Predicted } from "./compare.ts";
import { type Model, tickModel } from "./model.ts";
import type { Service } from "./service.ts";

/** The state of a sequence of commands, which consists of the service and its model. */
export interface Session {
  readonly service: Service;
  readonly model: Model;
  /** How often each outcome of each command occurred. */
  readonly counts: Map<string, number>;
  /** The number of sent webhooks that were already checked. */
  looked: number;
}

/** A command. Its drawn parameters select resources when the command runs. */
export interface Played<Drawn> {
  readonly name: string;
  readonly drawn: fc.Arbitrary<Drawn>;
  /**
   * The frequency of the command, relative to other commands.
   * @default 1
   */
  readonly weight?: number;
  readonly can?: (model: Model, drawn: Drawn) => boolean;
  readonly play: (session: Session, drawn: Drawn) => Promise<string | void>;
}

export const command = <Drawn>(played: Played<Drawn>): Played<unknown> =>
  played as unknown as Played<unknown>;

type Wanted = Omit<ApiRequest, "key"> & { readonly key?: string };

/**
 * Calls the API with the account's first key by default. Checks the properties that all responses
 * must have.
 */
export async function call({ service, model }: Session, wanted: Wanted): Promise<ApiAnswer> {
  const answer = await service.call({ key: model.keys[0]?.key ?? "", ...wanted });
  const { headers, status, body } = answer;
  const what = `${wanted.method} ${wanted.path}`;
  require(what, Boolean(headers["x-request-id"]?.startsWith("req_")), "X-Request-Id");
  if (status >= 400) {
    const { error } = body as unknown as { error: Record<string, unknown> };
    const { code, param } = error;
    const docs = `/docs/errors#${String(code)}`;
    const shape = { code, message: anything, ...(param !== undefined && { param }), docs };
    compare(what, error, { ...shape });
    const isSoon = (body as Record<string, unknown>)["coming_soon"];
    require(what, (status === 501) === (isSoon === true), "coming_soon goes with 501");
  }
  const [credits, balance] = [headers["x-service-credits"], headers["x-service-balance"]];
  if (status >= 400 && credits !== undefined) compare(what, credits, "0");
  if (status >= 400 && balance !== undefined) compare(what, balance, `${model.ledger.balance}`);
  return answer;
}

/**
 * Records a command that may probe a receiver or a store. Returns false if the account could then
 * exceed its limit of probes; the command must not be played.
 */
export function mayProbe({ service, model }: Session): boolean {
  const now = service.now();
  const inLastMinute = model.probes.filter((at) => at > now - 61_000);
  if (inLastMinute.length >= limits.probesPerMinute) return false;
  model.probes.push(now);
  return true;
}

/**
 * Reads all pages of a list and checks that no page exceeds the limit.
 * @throws Error if there are more than 400 pages
 */
export async function readPages<Entry>(
  session: Session,
  path: string,
  limit: number,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const separator = path.includes("?") ? "&" : "?";
  let after = "";
  for (let pages = 0; pages < 400; pages += 1) {
    const answer = await call(session, {
      method: "GET",
      path: `${path}${separator}limit=${limit}${after}`,
    });
    compare(path, answer.status, 200);
    const page = answer.body as unknown as {
      data: readonly Entry[];
      has_more: boolean;
      next_starting_after: string | null;
    };
    require(path, page.data.length <= limit, "no more than the limit");
    compare(path, page.has_more, page.next_starting_after !== null);
    entries.push(...page.data);
    if (page.next_starting_after === null) return entries;
    after = `&starting_after=${page.next_starting_after}`;
  }
  throw new Error(`${path} has more than 400 pages`);
}

/** Drains the queues after a call, so that its effects are complete. */
export const settle = ({ service, model }: Session): Promise<void> =>
  service.work((tick) => tickModel(model, tick, service.now()));

/** Throws if a value differs from its prediction. */
export function compare(what: string, actual: unknown, predicted: Predicted): void {
  const found = differences(actual, predicted);
  if (found.length > 0) throw new Error(`${what}: ${found.slice(0, 6).join("\n  ")}`);
}

/** Throws if a rule does not hold. */
export function require(what: string, holds: boolean, rule: string): void {
  if (!holds) throw new Error(`${what}: violated: ${rule}`);
}

/** Compares the status and body of a response with the prediction. */
export function expectBody(
  what: string,
  { status, text, body }: ApiAnswer,
  predicted: { readonly status: number; readonly body: Predicted },
): void {
  if (status !== predicted.status) {
    throw new Error(`${what}: ${status} ${text.slice(0, 300)}, predicted ${predicted.status}`);
  }
  compare(what, body, predicted.body);
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The predicted `param` of the error; undefined to accept every value. */
  readonly param?: string | RegExp;
}

function isParam(param: string | undefined, wanted: Refusal["param"]): boolean {
  if (wanted === undefined || param === wanted) return true;
  return typeof wanted !== "string" && param !== undefined && wanted.test(param);
}

/** Throws if a response is not the predicted error. Returns the status as text. */
export function expectRefusal(
  what: string,
  { status, text, body }: ApiAnswer,
  wanted: Refusal,
): string {
  const response = `${status} ${text.slice(0, 300)}`;
  const { error } = (body ?? {}) as unknown as { error?: { code: string; param?: string } };
  const isCode = status === wanted.status && error?.code === wanted.code;
  if (!isCode) throw new Error(`${what}: ${response}, predicted ${wanted.status} ${wanted.code}`);
  if (!isParam(error?.param, wanted.param)) {
    throw new Error(`${what}: ${response}, predicted param ${String(wanted.param)}`);
  }
  return `${wanted.status}`;
}

/** Returns the prediction of an invalid parameter. */
export const refused = (param: Refusal["param"]): Refusal => ({
  status: 400,
  code: "INVALID_PARAM",
  ...(param !== undefined && { param }),
});
/** Returns the prediction of a missing parameter. */
export const missing = (param: string): Refusal => ({ status: 400, code: "MISSING_PARAM", param });
export const notFound: Refusal = { status: 404, code: "NOT_FOUND" };
export const conflict: Refusal = { status: 409, code: "CONFLICT" };
export const notYet: Refusal = { status: 501, code: "NOT_IMPLEMENTED" };

/** Returns the value that a drawn number selects; undefined for an empty list. */
export const drawnOf = <T>(values: readonly T[], drawn: number): T | undefined =>
  values.length === 0 ? undefined : values[drawn % values.length];
