/**
 * The settings of a watchlist that are one number each, under their names in the API. To add one, add
 * it to each declaration of this file that names one.
 */
import type { Scrapers, Watchlist } from "../../api/resources.ts";
import { defaultTemplate, type PipelineDraft } from "./pipeline-draft.ts";

/** The settings as a person enters them. */
export interface SettingTexts {
  readonly refresh_every_runs: string;
}

/** What the fields of a new watchlist contain. */
export const newSettings: SettingTexts = { refresh_every_runs: "8" };

export const settingTextsOf = (list: Watchlist): SettingTexts => ({
  refresh_every_runs: String(list.refresh_every_runs),
});

/** What decides where a setting has an effect. */
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
    label: "Runs between full looks",
    hint: "Every Nth run reads every item in full instead of the low-cost scan. If it is skipped for lack of credits, the next run is the refresh. 0: never.",
    applies: ({ pipeline, scrapers }) =>
      pipeline.template === defaultTemplate && scrapers?.templates[0]?.pipeline.refresh != null,
  },
];

/** The settings that have an effect; only these are shown and sent. */
export const settingsFor = (context: SettingContext): readonly Setting[] =>
  settings.filter(({ applies }) => applies(context));

/** Whether a parameter is a setting, whose field shows why the service refused it. */
export const isSetting = (param: string): boolean => settings.some(({ name }) => name === param);

/**
 * The settings to send in a body.
 * @param opened the texts when the form was opened; unchanged ones are left out
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

/** What is no number is sent as null, which the service refuses at this field. */
const numberOf = (text: string): number => (text === "" ? Number.NaN : Number(text));
