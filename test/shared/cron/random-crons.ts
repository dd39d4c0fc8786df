import fc from "fast-check";
import { Temporal } from "temporal-polyfill";

/** A cron expression, and the values of each field, generated together. */
export interface RandomCron {
  readonly expression: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 1 to 7 for Monday to Sunday, as in ISO 8601. */
  readonly weekdays: ReadonlySet<number>;
  /** True if a day that matches only one of the two day fields is due. */
  readonly eitherDay: boolean;
}

interface RandomField {
  readonly text: string;
  readonly values: readonly number[];
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const stepped = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

const star = (min: number, max: number): RandomField => ({
  text: "*",
  values: stepped(min, max, 1),
});

function value({ min, max, names = [] }: Bounds): fc.Arbitrary<{ text: string; value: number }> {
  return fc
    .record({ value: fc.integer({ min, max }), form: fc.constantFrom("plain", "padded", "name") })
    .map(({ value: picked, form }) => {
      const name = names[picked - min];
      if (form === "name" && name !== undefined) return { text: name, value: picked };
      return { text: `${form === "padded" ? "0" : ""}${picked}`, value: picked };
    });
}

function element(bounds: Bounds): fc.Arbitrary<RandomField> {
  const single = value(bounds).map((one) => ({ text: one.text, values: [one.value] }));
  const range = fc
    .tuple(value(bounds), value(bounds), fc.option(fc.integer({ min: 1, max: 40 })))
    .map(([one, other, step]) => {
      const [from, to] = one.value <= other.value ? [one, other] : [other, one];
      const text = `${from.text}-${to.text}${step === null ? "" : `/${step}`}`;
      return { text, values: stepped(from.value, to.value, step ?? 1) };
    });
  const stars = fc.integer({ min: 1, max: bounds.max }).map((step) => ({
    text: `*/${step}`,
    values: stepped(bounds.min, bounds.max, step),
  }));
  return fc.oneof({ weight: 4, arbitrary: single }, { weight: 2, arbitrary: range }, stars);
}

function field(bounds: Bounds, elementsMax = 3): fc.Arbitrary<RandomField> {
  const list = fc.array(element(bounds), { minLength: 1, maxLength: elementsMax }).map((parts) => ({
    text: parts.map((part) => part.text).join(","),
    values: parts.flatMap((part) => part.values),
  }));
  return fc.oneof(fc.constant(star(bounds.min, bounds.max)), list);
}

/**
 * Minutes that are at least five apart within an hour. Some are closer across the end of the hour.
 */
const minuteField: fc.Arbitrary<RandomField> = fc.oneof(
  fc.constantFrom(5, 6, 10, 11, 12, 13, 15, 20, 25, 28, 30, 45).map((step) => ({
    text: `*/${step}`,
    values: stepped(0, 59, step),
  })),
  fc
    .uniqueArray(fc.integer({ min: 0, max: 59 }), {
      minLength: 1,
      maxLength: 5,
      comparator: (one, other) => Math.abs(one - other) < 5,
    })
    .map((values) => ({ text: values.join(","), values })),
);

/**
 * Times around the end of an hour that are close together only if a clock change skips the hour
 * between them.
 */
const narrowTimes: fc.Arbitrary<[RandomField, RandomField]> = fc
  .record({
    first: fc.integer({ min: 0, max: 4 }),
    between: fc.option(fc.integer({ min: 10, max: 50 })),
    last: fc.integer({ min: 55, max: 59 }),
    hours: fc.constantFrom([0, 2], [1, 2]).map(([from = 0, step = 1]) => stepped(from, 23, step)),
    everyHour: fc.integer({ min: 0, max: 5 }).map((pick) => pick === 0),
  })
  .map(({ first, between, last, hours, everyHour }) => {
    const minutes = [first, ...(between === null ? [] : [between]), ...(everyHour ? [] : [last])];
    return [
      { text: minutes.join(","), values: minutes },
      everyHour ? star(0, 23) : { text: hours.join(","), values: hours },
    ];
  });

const times: fc.Arbitrary<[RandomField, RandomField]> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(minuteField, field({ min: 0, max: 23 })) },
  { weight: 1, arbitrary: narrowTimes },
);

function assemble(
  [minute, hour]: readonly [RandomField, RandomField],
  [day, month, weekday]: readonly [RandomField, RandomField, RandomField],
): RandomCron {
  return {
    expression: [minute, hour, day, month, weekday].map(({ text }) => text).join(" "),
    minutes: new Set(minute.values),
    hours: new Set(hour.values),
    days: new Set(day.values),
    months: new Set(month.values),
    weekdays: new Set(weekday.values.map((number) => (number === 0 ? 7 : number))),
    eitherDay: day.text !== "*" && weekday.text !== "*",
  };
}

/** Random date fields. Half of the crons fire every day, so some fire on days of clock changes. */
const dateFields = fc.oneof(
  fc.constant([star(1, 31), star(1, 12), star(0, 6)] as const),
  fc.tuple(
    field({ min: 1, max: 31 }),
    field({ min: 1, max: 12, names: months }, 4),
    field({ min: 0, max: 7, names: weekdays }),
  ),
);

/** Random expressions. Most are accepted; some fire too often, and some never. */
export const randomCron: fc.Arbitrary<RandomCron> = fc
  .tuple(times, dateFields)
  .map(([time, date]) => assemble(time, date));

/** Zones with unusual clock changes. */
const peculiarZones = [
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "Antarctica/Casey",
  "Africa/Casablanca",
  "Africa/Monrovia",
  "Africa/Cairo",
  "America/Sao_Paulo",
  "America/Havana",
  "America/Nuuk",
  "America/St_Johns",
  "America/Caracas",
  "Asia/Gaza",
  "Asia/Kathmandu",
  "Asia/Pyongyang",
  "Asia/Tehran",
  "Europe/Dublin",
  "Europe/Moscow",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Pacific/Easter",
  "Pacific/Kiritimati",
  "Pacific/Kwajalein",
  "UTC",
];

export const randomZone: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...peculiarZones),
  fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
);

const dayMs = 86_400_000;

/** A zone and an instant from 1970 to 2037; most instants are near a clock change of the zone. */
export const randomMoment: fc.Arbitrary<{ zone: string; after: Date }> = fc
  .record({
    zone: randomZone,
    at: fc.date({
      min: new Date("1970-01-01T00:00:00Z"),
      max: new Date("2037-12-31T00:00:00Z"),
      noInvalidDate: true,
    }),
    nearChange: fc.integer({ min: 0, max: 3 }).map((pick) => pick > 0),
    away: fc.oneof(
      fc.integer({ min: -3 * dayMs, max: dayMs }),
      fc.integer({ min: -70, max: 200 }).map((minutes) => minutes * 60_000),
    ),
  })
  .map(({ zone, at, nearChange, away }) => {
    const change = nearChange ? changeAfter(zone, at) : null;
    return { zone, after: change === null ? at : new Date(change.getTime() + away) };
  });

/** Returns the first clock change of a zone after an instant; null if there is none. */
export function changeAfter(zone: string, at: Date): Date | null {
  const there = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  const change = there.getTimeZoneTransition("next");
  return change === null ? null : new Date(change.epochMilliseconds);
}
