import type { Account, SchedulePreview, WatchlistEstimate } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCredits } from "../../format/numbers.ts";
import { Card, Facts } from "../../ui/card.tsx";
import { Notice } from "../../ui/states.tsx";
import { creditsInMonth } from "./month-credits.ts";

interface EstimateCardProps {
  readonly estimate: WatchlistEstimate | undefined;
  readonly preview: SchedulePreview | undefined;
  readonly items: number;
}

/** What a list is going to cost, beside what there is. */
export function EstimateCard({ estimate, preview, items }: EstimateCardProps) {
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), []);
  const balance = account.data?.credit_balance;
  const credits = estimate?.estimated_credits;
  const first = credits?.newAsins;
  return (
    <Card title="What it will cost">
      {items === 0 ? (
        <p class="muted">Give IDs above to see the credits of a run.</p>
      ) : (
        <Facts
          facts={[
            ["First read of every item", shown(first)],
            ["Each run after that", shown(credits?.pulseRun)],
            ...(credits !== undefined && credits.refreshRun !== credits.pulseRun
              ? [["Each full look", shown(credits.refreshRun)] as const]
              : []),
            ["In 30 days", shown(creditsInMonth(estimate, preview))],
            ["Balance now", shown(balance, "")],
          ]}
        />
      )}
      {first !== undefined && balance !== undefined && first > balance && (
        <Notice tone="warning">
          The balance does not cover the first run. Runs without credits are skipped, and three in a
          row pause the list.
        </Notice>
      )}
      <p class="field-hint">
        At most, where nothing changed. Items that moved may be read again by a further step.
        Answers that failed are free.
      </p>
    </Card>
  );
}

const shown = (credits: number | undefined, about = "≈ "): string =>
  credits === undefined ? "…" : `${about}${formatCredits(credits)}`;
