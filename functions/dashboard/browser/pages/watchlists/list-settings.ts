/**
 * The settings of a watchlist that are numbers, under their names in the API. To add a setting, add
 * it to each declaration in this file that contains `refresh_every_runs`.
 */
import type { Scrapers, Watchlist } from "../../api/resources.ts";
import { defaultTemplate, type PipelineDraft } from "./pipeline-draft.ts";

/** The settings as texts, as the user types them. */
export interface SettingTexts {
  readonly refresh_every_runs: string;
}

/** The default settings of a new watchlist, as texts. */
export const newSettings: SettingTexts = { refresh_every_runs: "8" };

/** Returns the settings of a watchlist as texts. */
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

/** Returns the settings that have an effect in a context. The form shows and sends only these. */
export const settingsFor = (context: SettingContext): readonly Setting[] =>
  settings.filter(({ applies }) => applies(context));

/**
 * Returns true if an API parameter is one of the settings. The form then shows an error about the
 * parameter at the field of the setting.
 */
export const isSetting = (param: string): boolean => settings.some(({ name }) => name === param);

/**
 * Returns the settings to send to the API: those that have an effect, as numbers. A text that is
 * not a number becomes NaN, which the service refuses with an error for this setting.
 * @param opened the texts before the user changed them; equal texts are not sent
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
 * Converts a text to a number; NaN if the text is empty or not a number. NaN becomes null in JSON,
 * which the service refuses with an error for this setting.
 */
const numberOf = (text: string): number => (text === "" ? Number.NaN : Number(text));
