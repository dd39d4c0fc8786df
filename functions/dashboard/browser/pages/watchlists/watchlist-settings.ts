/**
 * The settings of a watchlist that the forms show as one field each, under their names in the API.
 * To add a credit limit, add it to `creditLimits`. To add a number, add it to each declaration that
 * contains `refresh_every_runs`.
 */
import type { Scrapers, Watchlist } from "../../api/resources.ts";
import { defaultTemplate, type PipelineDraft } from "./pipeline-draft.ts";

/** The settings as strings, as the user types them. */
export interface SettingTexts {
  readonly refresh_every_runs: string;
}

/** The default settings of a new watchlist, as strings. */
export const newSettings: SettingTexts = { refresh_every_runs: "8" };

/** Returns the settings of a watchlist as strings. */
export const settingTextsOf = (list: Watchlist): SettingTexts => ({
  refresh_every_runs: String(list.refresh_every_runs),
});

/** The values that decide whether a setting has an effect. */
interface SettingContext {
  readonly pipeline: PipelineDraft;
  readonly scrapers: Scrapers | undefined;
}

interface Setting {
  readonly name: keyof SettingTexts;
  readonly label: string;
  readonly hint: string;
  readonly applies: (context: SettingContext) => boolean;
}

const settings: readonly Setting[] = [
  {
    name: "refresh_every_runs",
    label: "Full refresh every N runs",
    hint: "Every Nth run reads all items at lite instead of pulse. If such a run is skipped for lack of credits, the next run is the full refresh. Enter 0 to turn full refreshes off.",
    applies: ({ pipeline, scrapers }) =>
      pipeline.template === defaultTemplate && scrapers?.templates[0]?.pipeline.refresh != null,
  },
];

/**
 * Returns the settings that have an effect with the pipeline in `context`. The form shows and sends
 * only these settings.
 */
export const settingsFor = (context: SettingContext): readonly Setting[] =>
  settings.filter(({ applies }) => applies(context));

/**
 * Returns true if an API parameter is one of the settings. The form then shows an error about the
 * parameter at the field of the setting.
 */
export const isSetting = (param: string): boolean => settings.some(({ name }) => name === param);

/**
 * Returns the settings to send to the API: the settings that have an effect, as numbers. A string
 * that is not a number becomes NaN, which the service refuses with an error for this setting.
 * @param opened the strings before the user changed them; equal strings are not sent
 */
export const settingFields = (
  texts: SettingTexts,
  context: SettingContext,
  opened?: SettingTexts,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    settingsFor(context)
      .filter(({ name }) => texts[name].trim() !== opened?.[name].trim())
      .map(({ name }) => [name, numberOf(texts[name].trim())]),
  );

/**
 * Converts a string to a number; NaN if the text is empty or not a number. NaN becomes null in
 * JSON, which the service refuses with an error for this setting.
 */
const numberOf = (text: string): number => (text === "" ? Number.NaN : Number(text));

/** The label and the hint of a field in the form. */
interface LimitField {
  readonly label: string;
  readonly hint: string;
}

/**
 * The label and the hint of each credit limit, by its name in the API. An empty field means no
 * limit, which is null in the API.
 */
export const creditLimits = {
  max_credits_per_run: {
    label: "Credits per run",
    hint: "A step that would exceed this number waits for the next run. Empty: no limit.",
  },
  daily_credit_budget: {
    label: "Credits per day",
    hint: "For all runs of the watchlist on a UTC day. Empty: no limit.",
  },
} as const satisfies Partial<Record<keyof Watchlist, LimitField>>;

/** The label and the hint of each field of the brake, by its name in the API. */
export const brakeFields = {
  max_changed_percent: {
    label: "Changed items, in percent",
    hint: "If a larger share changed or was delisted, the events wait until you release or discard the run.",
  },
  min_items: {
    label: "Minimum number of items",
    hint: "A run that reads fewer items is never held.",
  },
} as const satisfies Record<keyof NonNullable<Watchlist["brake"]>, LimitField>;

type CreditLimit = keyof typeof creditLimits;
type BrakeField = keyof typeof brakeFields;

/** The limits of a watchlist as strings, as the user types them. */
export interface LimitsDraft {
  readonly credits: Readonly<Record<CreditLimit, string>>;
  /** True if the watchlist has a brake. Otherwise `brake` has no effect. */
  readonly isBraked: boolean;
  readonly brake: Readonly<Record<BrakeField, string>>;
}

/**
 * Returns the limits of a watchlist. For a watchlist without a brake, the fields of the brake have
 * the default values.
 */
export const limitsOf = (list: Pick<Watchlist, CreditLimit | "brake">): LimitsDraft => ({
  credits: mapped(creditLimits, (_, name) => String(list[name] ?? "")),
  isBraked: list.brake !== null,
  brake: mapped(brakeFields, (_, name) => String((list.brake ?? defaultBrake)[name])),
});

const defaultBrake = { max_changed_percent: 95, min_items: 50 };

/** The limits of a new watchlist: no credit limits, and the service's default brake. */
export const newLimits: LimitsDraft = limitsOf({
  ...mapped(creditLimits, () => null),
  brake: defaultBrake,
});

/**
 * The limits to send to the API. A string is a text that is not a number. The service then responds
 * with an error for the field with this text.
 */
interface LimitFields extends Readonly<Record<CreditLimit, number | string | null>> {
  readonly brake: Readonly<Record<BrakeField, number | string>> | null;
}

/**
 * Converts the limits of the form to the fields of the API. A text that is not a number stays a
 * string, which the service refuses.
 */
export const limitFieldsOf = ({ credits, isBraked, brake }: LimitsDraft): LimitFields => ({
  ...mapped(credits, creditLimitIn),
  brake: isBraked ? mapped(brake, numberIn) : null,
});

/** Returns the limits that the user changed since the form was opened. */
export function changedLimits(draft: LimitsDraft, opened: LimitsDraft): Partial<LimitFields> {
  const before: Readonly<Record<string, unknown>> = { ...limitFieldsOf(opened) };
  const changed = Object.entries(limitFieldsOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

/**
 * Converts the text of a credit limit for the API. An empty string means no limit, which is null in
 * the API. A text that is not a number stays a string, which the service refuses.
 */
export function creditLimitIn(text: string): number | string | null {
  return text.trim() === "" ? null : numberIn(text);
}

/**
 * Converts a string to a number. Returns a string that is not a number unchanged: NaN would become
 * null in JSON, which turns a limit off.
 */
function numberIn(text: string): number | string {
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

/**
 * Returns true if an API parameter is a limit. The field of the limit then shows the error of the
 * service.
 */
export const isLimit = (param: string): boolean =>
  param in creditLimits || /^brake(\.|$)/.test(param);

/** Returns the entries of an object, with the types of its keys. */
export function entriesOf<Key extends string, Value>(
  object: Readonly<Record<Key, Value>>,
): readonly (readonly [Key, Value])[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose their types
  return Object.entries(object) as [Key, Value][];
}

/** Returns an object with the keys of `object`, and the result of `valueOf` for each entry. */
function mapped<Key extends string, From, To>(
  object: Readonly<Record<Key, From>>,
  valueOf: (value: From, key: Key) => To,
): Record<Key, To> {
  const entries = entriesOf(object).map(([key, value]) => [key, valueOf(value, key)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- entries lose their types
  return Object.fromEntries(entries) as Record<Key, To>;
}
