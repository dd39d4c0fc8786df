import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { WebhookTest } from "../../api/resources.ts";
import { useAction } from "../../api/use-action.ts";
import { WriteButton } from "../../ui/button.tsx";
import { ErrorState, Notice } from "../../ui/states.tsx";
import { testInWords } from "./delivery-words.ts";

interface EndpointTest {
  readonly button: ComponentChildren;
  /** The result of the last test, in a live region. */
  readonly outcome: ComponentChildren;
}

/**
 * Returns a button that sends a test delivery, and the result of the last test or its error.
 * @param blocked the reason why the endpoint accepts no test now; undefined if it accepts one
 * @param onSent called after each test, when the delivery log may have a new entry
 */
export function useEndpointTest(
  id: string,
  blocked: string | undefined,
  onSent: () => void,
): EndpointTest {
  const [outcome, setOutcome] = useState<WebhookTest>();
  const test = useAction((api) => api.send<WebhookTest>("POST", `webhook_endpoints/${id}/test`));
  const send = async (): Promise<void> => {
    setOutcome(undefined);
    setOutcome(await test.run(undefined));
    onSent();
  };
  return {
    button: (
      <WriteButton
        variant="primary"
        busy={test.busy}
        disabledReason={blocked}
        onClick={() => void send()}
      >
        Send a test
      </WriteButton>
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
