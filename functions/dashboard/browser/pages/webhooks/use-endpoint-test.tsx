import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WebhookTest } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { SelectFilter } from "../../ui/filters.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { testInWords } from "./delivery-words.ts";
import { runEventTypes, testType } from "./event-types.ts";

const types = [testType, ...runEventTypes.map(([type]) => type)].map(
  (type) => [type, type] as const,
);

interface EndpointTest {
  readonly button: ComponentChildren;
  /** The result of the last test, in a live region. */
  readonly outcome: ComponentChildren;
}

/**
 * Returns a button that sends a test delivery of the chosen event type, and the result of the last
 * test or its error.
 * @param blocked the reason why the endpoint accepts no test now; undefined if it accepts a test
 * @param onSent called after each test, when the delivery log may have a new entry
 */
export function useEndpointTest(
  id: string,
  blocked: string | undefined,
  onSent: () => void,
): EndpointTest {
  const [outcome, setOutcome] = useState<WebhookTest>();
  const [type, setType] = useState(testType);
  const test = useAction((api) =>
    api.send<WebhookTest>("POST", `webhook_endpoints/${id}/test`, { body: { type } }),
  );
  const send = async (): Promise<void> => {
    setOutcome(undefined);
    setOutcome(await test.run(undefined));
    onSent();
  };
  return {
    button: (
      <span class="row">
        <SelectFilter
          label="Type of the test event"
          choices={types}
          value={type}
          onChange={setType}
        />
        <WriteButton
          variant="primary"
          busy={test.busy}
          disabledReason={blocked}
          onClick={() => void send()}
        >
          Send a test
        </WriteButton>
      </span>
    ),
    outcome: (
      <div class="test-outcome" role="status">
        {outcome && (
          <Notice tone={outcome.delivered ? "good" : "bad"}>
            <p>{testInWords(outcome)}</p>
          </Notice>
        )}
        {test.error && <ErrorState error={test.error} />}
      </div>
    ),
  };
}
