import { invalidParam } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { quantity } from "../base/quantity.ts";
import { formatValue } from "../base/shown-value.ts";

/** The values that match each of the five fields. Each array is sorted, unique and not empty. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Days of the week, from 0 (Sunday) to 6 (Saturday). */
  readonly weekdays: readonly number[];
  /** True unless the day-of-month field is exactly `*`. */
  readonly daysRestricted: boolean;
  /** True unless the day-of-week field is exactly `*`. */
  readonly weekdaysRestricted: boolean;
}

const macros = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
]);

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values, starting at `min`; empty if the field accepts only numbers. */
  readonly names: readonly string[];
  /** The accepted values in words, for error messages. */
  readonly values: string;
  /** Number of different values, which a step must not exceed. */
  readonly count: number;
}

/** Names of the months in expressions, from January. */
const monthNames = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

/** Names of the days of the week in expressions, from Sunday. */
export const weekdayNames: readonly string[] = "SUN MON TUE WED THU FRI SAT".split(" ");

const numberField = (name: string, min: number, max: number): Field => ({
  name,
  min,
  max,
  names: [],
  values: `${min} to ${max}`,
  count: max - min + 1,
});

const minute = numberField("minute", 0, 59);
const hour = numberField("hour", 0, 23);
const day = numberField("day-of-month", 1, 31);
const month: Field = {
  name: "month",
  min: 1,
  max: 12,
  names: monthNames,
  values: "1 to 12 or JAN to DEC",
  count: 12,
};
const weekday: Field = {
  name: "day-of-week",
  min: 0,
  max: 7,
  names: weekdayNames,
  values: "0 to 7 (0 and 7 are Sunday) or SUN to SAT",
  count: 7,
};

/**
 * Parses a trimmed expression of five fields, or one of the five macros (specification, section
 * "POST /v1/watchlists", row `cron`). Names and macros are case-insensitive.
 * @throws 400 INVALID_PARAM with `param` = `cron`; the message names the field and its accepted
 * values
 */
export function parseFields(expression: string): CronFields {
  const [minutes, hours, days, months, weekdays] = splitFields(expression);
  return {
    minutes: parseField(minutes, minute),
    hours: parseField(hours, hour),
    days: parseField(days, day),
    months: parseField(months, month),
    weekdays: parseField(weekdays, weekday),
    daysRestricted: days !== "*",
    weekdaysRestricted: weekdays !== "*",
  };
}

/**
 * Refuses a cron expression with a step that exceeds the number of values of its field, such as
 * `0-59/61` for minutes: such a step selects only one value. This check is not part of
 * `parseFields`, because earlier releases stored such expressions.
 * @throws 400 INVALID_PARAM with `param` = `cron`; the message names the field and its largest step
 */
export function refuseLargeSteps(expression: string): void {
  const [minutes, hours, days, months, weekdays] = splitFields(expression);
  refuseLargeStep(minutes, minute);
  refuseLargeStep(hours, hour);
  refuseLargeStep(days, day);
  refuseLargeStep(months, month);
  refuseLargeStep(weekdays, weekday);
}

function refuseLargeStep(text: string, field: Field): void {
  for (const element of text.split(",")) {
    const step = /\/(\d+)$/.exec(element)?.[1];
    if (step !== undefined && Number(step) > field.count) {
      throw refusal(
        element,
        field,
        `The step must be at most ${field.count}, the number of values of this field.`,
      );
    }
  }
}

type FiveTexts = readonly [string, string, string, string, string];

/**
 * Returns the texts of the five fields.
 * @throws 400 if there are not five, or for an unknown macro
 */
function splitFields(expression: string): FiveTexts {
  const known = [...macros.keys()].join(", ");
  if (expression.startsWith("@") && !macros.has(expression.toLowerCase())) {
    throw invalidParam(
      "cron",
      `'cron' has an unknown macro (got ${formatValue(expression)}). ` +
        `The macros are ${known}.${didYouMean(expression, [...macros.keys()])}`,
    );
  }
  const texts = (macros.get(expression.toLowerCase()) ?? expression).split(/[ \t]+/);
  const [minutes, hours, days, months, weekdays] = texts;
  if (
    minutes === undefined ||
    hours === undefined ||
    days === undefined ||
    months === undefined ||
    weekdays === undefined ||
    texts.length > 5
  ) {
    const count = expression === "" ? 0 : texts.length;
    throw invalidParam(
      "cron",
      `'cron' must have 5 fields (got ${quantity(count, "field")}): minute hour day-of-month ` +
        `month day-of-week. Seconds and years are not supported. Or use one of ${known}.`,
    );
  }
  return [minutes, hours, days, months, weekdays];
}

/** Returns the values that a field matches: unique and ascending. */
function parseField(text: string, field: Field): readonly number[] {
  const values = text.split(",").flatMap((element) => parseElement(element, field));
  return [...new Set(values)].sort((a, b) => a - b);
}

/**
 * Parses one list element: `*`, `*` with a step, a value, a range, or a range with a step.
 * @throws 400 INVALID_PARAM for any other element, or a step of 0
 */
function parseElement(element: string, field: Field): number[] {
  const parts = /^(\*|\d+|[a-z]+)(?:-(\d+|[a-z]+))?(?:\/(\d+))?$/i.exec(element);
  if (parts === null) throw refusal(element, field, whyUnreadable(element));
  const [, first = "", last, step] = parts;
  const [from, to] = boundsOf({ element, first, last }, field);
  if (step !== undefined && first !== "*" && last === undefined) {
    const range = `${first}-${field.max}/${step}`;
    throw refusal(element, field, `The step must follow '*' or a range, as in ${range}.`);
  }
  if (Number(step) === 0) throw refusal(element, field, "The step must be at least 1, as in */5.");
  const values: number[] = [];
  for (let value = from; value <= to; value += Number(step ?? 1)) {
    values.push(field === weekday ? value % 7 : value);
  }
  return values;
}

interface Range {
  readonly element: string;
  readonly first: string;
  readonly last: string | undefined;
}

/**
 * Returns the lowest and highest value of a list element.
 * @throws 400 if it is invalid
 */
function boundsOf({ element, first, last }: Range, field: Field): [from: number, to: number] {
  if (first === "*") {
    if (last === undefined) return [field.min, field.max];
    throw refusal(element, field, "The range must begin with a value, not with '*', as in 1-5.");
  }
  const from = parseValue(first, { element, field });
  const to = last === undefined ? from : parseValue(last, { element, field });
  if (to < from) {
    const halves = `${first}-${field.max},${field.min}-${last}`;
    throw refusal(
      element,
      field,
      `The range must not end before it begins. Send ${halves} instead.`,
    );
  }
  return [from, to];
}

/**
 * Parses a number or a name.
 * @throws 400 if the field does not accept it
 */
function parseValue(
  text: string,
  { element, field }: { readonly element: string; readonly field: Field },
): number {
  const named = field.names.indexOf(text.toUpperCase());
  const value = named === -1 ? Number(text) : named + field.min;
  if (!(value >= field.min && value <= field.max)) throw refusal(element, field, whyUnknown(text));
  return value;
}

function whyUnreadable(element: string): string {
  if (element === "") return "A list must not have an empty element.";
  if (element === "?") return "'?' is not supported. Send '*' instead.";
  if (element.includes("#")) return "'#' is not supported.";
  if (/^\d*[LW]+$/i.test(element)) return "'L' and 'W' are not supported.";
  return "Its syntax is invalid.";
}

function whyUnknown(text: string): string {
  if (/^\d+$/.test(text)) return `${text} is out of range.`;
  if (/^[LW]+$/i.test(text)) return "'L' and 'W' are not supported.";
  return `'${text}' is not a value of this field.`;
}

/** Builds the error for an element of a field. `why` is a sentence. */
function refusal(element: string, field: Field, why: string): Error {
  return invalidParam(
    "cron",
    `'cron' has '${element}' in its ${field.name} field. ${why} ` +
      `The field accepts ${field.values}, ranges (a-b), steps (*/n, a-b/n), lists of these, or *.`,
  );
}
