import type { Scrapers, Watchlist } from "../../api/resources.ts";
import {
  changedLimits,
  type LimitsDraft,
  limitsOf,
  settingFields,
  type SettingTexts,
  settingTextsOf,
} from "./watchlist-settings.ts";
import { type PipelineDraft, pipelineDraftOf, pipelineOf } from "./pipeline-draft.ts";
import { type ScheduleDraft, scheduleDraftOf, scheduleFieldsOf } from "./schedule-draft.ts";

/** The values of the settings form. */
export interface SettingsDraft extends SettingTexts {
  readonly name: string;
  readonly schedule: ScheduleDraft;
  readonly pipeline: PipelineDraft;
  readonly endpoint: string | null;
  readonly limits: LimitsDraft;
}

/**
 * Returns the values of the settings form for a watchlist.
 * @param known the scrapers and templates of the watchlist's platform
 */
export const settingsOf = (list: Watchlist, known: Scrapers): SettingsDraft => ({
  name: list.name,
  schedule: scheduleDraftOf(list),
  pipeline: pipelineDraftOf(list, known),
  endpoint: list.webhook_url,
  limits: limitsOf(list),
  ...settingTextsOf(list),
});

/**
 * Returns the fields to send: only those that the user changed, so that changes by other clients
 * are kept. Returns an empty object if the user changed nothing.
 * @param opened the settings when the user opened the form
 * @param known the scrapers and templates of the watchlist's platform
 */
export function changesOf(
  draft: SettingsDraft,
  opened: SettingsDraft,
  known: Scrapers,
): Record<string, unknown> {
  const differs = (of: (one: SettingsDraft) => unknown): boolean => !isSame(of(draft), of(opened));
  return {
    ...(differs(({ name }) => name.trim()) && { name: draft.name.trim() }),
    ...(differs(({ schedule }) => scheduleFieldsOf(schedule)) && scheduleFieldsOf(draft.schedule)),
    ...(differs(({ pipeline }) => pipelineOf(pipeline, known) ?? "none") && {
      pipeline: pipelineOf(draft.pipeline, known),
    }),
    ...(differs(({ endpoint }) => endpoint) && { webhook_url: draft.endpoint }),
    ...changedLimits(draft.limits, opened.limits),
    ...settingFields(draft, { pipeline: draft.pipeline, scrapers: known }, opened),
  };
}

/**
 * Returns the draft after a save: the saved settings, and the changes that the user has made since
 * the request was sent.
 */
export function afterSaving(
  draft: SettingsDraft,
  { sent, saved }: { readonly sent: SettingsDraft; readonly saved: SettingsDraft },
): SettingsDraft {
  const before: Readonly<Record<string, unknown>> = { ...sent };
  const newer = Object.entries(draft).filter(([name, value]) => !isSame(value, before[name]));
  return { ...saved, ...Object.fromEntries(newer) };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
