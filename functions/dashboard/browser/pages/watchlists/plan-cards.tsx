import type { ApiError } from "../../api/api-error.ts";
import type { SchedulePreview, Scrapers, WatchlistEstimate } from "../../api/resources.ts";
import type { Query } from "../../api/use-query.ts";
import { Card } from "../../ui/card.tsx";
import type { LimitsDraft, SettingTexts } from "./watchlist-settings.ts";
import { LimitsForm } from "./limits-form.tsx";
import type { PipelineDraft } from "./pipeline-draft.ts";
import { PipelineForm } from "./pipeline-form.tsx";
import type { ScheduleDraft } from "./schedule-draft.ts";
import { ScheduleForm } from "./schedule-form.tsx";

interface PlanDraft extends SettingTexts {
  readonly schedule: ScheduleDraft;
  readonly pipeline: PipelineDraft;
  readonly limits: LimitsDraft;
}

interface PlanCardsProps {
  readonly draft: PlanDraft;
  readonly change: (part: Partial<PlanDraft>) => void;
  readonly preview: Query<SchedulePreview>;
  readonly intervalHint: string;
  readonly isPaused?: boolean;
  readonly scrapers: Query<Scrapers>;
  readonly estimate: Query<WatchlistEstimate | undefined>;
  readonly error: ApiError | undefined;
}

/**
 * Cards for the schedule, the pipeline and the limits of a new or existing watchlist. Calls
 * `change` with the values that the user changes.
 */
export function PlanCards(props: PlanCardsProps) {
  const { draft, change, preview, intervalHint, isPaused = false, ...pipeline } = props;
  return (
    <>
      <Card title="Schedule">
        <ScheduleForm
          draft={draft.schedule}
          onChange={(schedule) => change({ schedule })}
          preview={preview}
          intervalHint={intervalHint}
          isPaused={isPaused}
        />
      </Card>
      <Card title="Pipeline">
        <PipelineForm
          {...pipeline}
          draft={draft.pipeline}
          onChange={(changed) => change({ pipeline: changed })}
          settings={draft}
          onSettings={change}
        />
      </Card>
      <Card title="Limits">
        <LimitsForm
          draft={draft.limits}
          onChange={(limits) => change({ limits })}
          errors={[pipeline.error, pipeline.estimate.error]}
        />
      </Card>
    </>
  );
}
