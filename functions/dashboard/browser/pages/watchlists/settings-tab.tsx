import { useState } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { Scrapers, Watchlist } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import type { Query } from "../../api/use-query.ts";
import { useUnsaved } from "../../ui/leaving.ts";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState, Loaded } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { BacktestCard } from "./backtest-card.tsx";
import { EstimateCard } from "./estimate-card.tsx";
import { EndpointField, useEndpoints } from "./endpoint-field.tsx";
import { isAtField, NameField } from "./name-field.tsx";
import { pipelineOf } from "./pipeline-draft.ts";
import { pipelineError, useEstimate, useScrapers } from "./pipeline-form.tsx";
import { PlanCards } from "./plan-cards.tsx";
import { intervalStart } from "./schedule-draft.ts";
import { useSchedulePreview } from "./schedule-form.tsx";
import { afterSaving, changesOf, type SettingsDraft, settingsOf } from "./settings-draft.ts";

interface SettingsTabProps {
  readonly list: Watchlist;
  readonly onChanged: () => void;
}

/**
 * A form for all settings of a watchlist. Sends only the changed settings, and then calls
 * `onChanged`. If the call fails, shows the error.
 */
export function SettingsTab(props: SettingsTabProps) {
  const scrapers = useScrapers(props.list);
  return (
    <Loaded query={scrapers}>
      {(known) => <Settings {...props} scrapers={scrapers} known={known} />}
    </Loaded>
  );
}

interface SettingsProps extends SettingsTabProps {
  readonly scrapers: Query<Scrapers>;
  readonly known: Scrapers;
}

/**
 * Returns the draft of the form, the changes in the draft, and the action that saves the changes.
 */
function useSettings({ list, onChanged, known }: SettingsProps) {
  const toast = useToast();
  const [opened, setOpened] = useState(() => settingsOf(list, known));
  const [draft, setDraft] = useState(opened);
  const save = useAction((api, body: Record<string, unknown>) =>
    api.send<Watchlist>("PATCH", `watchlists/${list.id}`, { body }),
  );
  const changes = changesOf(draft, opened, known);
  const submit = async (): Promise<void> => {
    const answer = await save.run(changes);
    if (answer === undefined) return;
    const saved = settingsOf(answer, known);
    setOpened(saved);
    setDraft((now) => afterSaving(now, { sent: draft, saved }));
    toast("The changes are saved.");
    onChanged();
  };
  const change = (part: Partial<SettingsDraft>): void =>
    setDraft((before) => ({ ...before, ...part }));
  return { draft, change, changes, save, submit };
}

function Settings(props: SettingsProps) {
  const { list, scrapers, known } = props;
  const { draft, change, changes, save, submit } = useSettings(props);
  const isPipeline = pipelineOf(draft.pipeline, known) !== undefined;
  useUnsaved(Object.keys(changes).length > 0 || !isPipeline, ["write", "spend"]);
  return (
    <form
      class="page-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isPipeline) void submit();
      }}
    >
      <SettingsFields
        list={list}
        draft={draft}
        change={change}
        scrapers={scrapers}
        error={save.error}
      />
      {save.error && !isAtField(save.error) && <ErrorState error={save.error} />}
      <div class="row">
        <WriteButton
          spends
          type="submit"
          variant="primary"
          busy={save.busy}
          disabledReason={
            Object.keys(changes).length === 0
              ? "There are no changes to save."
              : isPipeline
                ? undefined
                : "The pipeline is not valid yet. See the message at its field."
          }
        >
          Save changes
        </WriteButton>
        <span class="muted small">Changes do not affect a run in progress.</span>
      </div>
    </form>
  );
}

interface SettingsFieldsProps {
  readonly list: Watchlist;
  readonly draft: SettingsDraft;
  readonly change: (part: Partial<SettingsDraft>) => void;
  readonly scrapers: Query<Scrapers>;
  readonly error: ApiError | undefined;
}

function SettingsFields({ list, draft, change, scrapers, error }: SettingsFieldsProps) {
  const endpoints = useEndpoints();
  const after = intervalStart(draft.schedule, list);
  const preview = useSchedulePreview(draft.schedule, after);
  const estimate = useEstimate({
    subject: { watchlistId: list.id },
    schedule: preview.data?.schedule,
    draft: draft.pipeline,
    scrapers: scrapers.data,
    settings: draft,
    limits: draft.limits,
  });
  return (
    <>
      <Card title="General">
        <NameField value={draft.name} onChange={(name) => change({ name })} error={error} />
        <EndpointField
          endpoints={endpoints}
          url={draft.endpoint}
          onChange={(endpoint) => change({ endpoint })}
          error={error}
        />
      </Card>
      <PlanCards
        draft={draft}
        change={change}
        preview={preview}
        isPaused={list.status === "paused"}
        intervalHint={after === null ? "Counted from now." : "Counted from the last run."}
        scrapers={scrapers}
        estimate={estimate}
        error={error}
      />
      <EstimateCard
        estimate={estimate.data}
        items={list.item_count}
        isPaused={list.status === "paused"}
      />
      {list.run_count > 0 && (
        <BacktestCard
          list={list}
          pipeline={pipelineOf(draft.pipeline, scrapers.data)}
          limits={draft.limits}
          isRefused={pipelineError(estimate.error) !== undefined}
        />
      )}
    </>
  );
}
