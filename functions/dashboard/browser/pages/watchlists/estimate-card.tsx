import type { Account, Usage, WatchlistEstimate } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { formatCount, formatCredits } from "../../format/numbers.ts";
import { lastingWords } from "../../format/times.ts";
import { Card, Facts } from "../../ui/card.tsx";
import { Notice } from "../../ui/states.tsx";
import { readPausedCredits } from "../overview/paused-credits.ts";
import { usageDays } from "../overview/run-out.ts";
import { RunOutList } from "../overview/run-out-list.tsx";
import { type Coverage, coverageOf, type SpendingAccount } from "./coverage.ts";

interface EstimateCardProps {
  readonly estimate: WatchlistEstimate | undefined;
  readonly items: number;
  /** True for a paused watchlist. The forecast then includes its runs as if it were resumed now. */
  readonly isPaused?: boolean;
}

/** Loads the account with its recent usage. Returns undefined until all of it is loaded. */
function useSpending(): SpendingAccount | undefined {
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), []);
  const usage = useQuery(
    (api, signal) => api.get<Usage>("usage", { signal, query: { days: usageDays } }),
    [],
  );
  const paused = useQuery(readPausedCredits, []);
  if (account.data === undefined || usage.data === undefined || paused.data === undefined) {
    return undefined;
  }
  return { account: account.data, use: { daily: usage.data.daily, paused: paused.data } };
}

/** Shows the estimated cost of a watchlist, and how long the current balance covers it. */
export function EstimateCard({ estimate, items, isPaused = false }: EstimateCardProps) {
  const spending = useSpending();
  const coverage = coverageOf(estimate, spending, new Date());
  return (
    <Card title="Estimated cost">
      {items === 0 ? (
        <p class="muted">Enter IDs above to see the credits of a run.</p>
      ) : (
        <Facts
          facts={[
            ...costFacts(estimate),
            ["Balance now", shown(spending?.account.credit_balance, "")],
            ...coverageFacts(coverage, isPaused),
          ]}
        />
      )}
      {items > 0 && coverage && <CoverageNotice coverage={coverage} />}
      {items > 0 && <LimitNotice steps={estimate?.blocked_steps ?? []} />}
      <p class="field-hint">
        The 30 days are a forecast from the schedule, and from past runs if there are any. Failed
        reads are free. {isPaused ? pausedHint : activeHint}
      </p>
    </Card>
  );
}

const activeHint =
  "“All credits last” is the forecast of the page Overview, with the settings of this form.";
const pausedHint =
  "“All credits last” includes this watchlist. The page Overview leaves out paused watchlists.";

type FactList = Parameters<typeof Facts>[0]["facts"];

function costFacts(estimate: WatchlistEstimate | undefined): FactList {
  const credits = estimate?.estimated_credits;
  const month = estimate?.forecast?.month;
  return [
    ["First read of new items", shown(credits?.newAsins)],
    ["Each run after that", shown(credits?.pulseRun)],
    ...(credits !== undefined && credits.refreshRun !== credits.pulseRun
      ? [["Each full refresh", shown(credits.refreshRun)] as const]
      : []),
    ["In 30 days", shown(month?.likely)],
    ["At most in 30 days", shown(month?.worst)],
  ];
}

const coverageFacts = (coverage: Coverage | undefined, isPaused: boolean): FactList => [
  [
    "For this watchlist alone, the balance covers",
    coverage === undefined ? "…" : coveredWords(coverage),
  ],
  [
    isPaused ? "All credits last, once resumed" : "All credits last",
    coverage === undefined ? "…" : <AllLists all={coverage.all} />,
  ],
];

const shown = (credits: number | undefined, about = "≈ "): string =>
  credits === undefined ? "…" : `${about}${formatCredits(credits)}`;

/**
 * The card shows a warning if the balance covers fewer hours than this. 168 hours are seven days.
 */
const fewHours = 168;

const runWords = (runs: number): string => `${formatCount(runs)} ${runs === 1 ? "run" : "runs"}`;

function coveredWords({ runs, hours }: Coverage): string {
  if (runs === null || hours === null) return "all runs: they cost no credits";
  return `${runWords(runs)}, about ${lastingWords(hours)}`;
}

const AllLists = ({ all }: Pick<Coverage, "all">) =>
  all === null ? <>more than ten years</> : <RunOutList runOut={all} />;

function CoverageNotice({ coverage }: { readonly coverage: Coverage }) {
  const { runs, all } = coverage;
  if (runs === 0) {
    return (
      <Notice tone="warning">
        The balance does not cover the first run. The service skips a run that the balance does not
        cover, and pauses the watchlist after three skipped runs in a row.
      </Notice>
    );
  }
  if (all === null || all[0].hours >= fewHours) return null;
  return (
    <Notice tone="warning">
      The credits last {lastingWords(all[0].hours)}. After that, the service skips runs that the
      balance does not cover, and pauses a watchlist after three skipped runs in a row.
    </Notice>
  );
}

const limitWords: Readonly<Record<BlockedStep["limit"], string>> = {
  max_credits_per_run: "the credits per run leave",
  daily_credit_budget: "the credits per day leave",
  account_daily_credit_budget: "the daily budget of the account leaves",
};

type BlockedStep = WatchlistEstimate["blocked_steps"][number];

/** Shows which steps a credit limit blocks in every run. */
function LimitNotice({ steps }: { readonly steps: readonly BlockedStep[] }) {
  if (steps.length === 0) return null;
  return (
    <Notice tone="warning">
      {steps.map(({ step, limit, credits, available }) => (
        <p key={step}>
          Runs are likely to leave out items of the step {step}: the step costs about{" "}
          {formatCredits(credits)}, and {limitWords[limit]} {formatCredits(available)} for it. Raise
          the limit, or remove the step.
        </p>
      ))}
    </Notice>
  );
}
