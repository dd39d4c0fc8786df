import type { Watchlist } from "../../api/resources.ts";

/** The limits of a watchlist as texts, as the user types them. */
export interface LimitsDraft {
  /** Credits of a run and of a UTC day. An empty text is no limit. */
  readonly runCredits: string;
  readonly dayCredits: string;
  readonly isBraked: boolean;
  readonly maxChangedPercent: string;
  readonly minItems: string;
}

/** The limits of a new watchlist. The brake is the default of the service. */
export const newLimits: LimitsDraft = {
  runCredits: "",
  dayCredits: "",
  isBraked: true,
  maxChangedPercent: "95",
  minItems: "50",
};

/** Returns the limits of a watchlist. Without a brake, its fields have the values of a new one. */
export const limitsOf = (list: Watchlist): LimitsDraft => ({
  ...newLimits,
  runCredits: String(list.max_credits_per_run ?? ""),
  dayCredits: String(list.daily_credit_budget ?? ""),
  isBraked: list.brake !== null,
  ...(list.brake !== null && {
    maxChangedPercent: String(list.brake.max_changed_percent),
    minItems: String(list.brake.min_items),
  }),
});

/** The limits to send to the API. The service refuses a text with an error for its field. */
interface LimitFields {
  readonly max_credits_per_run: number | string | null;
  readonly daily_credit_budget: number | string | null;
  readonly brake: {
    readonly max_changed_percent: number | string;
    readonly min_items: number | string;
  } | null;
}

/** Returns the limits to send to the API. */
export const limitFieldsOf = (draft: LimitsDraft): LimitFields => ({
  max_credits_per_run: creditLimitIn(draft.runCredits),
  daily_credit_budget: creditLimitIn(draft.dayCredits),
  brake: draft.isBraked
    ? {
        max_changed_percent: numberIn(draft.maxChangedPercent),
        min_items: numberIn(draft.minItems),
      }
    : null,
});

/** Returns the limits that differ from those of the opened form. */
export function changedLimits(draft: LimitsDraft, opened: LimitsDraft): Partial<LimitFields> {
  const before: Readonly<Record<string, unknown>> = { ...limitFieldsOf(opened) };
  const changed = Object.entries(limitFieldsOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

/** Converts the text of a credit limit for the API. An empty text is no limit, which is null. */
export const creditLimitIn = (text: string): number | string | null =>
  text.trim() === "" ? null : numberIn(text);

/**
 * Converts a text to a number. Returns a text that is not a number unchanged: NaN would become null
 * in JSON, which turns a limit off.
 */
function numberIn(text: string): number | string {
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

/** Returns true if a parameter is a limit. Its field then shows the error of the service. */
export const isLimit = (param: string): boolean =>
  /^(max_credits_per_run$|daily_credit_budget$|brake(\.|$))/.test(param);
