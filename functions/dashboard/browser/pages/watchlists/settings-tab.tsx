import { useState } from "preact/hooks";
import type { ApiError } from "../../api/api-error.ts";
import type { Scrapers, Watchlist } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import type { Query } from "../../api/use-query.ts";
import { WriteButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorState, Loaded } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { EndpointField, useEndpoints } from "./endpoint-field.tsx";
import { isAtField, NameField } from "./name-field.tsx";
import { pipelineDraftOf, pipelineOf, type PipelineDraft } from "./pipeline-draft.ts";
import { PipelineForm, refreshFields, useEstimate, useScrapers } from "./pipeline-form.tsx";
import { type ScheduleDraft, scheduleDraftOf, scheduleFieldsOf } from "./schedule-draft.ts";
import { ScheduleForm, useSchedulePreview } from "./schedule-form.tsx";

interface SettingsTabProps {
  readonly list: Watchlist;
  readonly onChanged: () => void;
}

/** Everything of a list that can be changed, but its items. */
export function SettingsTab(props: SettingsTabProps) {
  const scrapers = useScrapers(props.list);
  return (
    <Loaded query={scrapers}>
      {(known) => <Settings {...props} scrapers={scrapers} known={known} />}
    </Loaded>
  );
}

interface Draft {
  readonly name: string;
  readonly schedule: ScheduleDraft;
  readonly pipeline: PipelineDraft;
  readonly endpoint: string | null;
  readonly refreshEveryRuns: string;
}

const draftOf = (list: Watchlist, known: Scrapers): Draft => ({
  name: list.name,
  schedule: scheduleDraftOf(list),
  pipeline: pipelineDraftOf(list, known),
  endpoint: list.webhook_url,
  refreshEveryRuns: String(list.refresh_every_runs),
});

/** Only what differs from the list, so that nobody's change elsewhere is undone. */
function changesOf(draft: Draft, list: Watchlist, known: Scrapers): Record<string, unknown> {
  const before = draftOf(list, known);
  const differs = (of: (one: Draft) => unknown): boolean =>
    JSON.stringify(of(draft)) !== JSON.stringify(of(before));
  const fieldsOf = (one: Draft) => refreshFields({ ...one, draft: one.pipeline, scrapers: known });
  return {
    ...(differs(({ name }) => name) && { name: draft.name }),
    ...(differs(({ schedule }) => scheduleFieldsOf(schedule)) && scheduleFieldsOf(draft.schedule)),
    ...(differs(({ pipeline }) => pipelineOf(pipeline, known) ?? null) && {
      pipeline: pipelineOf(draft.pipeline, known),
    }),
    ...(differs(({ endpoint }) => endpoint) && { webhook_url: draft.endpoint }),
    ...(differs(({ refreshEveryRuns }) => refreshEveryRuns) && fieldsOf(draft)),
  };
}

interface SettingsProps extends SettingsTabProps {
  readonly scrapers: Query<Scrapers>;
  readonly known: Scrapers;
}

function useSaving({ list, onChanged }: SettingsTabProps) {
  const toast = useToast();
  const save = useAction((api, body: Record<string, unknown>) =>
    api.send<Watchlist>("PATCH", `watchlists/${list.id}`, { body }),
  );
  const submit = async (changes: Record<string, unknown>): Promise<void> => {
    if ((await save.run(changes)) === undefined) return;
    toast("The changes are saved.");
    onChanged();
  };
  return { save, submit };
}

function Settings({ list, onChanged, scrapers, known }: SettingsProps) {
  const [draft, setDraft] = useState(() => draftOf(list, known));
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const { save, submit } = useSaving({ list, onChanged });
  const changes = changesOf(draft, list, known);
  const isJson = pipelineOf(draft.pipeline, known) !== undefined;
  return (
    <form
      class="page-body"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isJson) void submit(changes);
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
          type="submit"
          variant="primary"
          busy={save.busy}
          disabledReason={
            Object.keys(changes).length === 0
              ? "Nothing is changed."
              : isJson
                ? undefined
                : "The pipeline is no JSON."
          }
        >
          Save changes
        </WriteButton>
        <span class="muted small">A run in progress goes on as it began.</span>
      </div>
    </form>
  );
}

interface SettingsFieldsProps {
  readonly list: Watchlist;
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly scrapers: Query<Scrapers>;
  readonly error: ApiError | undefined;
}

function SettingsFields({ list, draft, change, scrapers, error }: SettingsFieldsProps) {
  const endpoints = useEndpoints();
  const preview = useSchedulePreview(draft.schedule);
  const estimate = useEstimate({
    platform: list.platform,
    marketplace: list.marketplace,
    items: list.item_count,
    draft: draft.pipeline,
    scrapers: scrapers.data,
    refreshEveryRuns: draft.refreshEveryRuns,
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
      <Card title="Schedule">
        <ScheduleForm
          draft={draft.schedule}
          onChange={(schedule) => change({ schedule })}
          preview={preview}
        />
      </Card>
      <Card title="Pipeline">
        <PipelineForm
          draft={draft.pipeline}
          onChange={(pipeline) => change({ pipeline })}
          scrapers={scrapers}
          estimate={estimate}
          refreshEveryRuns={draft.refreshEveryRuns}
          onRefreshEveryRuns={(refreshEveryRuns) => change({ refreshEveryRuns })}
          error={error}
        />
      </Card>
    </>
  );
}
