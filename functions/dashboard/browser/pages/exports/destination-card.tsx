import { useState } from "preact/hooks";
import type { S3Destination, S3DestinationTest } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { WriteButton } from "../../ui/button.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DisableDialog } from "./disable-dialog.tsx";
import { reasonInWords, testInWords } from "./store-words.ts";

interface DestinationCardProps {
  readonly destination: S3Destination;
  readonly onChanged: () => void;
  readonly onEdit: () => void;
}

/**
 * Shows the destination, with buttons to edit, enable or disable, and test it. The edit button
 * calls `onEdit`. The other buttons call `onChanged` after their action.
 */
export function DestinationCard({ destination, onChanged, onEdit }: DestinationCardProps) {
  const toast = useToast();
  const [outcome, setOutcome] = useState<S3DestinationTest>();
  const [isDisabling, setDisabling] = useState(false);
  const test = useAction((api) => api.send<S3DestinationTest>("POST", "s3_destination/test"));
  const enable = useAction((api) =>
    api.send("PATCH", "s3_destination", { body: { enabled: true } }),
  );
  const runTest = async (): Promise<void> => {
    setOutcome(undefined);
    enable.reset();
    setOutcome(await test.run(undefined));
    onChanged();
  };
  const runEnable = async (): Promise<void> => {
    setOutcome(undefined);
    test.reset();
    if ((await enable.run(undefined)) !== undefined) toast("The destination is enabled.");
    onChanged();
  };
  const error = test.error ?? enable.error;
  return (
    <Card
      title="Destination"
      actions={
        <div class="row">
          <WriteButton small onClick={onEdit}>
            Edit
          </WriteButton>
          {destination.enabled ? (
            <WriteButton small onClick={() => setDisabling(true)}>
              Disable
            </WriteButton>
          ) : (
            <WriteButton small busy={enable.busy} onClick={() => void runEnable()}>
              Enable
            </WriteButton>
          )}
          <WriteButton small variant="primary" busy={test.busy} onClick={() => void runTest()}>
            Test
          </WriteButton>
        </div>
      }
    >
      <div class="destination-outcome" role="status">
        {outcome && (
          <Notice tone={outcome.ok ? "good" : "bad"}>
            <p>{testInWords(outcome)}</p>
          </Notice>
        )}
      </div>
      {error && <ErrorState error={error} />}
      {destination.last_error !== null && outcome === undefined && (
        <Notice tone="warning">
          <p>The last attempt failed. {reasonInWords(destination.last_error)}.</p>
        </Notice>
      )}
      <Facts facts={[...placeFacts(destination), ...accessFacts(destination)]} />
      {isDisabling && <DisableDialog onDisabled={onChanged} onClose={() => setDisabling(false)} />}
    </Card>
  );
}

type FactList = Parameters<typeof Facts>[0]["facts"];

const snapshotNames = {
  none: "no",
  run: "after each run",
  day: "once a day",
} as const satisfies Readonly<Record<S3Destination["snapshot"], string>>;

const placeFacts = (destination: S3Destination): FactList => [
  ["State", <StateBadge key="state" state={destination.status} />],
  ["Bucket", <code key="bucket">{destination.bucket}</code>],
  ["Region", destination.region],
  ["Store", destination.endpoint ?? "AWS"],
  ["Prefix", destination.prefix === "" ? "none" : <code key="prefix">{destination.prefix}</code>],
  ["Compression", destination.compression],
  ["Parquet file of changes", destination.rows ? "yes" : "no"],
  ["Parquet file of all items", snapshotNames[destination.snapshot]],
  ["Last success", <RelativeTime key="success" time={destination.last_success_at} />],
];

const accessFacts = (destination: S3Destination): FactList =>
  destination.auth === "role"
    ? [
        ["Role", <code key="role">{destination.role_arn}</code>],
        ["External ID", <code key="external">{destination.external_id}</code>],
      ]
    : [
        ["Access key ID", <code key="key">{destination.access_key_id}</code>],
        [
          "Secret access key",
          destination.secret_hint === null ? "set" : `ends in ${destination.secret_hint}`,
        ],
      ];
