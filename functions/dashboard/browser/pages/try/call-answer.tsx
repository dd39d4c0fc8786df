import { useEffect, useRef } from "preact/hooks";
import type { Answer } from "../../api/client.ts";
import { formatCount, formatCredits } from "../../format/numbers.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card, Facts } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import type { Sent } from "./use-call.ts";

/** Shows the response to the last call. If no call was sent, shows a note instead. */
export function CallAnswer({ sent }: { readonly sent: Sent | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const answer = sent?.answer;
  useEffect(() => {
    // On a narrow screen, the response is below the form, so the page scrolls to it.
    if (answer !== undefined) box.current?.scrollIntoView({ block: "nearest" });
  }, [answer]);
  return (
    <div class="try-answer" ref={box}>
      <Card
        title="Response"
        actions={answer && <CopyButton text={indented(answer.text)} what="response" />}
      >
        <p class="visually-hidden" role="status">
          {sent && statusLine(sent)}
        </p>
        {sent ? (
          <Outcome sent={sent} />
        ) : (
          <EmptyState title="No call sent yet.">
            The response, its cost and the new balance will appear here.
          </EmptyState>
        )}
      </Card>
    </div>
  );
}

function Outcome({ sent }: { readonly sent: Sent }) {
  const { answer, error } = sent;
  return (
    <>
      <p class="mono muted try-line">{lineOf(sent)}</p>
      {error && <ErrorState error={error} />}
      {answer && <Answered answer={answer} />}
      {!answer && !error && <Skeleton lines={5} />}
    </>
  );
}

function Answered({ answer }: { readonly answer: Answer }) {
  const json = parsed(answer.text);
  return (
    <>
      <Facts facts={factsOf(answer)} />
      {json === undefined ? (
        <CodeBlock label="Text" code={answer.text} />
      ) : (
        <JsonView value={json} openLevels={answer.text.length > wholeMax ? 2 : 4} />
      )}
      <p class="small muted">
        Request <code>{answer.headers.get("X-Request-Id") ?? "–"}</code>
      </p>
    </>
  );
}

/**
 * The maximum length in characters of a response that is shown with four open levels. A longer
 * response is shown with two.
 */
const wholeMax = 12_000;

const lineOf = ({ request: { method, path, query } }: Sent): string => {
  const search = new URLSearchParams(query).toString();
  return `${method} /v1/${path}${search === "" ? "" : `?${search}`}`;
};

function statusLine({ answer, error }: Sent): string {
  if (error) return "";
  if (!answer) return "The call is in progress.";
  const charged = answer.headers.get("X-Service-Credits");
  const charge = charged === null ? "" : `, ${formatCredits(Number(charged))} charged`;
  return `The service responded with status ${answer.status} in ${formatCount(answer.milliseconds)} milliseconds${charge}.`;
}

/**
 * Returns the facts about a response that the page lists, as names and values. Free calls have no
 * `X-Service-Credits`.
 */
function factsOf({ status, headers, milliseconds }: Answer) {
  const charged = headers.get("X-Service-Credits");
  const balance = headers.get("X-Service-Balance");
  const isGood = status < 300;
  return [
    ["Status", <Badge tone={isGood ? "good" : "bad"}>{status}</Badge>],
    ["Time", <span class="number">{formatCount(milliseconds)} ms</span>],
    ["Charged", charged === null ? "free" : formatCredits(Number(charged))],
    ...(balance === null
      ? []
      : [["Balance after", <span class="number">{formatCount(Number(balance))}</span>] as const]),
  ] as const;
}

/** Returns JSON with one line for each value; any other text unchanged. */
function indented(text: string): string {
  const json = parsed(text);
  return json === undefined ? text : JSON.stringify(json, null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
