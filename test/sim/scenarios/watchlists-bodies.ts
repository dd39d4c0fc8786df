import type { Random } from "../random.ts";

/** The fields of a watchlist in a response that the scenario checks. */
export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "paused";
  readonly paused_reason: string | null;
  readonly schedule: object;
  readonly refresh_every_runs: number;
  readonly webhook_url: string | null;
  readonly item_count: number;
  readonly items_by_state: Readonly<Record<"new" | "active" | "delisted", number>>;
  readonly pipeline: { readonly entry: string };
  readonly default_pipeline: boolean;
  readonly run_count: number;
  readonly consecutive_skips: number;
  readonly next_run_at: string | null;
}

/** A setting in the form of a request, and in the form of a response. */
export interface Choice {
  readonly sent: object;
  readonly shown: string;
}

const every = (text: string, seconds: number): Choice => ({
  sent: { every: text },
  shown: JSON.stringify({ type: "every", every: text, every_seconds: seconds }),
});
const cron = (expression: string, timezone: string): Choice => ({
  sent: { cron: expression, timezone },
  shown: JSON.stringify({ type: "cron", cron: expression, timezone }),
});

const hour = 3_600;
const day = 24 * hour;
/** Schedules that start only a few runs in the days that a seed simulates. */
const schedules: readonly Choice[] = [
  every("12h", 12 * hour),
  every("24h", day),
  every("1d", day),
  every("2d", 2 * day),
  every("7d", 7 * day),
  cron("0 6 * * *", "UTC"),
  cron("30 2 * * *", "America/New_York"),
  cron("15 0 * * *", "Pacific/Auckland"),
  cron("0 9 * * MON-FRI", "Europe/Berlin"),
  cron("@weekly", "Asia/Kolkata"),
];

/** Draws a schedule. */
export const aSchedule = (random: Random): Choice => random.pick(schedules);

export type ListPlatform = "retailer_a" | "retailer_d";

const pipelineOf = (platform: ListPlatform, step: string): object => ({
  steps: [
    {
      id: step,
      scraper: platform === "retailer_a" ? "retailer_a.pulse" : "retailer_d.standard",
      routes: [{ when: "changed", notify: true }],
    },
  ],
});

/** Draws the default pipeline, or a pipeline with one step, whose ID identifies the pipeline. */
export function aPipeline(platform: ListPlatform, random: Random): Choice {
  const step = random.pick(["default", "one", "two"]);
  return step === "default"
    ? { sent: { pipeline: null }, shown: step }
    : { sent: { pipeline: pipelineOf(platform, step) }, shown: step };
}

/** The settings of a watchlist that hands change (see `Acting`). */
export const settingNames = [
  "name",
  "schedule",
  "status",
  "endpoint",
  "refresh",
  "pipeline",
] as const;
export type SettingName = (typeof settingNames)[number];

/** Returns the settings in a response, each as a string for comparison. */
export const settingsOf = (shown: Shown): Readonly<Record<SettingName, string>> => ({
  name: shown.name,
  schedule: JSON.stringify(shown.schedule),
  status: shown.status,
  endpoint: String(shown.webhook_url),
  refresh: String(shown.refresh_every_runs),
  pipeline: shown.default_pipeline ? "default" : shown.pipeline.entry,
});

const itemsOfHand = 6;

/** Returns the item IDs that only the hand with this number (see `Acting`) adds and removes. */
export const idsOfHand = (platform: ListPlatform, hand: number): readonly string[] =>
  Array.from({ length: itemsOfHand }, (_, n) =>
    platform === "retailer_a" ? `B0${hand}000000${n}` : `7${n}00${hand}`,
  );
